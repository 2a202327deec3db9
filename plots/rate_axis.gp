# SPDX-License-Identifier: Apache-2.0
# The x axis of all figures over the deletion rate: log, in per cent, with the cliff at 4,096 of 65,536 rows marked.
set logscale x 10
set xlabel "deleted rows, per cent (log scale)"
# Run containers have no such limit: where all are runs there is no line.
n_flat = 0
stats data using (n_flat = n_flat + column("array_containers") + column("bitset_containers"), 0) nooutput
if (n_flat > 0) {
    set arrow 90 from 6.25, graph 0 to 6.25, graph 1 nohead dashtype 2 lc rgb "#444444" lw 1.2 back
    set label 90 "6.25 %: array | bitset" at 6.25, graph 1.025 center textcolor rgb "#444444" font small_font
}
percent(name) = (r_value = column(name), r_value > 0 ? 100 * r_value : NaN)
stats data using (count_zeros("rate")) nooutput
if (n_zeros > 0) { set label 4 sprintf("%d points at a rate of 0 have no place on a log axis and are not drawn.", n_zeros) }
stats data using (percent("rate")) nooutput
least_rate = 0.85 * STATS_min
most_rate = 1.15 * STATS_max
set xrange [least_rate : most_rate]
# Round numbers of a log axis; where the rates are so near each other that fewer than three of them are in sight, even steps.
round_rates = "0.00001 0.0001 0.001 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 10 20 50 100"
is_in_sight(rate) = rate >= least_rate && rate <= most_rate
n_in_sight = sum [i = 1:words(round_rates)] (is_in_sight(real(word(round_rates, i))) ? 1 : 0)
set xtics ()
do for [rate in round_rates] { set xtics add (rate real(rate)) }
if (n_in_sight < 3) {
    step = 10 ** floor(log10((most_rate - least_rate) / 3))
    step = step * ((most_rate - least_rate) / step > 15 ? 5 : (most_rate - least_rate) / step > 6 ? 2 : 1)
    set xtics ()
    do for [i = int(ceil(least_rate / step)) : int(floor(most_rate / step))] { set xtics add (sprintf("%g", i * step) i * step) }
}
