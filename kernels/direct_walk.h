/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the direct kernels: from the serialized bytes of the containers straight into a sink.
 *
 * Place in the data flow: direct_<isa>.c gives the primitives of one ISA, this file composes them to six
 * sinks.
 *
 *     batch   [start                                                     start + n_rows)
 *     chunks     |  array        |  (absent)     |  bitset       |  run          |
 *     done by    |  emit_array   |  emit_live    |  emit_bitset  |  emit_runs    |
 *
 * The idea: everything is a stream of 64-bit masks, one bit a row, set where deleted.
 *   bitset  the masks are there: the container's own words, taken at the container's own alignment, so that
 * only the first and the last mask of a batch are partial. array   the sorted values of a block of the batch
 * are scattered into byte flags, one store a value and no test of what is already there, and 64 flags at a
 * time are read back as one mask. Flags are not cleared: they hold the number (`tag`) of the block that set
 * them, and flags of older blocks do not match. ISAs without a wide compare collect the values of a word in a
 * register instead, and store it after every value: the last store of a word wins. Neither branches on the
 * data, which is what costs a walk with callbacks its time: a gap of random length before each deleted row is
 * a branch mispredicted per row. run     needs no masks: live and deleted rows alternate in ranges. One
 * mispredict a run, which long runs hide and runs of a few rows do not.
 *
 * A mask becomes ids by `append` (compress the numbers 0..63 by it), bytes by `spread`; with `live_mask` it
 * is already the answer, inverted and shifted to the batch's alignment.
 *
 * Cost model, in core cycles for 64 rows, batch beyond 1,000 rows: the mask 1 (bitset) or 1 + 0.7 to 1.5 for
 * each value (array); then append, spread or put as the ISA files state. Constant in the deletion rate, so it
 * loses where there is nothing to do: an array of a few values is cheaper walked from gap to gap.
 *
 * Everything here is always_inline: kind and isa are constants in each instance, which leaves call-free
 * loops. */
#ifndef DVBENCH_DIRECT_WALK_H
#define DVBENCH_DIRECT_WALK_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "dv.h"
#include "kernel.h"
#include "kernel_instance.h"
#include "sink.h"

/* Rows whose flags or words are built before they are read: 8 KiB of flags stay in the nearest cache. */
#define DIRECT_BLOCK_ROWS 8192
#define CHUNK_ROWS        65536
/* Values behind a block set flags too, and 64 flags are read at once. */
#define DIRECT_FLAG_BYTES (CHUNK_ROWS + 64)

/* What an ISA gives. "May scribble" is about bytes behind what was asked for; all `out` are unaligned.
 * row counts are relative to the batch. Members are constants in every instance. */
struct direct_isa {
    /* Number of set bits. */
    uint32_t (*count)(uint64_t mask);
    /* row + i for each set bit i of mask, ascending; may scribble up to out[64]. */
    void (*append)(uint32_t *out, uint32_t row, uint64_t mask);
    /* The same, scribbles at most 64 bytes behind the last id. */
    void (*append_tight)(uint32_t *out, uint32_t row, uint64_t mask);
    /* row, row + 1, ... row + n - 1; may scribble 64 bytes. */
    void (*iota)(uint32_t *out, uint32_t row, uint32_t n);
    /* 64 bytes: 1 for each set bit of mask, else 0. */
    void (*spread)(uint8_t *out, uint64_t mask);
    /* n bytes of value; may scribble 63 bytes. */
    void (*fill)(uint8_t *out, uint8_t value, uint32_t n);
    /* Inverts the bits [bit, bit + n) of a bitset container into ceil(n / 64) words, the bits behind n 0, n >
     * 0. Returns the number of ones written. */
    uint32_t (*invert)(uint64_t *out, const uint8_t *bytes, uint32_t bit, uint32_t n);
    /* Passes row + i of each set bit through a register; returns their sum. */
    uint64_t (*touch)(uint32_t row, uint64_t mask);
    /* One bit for each of 64 flags that equal tag; NULL: collect words instead. */
    uint64_t (*match)(const uint8_t *flags, uint8_t tag);
    /* Masks without a set bit are worth a branch of their own. */
    bool skips_empty;
};

