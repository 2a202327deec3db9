# SPDX-License-Identifier: Apache-2.0
# 100 x store bound / ns per row of the kernels that walk the serialized bytes, coloured by instruction set.
figure = "bound_by_isa"
question = "What does each instruction set bring, from the bytes straight to the sink?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
isas = ""
stats data using (v = strcol("kernel")." ".strcol("isa"), isas = has_word(isas, v) ? isas : isas." ".v, 0) nooutput
isa_text(k) = (i_place = sum [j = 1:words(isas) / 2] (word(isas, 2 * j - 1) eq k ? 2 * j : 0), word(isas, i_place))
isa_of(k) = (i_text = isa_text(k), sum [j = 1:6] (word("generic bmi2 avx2 avx512 avx512_vbmi2 neon", j) eq i_text ? j : 0))
isa_colour(k) = word("#999999 #E69F00 #56B4E9 #0072B2 #009E73 #CC79A7", isa_of(k))
set yrange [0:110]
set ylabel "per cent of the store bound"
set arrow 91 from graph 0, first 100 to graph 1, first 100 nohead lc rgb "black" lw 1.5 dt 3 back
set label 91 "only stores" at graph 0.005, first 100 left offset 0,0.6 font small_font
line_x(unused) = percent("rate")
line_y(unused) = positive("pct_of_bound")
line_low(unused) = 100 * column("bound_ns_per_row") / column("ns_per_row_high")
line_high(unused) = 100 * column("bound_ns_per_row") / column("ns_per_row_low")
line_title(k) = label_of(k)
colour(k) = isa_colour(k)
width(k) = 2.4
dash(k) = 1
point(k) = int(word("7 5 9 13 11 4", isa_of(k)))
size_of(k) = 1.0
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."lines.gp"
