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
#     DVBENCH_SIZE      inches, "WIDTH HEIGHT" (the usual 11 6.6); below 6 the legend is below the data
#     DVBENCH_FONT      "NAME,PT"
#     DVBENCH_TITLE     the question (the script's own); a blank: none, and no subtitle
#     DVBENCH_SUBTITLE  which data it is answered for
#     DVBENCH_STYLE_ORDER  ids of all kernels of the run: what dashes and points are dealt out by (DVBENCH_KERNELS)
#     DVBENCH_MAIN      techniques that are drawn heavier (none)
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
size_text = env("DVBENCH_SIZE", "11 6.6")
width_in = real(word(size_text, 1))
height_in = real(word(size_text, 2))
has_size = strlen(env("DVBENCH_SIZE", "")) > 0
is_narrow = width_in < 6
font_text = env("DVBENCH_FONT", "")
font_name = strlen(font_text) > 0 ? font_text[1:strstrt(font_text, ",") - 1] : ""
base_pt = strlen(font_text) > 0 ? real(font_text[strstrt(font_text, ",") + 1:*]) : is_narrow ? 8 : width_in > 12 ? 14 : 10.08
# The usual picture has 100 pixels an inch, one of a size of its own the 96 of a web page; png has twice as many then.
dots = has_size ? 96.0 : 100.0
unit = format_used eq "svg" ? dots / 72 : format_used eq "png" ? dots / 96 : 1.0
font_of(points) = sprintf(",%.4g", points * unit)
family(usual) = (strlen(font_name) > 0 ? font_name : usual).font_of(base_pt)
if (format_used eq "svg") { set terminal svg size width_in * dots,height_in * dots noenhanced font family("sans-serif") background rgb "white" }
if (format_used eq "pdf") { set terminal pdfcairo size width_in in,height_in in noenhanced fontscale 1 font family("Sans") background rgb "white" }
if (format_used eq "png" && has_terminal("pngcairo")) {
    png_scale = has_size ? 2 : 1
    set terminal pngcairo size png_scale * width_in * dots,png_scale * height_in * dots noenhanced fontscale png_scale \
        linewidth png_scale pointscale png_scale font family("Sans") background rgb "white"
}
if (format_used eq "png" && !has_terminal("pngcairo")) { set terminal png size width_in * dots,height_in * dots noenhanced }
set encoding utf8
set output out.".".format_used

# ---- data: named columns, empty cells missing, never zero
set datafile separator comma columnheaders
set datafile missing NaN

# Every script draws `for [k in kernels]`; without a choice from outside these are all kernels that have a time. (A script
# whose rows are not kernels sets has_no_kernels.)
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
with_opening(name) = (o_value = column(name), column("works_at_open") != 1 ? o_value : \
    name eq "ns_per_row" ? column("total_ns_per_row") : o_value * column("ns_per_row") / column("total_ns_per_row"))
charged(name) = (c_value = with_opening(name), c_value > 0 ? c_value : NaN)
# An end of the interval of ns_per_row, with the same opening as the median has.
bar_end(name) = (b_value = column(name) + (column("works_at_open") == 1 ? column("total_ns_per_row") - column("ns_per_row") : 0), \
    b_value > 0 ? b_value : NaN)
# Where there is little room names lose what most of them have.
label_of(k) = is_narrow && strstrt(k, "_in_range") > 0 ? k[1:strstrt(k, "_in_range") - 1].k[strstrt(k, "_in_range") + 9:*] : k
title_of(k) = label_of(k).(works_at_open(k) ? (is_narrow ? " + opening" : ", with opening") : "")

# ---- what the rows say of each kernel: its technique, and whether it works at opening (columns of the same names)
known = ""; techniques = ""; openings = ""
if (!exists("has_no_kernels")) {
    stats data using (k = strcol("kernel"), is_new = !has_word(known, k), \
        techniques = is_new ? techniques." ".strcol("technique") : techniques, \
        openings = is_new ? openings." ".strcol("works_at_open") : openings, known = is_new ? known." ".k : known, 0) nooutput
}
about(list, k) = (a_place = sum [j = 1:words(known)] (word(known, j) eq k ? j : 0), a_place > 0 ? word(list, a_place) : "")
technique(k) = about(techniques, k)
works_at_open(k) = about(openings, k) eq "1"

# ---- colours: Okabe and Ito's, one per group of techniques; kernels of one colour differ by dash and point
technique_colours = "per_row #D55E00 per_row_raw #D55E00 per_row_branchless #CC79A7 per_row_bulk #D55E00 per_row_roaring64 #D55E00 ". \
    "batch_iterator #E69F00 batch_iterator_file #E69F00 for_each_in_range #0072B2 for_each_in_range_inline #0072B2 ". \
    "for_all_in_range #56B4E9 for_all_in_range_inline #56B4E9 range_cardinality_first #CC79A7 ". \
    "expand_positions #7A5C3E expand_bits #7A5C3E direct #009E73 ". \
    "cow #7A5C3E v2 #D55E00 v2_compact #E69F00 v3 #009E73"
colour_of(t) = (c_place = sum [j = 1:words(technique_colours)] (word(technique_colours, j) eq t ? j : 0), \
    c_place > 0 ? word(technique_colours, c_place + 1) : "#555555")
