/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a run: made for a new one, found again for one that goes on.
 *
 * Place in the data flow: --out, --resume -> a folder and the run's name -> every file of the results. */
#ifndef DVBENCH_RUN_DIR_H
#define DVBENCH_RUN_DIR_H

#include "dv.h"

/* Makes the folder of a new run: `out_dir`, or results/<UTC date and time>-<plan> where NULL, in the current
 * folder or in what DVBENCH_RESULTS names. Returns its path in `dir_out` (owned by the caller). A folder that
 * holds a run already is a usage error. */
int run_dir_create(char **dir_out, const char *out_dir, const char *plan_name, struct dv_error *error_out);

/* The last part of the path: the column `run`. Borrowed from `dir`. */
const char *run_dir_name(const char *dir);

/* Path of a file in it; owned by the caller, NULL without memory. */
char *run_dir_file(const char *dir, const char *name);

#endif
