# SPDX-License-Identifier: Apache-2.0
# Median of the paired ratios per_row / kernel, with the interval of the ratios.
figure = "speedup_over_rate"
question = "How many times faster than a lookup per row?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set logscale y 10
set format y "%g"
set ylabel "times faster than per_row (log scale)"
set arrow 91 from graph 0, first 1 to graph 1, first 1 nohead lc rgb colour("per_row") lw 1.5 back
line_x(unused) = percent("rate")
line_y(unused) = positive("speedup_vs_per_row")
line_low(unused) = positive("speedup_low")
line_high(unused) = positive("speedup_high")
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