colour(k) = colour_of(technique(k))
# Dash and point follow a fixed order of all kernels, so that a kernel looks the same on every picture.
style_order = env("DVBENCH_STYLE_ORDER", kernels)
place(k) = sum [j = 1:words(style_order)] (word(style_order, j) eq k ? j : 0)
member(k) = place(k) < 2 ? 0 : sum [j = 1:place(k)-1] (colour(word(style_order, j)) eq colour(k) ? 1 : 0)
point_types = "7 6 5 4 9 8 13 12 11 10"
point(k) = is_main(k) ? 7 : int(word(point_types, 1 + int(member(k)) % words(point_types)))
dash(k) = is_main(k) ? 1 : 1 + int(member(k)) % 5
# The techniques that the question is about are drawn heavier.
main_techniques = env("DVBENCH_MAIN", "")
is_main(k) = has_word(main_techniques, technique(k))
look = is_narrow ? 0.5 : 1.0
width(k) = look * (is_main(k) ? 3.2 : 1.6)
size_of(k) = look * (is_main(k) ? 1.0 : 0.75)

# ---- what lines.gp draws, where a script does not say otherwise
line_title(k) = title_of(k)
line_pieces = 1
is_in_piece(n) = 1
has_bound = 0
# Of the columns of summary.csv that are times: their intervals, opening included as in the median.
has_bars = 1
line_y(unused) = charged("ns_per_row")
line_low(unused) = bar_end("ns_per_row_low")
line_high(unused) = bar_end("ns_per_row_high")

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

# Nothing is smaller than 6 points where the size is asked for.
points_of(share) = has_size && share * base_pt < 6 ? 6 : share * base_pt
question_font = font_of(points_of(is_narrow ? 1.1 : 1.5))
axis_font = font_of(base_pt)
small_font = font_of(points_of(0.857))
tiny_font = font_of(points_of(0.714))
# What does not fit the height would be drawn as a second column, outside of the picture.
if (words(kernels) > 10) { set key font small_font spacing 1.05 }
title_text = env("DVBENCH_TITLE", question)
subtitle_text = title_text eq " " ? "" : env("DVBENCH_SUBTITLE", "sink ".sink.", batches of ".batch." rows, mode ".mode)
# Broken at blanks into lines of at most n letters; a letter is about half as wide as high.
last_blank(text, n) = n < 2 ? 0 : text[n:n] eq " " ? n : last_blank(text, n - 1)
wrap(text, n) = strlen(text) <= n ? text : (w_at = last_blank(text, n), w_at == 0 ? text : text[1:w_at - 1]."\n".wrap(text[w_at + 1:*], n))
n_lines(text) = strlen(text) == 0 ? 0 : strstrt(text, "\n") > 0 ? 1 + n_lines(text[strstrt(text, "\n") + 1:*]) : 1
letters_at(points) = int(width_in * 72 * 0.95 / (0.54 * points))
longest = 0
do for [k in kernels] { longest = strlen(title_of(k)) > longest ? strlen(title_of(k)) : longest }
# The longest name must fit between the data and the edge.
key_pt = (0.265 * 72 * width_in - 3.4 * base_pt) / (0.6 * (longest < 24 ? 24 : longest))
key_font = font_of(key_pt < 6 ? 6 : key_pt)
if (!is_narrow && key_pt < (words(kernels) > 10 ? 0.857 : 1) * base_pt) { set key font key_font spacing 1.15 }
if (is_narrow) {
    title_text = title_text eq " " ? "" : wrap(title_text, letters_at(points_of(1.1)))
    subtitle_text = wrap(subtitle_text, letters_at(points_of(0.857)))
    title_share = 1.3 * n_lines(title_text) * points_of(1.1) / (72 * height_in)
    head_share = title_share + 1.3 * n_lines(subtitle_text) * points_of(0.857) / (72 * height_in)
    set lmargin at screen 0.6 / width_in
    set rmargin at screen 1 - 0.12 / width_in
    set tmargin at screen 1 - head_share - 0.25 / height_in
    entry_in = 1.25 * points_of(0.714) / 72
    n_key_rows = ceil((words(kernels) + 1.0) / 2)
    set bmargin at screen (entry_in * n_key_rows + 0.55) / height_in
    # gnuplot leaves out, without a word, what makes the legend higher than the data.
    n_rows_most = floor((height_in * (1 - head_share) - 0.8 - entry_in * n_key_rows) / entry_in)
    if (n_key_rows > n_rows_most) { set label 5 "Some lines are not named: --kernel draws fewer." at graph 0.98,0.95 right font tiny_font textcolor rgb "#777777" }
    set key default
    set key at screen 0.01,0.01 left bottom vertical maxcols 2 reverse Left samplen 1.5 spacing 1 width -1 font tiny_font
    set label 1 title_text at screen 0.018,1 - 0.75 * 1.3 * points_of(1.1) / (72 * height_in) left font question_font textcolor rgb "#111111"
    set label 2 subtitle_text at screen 0.018,1 - title_share - 0.75 * 1.3 * points_of(0.857) / (72 * height_in) left font small_font textcolor rgb "#555555"
    # The machine and the run are for the text below such a figure, which has no room for them.
    set label 4 at graph 0.02,0.05 left font tiny_font textcolor rgb "#777777"
    set tics font small_font
    set xlabel font small_font offset 0,0.7
    set ylabel font small_font
} else {
    set label 1 title_text at screen 0.018,0.952 left font question_font textcolor rgb "#111111"
    set label 2 subtitle_text at screen 0.018,0.900 left textcolor rgb "#555555"
    set label 3 footer at screen 0.018,0.030 left font small_font textcolor rgb "#777777"
    set label 4 at screen 0.018,0.064 left font small_font textcolor rgb "#777777"
}
of_source = has_sim ? ", simulated" : ""
of_instructions = has_sim && has_step ? ", simulated or stepped" : of_source
