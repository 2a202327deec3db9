# SPDX-License-Identifier: Apache-2.0
# What all figures share: where data come from, the terminal, colours, the frame, and what a log axis cannot show.
#
# A figure reads one CSV with the columns of summary.csv and draws every row that it holds; `dvbench plot RUN` selects the
# rows (one machine, one sink, ...) into RUN/plots/FIGURE.csv. By hand, from anywhere:
#     DVBENCH_DATA=results/RUN/plots/cost_over_rate.row_ids.csv gnuplot plots/cost_over_rate.gp
# All of these are optional; they come through the environment, so that no value is ever parsed as a command:
#     DVBENCH_DATA      the CSV ("summary.csv")
#     DVBENCH_OUT       the picture without its extension (the script's name, in the current folder)
#     DVBENCH_FORMAT    svg, png or pdf ("svg"); svg where this gnuplot lacks the terminal
#     DVBENCH_TITLE     the question (the script's own)
#     DVBENCH_SUBTITLE  which data it is answered for
#     DVBENCH_STYLE_ORDER  ids of all kernels of the run: what dashes and points are dealt out by (DVBENCH_KERNELS)
#     DVBENCH_KERNELS   ids of the kernels to draw, in the order of the legend (all of the file)

env(name, fallback) = (env_value = system('printf %s "$'.name.'"'), strlen(env_value) > 0 ? env_value : fallback)

data = env("DVBENCH_DATA", "summary.csv")
out = env("DVBENCH_OUT", figure)
wanted_format = env("DVBENCH_FORMAT", "svg")

# ---- terminal: cairo where it is, gd's png after it, svg everywhere
has_terminal(name) = strstrt(" ".GPVAL_TERMINALS." ", " ".name." ") > 0
format_used = "svg"
if (wanted_format eq "pdf" && has_terminal("pdfcairo")) { format_used = "pdf" }
if (wanted_format eq "png" && (has_terminal("pngcairo") || has_terminal("png"))) { format_used = "png" }
if (format_used ne wanted_format) { print "no terminal for ".wanted_format." in this gnuplot: drew svg" }
if (format_used eq "svg") { set terminal svg size 1100,660 noenhanced font "sans-serif,14" background rgb "white" }
if (format_used eq "pdf") { set terminal pdfcairo size 11in,6.6in noenhanced font "Sans,12" background rgb "white" }
if (format_used eq "png" && has_terminal("pngcairo")) {
    set terminal pngcairo size 1100,660 noenhanced font "Sans,11" background rgb "white"
}
if (format_used eq "png" && !has_terminal("pngcairo")) { set terminal png size 1100,660 noenhanced }
set encoding utf8
set output out.".".format_used

# ---- data: named columns, empty cells missing, never zero
set datafile separator comma columnheaders
set datafile missing NaN

# Every script draws `for [k in kernels]`; without a choice from outside these are all kernels that have a time. (A script
# whose rows are no kernels sets has_no_kernels.)
kernels = env("DVBENCH_KERNELS", "")
has_word(list, word) = strstrt(" ".list." ", " ".word." ") > 0
if (strlen(kernels) == 0 && !exists("has_no_kernels")) {
    stats data using (k = strcol("kernel"), \
        kernels = (has_word(kernels, k) || strcol("verdict") ne "ok") ? kernels : kernels." ".k, 0) nooutput
}
is(k) = strcol("kernel") eq k && strcol("verdict") eq "ok"

# What a log axis cannot show is dropped; where zeros are possible they are counted and the figure says so.
n_zeros = 0
positive(name) = (p_value = column(name), p_value > 0 ? p_value : NaN)
count_zeros(name) = (n_zeros = n_zeros + (has_word(kernels, strcol("kernel")) && column(name) == 0), 0)

# Kernels that expand the whole vector do their work when it is opened: they are charged for it everywhere (speed-ups
# in the table already are). The others' opening is on the figure over the size of the file, and in total_ns_per_row.
works_at_opening(k) = k[1:6] eq "expand"
with_opening(name) = (o_value = column(name), !works_at_opening(strcol("kernel")) ? o_value : \
    name eq "ns_per_row" ? column("total_ns_per_row") : o_value * column("ns_per_row") / column("total_ns_per_row"))
charged(name) = (c_value = with_opening(name), c_value > 0 ? c_value : NaN)
title_of(k) = works_at_opening(k) ? k.", with opening" : k

