# SPDX-License-Identifier: Apache-2.0
# Instructions per core cycle; only where cycles were counted.
figure = "ipc_over_rate"
question = "How many instructions per cycle does the core sustain?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set ylabel "instructions per core cycle"
set yrange [0:*]
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? percent("rate") : NaN):(column("ipc")) \
        with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title label_of(k)