/* A direct kernel's state: where the last batch ended, so that a stream never searches. */
struct direct_cursor {
    uint64_t next;      /* position behind the last batch */
    size_t i_container; /* first container that ends after `next` */
    uint32_t i_item;    /* first value >= next, or first run that ends after it, in that container */
    uint32_t tag;       /* of the block whose flags were set last; 1 .. 255 */
    uint64_t scratch[]; /* the flags, DIRECT_FLAG_BYTES, 0 at first, or the words of a block; none without
                           arrays */
};

/* What has been written of a batch. */
struct direct_out {
    uint8_t *out;
    uint32_t n_rows;
    uint32_t n_list;    /* ids written: row_ids, deleted_offsets; live_runs: ends of live and deleted runs */
    uint32_t n_deleted; /* where the list does not tell */
    bool is_live;       /* live_runs: the row before is live */
    uint64_t sum;       /* touch */
};

/* The rows [low, high) of a container, which are [row, row + high - low) of the batch; not empty. */
struct direct_segment {
    const struct dv_container *container;
    uint32_t low;
    uint32_t high;
    uint32_t row;
};

static ALWAYS_INLINE void direct_store64(void *out, uint64_t value)
{
    value = BYTES_FROM_LE(64, value);
    memcpy(out, &value, sizeof value);
}

