/* SPDX-License-Identifier: Apache-2.0 */
/* Running one gnuplot script in a child process.
 *
 * Place in the data flow: figures -> gnuplot_run -> a picture. */
#ifndef DVBENCH_GNUPLOT_H
#define DVBENCH_GNUPLOT_H

#include <stddef.h>

#include "dv.h"

/* A variable that the script reads from its environment. */
struct gnuplot_variable {
    const char *name;
    const char *value;
};

/* The folder with the .gp scripts: DVBENCH_PLOTS where set, else the source tree's, else the installed one.
 * Writes at most `n_path` bytes. Returns 0 or DV_ERROR_UNAVAILABLE. */
int gnuplot_find_scripts(char *path_out, size_t n_path, struct dv_error *error_out);

/* Runs the script with the user's own start-up files ignored, the locale C.UTF-8, and the given variables.
 * Waits at most a minute. The last line that gnuplot prints goes to `said_out` (at most n_said bytes, ""
 * where it was silent). A picture DVBENCH_OUT.pdf loses its date; where it cannot, `said_out` has the reason. Returns 0, DV_ERROR_UNAVAILABLE (gnuplot is not installed) or DV_ERROR_IO (it failed,
 * or took too long; the message has its last line). */
int gnuplot_run(const char *script_path, const struct gnuplot_variable *variables, size_t n_variables,
                char *said_out, size_t n_said, struct dv_error *error_out);

#endif
