# SPDX-License-Identifier: Apache-2.0
# Median ns per row over the rows of a batch, for one vector.
figure = "cost_over_batch"
question = "How much does the batch size matter?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
stats data using (positive("batch_rows")) nooutput
least_size = 0.85 * STATS_min
most_size = 1.18 * STATS_max
set xrange [least_size : most_size]
set logscale x 2
set xlabel "rows in a batch (log scale)"
# A tic at each size that was measured.
sizes = ""
stats data using (v = strcol("batch_rows"), sizes = has_word(sizes, v) ? sizes : sizes." ".v, 0) nooutput
with_comma(size) = size < 1000 ? sprintf("%d", size) : sprintf("%d,%03d", size / 1000, size % 1000)
set xtics ()
# Of sizes that are nearer to each other than their labels are wide the second has its label one line lower, or none where there
# is little room.
is_near(a, b) = a < b && log(b / a) * (is_narrow ? 0.8 : 0.635) * width_in * 72 / log(most_size / least_size) < 0.6 * base_pt * (strlen(with_comma(int(b))) + 1)
near_to(size) = sum [i = 1:words(sizes)] (is_near(real(word(sizes, i)), size) ? 1 : 0)
if (!is_narrow) { set xlabel offset 0,-0.5 }
do for [size in sizes] { set xtics add ((near_to(real(size)) % 2 == 0 ? with_comma(int(size)) : is_narrow ? "" : "\n".with_comma(int(size))) int(size)) }
set logscale y 10
set format y "%g"
set ylabel "nanoseconds per row (log scale)"
line_x(unused) = positive("batch_rows")
has_bound = 1
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
