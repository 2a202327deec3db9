/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "inspect.h"
#include "payload_ranges.h"

const struct inspect_class inspect_classes[INSPECT_N_CLASSES] = {
    {1, 1},       {2, 15},      {16, 255},     {256, 1023},    {1024, 2047},
    {2048, 4096}, {4097, 8191}, {8192, 32767}, {32768, 65535}, {65536, 65536},
};

const char *inspect_kind_id(enum dv_kind kind)
{
    static const char *const ids[DV_N_KINDS] = {
        [DV_ARRAY] = "array", [DV_BITSET] = "bitset", [DV_RUN] = "run"};
    return ids[kind];
}

const char *inspect_rows_text(const struct inspect_summary *summary, char text_out[INSPECT_ROWS_CHARS])
{
    if (summary->n_rows == UINT64_MAX)
        return strcpy(text_out, "18446744073709551616");
    snprintf(text_out, INSPECT_ROWS_CHARS, "%" PRIu64, summary->n_rows);
    return text_out;
}

static uint64_t body_bytes(const struct dv_container *container)
{
    switch (container->kind) {
    case DV_ARRAY:
        return 2ull * container->cardinality;
    case DV_BITSET:
        return DV_BITSET_BYTES;
    default:
        return 2 + 4ull * container->n_runs;
    }
}

/* Positions of a range that rows have. */
static int count_rows_of_range(void *user, uint64_t first, uint64_t last, struct dv_error *error_out)
{
    (void)error_out;
    struct inspect_summary *summary = user;
    uint64_t end = summary->base + summary->n_rows;
    if (last < summary->base || first >= end)
        return 0;
    uint64_t low = first > summary->base ? first : summary->base;
    uint64_t high = last < end ? last : end - 1;
    summary->n_deleted_rows += high - low + 1;
    return 0;
}

/* Only containers that the rows end within are walked. */
static void count_rows(struct inspect_summary *summary, const struct dv_container *container)
{
    uint64_t first = dv_container_start(container);
    uint64_t last = first + 65535;
    if (first >= summary->base && last < summary->base + summary->n_rows)
        summary->n_deleted_rows += container->cardinality;
    else
        (void)payload_container_ranges(container, count_rows_of_range, summary, NULL); /* cannot fail */
}

static void count_class(struct inspect_summary *summary, uint32_t cardinality)
{
    for (int i = 0; i < INSPECT_N_CLASSES; i++)
        if (cardinality >= inspect_classes[i].least && cardinality <= inspect_classes[i].most)
            summary->n_chunks[i]++;
    if (cardinality <= INSPECT_CLIFF) {
        summary->n_near_below += cardinality > INSPECT_CLIFF - INSPECT_NEAR_CLIFF;
        if (cardinality > summary->nearest_below)
            summary->nearest_below = cardinality;
    } else {
        summary->n_near_above += cardinality < INSPECT_CLIFF + INSPECT_NEAR_CLIFF;
        if (summary->nearest_above == 0 || cardinality < summary->nearest_above)
            summary->nearest_above = cardinality;
    }
}

/* What RoaringBitmap's runOptimize would leave. */
static uint64_t optimized_bytes(uint32_t cardinality, uint64_t n_runs)
{
    uint64_t n_plain_bytes = cardinality <= INSPECT_CLIFF ? 2ull * cardinality : DV_BITSET_BYTES;
    uint64_t n_run_bytes = 2 + 4 * n_runs;
    return n_run_bytes < n_plain_bytes ? n_run_bytes : n_plain_bytes;
}

static void count_container(struct inspect_summary *summary, const struct dv_container *container)
{
    struct inspect_kind *kind = &summary->kinds[container->kind];
    kind->n_containers++;
    kind->n_bytes += body_bytes(container);
    kind->n_positions += container->cardinality;
    count_class(summary, container->cardinality);
    if (summary->n_rows < UINT64_MAX)
        count_rows(summary, container);
    else
        summary->n_deleted_rows += container->cardinality;
    uint64_t n_runs = payload_container_runs(container);
    summary->n_runs += n_runs;
    if (container->kind == DV_RUN)
        summary->n_touching_runs += container->n_runs - n_runs;
    summary->n_body_bytes += body_bytes(container);
    summary->n_optimized_bytes += optimized_bytes(container->cardinality, n_runs);
    if (n_runs > summary->most_runs)
        summary->most_runs = n_runs;
    if (summary->least_runs == 0 || n_runs < summary->least_runs)
        summary->least_runs = n_runs;
}

void inspect_summarise(struct inspect_summary *summary_out, const struct dv_view *view, uint64_t base,
                       uint64_t n_rows)
{
    *summary_out = (struct inspect_summary){
        .cardinality = view->cardinality, .n_buckets = view->n_buckets, .base = base, .n_rows = n_rows};
    if (view->n_containers) {
        summary_out->first = payload_first(view);
        summary_out->last = payload_last(view);
    }
    for (size_t i = 0; i < view->n_containers; i++) {
        const struct dv_container *container = &view->containers[i];
        summary_out->n_keys += i == 0 || container->key != container[-1].key;
        count_container(summary_out, container);
    }
}
