# SPDX-License-Identifier: Apache-2.0
# Every kernel at every value of the axis, as numbers on a colour scale: what the line figures leave out to stay readable.
# DVBENCH_X names the column that distinguishes the table's columns ("rate").
figure = "cost_table"
question = "What does every kernel cost, in nanoseconds per row?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
x_name = env("DVBENCH_X", "rate")
# Names of vectors lose what every recipe takes, then what they have in common, then their middle.
cut(text, part) = strstrt(text, part) > 0 ? text[1:strstrt(text, part) - 1].text[strstrt(text, part) + strlen(part):*] : text
# In a list of words a name is one word: its spaces become no-break spaces. In a tic's label, which is a format, % is %%.
no_break(text) = strstrt(text, " ") > 0 ? text[1:strstrt(text, " ") - 1]."\302\240".no_break(text[strstrt(text, " ") + 1:*]) : text
percent(text) = strstrt(text, "%") > 0 ? text[1:strstrt(text, "%")]."%".percent(text[strstrt(text, "%") + 1:*]) : text
name_text(name) = no_break(cut(cut(strcol(name), ":base=0"), ":optimize=1"))
x_text(name) = name eq "rate" ? sprintf("%.3g", 100 * column(name)) : name_text(name)

values = ""
stats data using (v = x_text(x_name), values = has_word(values, v) ? values : values." ".v, 0) nooutput
n = words(kernels)
m = words(values)
index_of(list, w) = sum [j = 1:words(list)] (word(list, j) eq w ? j : 0)

# How many letters the names begin and end with in common, back to a sign between words.
same_head(a, b, i) = i < strlen(a) && i < strlen(b) && a[i + 1:i + 1] eq b[i + 1:i + 1] ? same_head(a, b, i + 1) : i
same_tail(a, b, i) = i < strlen(a) && i < strlen(b) && a[strlen(a) - i:strlen(a) - i] eq b[strlen(b) - i:strlen(b) - i] ? same_tail(a, b, i + 1) : i
is_between(letter) = letter eq "/" || letter eq ":"
back(text, i) = i > 0 && !is_between(text[i:i]) ? back(text, i - 1) : i
back_tail(text, i) = i > 0 && !is_between(text[strlen(text) - i + 1:strlen(text) - i + 1]) ? back_tail(text, i - 1) : i
head = m > 1 && x_name ne "rate" ? strlen(word(values, 1)) : 0
tail = head
do for [v in values] { head = same_head(word(values, 1), v, 0) < head ? same_head(word(values, 1), v, 0) : head }
do for [v in values] { tail = same_tail(word(values, 1), v, 0) < tail ? same_tail(word(values, 1), v, 0) : tail }
head = back(word(values, 1), head)
tail = back_tail(word(values, 1), tail)
middle_of(text) = text[head + 1:strlen(text) - tail]
limit = 34
shorten(text) = strlen(text) > limit ? text[1:limit / 3]."...".text[strlen(text) - limit / 2:*] : text
# No two of the names may look the same: they keep more letters until none do.
labels = ""
n_labels = 0
while (n_labels < m && limit < 300) {
    labels = ""
    n_labels = 0
    do for [v in values] {
        v = shorten(middle_of(v))
        if (!has_word(labels, v)) { n_labels = n_labels + 1 }
        labels = labels." ".v
    }
    limit = n_labels < m ? limit + 8 : limit
}
longest_label = 0
do for [v in labels] { longest_label = strlen(v) > longest_label ? strlen(v) : longest_label }

# Cells darker than the middle of the scale take white digits.
stats data using (log10(charged("ns_per_row"))) nooutput
middle = STATS_min + 0.58 * (STATS_max - STATS_min)

