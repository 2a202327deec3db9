/* SPDX-License-Identifier: Apache-2.0 */
/* One block from start to end: open the DV, check every kernel against the oracle, size the samples, run the
 * rounds, then what it costs to open, and the counters.
 *
 * Place in the data flow: struct plan_block -> struct block_result and rows of samples.csv -> summary.h. */
#ifndef DVBENCH_BLOCK_H
#define DVBENCH_BLOCK_H

#include <signal.h>

#include "counters.h"
#include "plan.h"
#include "progress.h"
#include "samples.h"
#include "source.h"
#include "stats.h"
#include "verify.h"

struct block_cell {
    const struct kernel *kernel;
    char hash[CELL_HASH_CHARS + 1];
    struct verdict verdict; /* reason without comma, quote or line end */
    double open_ns;         /* NAN where not measured */
    uint64_t state_bytes;
    bool is_counted; /* by an earlier process start: its rows of counters.csv stay */
    struct counters_result counters;
};

/* A kernel or the bound with some number of threads. */
struct threads_row {
    const struct block_cell *cell; /* NULL: the bound */
    int n_threads;
    size_t n_cores;
    bool is_shared; /* one vector for all threads */
    struct verdict verdict;
    size_t n_tainted;
    struct stats_summary rows_per_s;
    struct stats_summary scaling;
    double thread_ns_per_row;
    double pct_of_bound;
};

/* Facts of the block's DV and what was measured apart from the samples. */
struct block_result {
    const struct plan_block *plan; /* borrowed */
    char *dv;                      /* owned: the canonical spec */
    char recipe[32];
    uint64_t n_rows;
    uint64_t seed;
    uint64_t digest;
    uint64_t n_payload_bytes;
    uint64_t n_deleted;
    uint64_t n_containers;
    uint64_t n_kind[DV_N_KINDS];
    uint64_t n_batches; /* that one pass visits */
    bool is_sample;     /* not every batch of the file was visited */
    double validate_ns;
    double crc_ns;
    char bound_hash[CELL_HASH_CHARS + 1];
    struct block_cell *cells; /* owned */
    size_t n_cells;
    struct threads_row *threads; /* owned */
    size_t n_threads;            /* rows of it */
    bool has_threads;            /* measured by an earlier process: its rows of threads.csv stay */
};

/* What all blocks of a run share. */
struct block_context {
    const struct sweep_options *options;
    struct vector_options *vectors;
    struct samples *samples;
    struct gbench_json *json;  /* NULL without --benchmark_out */
    struct counters *counters; /* NULL: not asked */
    struct progress *progress;
    uint64_t program_digest; /* of this executable and its CRoaring */
    const char *machine;
    const struct cpu_workers *workers; /* of --threads */
    uint64_t llc_bytes;                /* last-level cache: what cold mode exceeds */
    int start;                         /* process start, from 0 */
    const volatile sig_atomic_t *interrupted;
};

/* Opens what the block names and fills the facts and the cells' hashes and availability, nothing timed yet:
 * all that --resume needs to know whether the block is done. */
struct block;
int block_open(struct block **block_out, const struct block_context *context, const struct plan_block *plan,
               struct block_result *result_out, struct dv_error *error_out);

/* Checks, times and counts; `is_sampled`: all samples of this start are there, only what is not in them is measured. Stops
 * between samples where *interrupted: what was measured is in the samples. */
int block_run(struct block *block, bool is_sampled, struct dv_error *error_out);

/* Whether all threads of --threads read one vector there: in cold each needs copies of its own. */
bool block_shares_dv(const struct plan_block *plan, const struct sweep_options *options);

void block_close(struct block *block);
void block_result_free(struct block_result *result);

#endif
