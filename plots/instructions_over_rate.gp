# SPDX-License-Identifier: Apache-2.0
# Instructions per row, from the counting passes.
figure = "instructions_over_rate"
question = "How many instructions does a row cost?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set logscale y 10
set format y "%g"
set ylabel "instructions per row".of_instructions." (log scale)"
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? percent("rate") : NaN):(positive("instructions_per_row")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title label_of(k)
