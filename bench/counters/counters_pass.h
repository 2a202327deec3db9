/* SPDX-License-Identifier: Apache-2.0 */
/* A counting pass: one kernel over its batches, in a loop as short as the timed one.
 *
 * Place in the data flow: struct dv + batches + kernel -> counters_pass_run between the two switches of a
 * counter. */
#ifndef DVBENCH_COUNTERS_PASS_H
#define DVBENCH_COUNTERS_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batches.h"
#include "dv.h"
#include "kernel.h"
#include "sink.h"

/* The batches of a pass. */
struct counters_visits {
    const struct batches *batches; /* borrowed */
    /* borrowed, NULL: none: of each batch the one that a kernel with a state runs first, uncounted, so that what counts is
     * the step from there and not the way from the last batch of the sample. One without rows is left out. */
    const struct batches *before;
    void (*set_counting)(bool is_on); /* around it; may be NULL where `before` is */
    size_t n_visits; /* batches visited by a run: n_items, or any number of the first one in replay */
    bool replay;
};

struct counters_pass {
    const struct dv *dv;
    struct counters_visits visits;
    const struct kernel *kernel; /* NULL: the empty kernel, whose counts are those of the loop itself */
    kernel_fn *run;
    struct kernel_state state;
    struct sink sink;
    uint64_t n_live; /* sum over the last run, so that the calls cannot be dropped */
};

/* Opens the kernel's state and a sink buffer for the largest batch. On failure the pass is closed. `kernel`
 * may be NULL. */
int counters_pass_open(struct counters_pass *pass_out, const struct dv *dv,
                       const struct counters_visits *visits, const struct kernel *kernel, enum sink_kind sink,
                       struct dv_error *error_out);

/* One pass. Instructions that do not belong to the kernel: those of counters_pass_open with kernel NULL. */
void counters_pass_run(struct counters_pass *pass);

/* Rows of one pass. */
uint64_t counters_pass_rows(const struct counters_pass *pass);

void counters_pass_close(struct counters_pass *pass);

#endif
