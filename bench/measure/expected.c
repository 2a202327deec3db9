/* SPDX-License-Identifier: Apache-2.0 */
#include "expected.h"

#include <stdlib.h>
#include <string.h>

int expected_open(struct expected *expected_out, enum sink_kind sink, uint32_t max_rows,
                  struct dv_error *error_out)
{
    *expected_out =
        (struct expected){.sink = sink, .max_rows = max_rows, .n_bytes = dv_sink_bytes(sink, max_rows)};
    expected_out->out = malloc(expected_out->n_bytes + SINK_SLACK_BYTES);
    expected_out->is_deleted = malloc((size_t)max_rows + 1);
    if (expected_out->out && expected_out->is_deleted)
        return 0;
    expected_close(expected_out);
    return dv_no_memory(error_out);
}

void expected_close(struct expected *expected)
{
    free(expected->out);
    free(expected->is_deleted);
    *expected = (struct expected){0};
}

/* Index of the first interval that ends after `position`. */
static size_t first_interval_after(const struct dv_intervals *intervals, uint64_t position)
{
    size_t low = 0, high = intervals->n_items;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (intervals->items[middle].end > position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Marks the rows [batch->start, batch->start + n_rows); returns how many are deleted. */
static uint32_t mark_deleted_rows(uint8_t *is_deleted, const struct dv_intervals *intervals,
                                  const struct batch *batch)
{
    uint64_t end = batch->start + batch->n_rows;
    uint32_t n_deleted = 0;
    memset(is_deleted, 0, batch->n_rows);
    for (size_t i = first_interval_after(intervals, batch->start); i < intervals->n_items; i++) {
        uint64_t from = intervals->items[i].start, to = intervals->items[i].end;
        if (from >= end)
            break;
        from = from < batch->start ? batch->start : from;
        to = to > end ? end : to;
        memset(is_deleted + (from - batch->start), 1, to - from);
        n_deleted += (uint32_t)(to - from);
    }
    return n_deleted;
}

static uint32_t list_rows(uint32_t *offsets, const uint8_t *is_deleted, uint32_t n_rows, uint8_t wanted)
{
    uint32_t n = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        if (is_deleted[row] == wanted)
            offsets[n++] = row;
    return n;
}

static uint32_t mask_live_rows(uint64_t *words, const uint8_t *is_deleted, uint32_t n_rows)
{
    uint32_t n_words = n_rows / 64 + (n_rows % 64 != 0);
    memset(words, 0, n_words * sizeof *words);
    for (uint32_t row = 0; row < n_rows; row++)
        if (!is_deleted[row])
            words[row / 64] |= UINT64_C(1) << row % 64;
    return n_words;
}

static uint32_t list_live_runs(struct sink_run *runs, const uint8_t *is_deleted, uint32_t n_rows)
{
    uint32_t n = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        if (is_deleted[row])
            continue;
        if (row == 0 || is_deleted[row - 1])
            runs[n++] = (struct sink_run){.start = row, .length = 0};
        runs[n - 1].length++;
    }
    return n;
}

static uint32_t sum_deleted_offsets(uint64_t *sum, const uint8_t *is_deleted, uint32_t n_rows)
{
    *sum = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        if (is_deleted[row])
            *sum += row;
    return 1;
}

void expected_fill(struct expected *expected, const struct dv *dv, const struct batch *batch)
{
    uint32_t n_rows = batch->n_rows;
    uint8_t *is_deleted = expected->is_deleted;
    expected->n_live = n_rows - mark_deleted_rows(is_deleted, &dv->intervals, batch);
    switch (expected->sink) {
    case SINK_row_ids:
        expected->n_out = list_rows(expected->out, is_deleted, n_rows, 0);
        break;
    case SINK_is_deleted:
        memcpy(expected->out, is_deleted, n_rows);
        expected->n_out = n_rows;
        break;
    case SINK_live_mask:
        expected->n_out = mask_live_rows(expected->out, is_deleted, n_rows);
        break;
    case SINK_deleted_offsets:
        expected->n_out = list_rows(expected->out, is_deleted, n_rows, 1);
        break;
    case SINK_live_runs:
        expected->n_out = list_live_runs(expected->out, is_deleted, n_rows);
        break;
    case SINK_touch:
        expected->n_out = sum_deleted_offsets(expected->out, is_deleted, n_rows);
        break;
    }
}
