/* SPDX-License-Identifier: Apache-2.0 */
/* What the direct kernels write: from masks of 64 rows and from ranges of rows to the six sinks, over what
 * one ISA gives.
 *
 * Place in the data flow: direct_<isa>.c fills a struct direct_isa; direct_array.h and direct_walk.h find the
 * rows and call the emit functions in ascending order, each row once.
 *
 * Everything is always_inline: kind and isa are constants in each instance, which leaves call-free loops. */
#ifndef DVBENCH_DIRECT_SINK_H
#define DVBENCH_DIRECT_SINK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "sink.h"

/* What an ISA gives. "May scribble" is about bytes after what was asked for; all `out` are unaligned.
 * row counts are relative to the batch. Members are constants in every instance. */
struct direct_isa {
    /* Number of set bits. */
    uint32_t (*count)(uint64_t mask);
    /* row + i for each set bit i of mask, ascending. May scribble 64 bytes, or where there is append_tight up
     * to out[64]. */
    void (*append)(uint32_t *out, uint32_t row, uint64_t mask);
    /* The same, faster where mask has at most 16 n_stores bits; n_stores is a constant 1 .. 3. May be NULL.
     */
    void (*append_few)(uint32_t *out, uint32_t row, uint64_t mask, const uint32_t n_stores);
    /* The same, for the end of the batch; may scribble 64 bytes. NULL where append does no more. */
    void (*append_tight)(uint32_t *out, uint32_t row, uint64_t mask);
    /* row, row + 1, ... row + n - 1; may scribble 64 bytes. */
    void (*iota)(uint32_t *out, uint32_t row, uint32_t n);
    /* Sixteen values of an array container, plus delta modulo 2^32. */
    void (*widen)(uint32_t *out, const uint8_t *values, uint32_t delta);
    /* 64 bytes: 1 for each set bit of mask, else 0. */
    void (*spread)(uint8_t *out, uint64_t mask);
    /* libc clears a batch of is_deleted faster than fill does. */
    bool clears_by_libc;
    /* n bytes of value; may scribble 63 bytes. */
    void (*fill)(uint8_t *out, uint8_t value, uint32_t n);
    /* Inverts the bits [bit, bit + n) of a bitset container into ceil(n / 64) words, the bits after n 0, n >
     * 0. Returns the number of ones written. */
    uint32_t (*invert)(uint64_t *out, const uint8_t *bytes, uint32_t bit, uint32_t n);
    /* Passes row + i of each set bit through a register; returns their sum and adds their number to *n. */
    uint64_t (*touch)(uint32_t row, uint64_t mask, uint32_t *n);
    /* A mask without a deleted row is worth a branch that a stream mispredicts: iota is cheaper than append
     * by more. */
    bool fills_empty;
    /* An array of fewer values is walked gap by gap for row_ids. */
    uint32_t n_gaps;
    /* One bit for each of 64 flags that equal tag; NULL: collect words instead. */
    uint64_t (*match)(const uint8_t *flags, uint8_t tag);
};

/* What has been written of a batch. */
struct direct_out {
    uint8_t *out;
    uint32_t n_rows;
    uint32_t n_list;    /* ids written: row_ids, deleted_offsets; live_runs: ends of live and deleted runs */
    uint32_t n_deleted; /* where the list does not say */
    bool is_live;       /* live_runs: the row before is live */
    bool is_cleared;    /* is_deleted: all zero already */
    uint64_t sum;       /* touch */
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

/* The bits [bit, bit + n) of a bitset container, n 1 .. 64; what lies after n is arbitrary. */
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

static ALWAYS_INLINE uint64_t direct_touch_row(uint64_t row)
{
    __asm__ volatile("" : "+r"(row));
    return row;
}

/* direct_isa.touch, one row after the other. Counts them on the way, which costs less than count_bits. */
static ALWAYS_INLINE uint64_t direct_touch(uint32_t row, uint64_t mask, uint32_t *n)
{
    uint64_t sum = 0;
    for (; mask != 0; mask &= mask - 1) {
        sum += direct_touch_row(row + (uint32_t)__builtin_ctzll(mask));
        ++*n;
    }
    return sum;
}

/* Writes n bits at `row` of live_mask; bits after n are 0 in `bits`, and so are the words after row. */
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
                                        const uint32_t n_stores, const struct direct_isa isa)
{
    uint32_t *list = (uint32_t *)o->out + o->n_list;
    if (!isa.append_tight || row + 64 <= o->n_rows) {
        if (isa.append_few && n_stores < 4)
            isa.append_few(list, row, mask, n_stores);
        else
            isa.append(list, row, mask);
    } else {
        isa.append_tight(list, row, mask);
        /* Keeps clang from merging the calls into one by pointer, which it then cannot inline. */
        __asm__ volatile("");
    }
    o->n_list += isa.count(mask);
}

/* Rows [row, row + n), n 1 .. 64, as a mask of deleted ones; bits after n are 0. */
static ALWAYS_INLINE void emit_few(struct direct_out *o, uint32_t row, uint64_t deleted, uint32_t n,
                                   const uint32_t n_stores, const enum sink_kind kind,
                                   const struct direct_isa isa)
{
    uint64_t live = ~deleted & bits_below(n);
    uint64_t ends = (live ^ (live << 1 | o->is_live)) & bits_below(n);
    switch (kind) {
    case SINK_row_ids:
        if (isa.fills_empty && live == UINT64_MAX) {
            isa.iota((uint32_t *)o->out + o->n_list, row, 64);
            o->n_list += 64;
        } else {
            direct_append(o, row, live, n_stores, isa);
        }
        return;
    case SINK_is_deleted:
        isa.spread(o->out + row, deleted);
        break;
    case SINK_live_mask:
        direct_put(o, row, live, n);
        break;
    case SINK_deleted_offsets:
        direct_append(o, row, deleted, n_stores, isa);
        return;
    case SINK_live_runs:
        direct_append(o, row, ends, n_stores, isa);
        o->is_live = live >> (n - 1) & 1;
        break;
    case SINK_touch:
        o->sum += isa.touch(row, deleted, &o->n_deleted);
        return;
    }
    o->n_deleted += isa.count(deleted);
}

static ALWAYS_INLINE void emit_mask(struct direct_out *o, uint32_t row, uint64_t deleted, uint32_t n,
                                    const enum sink_kind kind, const struct direct_isa isa)
{
    emit_few(o, row, deleted, n, 4, kind, isa);
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
        if (!o->is_cleared)
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
    case SINK_deleted_offsets:
    case SINK_touch:
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
    case SINK_touch:
        for (uint32_t i = 0; i < n; i++)
            o->sum += direct_touch_row(row + i);
    }
    o->n_deleted += n;
}

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
    case SINK_touch:
        memcpy(o->out, &o->sum, sizeof o->sum);
        sink->n_out = 1;
    }
    return o->n_rows - o->n_deleted;
}

#endif
