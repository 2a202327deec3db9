# SPDX-License-Identifier: Apache-2.0
# Nanoseconds of a whole query per row, for each kernel, without deletes and with the engine's own join; labels in DVBENCH_X.
figure = "scan_cost"
question = "What does a whole scan cost?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
labels = env("DVBENCH_X", "")
set xtics ()
do for [i = 1:words(labels)] { set xtics add (word(labels, i) i) }
set xrange [0.7 : words(labels) + 0.3]
set yrange [0 : *]
set ylabel "nanoseconds per row, whole query"
set label 3 "Machine: ".machine." · CRoaring ".croaring." · run ".run
line_x(unused) = column("place")
line_y(unused) = column("ns_per_row")
line_low(unused) = column("ns_per_row_low")
line_high(unused) = column("ns_per_row_high")
line_title(k) = label_of(k)
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
