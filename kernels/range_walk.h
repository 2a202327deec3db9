/* SPDX-License-Identifier: Apache-2.0 */
/* Walking the containers of a range: every deleted position, or every run and every gap, is told to a
 * callback.
 *
 * Place in the data flow: container view + range -> callbacks -> a sink. The dv_ functions are what a library
 * would export: they call through function pointers. The walk_ functions are the same code with the callback
 * as an inlined constant.
 *
 * All of them find the first container, the first array value and the first run by binary search, so that a
 * batch in the middle of a file costs no more than the first; none keeps anything from batch to batch. */
#ifndef DVBENCH_RANGE_WALK_H
#define DVBENCH_RANGE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "dv.h"

/* Told each deleted position of a range, ascending. */
typedef void position_fn(void *context, uint64_t position);

/* Told the rows of a range, ascending and without a hole, as offsets from its start: single rows, and runs
 * [from, to) of two rows and more. */
struct range_consumer {
    void (*present)(void *context, uint32_t offset); /* one deleted row */
    void (*absent)(void *context, uint32_t offset);  /* one live row */
    void (*all_present)(void *context, uint32_t from, uint32_t to);
    void (*all_absent)(void *context, uint32_t from, uint32_t to);
};

/* Calls `deleted` for each deleted position in [start, end), which may span any number of keys. start >= end:
 * no call. */
void dv_for_each_in_range(const struct dv_view *view, uint64_t start, uint64_t end, position_fn *deleted,
                          void *context);

/* Calls `consumer` once per maximal run of deleted or of live rows inside each container, bitset words or
 * not, and once per stretch of rows without containers; rows [start, start + n_rows), n_rows < 2^31. */
void dv_for_all_in_range(const struct dv_view *view, uint64_t start, uint32_t n_rows,
                         const struct range_consumer *consumer, void *context);

/* Deleted positions in [start, end), without visiting them one by one. */
uint64_t dv_range_cardinality(const struct dv_view *view, uint64_t start, uint64_t end);

/* The part [low, high) of one container, low < high <= 65536, that a range covers. */
struct walk_part {
    const struct dv_container *container;
    uint64_t base; /* the position of the container's value 0 */
    uint32_t low;
    uint32_t high;
};

/* Whether container `index` begins before `end`; then fills `part_out`. [start, end) must not be empty. */
static ALWAYS_INLINE bool walk_part_at(struct walk_part *part_out, const struct dv_view *view, size_t index,
                                       uint64_t start, uint64_t end)
{
    if (index >= view->n_containers)
        return false;
    uint64_t base = dv_container_start(&view->containers[index]);
    if (base >= end)
        return false;
    part_out->container = &view->containers[index];
    part_out->base = base;
    part_out->low = start > base ? (uint32_t)(start - base) : 0;
    part_out->high = end - base < DV_CHUNK_ROWS ? (uint32_t)(end - base) : DV_CHUNK_ROWS;
    return true;
}

static ALWAYS_INLINE uint32_t walk_array_value(const struct dv_container *container, uint32_t index)
{
    return load_le16(container->bytes + 2 * (size_t)index);
}

/* Index of the first array value >= `value`, `value` up to 65536. */
static ALWAYS_INLINE uint32_t walk_array_seek(const struct dv_container *container, uint32_t value)
{
    uint32_t low = 0;
    uint32_t n_left = container->cardinality;
    while (n_left > 0) {
        uint32_t half = n_left / 2;
        bool is_less = walk_array_value(container, low + half) < value;
        low = is_less ? low + half + 1 : low;
        n_left = is_less ? n_left - half - 1 : half;
    }
    return low;
}

static ALWAYS_INLINE uint32_t walk_run_start(const struct dv_container *container, uint32_t index)
{
    return load_le16(container->bytes + 2 + 4 * (size_t)index);
}

static ALWAYS_INLINE uint32_t walk_run_end(const struct dv_container *container, uint32_t index)
{
    return walk_run_start(container, index) + load_le16(container->bytes + 4 + 4 * (size_t)index) + 1;
}

/* Index of the first run that ends after `value`. */
static ALWAYS_INLINE uint32_t walk_run_seek(const struct dv_container *container, uint32_t value)
{
    uint32_t low = 0;
    uint32_t n_left = container->n_runs;
    while (n_left > 0) {
        uint32_t half = n_left / 2;
        bool is_before = walk_run_end(container, low + half) <= value;
        low = is_before ? low + half + 1 : low;
        n_left = is_before ? n_left - half - 1 : half;
    }
    return low;
}

/* The word of a bitset that holds value `at`, a multiple of 64, without the bits outside [low, high) of the
 * part. */
static ALWAYS_INLINE uint64_t walk_bitset_word(const struct walk_part *part, uint32_t at)
{
    uint64_t word = load_le64(part->container->bytes + at / 8);
    if (at < part->low)
        word &= bits_from(part->low - at);
    if (part->high - at < 64)
        word &= bits_below(part->high - at);
    return word;
}

static ALWAYS_INLINE void walk_each_of_array(struct walk_part part, position_fn *deleted, void *context)
{
    uint32_t end = walk_array_seek(part.container, part.high);
    for (uint32_t i = walk_array_seek(part.container, part.low); i < end; i++)
        deleted(context, part.base + walk_array_value(part.container, i));
}

