/* SPDX-License-Identifier: Apache-2.0 */
#include "range_walk.h"

void dv_for_each_in_range(const struct dv_view *view, uint64_t start, uint64_t end, position_fn *deleted,
                          void *context)
{
    walk_for_each(view, start, end, deleted, context);
}

struct call_back {
    const struct range_consumer *consumer;
    void *context;
};

static ALWAYS_INLINE void call_back(void *context, uint32_t from, uint32_t to, bool is_deleted)
{
    const struct call_back *call = context;
    if (to - from == 1)
        (is_deleted ? call->consumer->present : call->consumer->absent)(call->context, from);
    else
        (is_deleted ? call->consumer->all_present : call->consumer->all_absent)(call->context, from, to);
}

void dv_for_all_in_range(const struct dv_view *view, uint64_t start, uint32_t n_rows,
                         const struct range_consumer *consumer, void *context)
{
    struct call_back call = {.consumer = consumer, .context = context};
    walk_for_all(view, start, n_rows, call_back, &call);
}

static uint32_t count_in_bitset(struct walk_part part)
{
    uint32_t n_set = 0;
    for (uint32_t at = part.low & ~63u; at < part.high; at += 64)
        n_set += count_bits(walk_bitset_word(&part, at));
    return n_set;
}

static uint32_t count_in_runs(struct walk_part part)
{
    uint32_t n_set = 0;
    for (uint32_t i = walk_run_seek(part.container, part.low); i < part.container->n_runs; i++) {
        uint32_t from = walk_run_start(part.container, i);
        uint32_t to = walk_run_end(part.container, i);
        if (from >= part.high)
            break;
        n_set += (to < part.high ? to : part.high) - (from > part.low ? from : part.low);
    }
    return n_set;
}

static uint32_t count_in_part(struct walk_part part)
{
    if (part.high - part.low == DV_CHUNK_ROWS)
        return part.container->cardinality;
    if (part.container->kind == DV_ARRAY)
        return walk_array_seek(part.container, part.high) - walk_array_seek(part.container, part.low);
    return part.container->kind == DV_BITSET ? count_in_bitset(part) : count_in_runs(part);
}

uint64_t dv_range_cardinality(const struct dv_view *view, uint64_t start, uint64_t end)
{
    uint64_t n_deleted = 0;
    struct walk_part part;
    for (size_t i = dv_view_seek(view, start); start < end && walk_part_at(&part, view, i, start, end); i++)
        n_deleted += count_in_part(part);
    return n_deleted;
}