/* Byte i: how many bits are set in the bytes 0 .. i of mask. */
static ALWAYS_INLINE uint64_t direct_running_counts(uint64_t mask)
{
    mask -= mask >> 1 & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
    mask = (mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return mask * 0x0101010101010101u;
}

/* The bits [bit, bit + n) of a bitset container, n 1 .. 64; what lies behind n is arbitrary. */
static ALWAYS_INLINE uint64_t direct_bits(const uint8_t *bytes, uint32_t bit, uint32_t n)
{
    const uint8_t *word = bytes + bit / 64 * 8;
    uint32_t shift = bit % 64;
    uint64_t bits = load_le64(word) >> shift;
    if (shift + n > 64)
        bits |= load_le64(word + 8) << (64 - shift);
    return bits;
}

/* direct_isa.invert in words, for ISAs that have nothing better. */
static ALWAYS_INLINE uint32_t direct_invert(uint64_t *out, const uint8_t *bytes, uint32_t bit, uint32_t n,
                                            uint32_t (*count)(uint64_t mask))
{
    uint32_t n_live = 0;
    for (; n >= 64; n -= 64, bit += 64, out++) {
        *out = ~direct_bits(bytes, bit, 64);
        n_live += count(*out);
    }
    if (n > 0) {
        *out = ~direct_bits(bytes, bit, n) & bits_below(n);
        n_live += count(*out);
    }
    return n_live;
}

/* direct_isa.touch, one row after the other. */
static ALWAYS_INLINE uint64_t direct_touch(uint32_t row, uint64_t mask)
{
    uint64_t sum = 0;
    for (; mask != 0; mask &= mask - 1) {
        uint64_t offset = row + (uint64_t)__builtin_ctzll(mask);
        __asm__ volatile("" : "+r"(offset));
        sum += offset;
    }
    return sum;
}

/* Writes n bits at `row` of live_mask; bits behind n are 0 in `bits`, and so are the words behind row. */
static ALWAYS_INLINE void direct_put(struct direct_out *o, uint32_t row, uint64_t bits, uint32_t n)
{
    uint64_t *word = (uint64_t *)o->out + row / 64;
    uint32_t shift = row % 64;
    if (shift == 0) {
        *word = bits;
        return;
    }
    *word |= bits << shift;
    if (shift + n > 64)
        word[1] = bits >> (64 - shift);
}

/* The ids of mask to the end of the list. */
static ALWAYS_INLINE void direct_append(struct direct_out *o, uint32_t row, uint64_t mask,
                                        const struct direct_isa isa)
{
    uint32_t *list = (uint32_t *)o->out + o->n_list;
    if (isa.skips_empty && mask == 0)
        return;
    if (row + 64 <= o->n_rows) {
        isa.append(list, row, mask);
    } else {
        isa.append_tight(list, row, mask);
        /* Keeps clang from merging the calls into one by pointer, which it then cannot inline. */
        __asm__ volatile("");
    }
    o->n_list += isa.count(mask);
}

/* Rows [row, row + n), n 1 .. 64, as a mask of deleted ones; bits behind n are 0. */
static ALWAYS_INLINE void emit_mask(struct direct_out *o, uint32_t row, uint64_t deleted, uint32_t n,
                                    const enum sink_kind kind, const struct direct_isa isa)
{
    uint64_t live = ~deleted & bits_below(n);
    uint64_t ends = (live ^ (live << 1 | o->is_live)) & bits_below(n);
    switch (kind) {
    case SINK_row_ids:
        if (isa.skips_empty && deleted == 0 && n == 64) {
            isa.iota((uint32_t *)o->out + o->n_list, row, 64);
            o->n_list += 64;
        } else {
            direct_append(o, row, live, isa);
        }
        return;
    case SINK_is_deleted:
        isa.spread(o->out + row, deleted);
        break;
    case SINK_live_mask:
        direct_put(o, row, live, n);
        break;
    case SINK_deleted_offsets:
        direct_append(o, row, deleted, isa);
        return;
    case SINK_live_runs:
        direct_append(o, row, ends, isa);
        o->is_live = live >> (n - 1) & 1;
        break;
    default:
        o->sum += isa.touch(row, deleted);
    }
    o->n_deleted += isa.count(deleted);
}

/* The bits of live_mask for n rows that are all live or all deleted. */
static ALWAYS_INLINE void put_range(struct direct_out *o, uint32_t row, uint32_t n, bool is_live,
                                    const struct direct_isa isa)
{
    uint64_t bits = is_live ? UINT64_MAX : 0;
    uint32_t head = (64 - row % 64) % 64;
    if (head > n)
        head = n;
    if (head > 0)
        direct_put(o, row, bits & bits_below(head), head);
    row += head;
    n -= head;
    isa.fill(o->out + row / 8, (uint8_t)bits, n / 64 * 8);
    row += n / 64 * 64;
    if (n % 64 > 0)
        direct_put(o, row, bits & bits_below(n % 64), n % 64);
}

/* n > 0 rows that are all live. */
static ALWAYS_INLINE void emit_live(struct direct_out *o, uint32_t row, uint32_t n, const enum sink_kind kind,
                                    const struct direct_isa isa)
{
    uint32_t *list = (uint32_t *)o->out + o->n_list;
    switch (kind) {
    case SINK_row_ids:
        isa.iota(list, row, n);
        o->n_list += n;
        return;
    case SINK_is_deleted:
        isa.fill(o->out + row, 0, n);
        return;
    case SINK_live_mask:
        put_range(o, row, n, true, isa);
        return;
    case SINK_live_runs:
        *list = row;
        o->n_list += !o->is_live;
        o->is_live = true;
        return;
    default:
        return;
    }
}

/* n > 0 rows that are all deleted. */
static ALWAYS_INLINE void emit_deleted(struct direct_out *o, uint32_t row, uint32_t n,
                                       const enum sink_kind kind, const struct direct_isa isa)
{
    uint32_t *list = (uint32_t *)o->out + o->n_list;
    switch (kind) {
    case SINK_row_ids:
        return;
    case SINK_is_deleted:
        isa.fill(o->out + row, 1, n);
        break;
    case SINK_live_mask:
        put_range(o, row, n, false, isa);
        break;
    case SINK_deleted_offsets:
        isa.iota(list, row, n);
        o->n_list += n;
        return;
    case SINK_live_runs:
        *list = row;
        o->n_list += o->is_live;
        o->is_live = false;
        break;
    default:
        for (uint32_t i = 0; i < n; i++)
            o->sum += direct_touch(row + i, 1);
    }
    o->n_deleted += n;
}

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
    const uint8_t *word = bytes + low / 64 * 8;
    for (; high - low >= 64; low += 64, row += 64, word += 8)
        emit_mask(o, row, load_le64(word), 64, kind, isa);
    if (low < high)
        emit_mask(o, row, load_le64(word) & bits_below(high - low), high - low, kind, isa);
}

/* Sets flags[value - low] = tag for the values from i_value on that are below high. Sixteen are set without a
 * test, so that some behind high are set too: flags that nobody reads. Returns the first value at or above
 * high. */
