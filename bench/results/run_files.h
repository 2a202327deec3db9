/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a run's folder, for commands that read runs.
 *
 * Place in the data flow: results/RUN -> csv tables -> plot, report, compare, merge. */
#ifndef DVBENCH_RUN_FILES_H
#define DVBENCH_RUN_FILES_H

#include "csv.h"

/* Loads RUN/<file>.csv; errors name the file. As csv_load. */
int run_files_load(struct csv_table **table_out, const char *run_dir, enum csv_file file,
                   struct dv_error *error_out);

/* "summary.csv", ...; static. */
const char *run_files_name(enum csv_file file);

#endif
