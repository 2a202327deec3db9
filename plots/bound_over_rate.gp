# SPDX-License-Identifier: Apache-2.0
# 100 x store bound / ns per row, one kernel per technique.
figure = "bound_over_rate"
question = "How close does each kernel come to the speed of storing the answer?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set logscale y 10
set format y "%g"
set yrange [*:160]
set ylabel "per cent of the store bound (log scale)"
set arrow 91 from graph 0, first 100 to graph 1, first 100 nohead lc rgb "black" lw 1.5 dt 3 back
set label 91 "only stores" at graph 0.005, first 100 left offset 0,0.6 font small_font
line_x(unused) = percent("rate")
line_y(unused) = charged("pct_of_bound")
of_bound(name) = 100 * column("bound_ns_per_row") / bar_end(name)
line_low(unused) = of_bound("ns_per_row_high")
line_high(unused) = of_bound("ns_per_row_low")
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
