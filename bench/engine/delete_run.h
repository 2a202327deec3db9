/* SPDX-License-Identifier: Apache-2.0 */
/* A run of `deletes`: the table, for each pattern all batches in all ways, and run.json.
 *
 * Place in the data flow: struct delete_options, an open engine -> deletes.csv and run.json of the run's
 * folder. */
#ifndef DVBENCH_DELETE_RUN_H
#define DVBENCH_DELETE_RUN_H

#include "delete_options.h"
#include "engine_run.h"

/* Returns 0 also where it was interrupted: then run.json says so. */
int delete_run(struct engine_run *run, const struct delete_options *options, struct dv_error *error_out);

#endif
