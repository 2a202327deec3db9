/* SPDX-License-Identifier: Apache-2.0 */
/* Array containers of the direct kernels: sorted values to each of the sinks, and the cursor that knows which
 * comes next.
 *
 * Place in the data flow: direct_walk.h calls emit_array for each piece of a batch that lies in an array
 * container.
 *
 * row_ids is the hard one, as it writes the rows that are not in the list. A gap fill before each value ends
 * after a random number of stores: a mispredicted branch a value, 15 to 20 cycles. Instead the values of a
 * block become masks, and masks become ids as those of a bitset do. Two ways to the masks, neither with a
 * branch on the data:
 *
 * - flags: one byte store a value, whatever is there; then 64 flags at a time are compared to a mask. Flags
 * are not cleared: they hold the number (tag) of the block that set them, and those of older blocks do not
 * match. About 1 cycle a value and 1 a mask. For ISAs with a wide compare.
 * - words: the bits of a word are collected in a register that is stored after each value: the last store of
 * a word is the complete one. 2 to 4 cycles a value, since each waits for the one before, and words must be
 *   cleared first.
 *
 * Tried and left out: blocks shorter than 8,192 rows, each of which ends with a mispredicted branch (at 5
 * deletes in 1,000 rows 6 % slower with 2,048, 16 % with 1,024), and flags for the other sinks too (live_mask
 * was faster by them above 3 % of deletes, 0.036 against 0.066 ns a row at 6 %, and slower below 2 %, 0.022
 * against 0.005 at 0.1 %; all others lost). Left out untried: `bts` or `or` to the word in memory, where each
 * value would wait for the store before it.
 *
 * The other sinks need no masks: what they write is as long as the deletes, or is flags or bits itself. */
#ifndef DVBENCH_DIRECT_ARRAY_H
#define DVBENCH_DIRECT_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "direct_sink.h"
#include "dv.h"

/* Rows whose flags or words are built before they are read: 8 KiB of flags stay in the nearest cache. */
#define DIRECT_BLOCK_ROWS 8192
#define CHUNK_ROWS        65536
/* Values behind a block set flags too, and 64 flags are read at once. */
#define DIRECT_FLAG_BYTES (CHUNK_ROWS + 64)

/* A direct kernel's state: where the last batch ended, so that a stream never searches. */
struct direct_cursor {
    uint64_t next;      /* position behind the last batch */
    size_t i_container; /* first container that ends after `next` */
    uint32_t i_item;    /* first value >= next, or first run that ends after it, in that container */
    uint32_t tag;       /* of the block whose flags were set last; 1 .. 255 */
    /* The flags, DIRECT_FLAG_BYTES, 0 at first, or the words of a block; nothing without arrays. On a cache
     * line of its own: 64 flags across two lines cost two loads. */
    _Alignas(64) uint64_t scratch[];
};

/* The rows [low, high) of a container, which are [row, row + high - low) of the batch; not empty. */
struct direct_segment {
    const struct dv_container *container;
    uint32_t low;
    uint32_t high;
    uint32_t row;
};

static ALWAYS_INLINE uint32_t array_value(const struct dv_container *container, uint32_t i)
{
    return load_le16(container->bytes + (size_t)i * 2);
}

/* Sets flags[value - low] = tag for the values from i_value on that are below high, sixteen at a time while
 * all sixteen are. Returns the first value that is left: fewer than sixteen below high are. */
static ALWAYS_INLINE uint32_t scatter_sixteens(uint8_t *flags, const struct dv_container *container,
                                               uint32_t i_value, uint32_t low, uint32_t high, uint8_t tag)
{
    /* As an integer, since the base lies in front of the flags. */
    const uintptr_t base = (uintptr_t)flags - low;
    const uint8_t *value = container->bytes + (size_t)i_value * 2;
    uint32_t n_left = container->cardinality - i_value;
    for (; n_left >= 16 && load_le16(value + 30) < high; value += 32, n_left -= 16)
        for (uint32_t i = 0; i < 16; i++)
            *(uint8_t *)(base + load_le16(value + (size_t)i * 2)) = tag;
    return container->cardinality - n_left;
}

