/* SPDX-License-Identifier: Apache-2.0 */
/* Which batches of a file one pass visits: the same list for checking, timing and counting.
 *
 * Place in the data flow: struct dv + rows -> list of batches -> verify, measure, counters. */
#ifndef DVBENCH_BATCHES_H
#define DVBENCH_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"

struct batch {
    uint64_t start; /* first row position */
    uint32_t n_rows;
};

struct batches {
    struct batch *items; /* owned; ascending, disjoint */
    size_t n_items;
    uint64_t n_rows; /* sum over the items */
    bool is_sample;  /* not every batch of the file is visited */
};

/* Cuts the rows [base, base + n_rows) into batches of batch_rows (the last one may be short) and keeps at
 * most max_batches of them, evenly spaced, half of them in chunks that have deletes. Deterministic. Returns 0
 * or DV_ERROR_MEMORY. */
int batches_plan(struct batches *batches_out, const struct dv_view *view, uint64_t base, uint64_t n_rows,
                 uint32_t batch_rows, size_t max_batches, struct dv_error *error_out);

/* At most n of the given ones, evenly spread: what the simulator visits. `before_out` gets as many: of each the one that
 * precedes it in `from`, without rows where that is visited anyhow or is not there. */
int batches_spread(struct batches *batches_out, struct batches *before_out, const struct batches *from,
                   size_t n, struct dv_error *error_out);

void batches_free(struct batches *batches);

#endif
