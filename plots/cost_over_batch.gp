# SPDX-License-Identifier: Apache-2.0
# Median ns per row over the rows of a batch, for one vector.
figure = "cost_over_batch"
question = "How much does the batch size matter?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
stats data using (positive("batch_rows")) nooutput
set xrange [0.85 * STATS_min : 1.18 * STATS_max]
set logscale x 2
set xlabel "rows in a batch (log scale)"
set xtics ("64" 64, "128" 128, "256" 256, "512" 512, "1,024" 1024, "2,048" 2048, "5,000" 5000, "16,384" 16384, "65,536" 65536)
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? positive("batch_rows") : NaN):(charged("ns_per_row")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title title_of(k), \
    data using (is(word(kernels, 1)) ? positive("batch_rows") : NaN):(positive("bound_ns_per_row")) with lines lc rgb "black" lw 2 dt 3 title "store bound of this CPU"