longest_name = 0
do for [k in kernels] { longest_name = strlen(label_of(k)) > longest_name ? strlen(label_of(k)) : longest_name }
is_crowded = is_narrow || m > 24
if (is_narrow) {
    set lmargin at screen (0.6 * points_of(0.714) * (longest_name + 2) / 72) / width_in
    set rmargin at screen 1 - 0.12 / width_in
    set bmargin at screen (0.3 + (x_name eq "rate" ? 0.25 : 0.6 * points_of(0.714) * longest_label / 72)) / height_in
} else {
    set lmargin at screen 0.235
    set rmargin at screen (is_crowded ? 0.90 : 0.985)
    set tmargin at screen 0.845
    upright = 0.10 + 0.6 * points_of(0.714) * longest_label / 72 / height_in
    set bmargin at screen (x_name eq "rate" ? 0.145 : m > 12 ? (upright < 0.45 ? upright : 0.45) : m > 3 ? 0.25 : 0.14)
}
unset key
unset grid
unset border
if (!is_crowded || is_narrow) { unset colorbox }
set tics scale 0
set logscale cb 10
set palette defined (0 "#F7FBFF", 1 "#C6DBEF", 2 "#6BAED6", 3 "#2171B5", 4 "#08306B")
set xrange [0.5 : m + 0.5]
set yrange [n + 0.5 : 0.5]
set xtics () out
row_font = is_narrow ? tiny_font : n > 24 ? small_font : axis_font
set ytics () out font row_font
do for [i = 1:n] { set ytics add (label_of(word(kernels, i)).(works_at_open(word(kernels, i)) ? " *" : "") i) }
do for [i = 1:m] { set xtics add (percent(x_name eq "rate" ? word(values, i) : word(labels, i)).(x_name eq "rate" ? " %%" : "") i) }
if (x_name eq "rate") {
    set xlabel "deleted rows" offset 0,(is_narrow ? 1.2 : 0.4)
    if (is_narrow) { set xtics font tiny_font rotate by 45 right }
} else {
    if (m > 12 || is_narrow) { set xtics rotate by 90 right font tiny_font } else { if (m > 3) { set xtics rotate by 25 right font small_font } else { set xtics font small_font } }
}

digits(v) = v >= 99.5 ? sprintf("%.0f", v) : v >= 9.95 ? sprintf("%.1f", v) : v >= 0.995 ? sprintf("%.2f", v) : sprintf("%.3f", v)
row_of(k) = has_word(kernels, k) && strcol("verdict") eq "ok" ? index_of(kernels, k) : NaN
column_of(v) = index_of(values, v)
if (is_narrow) { set label 4 sprintf("lightest %.2g, darkest %.2g ns", 10 ** STATS_min, 10 ** STATS_max) at screen 0.02,0.025 left font tiny_font textcolor rgb "#777777" }
# Cells too small for digits show only their colour.
dark(v) = is_crowded ? NaN : log10(v) > middle ? 1 : 0
cell_font = m > 14 ? tiny_font : small_font
has_star = sum [i = 1:n] (works_at_open(word(kernels, i)) ? 1 : 0)
if (has_star && is_narrow) { set label 5 "* with opening" at screen 0.985,0.025 right font tiny_font textcolor rgb "#777777" }
if (has_star && !is_narrow) { set label 5 "* with opening, where it does its work" at screen 0.985,0.064 right font small_font textcolor rgb "#777777" }
plot data using (column_of(x_text(x_name))):(row_of(strcol("kernel"))):(column_of(x_text(x_name)) - 0.485): \
        (column_of(x_text(x_name)) + 0.485):(row_of(strcol("kernel")) - 0.46):(row_of(strcol("kernel")) + 0.46): \
        (charged("ns_per_row")) with boxxyerror fill solid 1 noborder lc palette, \
    data using (column_of(x_text(x_name))):(dark(charged("ns_per_row")) == 0 ? row_of(strcol("kernel")) : NaN): \
        (digits(charged("ns_per_row"))) with labels font cell_font textcolor rgb "#222222", \
    data using (column_of(x_text(x_name))):(dark(charged("ns_per_row")) == 1 ? row_of(strcol("kernel")) : NaN): \
        (digits(charged("ns_per_row"))) with labels font cell_font textcolor rgb "white"