# ---- colours: Okabe and Ito's, one per technique; kernels of one technique differ by dash and point
technique(k) = k[1:7] eq "per_row" ? 1 : k[1:14] eq "batch_iterator" ? 2 : k[1:8] eq "for_each" ? 3 : \
    k[1:7] eq "for_all" ? 4 : k[1:6] eq "range_" ? 5 : k[1:6] eq "expand" ? 6 : k[1:6] eq "direct" ? 7 : 8
technique_colours = "#D55E00 #E69F00 #0072B2 #56B4E9 #CC79A7 #7A5C3E #009E73 #555555"
colour(k) = word(technique_colours, technique(k))
# Dash and point follow a fixed order of all kernels, so that a kernel looks the same on every picture.
style_order = env("DVBENCH_STYLE_ORDER", kernels)
place(k) = sum [j = 1:words(style_order)] (word(style_order, j) eq k ? j : 0)
member(k) = place(k) < 2 ? 0 : sum [j = 1:place(k)-1] (technique(word(style_order, j)) == technique(k) ? 1 : 0)
point_types = "7 6 5 4 9 8 13 12 11 10"
point(k) = is_main(k) ? 7 : int(word(point_types, 1 + int(member(k)) % words(point_types)))
dash(k) = is_main(k) ? 1 : 1 + int(member(k)) % 5
# The three that the question is about are drawn heavier: what everybody does, what was merged, what is possible.
is_main(k) = k eq "per_row" || k eq "for_each_in_range" || k[1:6] eq "direct"
width(k) = is_main(k) ? 3.2 : 1.6
size_of(k) = is_main(k) ? 1.0 : 0.75

# ---- frame: question on top, legend at the right of the data, provenance below
set lmargin at screen 0.080
set rmargin at screen 0.715
set tmargin at screen 0.840
set bmargin at screen 0.175
set key at screen 0.730, graph 1.0 left top reverse Left samplen 3 spacing 1.35 width -2
set border 3 lc rgb "#555555" lw 1
set tics nomirror out scale 0.6 textcolor rgb "#333333"
set grid xtics ytics lt 1 lc rgb "#E4E4E4" lw 0.8
set xlabel textcolor rgb "#333333"
set ylabel textcolor rgb "#333333" offset 1,0

machine = ""; croaring = ""; source = ""; run = ""; batch = ""; mode = ""; sink = ""; samples = ""
list_of(list, value) = strlen(value) == 0 || strstrt(", ".list.", ", ", ".value.", ") > 0 ? list : \
    strlen(list) == 0 ? value : list.", ".value
stats data using (machine = list_of(machine, strcol("machine")), croaring = list_of(croaring, strcol("croaring")), \
    source = list_of(source, strcol("counter_source")), run = list_of(run, strcol("run")), \
    batch = list_of(batch, strcol("batch_rows")), mode = list_of(mode, strcol("mode")), sink = list_of(sink, strcol("sink")), 0) nooutput
has_sim = strstrt(source, "sim") > 0
has_step = strstrt(source, "step") > 0
source_text = source eq "pmu" ? "PMU" : (has_sim ? "simulated (callgrind)" : has_step ? "" : source). \
    (has_step ? (has_sim ? ", instructions of AVX-512 stepped" : "single steps") : "")
footer = "Machine: ".machine." · CRoaring ".croaring." · counters: ".source_text." · run ".run

question_font = format_used eq "svg" ? ",21" : ",17"
axis_font = format_used eq "svg" ? ",14" : ",11"
small_font = format_used eq "svg" ? ",12" : ",9"
tiny_font = format_used eq "svg" ? ",10" : ",8"
set label 1 env("DVBENCH_TITLE", question) at screen 0.018,0.952 left font question_font textcolor rgb "#111111"
set label 2 env("DVBENCH_SUBTITLE", "sink ".sink.", batches of ".batch." rows, mode ".mode) at screen 0.018,0.900 left textcolor rgb "#555555"
set label 3 footer at screen 0.018,0.030 left font small_font textcolor rgb "#777777"
of_source = has_sim ? ", simulated" : ""
of_instructions = has_sim && has_step ? ", simulated or stepped" : of_source
set label 4 at screen 0.018,0.064 left font small_font textcolor rgb "#777777"
