/* SPDX-License-Identifier: Apache-2.0 */
/* All rounds of one pattern on one table: batch after batch in all ways, each read and checked.
 *
 * Place in the data flow: delete_run -> struct delete_job -> delete_batch, delete_read -> deletes.csv. */
#ifndef DVBENCH_DELETE_ROUNDS_H
#define DVBENCH_DELETE_ROUNDS_H

#include "csv.h"
#include "delete_options.h"
#include "delete_read.h"
#include "engine_run.h"
#include "progress.h"

/* What the rounds of a run share; all borrowed but the table. */
struct delete_job {
    struct engine_run *run;
    const struct delete_options *options; /* n_rows is that of `table` */
    struct delete_reader reader;
    struct scan_table table;
    struct progress *progress;
    struct csv_writer *writer;
    struct csv_table *done; /* rows of the run that is resumed, or NULL */
    const char *tables;     /* the folder below which states are kept */
    const char *machine;
};

/* What deletes.csv has already is left out. Returns 0 also where it was interrupted. */
int delete_rounds_run(struct delete_job *job, enum delete_pattern pattern, struct dv_error *error_out);

#endif
