# SPDX-License-Identifier: Apache-2.0
# The fastest kernel at each rate and run length, with the runner-up and its distance. Rows are those of the winners,
# with columns more: run_length and nominal_rate (as the vector's spec asks for), runner_up (a kernel id), runner_up_pct (by how many per cent it is slower) and lead (the same as text, "none" where the
# difference does not leave the noise: no winner can be named there).
figure = "winner_map"
question = "Which kernel wins where, and by how much?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"

lengths = ""
rates = ""
rate_text(name) = sprintf("%.2g", 100 * column(name))
stats data using (v = strcol("run_length"), lengths = has_word(lengths, v) ? lengths : lengths." ".v, \
    v = rate_text("nominal_rate"), rates = has_word(rates, v) ? rates : rates." ".v, 0) nooutput
index_of(list, w) = sum [j = 1:words(list)] (word(list, j) eq w ? j : 0)

winners = ""
stats data using (v = strcol("kernel"), winners = has_word(winners, v) ? winners : winners." ".v, 0) nooutput
if (is_narrow) {
    set lmargin at screen 0.62 / width_in
    set bmargin at screen (0.6 + 1.3 * points_of(0.714) / 72 * ceil(words(winners) / 2.0)) / height_in
} else {
    set lmargin at screen 0.100
    set rmargin at screen 0.985
    unset key
}
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
set ylabel "deleted rows" offset (is_narrow ? 1.5 : -0.8),0
if (!is_narrow) { set label 4 "Names without _in_range. The runner-up is the fastest of another technique. The stronger the colour, the larger the lead; one inside the noise is none." at screen 0.018,0.062 left font small_font textcolor rgb "#777777" }
set style fill solid 1 noborder

gap_text(name) = strcol(name) eq "none" ? "no clear winner over" : strcol(name)." to the next:"
short(k) = strstrt(k, "_in_range") > 0 ? k[1:strstrt(k, "_in_range") - 1].k[strstrt(k, "_in_range") + 9:*] : k
x_of(name) = index_of(lengths, strcol(name))
y_of(name) = index_of(rates, rate_text(name))
# The kernel's colour, mixed with white: pale where no lead leaves the noise, stronger up to four times as fast.
strength(lead) = lead eq "none" ? 0.10 : (s_ratio = 1 + column("runner_up_pct") / 100, s_ratio >= 4 ? 0.60 : 0.20 + 0.40 * log(s_ratio) / log(4))
part_of(k, at) = int(255 - f_strength * (255 - int(sprintf("0x%s", colour(k)[at:at + 1]))))
hue(k, lead) = (f_strength = strength(lead), part_of(k, 2) * 65536 + part_of(k, 4) * 256 + part_of(k, 6))
map_font = words(lengths) > 6 ? tiny_font : small_font
plot data using (x_of("run_length")):(y_of("nominal_rate")):(x_of("run_length") - 0.485):(x_of("run_length") + 0.485): \
        (y_of("nominal_rate") - 0.47):(y_of("nominal_rate") + 0.47):(hue(strcol("kernel"), strcol("lead"))) with boxxyerror lc rgb variable notitle, \
    data using (x_of("run_length")):(y_of("nominal_rate") + 0.22):(is_narrow ? "" : short(strcol("kernel"))) with labels font map_font textcolor rgb "#111111" notitle, \
    data using (x_of("run_length")):(y_of("nominal_rate") - 0.03):(is_narrow ? (strcol("lead") eq "none" ? "~" : strcol("lead")) : gap_text("lead")) \
        with labels font tiny_font textcolor rgb "#333333" notitle, \
    data using (x_of("run_length")):(y_of("nominal_rate") - 0.26):(is_narrow ? "" : short(strcol("runner_up"))) with labels font tiny_font textcolor rgb "#555555" notitle, \
    for [k in (is_narrow ? winners : "")] NaN with boxes fill solid 0.6 lc rgb colour(k) title short(k)
