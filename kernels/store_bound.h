/* SPDX-License-Identifier: Apache-2.0 */
/* The store bound: how fast this CPU can write a sink's elements when it need not find out which.
 *
 * Place in the data flow: bench/ times it per batch with the element count that the oracle gave; pct_of_bound
 * is its time over a kernel's. */
#ifndef DVBENCH_STORE_BOUND_H
#define DVBENCH_STORE_BOUND_H

#include <stdint.h>

#include "kernel.h"
#include "sink.h"

/* Writes exactly n_elements elements to `out` (64-byte aligned) and nothing after them: row_ids 0, 1, 2,
 * ...; is_deleted 0; live_mask all ones. */
typedef void store_bound_fn(void *out, uint32_t n_elements);

/* The bound of a sink, with the widest stores of this CPU (as DVBENCH_CPU_MASK leaves it). NULL for touch,
 * deleted_offsets and live_runs, whose stores are too few to bound anything. */
store_bound_fn *store_bound(enum sink_kind kind);

#endif
