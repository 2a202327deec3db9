# SPDX-License-Identifier: Apache-2.0
# 100 x store bound / ns per row of the kernels that walk the serialized bytes, coloured by instruction set.
figure = "bound_by_isa"
question = "What does each instruction set bring, from the bytes straight to the sink?"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."common.gp"
load ARG0[1:strstrt(ARG0, figure.".gp") - 1]."rate_axis.gp"
isa_of(k) = strstrt(k, "avx512") > 0 ? (strstrt(k, "base") > 0 ? 4 : 5) : strstrt(k, "avx2") > 0 ? 3 : strstrt(k, "bmi2") > 0 ? 2 : strstrt(k, "neon") > 0 ? 6 : 1
isa_colour(k) = word("#999999 #E69F00 #56B4E9 #0072B2 #009E73 #CC79A7", isa_of(k))
set yrange [0:110]
set ylabel "per cent of the store bound"
set arrow 91 from graph 0, first 100 to graph 1, first 100 nohead lc rgb "black" lw 1.5 dt 3 back
set label 91 "stores alone" at graph 0.005, first 100 left offset 0,0.6 font small_font
plot for [i = 1:words(kernels)] k = word(kernels, i) data using (is(k) ? percent("rate") : NaN):(positive("pct_of_bound")) \
        with linespoints lc rgb isa_colour(k) lw 2.4 pt int(word("7 5 9 13 11 4", isa_of(k))) ps 1.0 title k
