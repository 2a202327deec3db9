/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's end of a job: what `dvbench simulate JOB` does under callgrind.
 *
 * Place in the data flow: job file and payload -> kernels between callgrind's switches -> dumps (callgrind
 * writes them) and lines on standard output for sim.c.
 *
 * A job file has a line each for `kind calibration|kernels`, `sink ID`, `replay 0|1`, `visits N`, `payload
 * PATH`, then `batch START ROWS` and `kernel ID` lines. Kernel i of the file is dumped with the label k<i>,
 * the empty loop with the label empty. */
#ifndef DVBENCH_SIM_CHILD_H
#define DVBENCH_SIM_CHILD_H

#include "dv.h"

/* Whether this build has callgrind's client requests. */
int sim_child_built(void);

/* Runs a job file. Only sim.c has a use for it: without callgrind it counts nothing. */
int sim_child_run(const char *job_path, struct dv_error *error_out);

/* Where in the C library the variant of `function` ("memset", ...) lies that this CPU, or the simulator's,
 * chooses; 0 where unknown. */
unsigned long sim_libc_offset(const char *function);

#endif
