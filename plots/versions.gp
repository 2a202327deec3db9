# SPDX-License-Identifier: Apache-2.0
# Time of each kernel on several builds of CRoaring over its time on the first, with intervals. The series are versions (column
# kernel), the rows kernels (column row; DVBENCH_X has their order).
figure = "versions"
question = "What does another CRoaring change?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
rows = env("DVBENCH_X", "")
index_of(list, w) = sum [j = 1:words(list)] (word(list, j) eq w ? j : 0)
version_colours = "#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #7A5C3E"
# The second run of the first version is the measure of all others: gray, and last.
is_again(k) = strstrt(k, "/a-again") > 0
colour_of_version(i) = is_again(word(kernels, i)) ? "#999999" : word(version_colours, 1 + (i - 1) % words(version_colours))
place_of(i) = 0.28 - 0.56 * (i - 0.5) / words(kernels)
set ytics ()
do for [i = 1:words(rows)] { set ytics add (word(rows, i) -i) }
if (!is_narrow) {
    set lmargin at screen 0.26
    if (words(rows) > 16) { set ytics font small_font }
} else {
    set lmargin at screen 1.35 / width_in
    set ytics font tiny_font
}
set yrange [-words(rows) - 0.6 : -0.4]
set logscale x 2
set xtics (0.125, 0.25, 0.5, 0.71, 1, 1.41, 2, 4, 8) format "%g"
set xlabel "time over that with ".croaring." (log scale; below 1 is faster)"
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb "#444444" lw 1.2 back
set label 3 "Machine: ".machine." · ratios against CRoaring ".croaring." · run ".run
plot for [i = 1:words(kernels)] k = word(kernels, i) data using \
        (is(k) ? column("ratio") : NaN):(-index_of(rows, strcol("row")) + place_of(i)):(column("ratio_low")):(column("ratio_high")) \
        with xerrorbars lc rgb colour_of_version(i) lw 1.6 pt (is_again(k) ? 6 : 7) ps 0.8 * look title k
