/* SPDX-License-Identifier: Apache-2.0 */
/* Several process starts of one plan: code and heap layout differ by start, and results with them.
 *
 * Place in the data flow: sweep --starts N -> N child processes of this program over one folder, one after
 * the other. */
#ifndef DVBENCH_SWEEP_STARTS_H
#define DVBENCH_SWEEP_STARTS_H

#include <signal.h>

#include "sweep_options.h"

/* Runs `argv` once per start as `sweep ... --start K --out DIR`. Each child goes over all blocks and puts the
 * samples of all starts so far into the summary. --benchmark_out is joined at the end. *interrupted: the
 * signal that arrived, here or (then it is set) in a child. Returns 0 (also where cells were wrong or the run
 * was interrupted), or a negative code where a child failed; it has then said why. */
int sweep_starts_run(const struct sweep_options *options, const char *dir, int lock_fd, int argc, char **argv,
                     volatile sig_atomic_t *interrupted, struct dv_error *error_out);

/* Runs `program` with these words after its name and waits; *interrupted, once set, is passed on. The child inherits
 * the folder's lock: it holds also where this process is killed. `code_out`: its exit code, 128 + signal where one ended
 * it. Returns 0, DV_ERROR_IO (it cannot be started) or DV_ERROR_MEMORY. */
int sweep_starts_child(const char *program, const struct strings *words, int lock_fd,
                       const volatile sig_atomic_t *interrupted, int *code_out, struct dv_error *error_out);

/* What every process does before it writes into DIR: locks it, or takes over the lock of the process that began it,
 * with which it then ends. Returns 0, DV_ERROR_IO, or as run_dir_lock. */
int sweep_starts_enter(const struct sweep_options *options, const char *dir, int *lock_fd_out,
                       struct dv_error *error_out);

#endif
