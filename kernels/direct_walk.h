/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the direct kernels: from the serialized bytes of the containers straight into a sink.
 *
 * Place in the data flow: direct_<isa>.c gives the primitives of one ISA, this file composes them to six
 * sinks.
 *
 *     batch      [start                                             start + n_rows)
 *     chunks     |  array        |  (absent)     |  bitset       |  run          |
 *     done by    |  emit_array   |  emit_live    |  emit_bitset  |  emit_run     |
 *
 * The idea: masks of 64 rows, one bit per row, set where deleted, and no branch on what they hold. A walk with
 * callbacks asks after each deleted row how long the gap to the next one is: one mispredicted branch per row.
 *
 * - bitset: the masks are there, the container's own words at the container's own alignment, so that only the
 *   first and the last one of a batch are partial. Writers put bitsets of consecutive chunks one after the
 * other without a byte between, so that they are one long bitset: batches inside need no look at containers.
 * - array: masks are made for row_ids; the other sinks follow from the values (direct_array.h).
 * - run: live and deleted rows alternate in ranges, without masks. One mispredicted branch per run, which long
 *   runs hide and runs of a few rows do not.
 *
 * A mask becomes ids by `append` (compress the numbers 0..63 by it) and bytes by `spread`; with live_mask it
 * is already the answer, inverted and shifted to the batch's alignment.
 *
 * Cost model: constant in the deletion rate for bitsets, 1 to 2 core cycles per value more for arrays; per 64
 * rows what the ISA files state.
 *
 * Everything here is always_inline: kind and isa are constants in each instance, which leaves call-free
 * loops. */
#ifndef DVBENCH_DIRECT_WALK_H
#define DVBENCH_DIRECT_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "direct_array.h"
#include "direct_sink.h"
#include "dv.h"
#include "kernel_instance.h"

/* The rows from the start of a word on, to lists by n_stores of sixteen a word. */
static ALWAYS_INLINE void emit_words(struct direct_out *o, struct direct_segment segment,
                                     const uint32_t n_stores, const enum sink_kind kind,
                                     const struct direct_isa isa)
{
    uint32_t low = segment.low, high = segment.high, row = segment.row;
    const uint8_t *word = segment.container->bytes + low / 64 * 8;
    for (; high - low >= 64; low += 64, row += 64, word += 8)
        emit_few(o, row, load_le64(word), 64, n_stores, kind, isa);
    if (low < high)
        emit_few(o, row, load_le64(word) & bits_below(high - low), high - low, n_stores, kind, isa);
}

/* How many stores of sixteen nearly every word's share of a list takes, if all words are alike: the mean and
 * 2.5 standard deviations of random rows. */
static ALWAYS_INLINE uint32_t stores_wanted(struct direct_segment segment, const enum sink_kind kind)
{
    uint32_t n_deleted = segment.container[segment.low / DV_CHUNK_ROWS].cardinality, n = n_deleted;
    uint32_t n_live = DV_CHUNK_ROWS - n_deleted;
    if (kind == SINK_row_ids)
        n = n_live;
    else if (kind == SINK_live_runs)
        n = 2 * (n_live < n_deleted ? n_live : n_deleted);
    else if (kind != SINK_deleted_offsets)
        return 4;
    return n < DV_CHUNK_ROWS / 64 * 9    ? 1
           : n < DV_CHUNK_ROWS / 64 * 21 ? 2
           : n < DV_CHUNK_ROWS / 64 * 38 ? 3
                                         : 4;
}

/* The rows of a segment of a bitset container, or of several whose bytes follow one another. */
static ALWAYS_INLINE void emit_bitset(struct direct_out *o, struct direct_segment segment,
                                      const enum sink_kind kind, const struct direct_isa isa)
{
    const uint8_t *bytes = segment.container->bytes;
    uint32_t low = segment.low, high = segment.high, row = segment.row;
    /* live_mask is aligned to the batch, whose words are then whole; the others to the container. */
    uint32_t n = -(kind == SINK_live_mask ? row : low) % 64;
    if (n > high - low)
        n = high - low;
    if (n > 0)
        emit_mask(o, row, direct_bits(bytes, low, n) & bits_below(n), n, kind, isa);
    low += n;
    row += n;
    if (low == high)
        return;
    if (kind == SINK_live_mask) {
        o->n_deleted += high - low - isa.invert((uint64_t *)o->out + row / 64, bytes, low, high - low);
        return;
    }
    const struct direct_segment rest = {segment.container, low, high, row};
    switch (isa.append_few ? stores_wanted(segment, kind) : 4) {
    case 1:
        emit_words(o, rest, 1, kind, isa);
        break;
    case 2:
        emit_words(o, rest, 2, kind, isa);
        break;
    case 3:
        emit_words(o, rest, 3, kind, isa);
        break;
    default:
        emit_words(o, rest, 4, kind, isa);
    }
}

