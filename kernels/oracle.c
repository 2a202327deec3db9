/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle: asks the sorted intervals about every row and writes each sink in the way its definition reads.
 * It shares nothing with the kernels that it judges: not the view, not the walks, not the writing of sinks.
 * Slow and obviously right.
 *
 *   first  = the first interval that ends after the batch starts
 *   per row: step to the next interval while the present one ends at or before the row;
 *            deleted = the present one has started */
#include "kernel_instance.h"

struct cursor {
    const struct dv_interval *next;
    const struct dv_interval *end;
};

static struct cursor cursor_at(const struct dv_intervals *intervals, uint64_t position)
{
    size_t low = 0;
    size_t high = intervals->n_items;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (intervals->items[middle].end <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return (struct cursor){intervals->items + low, intervals->items + intervals->n_items};
}

/* Positions must not descend. */
static bool is_deleted(struct cursor *cursor, uint64_t position)
{
    while (cursor->next < cursor->end && cursor->next->end <= position)
        cursor->next++;
    return cursor->next < cursor->end && cursor->next->start <= position;
}

static void put_live(enum sink_kind kind, struct sink *sink, uint32_t row, bool after_live)
{
    if (kind == SINK_row_ids)
        ((int32_t *)sink->out)[sink->n_out++] = (int32_t)row;
    if (kind == SINK_live_mask)
        ((uint64_t *)sink->out)[row / 64] |= (uint64_t)1 << row % 64;
    if (kind == SINK_live_runs) {
        struct sink_run *runs = sink->out;
        if (!after_live)
            runs[sink->n_out++] = (struct sink_run){.start = row, .length = 0};
        runs[sink->n_out - 1].length++;
    }
}

static void put_deleted(enum sink_kind kind, struct sink *sink, uint32_t row)
{
    if (kind == SINK_is_deleted)
        ((uint8_t *)sink->out)[row] = 1;
    if (kind == SINK_deleted_offsets)
        ((uint32_t *)sink->out)[sink->n_out++] = row;
    if (kind == SINK_touch)
        *(uint64_t *)sink->out += row;
}

/* The sinks that are not lists have all their elements from the start, all 0. */
static void begin(enum sink_kind kind, struct sink *sink, uint32_t n_rows)
{
    sink->n_out = 0;
    if (kind == SINK_is_deleted)
        sink->n_out = n_rows;
    if (kind == SINK_live_mask)
        sink->n_out = (uint32_t)(((uint64_t)n_rows + 63) / 64);
    if (kind == SINK_touch)
        sink->n_out = 1;
    memset(sink->out, 0, sink->n_out * sink_element_bytes(kind));
}

static uint32_t oracle_into(struct kernel_call call, enum sink_kind kind, sink_fill_fn *fill)
{
    (void)fill;
    struct cursor cursor = cursor_at(&call.dv->intervals, call.start);
    uint32_t n_live = 0;
    bool after_live = false;
    begin(kind, call.sink, call.n_rows);
    for (uint32_t row = 0; row < call.n_rows; row++) {
        bool deleted = is_deleted(&cursor, call.start + row);
        if (deleted)
            put_deleted(kind, call.sink, row);
        else
            put_live(kind, call.sink, row, after_live);
        n_live += !deleted;
        after_live = !deleted;
    }
    return n_live;
}

KERNEL_INSTANCES(oracle)
