/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a run: made for a new one, and the names and tables of its files.
 *
 * Place in the data flow: --out -> a folder and the run's name -> every file of the results; results/RUN -> csv
 * tables -> plot, report, compare, merge. */
#ifndef DVBENCH_RUN_DIR_H
#define DVBENCH_RUN_DIR_H

#include "csv.h"

/* 0, or DV_ERROR_USAGE where `path`, as --out has it, is the root of the file system by any of its names. */
int run_dir_check_out(const char *path, struct dv_error *error_out);

/* Makes the folder of a new run: `out_dir`, or results/<UTC date and time>-<plan> where NULL, in the current
 * folder or in what DVBENCH_RESULTS names. Returns its path in `dir_out` (owned by the caller). A folder that
 * holds a run already is a usage error. */
int run_dir_create(char **dir_out, const char *out_dir, const char *plan_name, struct dv_error *error_out);

/* Keeps every other process from writing into the folder while `fd_out` is open, here or in a child that inherits it.
 * Where the file system has no locks it only opens the folder. Returns 0, DV_ERROR_INPUT (no such folder) or
 * DV_ERROR_UNAVAILABLE (another process holds it). */
int run_dir_lock(int *fd_out, const char *dir, struct dv_error *error_out);

/* The last part of the path: the column `run`. Borrowed from `dir`. */
const char *run_dir_name(const char *dir);

/* Path of a file in it; owned by the caller, NULL without memory. */
char *run_dir_file(const char *dir, const char *name);

/* "summary.csv", ...; static. */
const char *run_dir_csv_name(enum csv_file file);

/* Whether DIR/<file>.csv is there and readable. */
bool run_dir_has(const char *dir, enum csv_file file);

/* Creates DIR/<file>.csv. As csv_create. */
int run_dir_create_csv(struct csv_writer **writer_out, const char *dir, enum csv_file file,
                       struct dv_error *error_out);

/* Loads DIR/<file>.csv; errors name the file. As csv_load. */
int run_dir_load(struct csv_table **table_out, const char *dir, enum csv_file file,
                 struct dv_error *error_out);

/* The same of a file that a run may lack: NULL and 0 then. One that is there and cannot be read is an error. */
int run_dir_load_if_there(struct csv_table **table_out, const char *dir, enum csv_file file,
                          struct dv_error *error_out);

#endif
