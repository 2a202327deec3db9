# SPDX-License-Identifier: Apache-2.0
# Where in its file a deletion vector deletes: share of deleted rows per bar of whole chunks, by kind of container.
# Reads the CSV that `dvbench inspect --figure` writes (first_row, end_row, array_pct, bitset_pct, run_pct); variables as in
# common.gp: DVBENCH_DATA, DVBENCH_OUT, DVBENCH_FORMAT, DVBENCH_TITLE, DVBENCH_SUBTITLE.
env(name, fallback) = (env_value = system('printf %s "$'.name.'"'), strlen(env_value) > 0 ? env_value : fallback)
data = env("DVBENCH_DATA", "density_map.csv")
format_used = env("DVBENCH_FORMAT", "svg")

has_terminal(name) = strstrt(" ".GPVAL_TERMINALS." ", " ".name." ") > 0
if (format_used eq "pdf" && !has_terminal("pdfcairo")) { print "no terminal for pdf in this gnuplot"; exit }
if (format_used eq "png" && !has_terminal("pngcairo") && !has_terminal("png")) { print "no terminal for png in this gnuplot"; exit }
if (format_used eq "svg") { set terminal svg size 1100,480 noenhanced font "sans-serif,14" background rgb "white" }
if (format_used eq "pdf") { set terminal pdfcairo size 11in,4.8in noenhanced font "Sans,12" background rgb "white" }
if (format_used eq "png" && has_terminal("pngcairo")) { set terminal pngcairo size 1100,480 noenhanced font "Sans,11" background rgb "white" }
if (format_used eq "png" && !has_terminal("pngcairo")) { set terminal png size 1100,480 noenhanced }
set encoding utf8
set output env("DVBENCH_OUT", "density_map").".".format_used
set datafile separator comma columnheaders

stats data using "end_row" name "rows" nooutput
stats data using "first_row" name "from" nooutput
stats data using (column("array_pct") + column("bitset_pct") + column("run_pct")) name "share" nooutput

set lmargin at screen 0.080
set rmargin at screen 0.860
set tmargin at screen 0.800
set bmargin at screen 0.190
set key at screen 0.875, graph 1.0 left top reverse Left samplen 1.2 spacing 1.35
set border 3 lc rgb "#555555" lw 1
set tics nomirror out scale 0.6 textcolor rgb "#333333"
set grid ytics lt 1 lc rgb "#E4E4E4" lw 0.8
set xlabel "row position in the data file" textcolor rgb "#333333"
set ylabel "deleted rows, per cent" textcolor rgb "#333333" offset 1,0
set format x "%.1s%c"
set xrange [from_min : rows_max]
set yrange [0 : (share_max > 0 ? share_max * 1.08 : 1)]
set label 1 env("DVBENCH_TITLE", "Where are the deleted rows?") at screen 0.018,0.935 left textcolor rgb "#111111"
set label 2 env("DVBENCH_SUBTITLE", "") at screen 0.018,0.865 left textcolor rgb "#555555"
if (share_max * 1.08 > 6.25) {
    set arrow 1 from graph 0, first 6.25 to graph 1, first 6.25 nohead front dt 3 lw 1.5 lc rgb "#444444"
    set label 3 "6.25 %" at graph 1, first 6.25 left offset 0.6,0 textcolor rgb "#444444"
}
set style fill solid 1.0 noborder
a(n) = column("array_pct"); b(n) = column("bitset_pct"); r(n) = column("run_pct")
middle(n) = (column("first_row") + column("end_row")) / 2.0
plot data using (middle(0)):(0):(column("first_row")):(column("end_row")):(0):(a(0)) with boxxyerror lc rgb "#0072B2" title "array", \
    data using (middle(0)):(0):(column("first_row")):(column("end_row")):(a(0)):(a(0) + b(0)) with boxxyerror lc rgb "#E69F00" title "bitset", \
    data using (middle(0)):(0):(column("first_row")):(column("end_row")):(a(0) + b(0)):(a(0) + b(0) + r(0)) with boxxyerror lc rgb "#009E73" title "run"
