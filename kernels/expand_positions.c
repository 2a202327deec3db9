/* SPDX-License-Identifier: Apache-2.0 */
/* expand_positions: the whole file's deleted positions as a sorted list of 64-bit numbers, made once at open,
 * as Velox reads position deletes; then a cursor that goes from batch to batch.
 *
 *     open      array, bitset and run containers -> 3, 7, 8, 65540, ...
 *     batch     while list[i] < end: deleted(list[i++])
 *
 * What it buys: a batch is a loop over its own deletes, without containers, and the same for every kind. What
 * it costs: 8 bytes for each deleted row, 4 to 64 times the serialized form, written at open and read again
 * by the batches, so that it loses on files of few batches (open_ns) and of many deletes (the list leaves the
 * caches). Each delete ends a gap of random length: one mispredicted branch, as with callbacks. */
#include <stdlib.h>

#include "kernel_instance.h"
#include "sink_write.h"

#define STATE_BYTES_MAX (UINT64_C(4) << 30)

struct expand_positions {
    uint64_t n;
    uint64_t i_next; /* first position that is not before the end of the last batch */
    uint64_t next;   /* that end */
    uint64_t positions[];
};

/* Each returns the end of what it wrote. */
static uint64_t *expand_array(uint64_t *out, const struct dv_container *container)
{
    uint64_t start = dv_container_start(container);
    for (uint32_t i = 0; i < container->cardinality; i++)
        *out++ = start + load_le16(container->bytes + (size_t)i * 2);
    return out;
}

static uint64_t *expand_bitset(uint64_t *out, const struct dv_container *container)
{
    uint64_t start = dv_container_start(container);
    for (uint32_t i = 0; i < 1024; i++)
        for (uint64_t word = load_le64(container->bytes + (size_t)i * 8); word != 0; word &= word - 1)
            *out++ = start + i * 64 + (uint64_t)__builtin_ctzll(word);
    return out;
}

static uint64_t *expand_runs(uint64_t *out, const struct dv_container *container)
{
    uint64_t start = dv_container_start(container);
    for (uint32_t i = 0; i < container->n_runs; i++) {
        const uint8_t *run = container->bytes + 2 + (size_t)i * 4;
        uint64_t first = start + load_le16(run);
        for (uint64_t n = 0; n <= load_le16(run + 2); n++)
            *out++ = first + n;
    }
    return out;
}

int expand_positions_open(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    const struct dv_view *view = &dv->view;
    if (view->cardinality > STATE_BYTES_MAX / sizeof(uint64_t))
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                       "%llu positions of 8 bytes are more than the 4 GiB that expanding may take",
                       (unsigned long long)view->cardinality);
    state->n_bytes = sizeof(struct expand_positions) + (size_t)view->cardinality * sizeof(uint64_t);
    struct expand_positions *list = state->data = malloc(state->n_bytes);
    if (!list)
        return dv_no_memory(error_out);
    *list = (struct expand_positions){.n = view->cardinality};
    uint64_t *out = list->positions;
    for (size_t i = 0; i < view->n_containers; i++) {
        const struct dv_container *container = &view->containers[i];
        if (container->kind == DV_ARRAY)
            out = expand_array(out, container);
        else if (container->kind == DV_BITSET)
            out = expand_bitset(out, container);
        else
            out = expand_runs(out, container);
    }
    return 0;
}

void expand_positions_close(struct kernel_state *state)
{
    free(state->data);
    *state = (struct kernel_state){0};
}

/* First position of the list at or after `start`. */
static uint64_t find_position(const struct expand_positions *list, uint64_t start)
{
    uint64_t begin = 0, end = list->n;
    while (begin < end) {
        uint64_t middle = begin + (end - begin) / 2;
        if (list->positions[middle] < start)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static ALWAYS_INLINE uint32_t expand_positions_into(struct kernel_call call, enum sink_kind kind,
                                                    sink_fill_fn *fill)
{
    struct expand_positions *list = call.state->data;
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    uint64_t end = call.start + call.n_rows;
    uint64_t i = call.start == list->next ? list->i_next : find_position(list, call.start);
    for (; i < list->n && list->positions[i] < end; i++)
        sink_deleted(&writer, kind, fill, (uint32_t)(list->positions[i] - call.start));
    list->i_next = i;
    list->next = end;
    return sink_finish(&writer, call.sink, kind, fill);
}

KERNEL_INSTANCES(expand_positions)
