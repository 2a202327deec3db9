/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of one block: every competitor's query in each, in a seeded order, and what they make of it.
 *
 * Place in the data flow: block, table, vectors -> queries of the engine, each answer checked -> scan.csv.
 *
 *     expect:  the answer, from the oracle's intervals
 *     check:   each competitor once, untimed; who is wrong gets no time
 *     round:   for competitor in permutation(seed, block, round): clock; query; clock; check the answer */
#ifndef DVBENCH_SCAN_RUN_H
#define DVBENCH_SCAN_RUN_H

#include <signal.h>

#include "csv.h"
#include "progress.h"
#include "scan_function.h"
#include "scan_options.h"

/* What all blocks share. */
struct scan_run {
    struct engine *engine;
    struct scan_function *function;
    const struct scan_options *options;
    struct csv_writer *writer;
    struct csv_table *done; /* rows of a run that is resumed; NULL */
    struct progress *progress;
    const volatile sig_atomic_t *interrupted;
    const char *run;
    const char *machine;
    uint64_t program_digest;
    size_t n_wrong_out;
};

/* Measures `block` on `table`, whose view the engine has, and adds its rows to the writer. A block whose rows are all
 * there from before is passed over. Nothing is written where the run was interrupted before the block's end. */
int scan_run_block(struct scan_run *run, const struct scan_block *block, const struct scan_table *table,
                   const struct scan_vector *vectors, size_t n_vectors, struct dv_error *error_out);

#endif
