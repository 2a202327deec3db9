/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "batches.h"

/* Batch indices as disjoint ascending ranges [first, last], so that 2^48 batches need no list. */
struct index_range {
    uint64_t first;
    uint64_t last;
};

struct index_set {
    struct index_range *ranges;
    size_t n_ranges;
    uint64_t n_indices;
};

static void index_set_append(struct index_set *set, uint64_t first, uint64_t last)
{
    if (set->n_ranges && first <= set->ranges[set->n_ranges - 1].last)
        first = set->ranges[set->n_ranges - 1].last + 1;
    if (first > last)
        return;
    if (set->n_ranges && first == set->ranges[set->n_ranges - 1].last + 1)
        set->ranges[set->n_ranges - 1].last = last;
    else
        set->ranges[set->n_ranges++] = (struct index_range){first, last};
    set->n_indices += last - first + 1;
}

/* The batches that overlap a chunk with deletes. `set->ranges` has room for one range a container. */
static void collect_touched(struct index_set *set, const struct dv_view *view, uint64_t base, uint64_t n_rows,
                            uint32_t batch_rows)
{
    for (size_t i = 0; i < view->n_containers; i++) {
        uint64_t start = dv_container_start(&view->containers[i]);
        uint64_t end = start + DV_CHUNK_ROWS;
        if (end <= base || start >= base + n_rows)
            continue;
        uint64_t first = start > base ? start - base : 0;
        uint64_t last = end - base < n_rows ? end - base - 1 : n_rows - 1;
        index_set_append(set, first / batch_rows, last / batch_rows);
    }
}

static void collect_untouched(struct index_set *set, const struct index_set *touched, uint64_t n_batches)
{
    uint64_t next = 0;
    for (size_t i = 0; i < touched->n_ranges; i++) {
        if (touched->ranges[i].first > next)
            index_set_append(set, next, touched->ranges[i].first - 1);
        next = touched->ranges[i].last + 1;
    }
    if (next < n_batches)
        index_set_append(set, next, n_batches - 1);
}

/* Appends the batches of `n_picks` evenly spaced members of the set. */
static void pick_evenly(struct batches *batches, const struct index_set *set, uint64_t n_picks,
                        uint32_t batch_rows)
{
    size_t range = 0;
    uint64_t n_before = 0; /* members in the ranges before `range` */
    for (uint64_t pick = 0; pick < n_picks; pick++) {
        uint64_t rank = (uint64_t)((unsigned __int128)set->n_indices * (2 * pick + 1) / (2 * n_picks));
        while (rank - n_before > set->ranges[range].last - set->ranges[range].first) {
            n_before += set->ranges[range].last - set->ranges[range].first + 1;
            range++;
        }
        batches->items[batches->n_items++].start =
            (set->ranges[range].first + (rank - n_before)) * batch_rows;
    }
}

static int compare_starts(const void *a, const void *b)
{
    const uint64_t left = ((const struct batch *)a)->start, right = ((const struct batch *)b)->start;
    return left < right ? -1 : left > right;
}

/* Turns relative starts into positions and cuts the last batch at the file's end. */
static void finish(struct batches *batches, uint64_t base, uint64_t n_rows, uint32_t batch_rows)
{
    batches->n_rows = 0;
    for (size_t i = 0; i < batches->n_items; i++) {
        uint64_t left = n_rows - batches->items[i].start;
        batches->items[i].n_rows = left < batch_rows ? (uint32_t)left : batch_rows;
        batches->items[i].start += base;
        batches->n_rows += batches->items[i].n_rows;
    }
}

int batches_plan(struct batches *batches_out, const struct dv_view *view, uint64_t base, uint64_t n_rows,
                 uint32_t batch_rows, size_t max_batches, struct dv_error *error_out)
{
    const uint64_t n_batches = n_rows / batch_rows + (n_rows % batch_rows != 0);
    const size_t n_items = n_batches < max_batches ? (size_t)n_batches : max_batches;
    *batches_out = (struct batches){.items = calloc(n_items + 1, sizeof(struct batch)),
                                    .is_sample = n_items < n_batches};
    struct index_set touched = {.ranges = calloc(view->n_containers + 1, sizeof(struct index_range))};
    struct index_set untouched = {.ranges = calloc(view->n_containers + 2, sizeof(struct index_range))};
    int status = 0;
    if (!batches_out->items || !touched.ranges || !untouched.ranges) {
        status = dv_no_memory(error_out);
        goto out;
    }
    collect_touched(&touched, view, base, n_rows, batch_rows);
    collect_untouched(&untouched, &touched, n_batches);
    uint64_t n_touched = n_items / 2 + n_items % 2;
    if (n_touched > touched.n_indices)
        n_touched = touched.n_indices;
    if (n_items - n_touched > untouched.n_indices)
        n_touched = n_items - untouched.n_indices;
    pick_evenly(batches_out, &touched, n_touched, batch_rows);
    pick_evenly(batches_out, &untouched, n_items - n_touched, batch_rows);
    qsort(batches_out->items, batches_out->n_items, sizeof(struct batch), compare_starts);
    finish(batches_out, base, n_rows, batch_rows);
out:
    free(touched.ranges);
    free(untouched.ranges);
    if (status)
        batches_free(batches_out);
    return status;
}

int batches_spread(struct batches *batches_out, struct batches *before_out, const struct batches *from,
                   size_t n, struct dv_error *error_out)
{
    const size_t n_items = n < from->n_items ? n : from->n_items;
    *batches_out = (struct batches){.items = calloc(n_items + 1, sizeof(struct batch)),
                                    .n_items = n_items,
                                    .is_sample = from->is_sample || n_items < from->n_items};
    *before_out = (struct batches){.items = calloc(n_items + 1, sizeof(struct batch)), .n_items = n_items};
    if (!batches_out->items || !before_out->items) {
        batches_free(batches_out);
        batches_free(before_out);
        return dv_no_memory(error_out);
    }
    size_t next = 0; /* the first of `from` after the one visited last */
    for (size_t i = 0; i < n_items; i++) {
        const size_t at = from->n_items * (2 * i + 1) / (2 * n_items);
        batches_out->items[i] = from->items[at];
        batches_out->n_rows += from->items[at].n_rows;
        if (at > next)
            before_out->items[i] = from->items[at - 1];
        before_out->n_rows += before_out->items[i].n_rows;
        next = at + 1;
    }
    return 0;
}

void batches_free(struct batches *batches)
{
    free(batches->items);
    *batches = (struct batches){0};
}