/* The same one at a time, to the last value below high. Returns the first at or above it. */
static ALWAYS_INLINE uint32_t scatter_rest(uint8_t *flags, const struct dv_container *container,
                                           uint32_t i_value, uint32_t low, uint32_t high, uint8_t tag)
{
    for (; i_value < container->cardinality; i_value++) {
        uint32_t value = load_le16(container->bytes + (size_t)i_value * 2);
        if (value >= high)
            break;
        flags[value - low] = tag;
    }
    return i_value;
}

/* Sets the flags of all values from i_value on that are below high, and of up to sixteen behind it, which
 * nobody reads: cheaper than to find where to stop. Returns the first value at or above high. */
static ALWAYS_INLINE uint32_t scatter_flags(uint8_t *flags, const struct dv_container *container,
                                            uint32_t i_value, uint32_t low, uint32_t high, uint8_t tag)
{
    i_value = scatter_sixteens(flags, container, i_value, low, high, tag);
    if (container->cardinality - i_value < 16)
        return scatter_rest(flags, container, i_value, low, high, tag);
    const uint8_t *value = container->bytes + (size_t)i_value * 2;
    for (uint32_t i = 0; i < 16; i++) {
        flags[load_le16(value + (size_t)i * 2) - low] = tag;
        i_value += load_le16(value + (size_t)i * 2) < high;
    }
    return i_value;
}

