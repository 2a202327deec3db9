/* SPDX-License-Identifier: Apache-2.0 */
/* The positions of a validated payload as ranges, and the payload written anew from them.
 *
 * Place in the data flow: struct dv_view -> ranges -> payload_writer.h, or whoever counts or prints
 * positions. */
#ifndef DVBENCH_PAYLOAD_RANGES_H
#define DVBENCH_PAYLOAD_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "dv.h"

/* Is called for the positions `first` to `last`, both included, so that 2^64 - 1 can be said. A value other
 * than 0 stops the walk. */
typedef int payload_range_fn(void *user, uint64_t first, uint64_t last, struct dv_error *error_out);

/* Calls `each` once per run of neighbouring positions within the container, ascending; runs that touch in a
 * run container are joined. Costs per run or 64-bit word, never per position of a run. Returns 0 or what
 * `each` returned. */
int payload_container_ranges(const struct dv_container *container, payload_range_fn *each, void *user,
                             struct dv_error *error_out);

/* The same for all containers. Ranges end at the end of a chunk: neighbours in the next chunk come as another
 * range. */
int payload_ranges(const struct dv_view *view, payload_range_fn *each, void *user,
                   struct dv_error *error_out);

/* How many ranges payload_container_ranges would give, without making them. */
uint32_t payload_container_runs(const struct dv_container *container);

/* The first and last position; the view must have a container. */
uint64_t payload_first(const struct dv_view *view);
uint64_t payload_last(const struct dv_view *view);

/* Writes the same positions again with the container choice of payload_writer.h; `options` as
 * payload_writer_init takes. Returns malloc'ed bytes through `bytes_out`, or a negative code: position 2^64 -
 * 1 cannot be written. */
int payload_rewrite(const struct dv_view *view, unsigned options, uint8_t **bytes_out, size_t *n_out,
                    struct dv_error *error_out);

#endif
