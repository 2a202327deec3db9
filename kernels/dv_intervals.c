/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's form of a deletion vector: sorted intervals, made from the payload by a parser of its own. It
 * shares no code with the view or the walks, so that a fault there cannot hide here. It trusts its bytes:
 * dv_open has validated them. Linear in the values of arrays and bitsets and in the runs, so that 2^32
 * deletes in runs are 65,536 steps. */
#include <stdlib.h>

#include "dv_intervals.h"

struct builder {
    struct dv_intervals intervals;
    size_t capacity;
    bool out_of_memory;
};

static uint32_t little(const uint8_t *bytes, int n)
{
    uint32_t value = 0;
    for (int i = 0; i < n; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

/* Appends the deleted positions [first, last], joining them to the interval that ends there. Ends are
 * exclusive, so that the very last position, 2^64 - 1, cannot be held: it is left out. No file has that
 * row. */
static void append(struct builder *builder, uint64_t first, uint64_t last)
{
    struct dv_intervals *intervals = &builder->intervals;
    uint64_t end = last == UINT64_MAX ? last : last + 1;
    if (first >= end)
        return;
    if (intervals->n_items > 0 && intervals->items[intervals->n_items - 1].end == first) {
        intervals->items[intervals->n_items - 1].end = end;
        return;
    }
    if (intervals->n_items == builder->capacity) {
        size_t capacity = builder->capacity ? 2 * builder->capacity : 64;
        struct dv_interval *items = reallocarray(intervals->items, capacity, sizeof *items);
        if (!items) {
            builder->out_of_memory = true;
            return;
        }
        intervals->items = items;
        builder->capacity = capacity;
    }
    intervals->items[intervals->n_items++] = (struct dv_interval){.start = first, .end = end};
}

/* Appends one container's positions, returns the bytes of its body. */
static size_t append_container(struct builder *builder, uint64_t base, uint32_t cardinality, bool is_run,
                               const uint8_t *body)
{
    if (is_run) {
        uint32_t n_runs = little(body, 2);
        for (uint32_t i = 0; i < n_runs; i++) {
            uint64_t first = base + little(body + 2 + 4 * i, 2);
            append(builder, first, first + little(body + 4 + 4 * i, 2));
        }
        return 2 + 4 * (size_t)n_runs;
    }
    if (cardinality > 4096) {
        for (uint32_t i = 0; i < 65536; i++)
            if (body[i / 8] >> i % 8 & 1)
                append(builder, base + i, base + i);
        return 8192;
    }
    for (uint32_t i = 0; i < cardinality; i++)
        append(builder, base + little(body + 2 * i, 2), base + little(body + 2 * i, 2));
    return 2 * (size_t)cardinality;
}

/* Appends one 32-bit bitmap's positions, returns where it ends. */
static const uint8_t *append_bitmap(struct builder *builder, uint64_t base, const uint8_t *bitmap)
{
    bool has_runs = little(bitmap, 2) == 12347;
    uint32_t n = has_runs ? little(bitmap + 2, 2) + 1 : little(bitmap + 4, 4);
    const uint8_t *run_flags = bitmap + 4;
    const uint8_t *headers = has_runs ? run_flags + (n + 7) / 8 : bitmap + 8;
    const uint8_t *body = headers + 4 * (size_t)n;
    if (!has_runs || n >= 4)
        body += 4 * (size_t)n;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t chunk = little(headers + 4 * i, 2);
        uint32_t cardinality = little(headers + 4 * i + 2, 2) + 1;
        bool is_run = has_runs && (run_flags[i / 8] >> i % 8 & 1);
        body += append_container(builder, base + chunk * 65536, cardinality, is_run, body);
    }
    return body;
}

int dv_intervals_new(struct dv_intervals *intervals_out, const uint8_t *bytes, size_t n_bytes,
                     struct dv_error *error_out)
{
    struct builder builder = {0};
    const uint8_t *at = bytes + 8;
    while (at < bytes + n_bytes && !builder.out_of_memory)
        at = append_bitmap(&builder, (uint64_t)little(at, 4) << 32, at + 4);
    if (builder.out_of_memory) {
        dv_intervals_free(&builder.intervals);
        *intervals_out = (struct dv_intervals){0};
        return dv_no_memory(error_out);
    }
    *intervals_out = builder.intervals;
    return 0;
}

void dv_intervals_free(struct dv_intervals *intervals)
{
    free(intervals->items);
    *intervals = (struct dv_intervals){0};
}
