# SPDX-License-Identifier: Apache-2.0
# Median ns per row of the main techniques over the deletion rate, a panel per machine and version of CRoaring.
figure = "cost_by_machine"
question = "What does it cost on each machine?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"

glue(text) = strstrt(text, " ") > 0 ? glue(text[1:strstrt(text, " ") - 1]."~".text[strstrt(text, " ") + 1:*]) : text
unglue(text) = strstrt(text, "~") > 0 ? unglue(text[1:strstrt(text, "~") - 1]." ".text[strstrt(text, "~") + 1:*]) : text
panel_of_row(unused) = glue(strcol("machine")."; CRoaring ".strcol("croaring"))
panels = ""
stats data using (p = panel_of_row(0), panels = has_word(panels, p) ? panels : panels." ".p, 0) nooutput
n_panels = words(panels)
n_columns = is_narrow ? 1 : n_panels < 4 ? n_panels : ceil(sqrt(n_panels))
n_lines_of_panels = ceil(1.0 * n_panels / n_columns)

# One scale for all.
stats data using (charged("ns_per_row")) nooutput
most = STATS_max
least = STATS_min
stats data using (positive("bound_ns_per_row")) nooutput
least = STATS_records > 0 && STATS_min < least ? STATS_min : least
set logscale y 10
set yrange [least / 1.5 : most * 1.5]
if (n_columns > 2) { set xtics (0.01, 0.1, 1, 10, 100) }

left = is_narrow ? 0.6 / width_in : 0.080
right = is_narrow ? 1 - 0.12 / width_in : 0.715
gap_x = 0.35 / width_in
panel_width = (right - left - (n_columns - 1) * gap_x) / n_columns
# Its machine is above each panel, in as many lines as the longest name needs.
name_of(p) = wrap(unglue(p), int(panel_width * width_in * 72 / (0.54 * points_of(0.857))))
n_name_lines = 1
do for [p in panels] { n_name_lines = n_lines(name_of(p)) > n_name_lines ? n_lines(name_of(p)) : n_name_lines }
name_height = 1.35 * n_name_lines * points_of(0.857) / 72 / height_in
top = (is_narrow ? 1 - head_share - 0.1 / height_in : 0.870) - name_height
bottom = is_narrow ? (entry_in * n_key_rows + 0.55) / height_in : 0.175
gap_y = name_height + 0.32 / height_in
panel_height = (top - bottom - (n_lines_of_panels - 1) * gap_y) / n_lines_of_panels
in_panel(p) = panel_of_row(0) eq p

if (!is_narrow) { set label 3 "Runs: ".run." · lines are medians, bars their order-statistic intervals of at least 95 %" }
if (n_flat > 0) { set label 90 "6.25 % " at 6.25, graph 0.06 right textcolor rgb "#444444" font small_font }
if (is_narrow) { unset label 4 }
set multiplot
do for [i = 1:n_panels] {
    p = word(panels, i)
    at_column = (i - 1) % n_columns
    at_line = (i - 1) / n_columns
    at_left = left + at_column * (panel_width + gap_x)
    at_top = top - at_line * (panel_height + gap_y)
    set lmargin at screen at_left
    set rmargin at screen at_left + panel_width
    set tmargin at screen at_top
    set bmargin at screen at_top - panel_height
    set ylabel (at_column == 0 ? "ns per row (log scale)" : "") textcolor rgb "#333333" font (is_narrow ? small_font : axis_font) offset 1,0
    set format y at_column == 0 ? "%g" : ""
    set xlabel (i + n_columns > n_panels ? "deleted rows, per cent (log scale)" : "") textcolor rgb "#333333" \
        font (is_narrow ? small_font : axis_font) offset 0,(is_narrow ? 0.7 : 0)
    set label 6 name_of(p) at screen at_left, at_top + name_height - 0.5 * points_of(0.857) / 72 / height_in left font small_font textcolor rgb "#111111"
    if (i > 1) { unset key; unset label 1; unset label 2; unset label 3; unset label 4; unset label 90 }
    plot for [k in kernels] data using (is(k) && in_panel(p) ? percent("rate") : NaN):(charged("ns_per_row")) \
            with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title title_of(k), \
        for [k in kernels] data using (is(k) && in_panel(p) ? percent("rate") : NaN):(charged("ns_per_row")): \
            (bar_end("ns_per_row_low")):(bar_end("ns_per_row_high")) with yerrorbars lc rgb colour(k) lw look pt point(k) ps size_of(k) notitle, \
        data using (is(word(kernels, 1)) && in_panel(p) ? percent("rate") : NaN):(positive("bound_ns_per_row")) with lines lc rgb "black" lw 2 dt 3 title "store bound of the CPU"
}
unset multiplot
