# SPDX-License-Identifier: Apache-2.0
# The rates around 4,096 deleted rows per chunk, on a linear axis: what the container's kind changes.
figure = "cliff"
question = "What happens where array containers become bitsets?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
unset logscale x
if (n_flat > 0) { unset label 90 }
set xtics auto
set format x "%g"
set xlabel "deleted rows, per cent"
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
if (n_flat > 0) { set label 91 "array containers" at 6.25, graph 1.025 right offset -1,0 textcolor rgb "#444444" font small_font }
if (n_flat > 0) { set label 92 "bitset containers" at 6.25, graph 1.025 left offset 1,0 textcolor rgb "#444444" font small_font }
set xrange [STATS_min - 0.1 : STATS_max + 0.1]
# No line from one kind of container to the other: nothing was measured between them.
line_pieces = n_flat == 0 ? 1 : 2
is_in_piece(n) = n_flat == 0 || (column("rate") <= 0.0625) == (n == 1)
line_x(unused) = percent("rate")
has_bound = 1
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
