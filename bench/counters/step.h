/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions counted one at a time: the CPU's trap flag stops this program after each of them.
 *
 * Place in the data flow: struct counters_job + kernel -> some of its batches, stepped -> struct step_counts,
 * for the kernels that the simulator cannot run.
 *
 * Exact, for whatever this CPU runs, on any x86-64 and without a PMU; but a step costs an exception and a
 * signal (12 us in the nested virtual machine where it was measured), so only some whole batches are counted,
 * and nothing but instructions is. A repeated string instruction traps at each repeat and is counted once, as
 * a PMU does. It needs no privilege, since the process stops itself; a debugger, valgrind and some emulators
 * take the traps, which the self-test finds. */
#ifndef DVBENCH_STEP_H
#define DVBENCH_STEP_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "counter_status.h"
#include "counters.h"
#include "dv.h"
#include "kernel.h"

/* Steps that a kernel's batches should take together: as many as fit, but one at least. */
#define STEP_STEPS_AIM 6000u
/* Steps after which a batch is given up. */
#define STEP_STEPS_MAX 300000u

struct step_counts {
    enum counter_status status; /* COUNTER_OK, STEP_REFUSED, STEP_TOO_LONG, INTERRUPTED */
    size_t n_batches;           /* visits counted */
    uint64_t n_rows;            /* rows of them */
    uint64_t n_steps;
    uint64_t n_instructions; /* less those of the loop itself */
};

/* COUNTER_OK where steps count a loop of known length, of so many instructions, exactly; else
 * COUNTER_STEP_REFUSED. Below 20 ms. */
#define STEP_SELF_TEST_INSTRUCTIONS 400u
enum counter_status step_self_test(void);

struct step_run {
    uint64_t n_steps;        /* traps: what it cost */
    uint64_t n_instructions; /* a constant of the call included */
};

/* Runs function(argument) to its end, stepping at most n_steps_max times or until *interrupted (may be NULL).
 * COUNTER_OK; or COUNTER_STEP_TOO_LONG, COUNTER_INTERRUPTED, COUNTER_STEP_REFUSED, whose counts say nothing.
 * SIGTRAP is taken meanwhile. */
enum counter_status step_run(void (*function)(void *argument), void *argument, uint64_t n_steps_max,
                             const volatile sig_atomic_t *interrupted, struct step_run *run_out);

/* Counts a kernel of the job over whole batches spread over the file, in order, after one uncounted run of
 * them. Negative only for memory and a kernel's state that does not open; what cannot be counted is a status.
 */
int step_measure(const struct counters_job *job, const struct kernel *kernel, struct step_counts *counts_out,
                 struct dv_error *error_out);

#endif
