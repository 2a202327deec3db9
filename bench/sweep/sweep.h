/* SPDX-License-Identifier: Apache-2.0 */
/* A run from plan to results: blocks one by one, every one written as it ends.
 *
 * Place in the data flow: cmd_sweep.c (options, folder, figures) -> sweep_run -> the CSV files of the run. */
#ifndef DVBENCH_SWEEP_H
#define DVBENCH_SWEEP_H

#include "plan.h"
#include "run_record.h"
#include "summary.h"

struct sweep {
    const struct sweep_options *options;
    struct vector_options *vectors;
    const struct plan *plan;
    struct summary_facts facts;
    struct run_record *record; /* written when the first block is measured; NULL: not at all */
    uint64_t program_digest;
    uint64_t llc_bytes;
    struct counters *counters;         /* NULL: not asked */
    const struct cpu_workers *workers; /* CPUs of --threads */
    int start;                         /* process start, from 0 */
    const char *json_path;             /* NULL: no --benchmark_out */
    const volatile sig_atomic_t *interrupted;
    size_t n_measured_out; /* blocks, in this process */
    size_t n_wrong_out;    /* cells that turned out wrong, in this process or before */
    size_t n_cells_out;    /* of the plan's blocks */
    size_t n_replaced_out; /* rows of a resumed run that another program, machine or setting had measured */
    size_t n_kept_out;     /* rows of a resumed run that the plan does not name */

    /* Private. */
    struct summary_found found;    /* summary.csv as it was */
    struct summary_block *pending; /* measured, not in summary.csv yet */
    size_t n_pending;
    double next_write_s;
};

/* Runs all blocks that the folder does not hold yet. Returns 0, also when interrupted; negative with
 * `error_out` filled. */
int sweep_run(struct sweep *sweep, struct dv_error *error_out);

#endif
