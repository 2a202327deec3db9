# SPDX-License-Identifier: Apache-2.0
# Median ns per row of one kernel per technique over the deletion rate; the store bound below them.
figure = "cost_over_rate"
question = "What does it cost to apply a deletion vector, at each deletion rate?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
line_x(unused) = percent("rate")
has_bound = 1
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