/* The rows of a segment of a run container; the cursor knows the first run that ends in it. */
static ALWAYS_INLINE void emit_run(struct direct_out *o, struct direct_cursor *cursor,
                                   struct direct_segment segment, const enum sink_kind kind,
                                   const struct direct_isa isa)
{
    const struct dv_container *container = segment.container;
    uint32_t low = segment.low, high = segment.high, row = segment.row, i_run = cursor->i_item;
    for (; i_run < container->n_runs && low < high; i_run++) {
        const uint8_t *run = container->bytes + 2 + (size_t)i_run * 4;
        uint32_t start = load_le16(run), end = start + load_le16(run + 2) + 1;
        if (start >= high)
            break;
        if (start > low) {
            emit_live(o, row, start - low, kind, isa);
            row += start - low;
            low = start;
        }
        uint32_t n = (end < high ? end : high) - low;
        emit_deleted(o, row, n, kind, isa);
        row += n;
        low += n;
        if (end > high)
            break;
    }
    cursor->i_item = i_run;
    if (low < high)
        emit_live(o, row, high - low, kind, isa);
}

/* Fills the cursor's bitset from i_container on, by up to max_joined containers. */
void direct_join(struct direct_cursor *cursor, const struct dv_view *view, size_t max_joined);

/* A stream looks far ahead, so that it seldom crosses an end; a seek in a random order must not. */
enum { DIRECT_STREAM_JOINED = 64, DIRECT_SEEK_JOINED = 2 };

/* Moves the cursor to `start`, which is not where the last batch ended: to the next container or by binary
 * search. Out of line: streams do without it. */
void direct_seek(struct direct_cursor *cursor, const struct dv_view *view, uint64_t start);

/* All segments of a batch. */
static ALWAYS_INLINE uint32_t walk_segments(struct kernel_call call, const enum sink_kind kind,
                                            const struct direct_isa isa)
{
    const struct dv_view *view = &call.dv->view;
    struct direct_cursor *cursor = call.state->data;
    struct direct_out o = {.out = call.sink->out, .n_rows = call.n_rows};
    const uint32_t n_rows = call.n_rows;
    uint32_t row = 0;
    bool is_new = false;
    /* Runs scribble ones after themselves. */
    if (kind == SINK_is_deleted && isa.clears_by_libc && view->n_kind[DV_RUN] == 0) {
        memset(o.out, 0, n_rows);
        o.is_cleared = true;
    }
    if (call.start != cursor->next)
        direct_seek(cursor, view, call.start);
    while (row < n_rows) {
        struct direct_segment segment = {.container = view->containers + cursor->i_container, .row = row};
        bool is_last = cursor->i_container == view->n_containers;
        uint64_t first = is_last ? UINT64_MAX : dv_container_start(segment.container);
        uint64_t position = call.start + row;
        if (first > position) {
            uint32_t n = first - position < n_rows - row ? (uint32_t)(first - position) : n_rows - row;
            emit_live(&o, row, n, kind, isa);
            row += n;
            continue;
        }
        segment.low = (uint32_t)(position - first);
        segment.high =
            DV_CHUNK_ROWS - segment.low < n_rows - row ? DV_CHUNK_ROWS : segment.low + (n_rows - row);
        if (segment.container->kind == DV_BITSET)
            emit_bitset(&o, segment, kind, isa);
        else if (segment.container->kind == DV_ARRAY)
            emit_array(&o, cursor, segment, kind, isa);
        else
            emit_run(&o, cursor, segment, kind, isa);
        row += segment.high - segment.low;
        if (segment.high == DV_CHUNK_ROWS) {
            cursor->i_container++;
            cursor->i_item = 0;
            is_new = true;
        }
    }
    if (is_new)
        direct_join(cursor, view, DIRECT_STREAM_JOINED);
    cursor->next = call.start + n_rows;
    return direct_finish(&o, call.sink, kind);
}

/* One kernel call. The usual batch of a dense vector, inside adjacent bitsets, goes past the loop over
 * segments and past every call: a batch of live_mask is so short that their registers would double its time.
 */
static ALWAYS_INLINE uint32_t direct_walk(struct kernel_call call, const enum sink_kind kind,
                                          kernel_fn *segments, const struct direct_isa isa)
{
    const struct direct_cursor *cursor = call.state->data;
    const uint32_t n_rows = call.n_rows;
    /* Where the bitset lies after the batch's start, low wraps around. */
    const uint64_t low = call.start - cursor->bitset_start;
    if (n_rows - 1 >= cursor->n_bitset_rows || low > cursor->n_bitset_rows - n_rows)
        return segments(call.dv, call.state, call.start, n_rows, call.sink);
    struct direct_out o = {.out = call.sink->out, .n_rows = n_rows};
    struct direct_segment segment = {cursor->bitset, (uint32_t)low, (uint32_t)low + n_rows, 0};
    emit_bitset(&o, segment, kind, isa);
    return direct_finish(&o, call.sink, kind);
}

/* The instance id_sink of a direct kernel. direct_flags_open where isa has match, else direct_words_open. */
#define DIRECT_INSTANCE(id, sink_, target, isa)                                                              \
    static __attribute__((noinline)) target uint32_t id##_##sink_##_segments(                                \
        const struct dv *dv, struct kernel_state *state, uint64_t start, uint32_t n_rows, struct sink *sink) \
    {                                                                                                        \
        return walk_segments((struct kernel_call){dv, state, start, n_rows, sink}, SINK_##sink_, isa);       \
    }                                                                                                        \
    KERNEL_INSTANCE(id, sink_, target, direct_walk, id##_##sink_##_segments, isa)

#endif
