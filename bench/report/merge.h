/* SPDX-License-Identifier: Apache-2.0 */
/* Several runs in one: shards of a plan, or several machines.
 *
 * Place in the data flow: RUN/... -> OUT/summary.csv, samples.csv, counters.csv, run.json -> plot, report,
 * compare. */
#ifndef DVBENCH_MERGE_H
#define DVBENCH_MERGE_H

#include <stddef.h>

#include "dv.h"

/* Writes the rows of all runs, in their order, into the folder OUT, which must not exist or be empty. Rows
 * stay as they are: the column `run` says where each came from. A run without samples.csv or counters.csv
 * adds none. Returns 0, the codes of run_dir_load (another schema is refused by name), DV_ERROR_USAGE (OUT
 * is not empty, or a cell is in two runs: those are to be compared, not merged), DV_ERROR_IO or
 * DV_ERROR_MEMORY. */
int merge_runs(const char *out_dir, const char *const *run_dirs, size_t n_runs, struct dv_error *error_out);

#endif