/* Collects the values from i_value on that are below high into words of 64 rows that start at low. */
static ALWAYS_INLINE uint32_t collect_words(uint64_t *words, const struct dv_container *container,
                                            uint32_t i_value, uint32_t low, uint32_t high,
                                            const struct direct_isa isa)
{
    isa.fill((uint8_t *)words, 0, (high - low + 63) / 64 * 8);
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

/* row_ids of the rows [low, high) of an array container, at most DIRECT_BLOCK_ROWS. */
static ALWAYS_INLINE void array_block(struct direct_out *o, struct direct_cursor *cursor,
                                      struct direct_segment segment, const struct direct_isa isa)
{
    const uint64_t *word = cursor->scratch;
    uint8_t *flags = (uint8_t *)cursor->scratch;
    uint32_t low = segment.low, high = segment.high, row = segment.row;
    if (isa.match) {
        if (cursor->tag == UINT8_MAX) {
            isa.fill(flags, 0, DIRECT_FLAG_BYTES);
            cursor->tag = 0;
        }
        cursor->tag++;
        cursor->i_item =
            scatter_flags(flags, segment.container, cursor->i_item, low, high, (uint8_t)cursor->tag);
    } else {
        cursor->i_item = collect_words(cursor->scratch, segment.container, cursor->i_item, low, high, isa);
    }
    const uint8_t tag = (uint8_t)cursor->tag;
    for (; high - low >= 64; low += 64, row += 64, flags += 64, word++)
        emit_mask(o, row, isa.match ? isa.match(flags, tag) : *word, 64, SINK_row_ids, isa);
    uint32_t n = high - low;
    if (n > 0)
        emit_mask(o, row, (isa.match ? isa.match(flags, tag) : *word) & bits_below(n), n, SINK_row_ids, isa);
}

static ALWAYS_INLINE void array_row_ids(struct direct_out *o, struct direct_cursor *cursor,
                                        struct direct_segment segment, const struct direct_isa isa)
{
    const uint32_t high = segment.high;
    for (; segment.low < high; segment.row += DIRECT_BLOCK_ROWS, segment.low += DIRECT_BLOCK_ROWS) {
        segment.high = high - segment.low < DIRECT_BLOCK_ROWS ? high : segment.low + DIRECT_BLOCK_ROWS;
        array_block(o, cursor, segment, isa);
    }
}

/* is_deleted: the sink is byte flags already. */
static ALWAYS_INLINE void array_is_deleted(struct direct_out *o, struct direct_cursor *cursor,
                                           struct direct_segment segment, const struct direct_isa isa)
{
    uint8_t *out = o->out + segment.row;
    uint32_t low = segment.low, high = segment.high;
    isa.fill(out, 0, high - low);
    cursor->i_item = scatter_sixteens(out, segment.container, cursor->i_item, low, high, 1);
    cursor->i_item = scatter_rest(out, segment.container, cursor->i_item, low, high, 1);
}

/* live_mask: all ones, then the values of a word are cleared in a register, which is stored after each; its
 * last store wins. */
static ALWAYS_INLINE void array_live_mask(struct direct_out *o, struct direct_cursor *cursor,
                                          struct direct_segment segment, const struct direct_isa isa)
{
    uint64_t *words = (uint64_t *)o->out;
    const uint32_t n = segment.high - segment.low, end = segment.row + n;
    put_range(o, segment.row, n, true, isa);
    uint32_t i_word = segment.row / 64;
    uint64_t word = words[i_word];
    for (; cursor->i_item < segment.container->cardinality; cursor->i_item++) {
        uint32_t value = array_value(segment.container, cursor->i_item);
        if (value >= segment.high)
            break;
        uint32_t row = segment.row + (value - segment.low);
        /* A mask and no branch: a new word starts all live. */
        word |= (uint64_t)(row / 64 == i_word) - 1;
        word &= ~(UINT64_C(1) << row % 64);
        i_word = row / 64;
        words[i_word] = word;
    }
    if (end % 64 != 0)
        words[end / 64] &= bits_below(end % 64);
}

/* deleted_offsets: the values themselves, widened sixteen at a time; the last sixteen may reach behind the
 * segment's end. */
static ALWAYS_INLINE void array_offsets(struct direct_out *o, struct direct_cursor *cursor,
                                        struct direct_segment segment, const struct direct_isa isa)
{
    const struct dv_container *container = segment.container;
    const uint32_t delta = segment.row - segment.low;
    const uint32_t i_first = cursor->i_item;
    uint32_t i = i_first;
    uint32_t *list = (uint32_t *)o->out + o->n_list;
    for (; container->cardinality - i >= 16 && array_value(container, i + 15) < segment.high; i += 16)
        isa.widen(list + (i - i_first), container->bytes + (size_t)i * 2, delta);
    for (; i < container->cardinality && array_value(container, i) < segment.high; i++)
        list[i - i_first] = array_value(container, i) + delta;
    o->n_list += i - i_first;
    cursor->i_item = i;
}

/* live_runs: before each value a live run from behind the one before, kept where it is not empty. */
static ALWAYS_INLINE void array_runs(struct direct_out *o, struct direct_cursor *cursor,
                                     struct direct_segment segment, const struct direct_isa isa)
{
    const struct dv_container *container = segment.container;
    uint32_t *list = (uint32_t *)o->out;
    uint32_t row = segment.row, i = cursor->i_item, n_list = o->n_list;
    const uint32_t end = row + segment.high - segment.low, delta = row - segment.low;
    uint32_t is_live = o->is_live;
    for (; i < container->cardinality && array_value(container, i) < segment.high; i++) {
        uint32_t deleted = array_value(container, i) + delta, is_gap = deleted > row;
        list[n_list] = row;
        n_list += is_gap & ~is_live;
        list[n_list] = deleted;
        n_list += is_gap | is_live;
        is_live = 0;
        row = deleted + 1;
    }
    o->n_list = n_list;
    o->is_live = is_live;
    cursor->i_item = i;
    if (row < end)
        emit_live(o, row, end - row, SINK_live_runs, isa);
}

static ALWAYS_INLINE void array_touch(struct direct_out *o, struct direct_cursor *cursor,
                                      struct direct_segment segment)
{
    const struct dv_container *container = segment.container;
    const uint32_t delta = segment.row - segment.low;
    uint32_t i = cursor->i_item;
    for (; i < container->cardinality && array_value(container, i) < segment.high; i++)
        o->sum += direct_touch(array_value(container, i) + delta, 1);
    cursor->i_item = i;
}

/* Only row_ids needs the masks: what the other sinks write is as long as the deletes, or is flags or bits
 * itself. */
static ALWAYS_INLINE void emit_array(struct direct_out *o, struct direct_cursor *cursor,
                                     struct direct_segment segment, const enum sink_kind kind,
                                     const struct direct_isa isa)
{
    uint32_t i_first = cursor->i_item;
    switch (kind) {
    case SINK_row_ids:
        array_row_ids(o, cursor, segment, isa);
        return;
    case SINK_is_deleted:
        array_is_deleted(o, cursor, segment, isa);
        break;
    case SINK_live_mask:
        array_live_mask(o, cursor, segment, isa);
        break;
    case SINK_deleted_offsets:
        array_offsets(o, cursor, segment, isa);
        return;
    case SINK_live_runs:
        array_runs(o, cursor, segment, isa);
        break;
    default:
        array_touch(o, cursor, segment);
    }
    o->n_deleted += cursor->i_item - i_first;
}

#endif
