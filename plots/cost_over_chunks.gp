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
line_x(unused) = positive("rows") / 65536
line_y(unused) = positive("total_ns_per_row")
to_total(name) = column(name) + column("total_ns_per_row") - column("ns_per_row")
line_low(unused) = to_total("ns_per_row_low")
line_high(unused) = to_total("ns_per_row_high")
line_title(k) = label_of(k)
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
