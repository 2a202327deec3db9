# SPDX-License-Identifier: Apache-2.0
# Median ns per row of the kernels that everybody compares, in each mode that the run has: solid, dashed, dotted.
figure = "modes_over_rate"
question = "What does replaying one batch hide, and what do cold vectors add?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
modes = "stream replay cold"
mode_dash(m) = m eq "stream" ? 1 : m eq "replay" ? 2 : 3
mode_point(m) = m eq "stream" ? 7 : 6
plot for [k in kernels] for [m in modes] data using (is(k) && strcol("mode") eq m ? percent("rate") : NaN):(positive("ns_per_row")) \
        with linespoints lc rgb colour(k) lw 2.4 dt mode_dash(m) pt mode_point(m) ps 0.9 title label_of(k).", ".m, \
    for [k in kernels] for [m in modes] data using (is(k) && strcol("mode") eq m ? percent("rate") : NaN):(positive("ns_per_row")): \
        (positive("ns_per_row_low")):(positive("ns_per_row_high")) with yerrorbars lc rgb colour(k) lw look pt mode_point(m) ps 0.9 notitle