static ALWAYS_INLINE void walk_each_of_bitset(struct walk_part part, position_fn *deleted, void *context)
{
    for (uint32_t at = part.low & ~63u; at < part.high; at += 64)
        for (uint64_t word = walk_bitset_word(&part, at); word; word &= word - 1)
            deleted(context, part.base + at + (uint32_t)__builtin_ctzll(word));
}

static ALWAYS_INLINE void walk_each_of_runs(struct walk_part part, position_fn *deleted, void *context)
{
    for (uint32_t i = walk_run_seek(part.container, part.low); i < part.container->n_runs; i++) {
        uint32_t from = walk_run_start(part.container, i);
        uint32_t to = walk_run_end(part.container, i);
        if (from >= part.high)
            break;
        from = from > part.low ? from : part.low;
        to = to < part.high ? to : part.high;
        for (uint32_t value = from; value < to; value++)
            deleted(context, part.base + value);
    }
}

static ALWAYS_INLINE void walk_for_each(const struct dv_view *view, uint64_t start, uint64_t end,
                                        position_fn *deleted, void *context)
{
    if (start >= end)
        return;
    struct walk_part part;
    for (size_t i = dv_view_seek(view, start); walk_part_at(&part, view, i, start, end); i++) {
        if (part.container->kind == DV_ARRAY)
            walk_each_of_array(part, deleted, context);
        else if (part.container->kind == DV_BITSET)
            walk_each_of_bitset(part, deleted, context);
        else
            walk_each_of_runs(part, deleted, context);
    }
}

/* Told that the rows [from, to), from < to, are all deleted or all live. */
typedef void run_fn(void *context, uint32_t from, uint32_t to, bool is_deleted);

/* Below, container value + shift (mod 2^32) = offset within the range. */
static ALWAYS_INLINE void walk_all_of_array(struct walk_part part, uint32_t shift, run_fn *tell,
                                            void *context)
{
    uint32_t told = part.low;
    uint32_t end = walk_array_seek(part.container, part.high);
    for (uint32_t i = walk_array_seek(part.container, part.low); i < end;) {
        uint32_t from = walk_array_value(part.container, i++);
        uint32_t to = from + 1;
        for (; i < end && walk_array_value(part.container, i) == to; i++)
            to++;
        if (from > told)
            tell(context, shift + told, shift + from, false);
        tell(context, shift + from, shift + to, true);
        told = to;
    }
    if (told < part.high)
        tell(context, shift + told, shift + part.high, false);
}

/* A run or a gap ends where a bit differs from the one below it; `changes` has those bits of one word. */
static ALWAYS_INLINE void walk_all_of_bitset(struct walk_part part, uint32_t shift, run_fn *tell,
                                             void *context)
{
    const uint8_t *bytes = part.container->bytes;
    uint32_t told = part.low;
    bool is_deleted = bytes[part.low / 8] >> part.low % 8 & 1;
    uint64_t below = is_deleted; /* the bit below the word's lowest */
    for (uint32_t at = part.low & ~63u; at < part.high; at += 64) {
        uint64_t word = load_le64(bytes + at / 8);
        uint64_t changes = word ^ (word << 1 | below);
        below = word >> 63;
        if (at <= part.low)
            changes &= part.low - at < 63 ? bits_from(part.low - at + 1) : 0;
        if (part.high - at < 64)
            changes &= bits_below(part.high - at);
        for (; changes; changes &= changes - 1) {
            uint32_t to = at + (uint32_t)__builtin_ctzll(changes);
            tell(context, shift + told, shift + to, is_deleted);
            is_deleted = !is_deleted;
            told = to;
        }
    }
    tell(context, shift + told, shift + part.high, is_deleted);
}

static ALWAYS_INLINE void walk_all_of_runs(struct walk_part part, uint32_t shift, run_fn *tell, void *context)
{
    uint32_t told = part.low;
    uint32_t n_runs = part.container->n_runs;
    for (uint32_t i = walk_run_seek(part.container, part.low); i < n_runs;) {
        uint32_t from = walk_run_start(part.container, i);
        uint32_t to = walk_run_end(part.container, i++);
        if (from >= part.high)
            break;
        for (; i < n_runs && walk_run_start(part.container, i) == to; i++)
            to = walk_run_end(part.container, i);
        from = from > part.low ? from : part.low;
        to = to < part.high ? to : part.high;
        if (from > told)
            tell(context, shift + told, shift + from, false);
        tell(context, shift + from, shift + to, true);
        told = to;
    }
    if (told < part.high)
        tell(context, shift + told, shift + part.high, false);
}

static ALWAYS_INLINE void walk_for_all(const struct dv_view *view, uint64_t start, uint32_t n_rows,
                                       run_fn *tell, void *context)
{
    uint64_t end = start + n_rows;
    uint32_t told = 0;
    struct walk_part part;
    for (size_t i = dv_view_seek(view, start); n_rows > 0 && walk_part_at(&part, view, i, start, end); i++) {
        uint32_t shift = (uint32_t)(part.base - start);
        if (shift + part.low > told)
            tell(context, told, shift + part.low, false);
        if (part.container->kind == DV_ARRAY)
            walk_all_of_array(part, shift, tell, context);
        else if (part.container->kind == DV_BITSET)
            walk_all_of_bitset(part, shift, tell, context);
        else
            walk_all_of_runs(part, shift, tell, context);
        told = shift + part.high;
    }
    if (told < n_rows)
        tell(context, told, n_rows, false);
}

#endif
