# SPDX-License-Identifier: Apache-2.0
# Median of the paired ratios per_row / kernel, with the interval of the ratios.
figure = "speedup_over_rate"
question = "How many times faster than a lookup per row?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set logscale y 10
set format y "%g"
set ylabel "times faster than per_row (log scale)"
set arrow 91 from graph 0, first 1 to graph 1, first 1 nohead lc rgb colour("per_row") lw 1.5 back
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? percent("rate") : NaN):(positive("speedup_vs_per_row")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title title_of(k), \
    for [i = 1:words(kernels)] k = word(kernels, i) data using \
        (is(k) ? percent("rate") : NaN):(positive("speedup_vs_per_row")):(positive("speedup_low")):(positive("speedup_high")) \
        with yerrorbars lc rgb colour(k) lw 1.5 pt point(k) ps size_of(k) notitle
