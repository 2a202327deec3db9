# SPDX-License-Identifier: Apache-2.0
# Draws one line per kernel, loaded last by the figure's script, which says what is drawn: line_x(0) and line_y(0) of a row, with
# has_bars also line_low(0) and line_high(0), with has_bound the store bound; line_title(k); line_pieces and is_in_piece(n) where
# lines have gaps. At the end of each line is its name; the legend stays where there is no room for all of them.
bound_title = "store bound of this CPU"
n_ends = words(kernels) + has_bound
end_title(i) = i > words(kernels) ? bound_title : line_title(word(kernels, i))
end_colour(i) = i > words(kernels) ? "black" : colour(word(kernels, i))
kernel_at(i) = word(kernels, i > words(kernels) ? 1 : i)
value_at(i) = i > words(kernels) ? positive("bound_ns_per_row") : line_y(0)
label_pt = key_pt < points_of(0.857) ? key_pt : points_of(0.857)
label_height = 1.3 * label_pt / 72 / (0.665 * height_in)
has_ends = !is_narrow && n_ends > 1 && n_ends * label_height <= 1 && label_pt >= 6

# The first pass draws nothing: it is for the ranges.
if (has_ends) { set terminal push; set terminal dumb; set output "/dev/null" }
do for [pass = (has_ends ? 1 : 2):2] {
    if (pass == 2 && has_ends) {
        is_log = GPVAL_Y_MIN > 0 # a linear axis begins at 0
        share_of(v) = is_log ? log(v / GPVAL_Y_MIN) / log(GPVAL_Y_MAX / GPVAL_Y_MIN) : (v - GPVAL_Y_MIN) / (GPVAL_Y_MAX - GPVAL_Y_MIN)
        array last_x[n_ends]
        array last_y[n_ends]
        array place_of_end[n_ends]
        do for [i = 1:n_ends] {
            end_x = -1e300
            end_y = NaN
            stats data using (e_y = is(kernel_at(i)) ? value_at(i) : NaN, e_x = line_x(0), \
                e_y == e_y && e_x >= end_x ? (end_x = e_x, end_y = e_y) : 0, 0) nooutput
            last_x[i] = end_x
            last_y[i] = end_y
        }
        # From the top down, each below the one before; then, where the lowest has left the figure, up again.
        order = ""
        do for [rank = 1:n_ends] {
            next = 0
            do for [i = 1:n_ends] {
                if (last_y[i] == last_y[i] && !has_word(order, "".i) && (next == 0 || last_y[i] > last_y[next])) { next = i }
            }
            if (next > 0) { order = order." ".next }
        }
        at = 1 + label_height
        do for [i in order] { at = at - label_height < share_of(last_y[int(i)]) ? at - label_height : share_of(last_y[int(i)]); place_of_end[int(i)] = at }
        at = -label_height
        do for [rank = 1:words(order)] {
            i = int(word(order, words(order) + 1 - rank))
            at = place_of_end[i] > at + label_height ? place_of_end[i] : at + label_height
            set arrow 200 + i from first last_x[i], first last_y[i] to graph 1.035, graph at nohead lc rgb end_colour(i) lw 0.7 dt 3 back
            set label 200 + i end_title(i) at graph 1.045, graph at left offset 1.2,0 font font_of(label_pt) textcolor rgb "#222222"
            if (i <= words(kernels)) { set label 200 + i point lc rgb end_colour(i) pt point(word(kernels, i)) ps size_of(word(kernels, i)) }
        }
        unset key
        set terminal pop
        set termoption noenhanced # pop forgets it
        set output out.".".format_used
    }
    plot for [i = 1:words(kernels)] for [piece = 1:line_pieces] k = word(kernels, i) data using (is(k) && is_in_piece(piece) ? line_x(0) : NaN):(line_y(0)) \
            with linespoints lc rgb colour(k) lw width(k) dt dash(k) pt point(k) ps size_of(k) title (piece == 1 ? line_title(k) : ""), \
        for [i = 1:(has_bars ? words(kernels) : 0)] k = word(kernels, i) data using (is(k) ? line_x(0) : NaN):(line_y(0)):(line_low(0)):(line_high(0)) \
            with yerrorbars lc rgb colour(k) lw look pt point(k) ps size_of(k) notitle, \
        for [piece = 1:(has_bound ? line_pieces : 0)] data using (is(word(kernels, 1)) && is_in_piece(piece) ? line_x(0) : NaN):(positive("bound_ns_per_row")) \
            with lines lc rgb "black" lw 2 dt 3 title (piece == 1 ? bound_title : "")
}
