/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes whose runs repeat to the last instruction: no address randomisation, a clean environment,
 * files for output.
 *
 * Place in the data flow: sim.h starts the simulator with it. Programs that need none of this (gnuplot, a
 * sweep's further starts) are run elsewhere. */
#ifndef DVBENCH_CHILD_H
#define DVBENCH_CHILD_H

#include <sched.h>
#include <sys/types.h>

#include "dv.h"

#define CHILD_TOO_LONG (-1000)

struct child {
    pid_t pid;
    int exit_code; /* after child_wait: 0 .. 255, or -signal, or CHILD_TOO_LONG where it had to be ended */
};

/* Starts argv[0] (a path) in the folder `directory`, its standard output and error in the files "stdout" and
 * "stderr" there, its input empty. It gets PATH, LC_ALL=C and those of the variables that change which code
 * runs; it dies with its parent. It may run on `cpus`: its parent is pinned to one, which two children would
 * share. Borrows its arguments for the call. After 0 the caller owes one child_wait, which also
 * reports (as exit code 126) an argv[0] that could not be executed; after an error there is no child. */
int child_start(struct child *child_out, char *const *argv, const char *directory, const cpu_set_t *cpus,
                struct dv_error *error_out);

/* Waits at most `seconds`, then kills it; in any case the child is gone and reaped. Returns its exit code as in
 * struct child. */
int child_wait(struct child *child, double seconds);

/* The program `name` in PATH, as an absolute path in path_out, or DV_ERROR_UNAVAILABLE. */
int child_find(char *path_out, size_t n_path, const char *name, struct dv_error *error_out);

#endif
