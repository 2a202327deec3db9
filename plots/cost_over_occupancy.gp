# SPDX-License-Identifier: Apache-2.0
# Median ns per row over the share of chunks that have deletes, at one rate inside them.
figure = "cost_over_occupancy"
question = "Does it matter how many chunks have deletes at all?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
set xlabel "chunks that have deletes, per cent"
set xrange [0:100]
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
line_x(unused) = positive("axis_value")
has_bound = 1
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
