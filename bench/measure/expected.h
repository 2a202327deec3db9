/* SPDX-License-Identifier: Apache-2.0 */
/* What a sink must contain after a batch, derived row by row from the sorted intervals of deleted positions.
 *
 * Place in the data flow: struct dv (intervals) + batch -> expected output -> verify compares a kernel's with
 * it; the bound takes its element count. It shares no code with any kernel, so that a mistake in a
 * common helper cannot hide itself. */
#ifndef DVBENCH_EXPECTED_H
#define DVBENCH_EXPECTED_H

#include <stdint.h>

#include "batches.h"
#include "dv.h"
#include "sink.h"

struct expected {
    enum sink_kind sink;
    uint32_t n_live;     /* live rows of the batch, as the kernel must return */
    uint32_t n_out;      /* elements in out */
    void *out;           /* owned; the elements, as the sink's kind lays them out */
    uint8_t *is_deleted; /* owned; one byte per row: what the elements were derived from */
    uint32_t max_rows;   /* largest batch that fits */
    size_t n_bytes;      /* of out, without slack */
};

/* Allocates for batches of at most max_rows. Returns 0 or DV_ERROR_MEMORY. */
int expected_open(struct expected *expected_out, enum sink_kind sink, uint32_t max_rows,
                  struct dv_error *error_out);

/* Fills `expected` for one batch of at most max_rows rows. `dv` must have its intervals
 * (DV_NEEDS_INTERVALS). */
void expected_fill(struct expected *expected, const struct dv *dv, const struct batch *batch);

void expected_close(struct expected *expected);

#endif
