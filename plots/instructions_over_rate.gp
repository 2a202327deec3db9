# SPDX-License-Identifier: Apache-2.0
# Instructions per row, from the counting passes.
figure = "instructions_over_rate"
question = "How many instructions does a row cost?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set logscale y 10
set format y "%g"
set ylabel "instructions per row".of_instructions." (log scale)"
line_x(unused) = percent("rate")
line_y(unused) = positive("instructions_per_row")
line_title(k) = label_of(k)
has_bars = 0
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
