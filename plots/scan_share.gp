# SPDX-License-Identifier: Apache-2.0
# Per cent of a whole query that its deletion vectors take, for each kernel; labels of the axis in DVBENCH_X.
figure = "scan_share"
question = "What share of a scan is the deletion vector?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
labels = env("DVBENCH_X", "")
set xtics ()
do for [i = 1:words(labels)] { set xtics add (word(labels, i) i) }
set xrange [0.7 : words(labels) + 0.3]
set yrange [0 : 100]
set ylabel "share of the query, per cent"
set label 3 "Machine: ".machine." · CRoaring ".croaring." · run ".run
# Only kernels have a share.
drawn = ""
do for [i = 1:words(kernels)] { k = word(kernels, i); if (k ne "none" && k ne "function" && k ne "engine") { drawn = drawn." ".k } }
kernels = drawn
line_x(unused) = column("place")
line_y(unused) = column("dv_share_pct")
line_low(unused) = column("dv_share_low")
line_high(unused) = column("dv_share_high")
line_title(k) = label_of(k)
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
