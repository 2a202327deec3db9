/* SPDX-License-Identifier: Apache-2.0 */
/* Array containers of the direct kernels: sorted values to each of the sinks, and the cursor that knows which
 * comes next.
 *
 * Place in the data flow: direct_walk.h calls emit_array for each piece of a batch that lies in an array
 * container.
 *
 * row_ids is the hard one, as it writes the rows that are not in the list. A gap fill before each value ends
 * after a random number of stores: one mispredicted branch per value, 15 to 20 cycles. That is hidden where a gap
 * takes longer to store, so arrays with fewer than isa.n_gaps values are walked so. In others the values of a
 * block become masks, and masks become ids as those of a bitset do. Two ways to the masks, neither with a
 * branch on the data:
 *
 * - flags: one byte store per value, whatever is there; then 64 flags at a time are compared to a mask. Flags
 *   are not cleared: they hold the number (tag) of the block that set them, and those of older blocks do not
 *   match. About 1 cycle per value and 1 per mask. For ISAs with a wide compare.
 * - words: the bits of a word are cleared in a register that is stored after each value: the last store of
 *   a word is the complete one. 2 to 3 cycles per value, since each waits for the one before, and words must
 *   be filled first.
 *
 * live_mask is made of the same: flags where values are many, else words.
 *
 * Where the limits lie: gaps win below 1 value in 256 rows by up to a quarter (AVX-512, row_ids). A vector
 * that is read again and again, as a benchmark does, seems to want them up to 1 in 100, since the CPU
 * predicts 20,000 gaps that it has seen before (0.043 ns per row at 1 %, where flags take 0.053); of 20 million
 * rows it predicts none (0.103 and 0.053). The limit is from the latter. live_mask from flags: 1 value in 64
 * rows.
 *
 * Tried and left out: blocks shorter than 8,192 rows, each of which ends with a mispredicted branch (at 5
 * deletes in 1,000 rows 6 % slower with 2,048, 16 % with 1,024), and flags for the sinks that are lists or
 * runs (all lost). Left out untried: `bts` or `or` to the word in memory, where each value would wait for the
 * store before it.
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
/* From so many values of a container on, live_mask is made from flags. */
#define LIVE_MASK_MIN_FLAGS (DV_CHUNK_ROWS / 64)
/* Values after a block set flags too, up to the chunk's end, and the first flag may be that of 63 rows before. */
#define DIRECT_FLAG_BYTES (DV_CHUNK_ROWS + 64)
/* Of those the ones that are ever read, 64 at once. To clear the others as well would be most of what opening a small
 * file costs. */
#define DIRECT_FLAG_READ_BYTES (DIRECT_BLOCK_ROWS + 64)

