# SPDX-License-Identifier: Apache-2.0
# One number of each way to delete over another; what the axes are is in DVBENCH_X and DVBENCH_Y, which of them are
# logarithmic in DVBENCH_LOG; DVBENCH_MARK is where something pays from on, DVBENCH_MARK_TEXT what does.
figure = "deletes"
question = "What do the ways to delete cost?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
set xlabel env("DVBENCH_X", "x")
set ylabel env("DVBENCH_Y", "y")
logarithmic = env("DVBENCH_LOG", "")
if (strlen(logarithmic) > 0) { set logscale @logarithmic }
if (strstrt(logarithmic, "y") == 0) { set yrange [0 : *] }
set label 3 "Machine: ".machine." · ".croaring." · run ".run
mark = env("DVBENCH_MARK", "")
if (strlen(mark) > 0) {
    set arrow 1 from real(mark), graph 0 to real(mark), graph 1 nohead lc rgb "#777777" dt 3
    set label 5 sprintf(" %s pays from %.3g on", env("DVBENCH_MARK_TEXT", ""), real(mark)) at real(mark), graph 0.97 left font small_font textcolor rgb "#555555"
}
line_x(unused) = column("x")
line_y(unused) = column("y")
line_title(k) = label_of(k)
has_bars = 0
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
