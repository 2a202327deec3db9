/* SPDX-License-Identifier: Apache-2.0 */
/* A run of `scan`: tables and vectors of all blocks, then the blocks, and run.json.
 *
 * Place in the data flow: struct scan_options, an open engine -> scan.csv and run.json of the run's folder. */
#ifndef DVBENCH_SCAN_H
#define DVBENCH_SCAN_H

#include "engine_run.h"
#include "scan_options.h"

/* Returns 0 also where it was interrupted: then run.json says so. */
int scan_run(struct engine_run *run, const struct scan_options *options, struct dv_error *error_out);

#endif
