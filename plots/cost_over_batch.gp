# SPDX-License-Identifier: Apache-2.0
# Median ns per row over the rows of a batch, for one vector.
figure = "cost_over_batch"
question = "How much does the batch size matter?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
stats data using (positive("batch_rows")) nooutput
set xrange [0.85 * STATS_min : 1.18 * STATS_max]
set logscale x 2
set xlabel "rows in a batch (log scale)"
# A tic at each size that was measured.
sizes = ""
stats data using (v = strcol("batch_rows"), sizes = has_word(sizes, v) ? sizes : sizes." ".v, 0) nooutput
with_comma(size) = size < 1000 ? sprintf("%d", size) : sprintf("%d,%03d", size / 1000, size % 1000)
set xtics ()
do for [size in sizes] { set xtics add (with_comma(int(size)) int(size)) }
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? positive("batch_rows") : NaN):(charged("ns_per_row")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title title_of(k), \
    for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? positive("batch_rows") : NaN):(charged("ns_per_row")): \
        (bar_end("ns_per_row_low")):(bar_end("ns_per_row_high")) with yerrorbars lc rgb colour(k) lw look pt point(k) ps size_of(k) notitle, \
    data using (is(word(kernels, 1)) ? positive("batch_rows") : NaN):(positive("bound_ns_per_row")) with lines lc rgb "black" lw 2 dt 3 title "store bound of this CPU"
