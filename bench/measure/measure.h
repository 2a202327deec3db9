/* SPDX-License-Identifier: Apache-2.0 */
/* The measured loop: one sample is one Google Benchmark run with a fixed number of iterations.
 *
 * Place in the data flow: block.h decides what runs in which order -> a sample -> samples.csv. */
#ifndef DVBENCH_MEASURE_H
#define DVBENCH_MEASURE_H

#include "batches.h"
#include "gbench.h"
#include "kernel.h"
#include "taint.h"

/* One opened DV and what the kernel keeps for it. Cold mode has many, the others one. */
struct measure_target {
    const struct dv *dv;
    struct kernel_state *state;
};

/* What one pass does: every batch of every target, in order. One Google Benchmark iteration is one batch. */
struct measure_job {
    kernel_fn *run;
    const struct measure_target *targets;
    size_t n_targets;
    const struct batches *batches;
    struct sink *sink;
};

struct measure_sample {
    double ns_per_row; /* CPU time of the thread */
    int64_t n_iterations;
    uint64_t n_live; /* sum of what the timed calls returned; not in samples.csv */
    int64_t n_page_faults;
    int64_t n_cpu_migrations; /* -1 where unknown */
    double mhz; /* effective clock: a chain of dependent adds timed right before; NAN where unknown */
    char taint[TAINT_BYTES]; /* what disturbed it, "" for nothing */
};

/* Runs `n_passes` passes under `name`. `json` may be NULL (runs that only size the sample are not reported).
 * Returns 0 or DV_ERROR_IO where Google Benchmark reported an error. */
int measure_kernel(const struct measure_job *job, const char *name, int64_t n_passes,
                   struct gbench_json *json, struct measure_sample *sample_out, struct dv_error *error_out);

/* A step that is timed for itself: opening a file, validating, a checksum. Returns non-zero where it
 * failed. */
typedef int measure_step(void *user);

/* ns per call of `step`, over n_calls. Returns 0 or DV_ERROR_IO. */
int measure_step_ns(measure_step *step, void *user, const char *name, int64_t n_calls, double *ns_out,
                    struct dv_error *error_out);

#endif
