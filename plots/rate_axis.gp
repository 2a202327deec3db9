# SPDX-License-Identifier: Apache-2.0
# The x axis of all figures over the deletion rate: log, in per cent, with the cliff at 4,096 of 65,536 rows marked.
set logscale x 10
set xlabel "deleted rows, per cent (log scale)"
set xtics ("0.001" 0.001, "0.01" 0.01, "0.02" 0.02, "0.05" 0.05, "0.1" 0.1, "0.2" 0.2, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10, \
    "20" 20, "50" 50, "100" 100)
set arrow 90 from 6.25, graph 0 to 6.25, graph 1 nohead dashtype 2 lc rgb "#444444" lw 1.2 back
set label 90 "6.25 %: array | bitset" at 6.25, graph 1.025 center textcolor rgb "#444444" font small_font
percent(name) = (r_value = column(name), r_value > 0 ? 100 * r_value : NaN)
stats data using (count_zeros("rate")) nooutput
if (n_zeros > 0) { set label 4 sprintf("%d points at a rate of 0 have no place on a log axis and are not drawn.", n_zeros) }
stats data using (percent("rate")) nooutput
set xrange [0.85 * STATS_min : 1.15 * STATS_max]
