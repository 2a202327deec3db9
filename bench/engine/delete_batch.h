/* SPDX-License-Identifier: Apache-2.0 */
/* One batch of deletes, in one of the ways.
 *
 * Place in the data flow: a condition of SQL, struct delete_state -> new files on the disk -> the next
 * state. */
#ifndef DVBENCH_DELETE_BATCH_H
#define DVBENCH_DELETE_BATCH_H

#include "delete_options.h"
#include "delete_state.h"
#include "engine.h"

/* What it cost, wall clock. */
struct delete_costs {
    double find_ms, write_ms, fsync_ms, commit_ms;
    uint64_t n_bytes; /* of the files written */
};

/* Deletes the rows of `condition` and commits; what is superseded is removed afterwards, outside all
 * times. On failure the table on the disk is that before the batch, `state` is to be freed. Returns 0 or a
 * negative code. */
int delete_batch(struct delete_state *state, enum delete_way way, struct engine *engine,
                 const char *condition, struct delete_costs *costs_out, struct dv_error *error_out);

/* Milliseconds of the monotonic clock. */
double delete_now_ms(void);

#endif
