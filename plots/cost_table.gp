# SPDX-License-Identifier: Apache-2.0
# Every kernel at every value of the axis, as numbers on a colour scale: what the line figures leave out to stay readable.
# DVBENCH_X names the column that distinguishes the table's columns ("rate").
figure = "cost_table"
question = "What does every kernel cost, in nanoseconds per row?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
x_name = env("DVBENCH_X", "rate")
# Names of vectors lose what every recipe takes, then their middle.
cut(text, part) = strstrt(text, part) > 0 ? text[1:strstrt(text, part) - 1].text[strstrt(text, part) + strlen(part):*] : text
shorten(text) = strlen(text) > 34 ? text[1:12]."...".text[strlen(text) - 18:*] : text
# In a list of words a name is one word: its spaces become no-break spaces. In a tic's label, which is a format, % is %%.
no_break(text) = strstrt(text, " ") > 0 ? text[1:strstrt(text, " ") - 1]."\302\240".no_break(text[strstrt(text, " ") + 1:*]) : text
percent(text) = strstrt(text, "%") > 0 ? text[1:strstrt(text, "%")]."%".percent(text[strstrt(text, "%") + 1:*]) : text
name_text(name) = no_break(shorten(cut(cut(strcol(name), ":base=0"), ":optimize=1")))
x_text(name) = name eq "rate" ? sprintf("%.3g", 100 * column(name)) : name_text(name)

values = ""
stats data using (v = x_text(x_name), values = has_word(values, v) ? values : values." ".v, 0) nooutput
n = words(kernels)
m = words(values)
index_of(list, w) = sum [j = 1:words(list)] (word(list, j) eq w ? j : 0)

# Cells darker than the middle of the scale take white digits.
stats data using (log10(charged("ns_per_row"))) nooutput
middle = STATS_min + 0.58 * (STATS_max - STATS_min)

set lmargin at screen 0.235
set rmargin at screen 0.985
set tmargin at screen 0.845
set bmargin at screen (x_name eq "rate" ? 0.145 : m > 3 ? 0.25 : 0.14)
unset key
unset grid
unset border
unset colorbox
set tics scale 0
set logscale cb 10
set palette defined (0 "#F7FBFF", 1 "#C6DBEF", 2 "#6BAED6", 3 "#2171B5", 4 "#08306B")
set xrange [0.5 : m + 0.5]
set yrange [n + 0.5 : 0.5]
set xtics () out
row_font = n > 24 ? small_font : axis_font
set ytics () out font row_font
do for [i = 1:n] { set ytics add (word(kernels, i).(works_at_open(word(kernels, i)) ? " *" : "") i) }
do for [i = 1:m] { set xtics add (percent(word(values, i)).(x_name eq "rate" ? " %%" : "") i) }
if (x_name eq "rate") {
    set xlabel "deleted rows" offset 0,0.4
} else {
    if (m > 3) { set xtics rotate by 25 right font small_font } else { set xtics font small_font }
}

digits(v) = v >= 99.5 ? sprintf("%.0f", v) : v >= 9.95 ? sprintf("%.1f", v) : v >= 0.995 ? sprintf("%.2f", v) : sprintf("%.3f", v)
row_of(k) = has_word(kernels, k) && strcol("verdict") eq "ok" ? index_of(kernels, k) : NaN
column_of(v) = index_of(values, v)
dark(v) = log10(v) > middle ? 1 : 0
cell_font = format_used eq "svg" ? (m > 14 ? ",10" : ",12") : (m > 14 ? ",7" : ",9")
has_star = sum [i = 1:n] (works_at_open(word(kernels, i)) ? 1 : 0)
if (has_star) { set label 5 "* with opening, where it does its work" at screen 0.985,0.064 right font small_font textcolor rgb "#777777" }
plot data using (column_of(x_text(x_name))):(row_of(strcol("kernel"))):(column_of(x_text(x_name)) - 0.485): \
        (column_of(x_text(x_name)) + 0.485):(row_of(strcol("kernel")) - 0.46):(row_of(strcol("kernel")) + 0.46): \
        (charged("ns_per_row")) with boxxyerror fill solid 1 noborder lc palette, \
    data using (column_of(x_text(x_name))):(dark(charged("ns_per_row")) == 0 ? row_of(strcol("kernel")) : NaN): \
        (digits(charged("ns_per_row"))) with labels font cell_font textcolor rgb "#222222", \
    data using (column_of(x_text(x_name))):(dark(charged("ns_per_row")) == 1 ? row_of(strcol("kernel")) : NaN): \
        (digits(charged("ns_per_row"))) with labels font cell_font textcolor rgb "white"
