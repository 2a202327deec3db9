# SPDX-License-Identifier: Apache-2.0
# Instructions per core cycle; only where cycles were counted.
figure = "ipc_over_rate"
question = "How many instructions per cycle does the core sustain?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
set ylabel "instructions per core cycle"
set yrange [0:*]
line_x(unused) = percent("rate")
line_y(unused) = column("ipc")
line_title(k) = label_of(k)
has_bars = 0
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
