# SPDX-License-Identifier: Apache-2.0
# Mispredicted branches per row, from the counting passes; labelled where a simulator counted them.
figure = "misses_over_rate"
question = "How often does the branch predictor miss?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
n_zeros = 0
n_positive = 0
stats data using (n_positive = n_positive + (column("branch_misses_per_row") > 0), count_zeros("branch_misses_per_row")) nooutput
misses(name) = column(name)
set ylabel "branch misses per row".of_source
set yrange [0:*]
if (n_positive > 0) {
    misses(name) = positive(name)
    set logscale y 10
    set yrange [*:*]
    set format y "%g"
    set ylabel "branch misses per row".of_source." (log scale)"
    if (n_zeros > 0) { set label 4 sprintf("%d points without any miss have no place on a log axis and are not drawn.", n_zeros) }
}
line_x(unused) = percent("rate")
line_y(unused) = misses("branch_misses_per_row")
line_title(k) = label_of(k)
has_bars = 0
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
