# SPDX-License-Identifier: Apache-2.0
# Median ns per row with the cost of opening the vector spread over the rows, over the size of the file.
figure = "cost_over_chunks"
question = "How do cost and opening scale with the size of the file?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
set logscale x 10
set xlabel "chunks of 65,536 rows in the file (log scale)"
set format x "%g"
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row, opening included (log scale)"
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? positive("rows") / 65536 : NaN):(positive("total_ns_per_row")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title label_of(k)
