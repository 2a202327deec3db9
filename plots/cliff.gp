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
is_side(side) = n_flat == 0 ? side == 1 : side == 1 ? column("rate") <= 0.0625 : column("rate") > 0.0625
plot for [i = 1:words(kernels)] for [side = 1:2] k = word(kernels, i) data using (is(k) && is_side(side) ? percent("rate") : NaN):(charged("ns_per_row")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title (side == 1 ? title_of(k) : ""), \
    for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? percent("rate") : NaN):(charged("ns_per_row")): \
        (bar_end("ns_per_row_low")):(bar_end("ns_per_row_high")) with yerrorbars lc rgb colour(k) lw look pt point(k) ps size_of(k) notitle, \
    for [side = 1:2] data using (is(word(kernels, 1)) && is_side(side) ? percent("rate") : NaN):(positive("bound_ns_per_row")) \
        with lines lc rgb "black" lw 2 dt 3 title (side == 1 ? "store bound of this CPU" : "")
