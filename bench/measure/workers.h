/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that do the same thing at the same time, each on a CPU of its own.
 *
 * Place in the data flow: sweep --threads -> block_threads.c -> workers, a gate at which they start together. */
#ifndef DVBENCH_WORKERS_H
#define DVBENCH_WORKERS_H

#include <stddef.h>
#include <stdint.h>

#include "dv.h"

struct workers_gate;
typedef void workers_fn(void *context, size_t worker, struct workers_gate *gate);

/* Calls work(context, i, gate) for each i < n on a thread that stays on cpus[i], and returns when all have. Returns 0 or
 * DV_ERROR_UNAVAILABLE: a thread could not be started; then no work was called. */
int workers_call(const int *cpus, size_t n, workers_fn *work, void *context, struct dv_error *error_out);

/* Returns, to all n workers, when the last one has come here: what the monotonic clock was then, in ns. */
int64_t workers_wait(struct workers_gate *gate);

/* The same clock now. */
int64_t workers_now_ns(void);

#endif
