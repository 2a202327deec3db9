/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing the oracle's intervals (struct dv_intervals of dv.h).
 *
 * Place in the data flow: validated payload -> intervals -> the oracle of bench/measure. */
#ifndef DVBENCH_DV_INTERVALS_H
#define DVBENCH_DV_INTERVALS_H

#include "dv.h"

/* Reads the intervals of a payload that dv_view_index and dv_view_validate have accepted; anything else is
 * undefined. The position 2^64 - 1 is left out, for the exclusive end has no room for it. Returns 0 or
 * DV_ERROR_MEMORY with nothing held. */
int dv_intervals_new(struct dv_intervals *intervals_out, const uint8_t *bytes, size_t n_bytes,
                     struct dv_error *error_out);

void dv_intervals_free(struct dv_intervals *intervals);

#endif
