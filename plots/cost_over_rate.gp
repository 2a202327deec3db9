# SPDX-License-Identifier: Apache-2.0
# Median ns per row of one kernel per technique over the deletion rate; the store bound below them.
figure = "cost_over_rate"
question = "What does it cost to apply a deletion vector, at each deletion rate?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? percent("rate") : NaN):(charged("ns_per_row")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title title_of(k), \
    for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? percent("rate") : NaN):(charged("ns_per_row")): \
        (bar_end("ns_per_row_low")):(bar_end("ns_per_row_high")) with yerrorbars lc rgb colour(k) lw look pt point(k) ps size_of(k) notitle, \
    data using (is(word(kernels, 1)) ? percent("rate") : NaN):(positive("bound_ns_per_row")) with lines lc rgb "black" lw 2 dt 3 title "store bound of this CPU"