static ALWAYS_INLINE uint32_t scatter_flags(uint8_t *flags, const struct dv_container *container,
                                            uint32_t i_value, uint32_t low, uint32_t high, uint8_t tag)
{
    /* As an integer, since the base lies in front of the flags. */
    uintptr_t base = (uintptr_t)flags - low;
    const uint8_t *value = container->bytes + (size_t)i_value * 2;
    uint32_t n_left = container->cardinality - i_value;
    while (n_left >= 16) {
        for (uint32_t i = 0; i < 16; i++)
            *(uint8_t *)(base + load_le16(value + (size_t)i * 2)) = tag;
        if (load_le16(value + 30) >= high)
            break;
        value += 32;
        n_left -= 16;
    }
    if (n_left >= 16) {
        for (uint32_t i = 0; i < 16; i++)
            n_left -= load_le16(value + (size_t)i * 2) < high;
        return container->cardinality - n_left;
    }
    for (; n_left > 0 && load_le16(value) < high; value += 2, n_left--)
        *(uint8_t *)(base + load_le16(value)) = tag;
    return container->cardinality - n_left;
}

/* Collects the values from i_value on that are below high into words of 64 rows that start at low. */
static ALWAYS_INLINE uint32_t collect_words(uint64_t *words, const struct dv_container *container,
                                            uint32_t i_value, uint32_t low, uint32_t high)
{
    memset(words, 0, (high - low + 63) / 64 * sizeof *words);
    uint64_t collected = 0;
    uint32_t i_word = 0;
    for (; i_value < container->cardinality; i_value++) {
        uint32_t value = load_le16(container->bytes + (size_t)i_value * 2);
        if (value >= high)
            break;
        uint32_t i = (value - low) / 64;
        /* A mask and no branch: a new word starts empty. */
        collected &= (uint64_t)0 - (i == i_word);
        collected |= UINT64_C(1) << ((value - low) % 64);
        words[i] = collected;
        i_word = i;
    }
    return i_value;
}

/* The rows [low, high) of an array container, at most DIRECT_BLOCK_ROWS. */
static ALWAYS_INLINE void emit_array_block(struct direct_out *o, struct direct_cursor *cursor,
                                           const struct dv_container *container, uint32_t low, uint32_t high,
                                           uint32_t row, const enum sink_kind kind,
                                           const struct direct_isa isa)
{
    const uint64_t *word = cursor->scratch;
    const uint8_t *flags = (uint8_t *)cursor->scratch;
    if (isa.match) {
        if (cursor->tag == UINT8_MAX) {
            isa.fill((uint8_t *)cursor->scratch, 0, DIRECT_FLAG_BYTES);
            cursor->tag = 0;
        }
        cursor->tag++;
        cursor->i_item = scatter_flags((uint8_t *)cursor->scratch, container, cursor->i_item, low, high,
                                       (uint8_t)cursor->tag);
    } else {
        cursor->i_item = collect_words(cursor->scratch, container, cursor->i_item, low, high);
    }
    const uint8_t tag = (uint8_t)cursor->tag;
    for (; high - low >= 64; low += 64, row += 64, flags += 64, word++)
        emit_mask(o, row, isa.match ? isa.match(flags, tag) : *word, 64, kind, isa);
    uint32_t n = high - low;
    if (n > 0)
        emit_mask(o, row, (isa.match ? isa.match(flags, tag) : *word) & bits_below(n), n, kind, isa);
}

static ALWAYS_INLINE void emit_array(struct direct_out *o, struct direct_cursor *cursor,
                                     struct direct_segment segment, const enum sink_kind kind,
                                     const struct direct_isa isa)
{
    for (uint32_t low = segment.low, row = segment.row; low < segment.high;) {
        uint32_t n = segment.high - low < DIRECT_BLOCK_ROWS ? segment.high - low : DIRECT_BLOCK_ROWS;
        emit_array_block(o, cursor, segment.container, low, low + n, row, kind, isa);
        low += n;
        row += n;
    }
}

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

