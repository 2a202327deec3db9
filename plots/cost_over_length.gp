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
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? positive("axis_value") : NaN):(charged("ns_per_row")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title title_of(k), \
    for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? positive("axis_value") : NaN):(charged("ns_per_row")): \
        (bar_end("ns_per_row_low")):(bar_end("ns_per_row_high")) with yerrorbars lc rgb colour(k) lw look pt point(k) ps size_of(k) notitle, \
    data using (is(word(kernels, 1)) ? positive("axis_value") : NaN):(positive("bound_ns_per_row")) with lines lc rgb "black" lw 2 dt 3 title "store bound of this CPU"
