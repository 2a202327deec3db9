/* SPDX-License-Identifier: Apache-2.0 */
/* What the direct kernels do not do per batch of a stream: open, close, and seek. */
#include <stdlib.h>
#include <string.h>

#include "direct_walk.h"

/* First value >= low of an array, or first run that ends after low: binary search. */
static uint32_t direct_find_item(const struct dv_container *container, uint32_t low)
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

/* Whether the container's chunk ends at or before position. In chunk numbers, since the last chunk ends at
 * 2^64. */
static bool is_before(const struct dv_container *container, uint64_t position)
{
    return dv_container_start(container) / DV_CHUNK_ROWS < position / DV_CHUNK_ROWS;
}

void direct_join(struct direct_cursor *cursor, const struct dv_view *view, size_t max_joined)
{
    const struct dv_container *first = view->containers + cursor->i_container;
    const size_t n_left = view->n_containers - cursor->i_container;
    size_t n = 0;
    while (n < n_left && n < max_joined && first[n].kind == DV_BITSET &&
           first[n].bytes == first->bytes + n * (DV_CHUNK_ROWS / 8) &&
           dv_container_start(first + n) == dv_container_start(first) + n * DV_CHUNK_ROWS)
        n++;
    cursor->n_bitset_rows = (uint32_t)n * DV_CHUNK_ROWS;
    if (n == 0)
        return;
    cursor->bitset = first;
    cursor->bitset_start = dv_container_start(first);
}

void direct_seek(struct direct_cursor *cursor, const struct dv_view *view, uint64_t start)
{
    cursor->next = start;
    cursor->i_item = 0;
    if (start - cursor->bitset_start < cursor->n_bitset_rows) {
        cursor->i_container += (start - cursor->bitset_start) / DV_CHUNK_ROWS;
        direct_join(cursor, view, DIRECT_SEEK_JOINED);
        return;
    }
    /* A gap between two batches mostly ends in the same container or the next one. */
    size_t i = cursor->i_container;
    for (int n_steps = 0; n_steps < 2 && i < view->n_containers; n_steps++)
        i += is_before(&view->containers[i], start);
    bool is_behind = i > 0 && !is_before(&view->containers[i - 1], start);
    if (is_behind || (i < view->n_containers && is_before(&view->containers[i], start)))
        i = dv_view_seek(view, start);
    cursor->i_container = i;
    direct_join(cursor, view, DIRECT_SEEK_JOINED);
    if (i == view->n_containers || view->containers[i].kind == DV_BITSET)
        return;
    uint64_t first = dv_container_start(&view->containers[i]);
    if (start > first)
        cursor->i_item = direct_find_item(&view->containers[i], (uint32_t)(start - first));
}

/* `n_cleared` of the scratch bytes start as 0. */
static int open_cursor(const struct dv *dv, struct kernel_state *state, size_t n_scratch_bytes,
                       size_t n_cleared, struct dv_error *error_out)
{
    if (dv->view.n_kind[DV_ARRAY] == 0)
        n_scratch_bytes = n_cleared = 0;
    struct direct_cursor *cursor = aligned_alloc(64, sizeof *cursor + n_scratch_bytes);
    if (!cursor)
        return dv_no_memory(error_out);
    memset(cursor, 0, sizeof *cursor + n_cleared);
    direct_join(cursor, &dv->view, DIRECT_STREAM_JOINED);
    state->data = cursor;
    state->n_bytes = sizeof *cursor + n_scratch_bytes;
    return 0;
}

int direct_flags_open(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    return open_cursor(dv, state, DIRECT_FLAG_BYTES, DIRECT_FLAG_READ_BYTES, error_out);
}

int direct_words_open(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    return open_cursor(dv, state, DIRECT_BLOCK_ROWS / 8, 0, error_out);
}

static void close_cursor(struct kernel_state *state)
{
    free(state->data);
    state->data = NULL;
    state->n_bytes = 0;
}

void direct_flags_close(struct kernel_state *state)
{
    close_cursor(state);
}

void direct_words_close(struct kernel_state *state)
{
    close_cursor(state);
}
