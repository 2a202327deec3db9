# SPDX-License-Identifier: Apache-2.0
# The fastest kernel at each rate and run length, with the runner-up and its distance. Rows are those of the winners,
# with columns more: nominal_rate, runner_up (a kernel id), runner_up_pct (by how many per cent it is slower) and lead (the same as text, "none" where the
# difference does not leave the noise: no winner can be named there).
figure = "winner_map"
question = "Which kernel wins where, and by how much?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"

lengths = ""
rates = ""
rate_text(name) = sprintf("%.2g", 100 * column(name))
stats data using (v = strcol("axis_value"), lengths = has_word(lengths, v) ? lengths : lengths." ".v, \
    v = rate_text("nominal_rate"), rates = has_word(rates, v) ? rates : rates." ".v, 0) nooutput
index_of(list, w) = sum [j = 1:words(list)] (word(list, j) eq w ? j : 0)

set lmargin at screen 0.100
set rmargin at screen 0.985
unset key
unset grid
unset border
set tics scale 0
set xrange [0.5 : words(lengths) + 0.5]
set yrange [0.5 : words(rates) + 0.5]
set xtics ()
set ytics ()
do for [i = 1:words(lengths)] { set xtics add (word(lengths, i) i) }
do for [i = 1:words(rates)] { set ytics add (word(rates, i)." %%" i) }
set xlabel "deleted rows in a run"
set ylabel "deleted rows" offset -0.8,0
set label 4 "Names without _in_range. The runner-up is the fastest of another technique. A lead inside the noise floor is no lead." at screen 0.018,0.062 left font small_font textcolor rgb "#777777"
set style fill transparent solid 0.30 noborder

gap_text(name) = strcol(name) eq "none" ? "no clear winner over" : strcol(name)." to the next:"
short(k) = strstrt(k, "_in_range") > 0 ? k[1:strstrt(k, "_in_range") - 1].k[strstrt(k, "_in_range") + 9:*] : k
x_of(name) = index_of(lengths, strcol(name))
y_of(name) = index_of(rates, rate_text(name))
hue(k) = int(sprintf("0x%s", colour(k)[2:7]))
map_font = words(lengths) > 6 ? tiny_font : small_font
plot data using (x_of("axis_value")):(y_of("nominal_rate")):(x_of("axis_value") - 0.485):(x_of("axis_value") + 0.485): \
        (y_of("nominal_rate") - 0.47):(y_of("nominal_rate") + 0.47):(hue(strcol("kernel"))) with boxxyerror lc rgb variable, \
    data using (x_of("axis_value")):(y_of("nominal_rate") + 0.22):(short(strcol("kernel"))) with labels font map_font textcolor rgb "#111111", \
    data using (x_of("axis_value")):(y_of("nominal_rate") - 0.03):(gap_text("lead")) with labels font tiny_font textcolor rgb "#555555", \
    data using (x_of("axis_value")):(y_of("nominal_rate") - 0.26):(short(strcol("runner_up"))) with labels font tiny_font textcolor rgb "#555555"