/* A direct kernel's state: where the last batch ended, so that a stream never searches. */
struct direct_cursor {
    uint64_t next;      /* position after the last batch that was not inside `bitset` */
    size_t i_container; /* first container that ends after `next` */
    uint32_t i_item;    /* first value >= next, or first run that ends after it, in that container */
    uint32_t tag;       /* of the block whose flags were set last; 1 .. 255 */
    /* That container where it is a bitset, and those after it that continue its bytes, as if they were
     * one: batches inside need nothing else and leave no trace. */
    const struct dv_container *bitset;
    uint64_t bitset_start;  /* position of its first bit */
    uint32_t n_bitset_rows; /* 0: not a bitset */
    /* The flags, DIRECT_FLAG_BYTES, those that are read 0 at first, or the words of a block; nothing without arrays. On a cache
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

/* Sets the flags of all values from i_value on that are below high, and of up to sixteen after it, which
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

/* A word of live_mask that is being built: the last one stored. */
struct live_word {
    uint64_t bits;
    uint32_t index;
};

/* Clears the bit of `row`, in a register that is stored each time: the last store of a word is the complete
 * one. */
static ALWAYS_INLINE void clear_bit(uint64_t *words, struct live_word *word, uint32_t row)
{
    /* A mask and no branch: a new word starts all live. */
    word->bits |= (uint64_t)(row / 64 == word->index) - 1;
    word->bits &= ~(UINT64_C(1) << row % 64);
    word->index = row / 64;
    words[word->index] = word->bits;
}

/* Clears the bits of the values from i_value on that are below high; the bit of a value is value + delta.
 * Returns the first value that is left. */
static ALWAYS_INLINE uint32_t clear_bits(uint64_t *words, struct live_word word,
                                         const struct dv_container *container, uint32_t i_value,
                                         uint32_t delta, uint32_t high)
{
    const uint8_t *value = container->bytes + (size_t)i_value * 2;
    uint32_t n_left = container->cardinality - i_value;
    for (; n_left >= 16 && load_le16(value + 30) < high; value += 32, n_left -= 16)
        for (uint32_t i = 0; i < 16; i++)
            clear_bit(words, &word, load_le16(value + (size_t)i * 2) + delta);
    for (; n_left > 0 && load_le16(value) < high; value += 2, n_left--)
        clear_bit(words, &word, load_le16(value) + delta);
    return container->cardinality - n_left;
}

/* Flags of the rows [low, high) of an array container, at most DIRECT_BLOCK_ROWS, from `flags` on, which are
 * the cursor's or a few after. Returns their tag. */
static ALWAYS_INLINE uint8_t set_flags(struct direct_cursor *cursor, uint8_t *flags,
                                       struct direct_segment segment, const struct direct_isa isa)
{
    if (cursor->tag == UINT8_MAX) {
        isa.fill((uint8_t *)cursor->scratch, 0, DIRECT_FLAG_READ_BYTES);
        cursor->tag = 0;
    }
    const uint8_t tag = (uint8_t)++cursor->tag;
    cursor->i_item = scatter_flags(flags, segment.container, cursor->i_item, segment.low, segment.high, tag);
    return tag;
}

/* row_ids of the rows [low, high) of an array container, at most DIRECT_BLOCK_ROWS. */
static ALWAYS_INLINE void array_block(struct direct_out *o, struct direct_cursor *cursor,
                                      struct direct_segment segment, const struct direct_isa isa)
{
    const uint64_t *word = cursor->scratch;
    uint8_t *flags = (uint8_t *)cursor->scratch, tag = 0;
    uint32_t low = segment.low, high = segment.high, row = segment.row;
    if (isa.match) {
        tag = set_flags(cursor, flags, segment, isa);
    } else {
        isa.fill(flags, 0xff, (high - low + 63) / 64 * 8);
        cursor->i_item = clear_bits(cursor->scratch, (struct live_word){UINT64_MAX, 0}, segment.container,
                                    cursor->i_item, -low, high);
    }
    for (; high - low >= 64; low += 64, row += 64, flags += 64, word++)
        emit_mask(o, row, isa.match ? isa.match(flags, tag) : ~*word, 64, SINK_row_ids, isa);
    uint32_t n = high - low;
    if (n > 0)
        emit_mask(o, row, (isa.match ? isa.match(flags, tag) : ~*word) & bits_below(n), n, SINK_row_ids, isa);
}

/* row_ids where values are rare: the rows between them. */
static ALWAYS_INLINE void array_gaps(struct direct_out *o, struct direct_cursor *cursor,
                                     struct direct_segment segment, const struct direct_isa isa)
{
    const struct dv_container *container = segment.container;
    const uint32_t end = segment.row + segment.high - segment.low, delta = segment.row - segment.low;
    uint32_t *list = (uint32_t *)o->out + o->n_list;
    uint32_t row = segment.row, i = cursor->i_item;
    for (; i < container->cardinality && array_value(container, i) < segment.high; i++) {
        uint32_t deleted = array_value(container, i) + delta;
        isa.iota(list, row, deleted - row);
        list += deleted - row;
        row = deleted + 1;
    }
    isa.iota(list, row, end - row);
    list += end - row;
    o->n_list = (uint32_t)(list - (uint32_t *)o->out);
    cursor->i_item = i;
}

static ALWAYS_INLINE void array_row_ids(struct direct_out *o, struct direct_cursor *cursor,
                                        struct direct_segment segment, const struct direct_isa isa)
{
    const uint32_t high = segment.high;
    if (segment.container->cardinality < isa.n_gaps) {
        array_gaps(o, cursor, segment, isa);
        return;
    }
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
    if (!o->is_cleared)
        isa.fill(out, 0, high - low);
    cursor->i_item = scatter_sixteens(out, segment.container, cursor->i_item, low, high, 1);
    cursor->i_item = scatter_rest(out, segment.container, cursor->i_item, low, high, 1);
}

/* live_mask from flags, of at most DIRECT_BLOCK_ROWS. */
static ALWAYS_INLINE void live_mask_block(struct direct_out *o, struct direct_cursor *cursor,
                                          struct direct_segment segment, const struct direct_isa isa)
{
    const uint32_t skew = segment.row % 64;
    const uint8_t *flags = (uint8_t *)cursor->scratch;
    const uint8_t tag = set_flags(cursor, (uint8_t *)cursor->scratch + skew, segment, isa);
    uint64_t *word = (uint64_t *)o->out + segment.row / 64;
    uint32_t n = skew + segment.high - segment.low;
    /* No flag before skew has the tag. */
    const uint64_t before = skew > 0 ? *word | bits_from(skew) : UINT64_MAX;
    for (uint32_t i = 0; i < n / 64; i++)
        word[i] = ~isa.match(flags + (size_t)i * 64, tag);
    if (n % 64 > 0)
        word[n / 64] = ~isa.match(flags + n / 64 * 64, tag) & bits_below(n % 64);
    *word &= before;
}

/* live_mask: where values are many from flags; else all ones, of which bits are cleared. */
static ALWAYS_INLINE void array_live_mask(struct direct_out *o, struct direct_cursor *cursor,
                                          struct direct_segment segment, const struct direct_isa isa)
{
    uint64_t *words = (uint64_t *)o->out;
    const uint32_t n = segment.high - segment.low, end = segment.row + n, high = segment.high;
    if (isa.match && segment.container->cardinality >= LIVE_MASK_MIN_FLAGS) {
        for (; segment.low < high; segment.row += DIRECT_BLOCK_ROWS, segment.low += DIRECT_BLOCK_ROWS) {
            segment.high = high - segment.low < DIRECT_BLOCK_ROWS ? high : segment.low + DIRECT_BLOCK_ROWS;
            live_mask_block(o, cursor, segment, isa);
        }
        return;
    }
    put_range(o, segment.row, n, true, isa);
    cursor->i_item = clear_bits(words, (struct live_word){words[segment.row / 64], segment.row / 64},
                                segment.container, cursor->i_item, segment.row - segment.low, high);
    if (end % 64 != 0)
        words[end / 64] &= bits_below(end % 64);
}

/* deleted_offsets: the values themselves, widened sixteen at a time; the last sixteen may reach past the
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

/* live_runs: before each value a live run from after the one before, kept where it is not empty. Before the
 * first value the run may have begun in another container. */
static ALWAYS_INLINE void array_runs(struct direct_out *o, struct direct_cursor *cursor,
                                     struct direct_segment segment, const struct direct_isa isa)
{
    const struct dv_container *container = segment.container;
    uint32_t *list = (uint32_t *)o->out;
    uint32_t row = segment.row, i = cursor->i_item;
    const uint32_t end = row + segment.high - segment.low, delta = row - segment.low;
    if (i < container->cardinality && array_value(container, i) < segment.high) {
        uint32_t deleted = array_value(container, i++) + delta;
        if (deleted > row)
            emit_live(o, row, deleted - row, SINK_live_runs, isa);
        emit_deleted(o, deleted, 1, SINK_live_runs, isa);
        row = deleted + 1;
    }
    const uint32_t i_second = i;
    uint32_t n_list = o->n_list;
    for (; i < container->cardinality && array_value(container, i) < segment.high; i++) {
        uint32_t deleted = array_value(container, i) + delta;
        list[n_list] = row;
        list[n_list + 1] = deleted;
        n_list += deleted > row ? 2 : 0;
        row = deleted + 1;
    }
    o->n_list = n_list;
    o->n_deleted += i - i_second;
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
        o->sum += direct_touch_row(array_value(container, i) + delta);
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
        return;
    case SINK_touch:
        array_touch(o, cursor, segment);
    }
    o->n_deleted += cursor->i_item - i_first;
}

#endif