/* First value >= low of an array, or first run that ends after low: binary search. */
static ALWAYS_INLINE uint32_t direct_find_item(const struct dv_container *container, uint32_t low)
{
    uint32_t begin = 0, end = container->kind == DV_ARRAY ? container->cardinality : container->n_runs;
    while (begin < end) {
        uint32_t middle = (begin + end) / 2;
        const uint8_t *run = container->bytes + 2 + (size_t)middle * 4;
        uint32_t last = container->kind == DV_ARRAY ? load_le16(container->bytes + (size_t)middle * 2)
                                                    : (uint32_t)load_le16(run) + load_le16(run + 2);
        if (last < low)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Moves the cursor to `start`, which is not where the last batch ended: to the next container or by binary
 * search. Out of line: streams do without it. */
void direct_seek(struct direct_cursor *cursor, const struct dv_view *view, uint64_t start);

/* The ends of runs, alternately of deleted and of live rows, become (start, length): in place, eight bytes at
 * a time. */
static ALWAYS_INLINE uint32_t finish_runs(struct direct_out *o)
{
    uint32_t *ends = (uint32_t *)o->out;
    if (o->is_live)
        ends[o->n_list++] = o->n_rows;
    for (uint32_t i = 0; i < o->n_list; i += 2)
        ends[i + 1] -= ends[i];
    return o->n_list / 2;
}

/* Sets sink->n_out; returns the live rows. */
static ALWAYS_INLINE uint32_t direct_finish(struct direct_out *o, struct sink *sink,
                                            const enum sink_kind kind)
{
    switch (kind) {
    case SINK_row_ids:
        return sink->n_out = o->n_list;
    case SINK_is_deleted:
        sink->n_out = o->n_rows;
        break;
    case SINK_live_mask:
        sink->n_out = o->n_rows / 64 + (o->n_rows % 64 != 0);
        break;
    case SINK_deleted_offsets:
        sink->n_out = o->n_list;
        return o->n_rows - o->n_list;
    case SINK_live_runs:
        sink->n_out = finish_runs(o);
        break;
    default:
        memcpy(o->out, &o->sum, sizeof o->sum);
        sink->n_out = 1;
    }
    return o->n_rows - o->n_deleted;
}

/* All segments of a batch. */
static ALWAYS_INLINE uint32_t walk_segments(struct kernel_call call, const enum sink_kind kind,
                                            const struct direct_isa isa)
{
    const struct dv_view *view = &call.dv->view;
    struct direct_cursor *cursor = call.state->data;
    struct direct_out o = {.out = call.sink->out, .n_rows = call.n_rows};
    const uint32_t n_rows = call.n_rows;
    uint32_t row = 0;
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
        segment.high = CHUNK_ROWS - segment.low < n_rows - row ? CHUNK_ROWS : segment.low + (n_rows - row);
        if (segment.container->kind == DV_BITSET)
            emit_bitset(&o, segment, kind, isa);
        else if (segment.container->kind == DV_ARRAY)
            emit_array(&o, cursor, segment, kind, isa);
        else
            emit_run(&o, cursor, segment, kind, isa);
        row += segment.high - segment.low;
        if (segment.high == CHUNK_ROWS) {
            cursor->i_container++;
            cursor->i_item = 0;
        }
    }
    cursor->next = call.start + n_rows;
    return direct_finish(&o, call.sink, kind);
}

/* One kernel call. The usual batch of a dense vector, inside one bitset and right behind the last batch, goes
 * past the loop over segments and past every call: a batch of live_mask is so short that their registers
 * would double its time. */
static ALWAYS_INLINE uint32_t direct_walk(struct kernel_call call, const enum sink_kind kind,
                                          kernel_fn *segments, const struct direct_isa isa)
{
    const struct dv_view *view = &call.dv->view;
    struct direct_cursor *cursor = call.state->data;
    struct direct_segment segment = {.container = view->containers + cursor->i_container};
    if (call.start != cursor->next || cursor->i_container == view->n_containers ||
        segment.container->kind != DV_BITSET)
        return segments(call.dv, call.state, call.start, call.n_rows, call.sink);
    /* Where the container lies behind the batch's start, low wraps around to more than a chunk. */
    uint64_t low = call.start - dv_container_start(segment.container);
    if (low >= CHUNK_ROWS || low + call.n_rows >= CHUNK_ROWS || call.n_rows == 0)
        return segments(call.dv, call.state, call.start, call.n_rows, call.sink);
    struct direct_out o = {.out = call.sink->out, .n_rows = call.n_rows};
    segment.low = (uint32_t)low;
    segment.high = segment.low + call.n_rows;
    emit_bitset(&o, segment, kind, isa);
    cursor->next = call.start + call.n_rows;
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
