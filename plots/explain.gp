# SPDX-License-Identifier: Apache-2.0
# What the slower of two cells does more of. Rows are events of pairs: the columns pair, share (a sentence), event,
# a and b (per row), ratio (a / b).
figure = "explain"
question = "Why is one of two cells slower?"
has_no_kernels = 1
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"

pairs = ""
shares = ""
glue(text) = strstrt(text, " ") > 0 ? glue(text[1:strstrt(text, " ") - 1]."~".text[strstrt(text, " ") + 1:*]) : text
unglue(text) = strstrt(text, "~") > 0 ? unglue(text[1:strstrt(text, "~") - 1]." ".text[strstrt(text, "~") + 1:*]) : text
stats data using (v = glue(strcol("pair")), pairs = has_word(pairs, v) ? pairs : pairs." ".v, \
    shares = words(shares) < words(pairs) ? shares." ".glue(strcol("share")) : shares, 0) nooutput
events = "time instructions branches branch_misses core_cycles"
event_colours = "#555555 #0072B2 #56B4E9 #D55E00 #009E73"
event_titles = '"time" "instructions'.of_instructions.'" "branches'.of_source.'" "branch misses'.of_source.'" "core cycles"'
index_of(list, w) = sum [j = 1:words(list)] (word(list, j) eq w ? j : 0)
rows_of_pair = words(events) + 2.5
# Pairs from the top down, a gap between them.
y_of(e) = -(index_of(pairs, glue(strcol("pair"))) - 1) * rows_of_pair - 0.9 - index_of(events, e)
stats data using (positive("ratio")) nooutput
most = STATS_max > 2 ? STATS_max : 2
least = STATS_min < 0.5 ? STATS_min : 0.5

if (is_narrow) {
    set lmargin at screen 0.12 / width_in
    set bmargin at screen 0.9 / height_in
} else {
    set lmargin at screen 0.060
    set rmargin at screen 0.745
    set key at screen 0.755, graph 1.0
}
set logscale x 10
set xrange [least / 1.6 : most * 6]
set yrange [-words(pairs) * rows_of_pair - 0.2 : 0.6]
set border 1
unset ytics
unset grid # its lines would go through the words
set format x "%g"
set xlabel is_narrow ? "times as much in the first as in the second" : "times as much per row in the first as in the second (log scale)"
# Where there is little room a pair's name ends at its colon, and the sentence and the two values are left out.
heading(text) = is_narrow && strstrt(text, ":") > 0 ? text[1:strstrt(text, ":") - 1] : text
set style fill solid 0.85 noborder
do for [i = 1:words(pairs)] {
    # As much in both: next to the bars only, not through the words above them.
    set arrow 90 + i from first 1, first -(i - 1) * rows_of_pair - 1.4 to first 1, first -i * rows_of_pair + 1.1 \
        nohead lc rgb "#444444" lw 1.2 back
    set label 100 + i heading(unglue(word(pairs, i))) at graph 0, first -(i - 1) * rows_of_pair - 0.0 left font (is_narrow ? small_font : axis_font) textcolor rgb "#111111"
    if (!is_narrow) { set label 200 + i unglue(word(shares, i)) at graph 0, first -(i - 1) * rows_of_pair - 0.95 left font small_font textcolor rgb "#777777" }
}
digits(v) = v >= 99.5 ? sprintf("%.0f", v) : sprintf(v >= 0.01 ? "%.3g" : "%.2g", v)
unit(e) = e eq "time" ? " ns" : ""
end_of(r) = r > 1 ? r : 1
plot for [i = 1:words(events)] e = word(events, i) data using \
        (1):(strcol("event") eq e ? y_of(e) : NaN):(column("ratio") < 1 ? column("ratio") : 1):(end_of(column("ratio"))): \
        (y_of(e) - 0.42):(y_of(e) + 0.42) with boxxyerror lc rgb word(event_colours, i) title word(event_titles, i), \
    for [i = 1:words(events)] e = word(events, i) data using \
        (end_of(column("ratio")) * 1.06):(strcol("event") eq e ? y_of(e) : NaN): \
        (digits(column("ratio"))."x".(is_narrow ? "" : "   (".digits(column("a"))." against ".digits(column("b")).unit(e).")")) \
        with labels left font (is_narrow ? tiny_font : small_font) textcolor rgb "#333333" notitle
