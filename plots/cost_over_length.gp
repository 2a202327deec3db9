# SPDX-License-Identifier: Apache-2.0
# Median ns per row over the length of the runs in which rows are deleted, at one rate.
figure = "cost_over_length"
question = "Does it matter whether deletes come in runs?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
set logscale x 2
set xlabel "deleted rows in a run (log scale)"
set format x "%g"
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
line_x(unused) = positive("axis_value")
has_bound = 1
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
