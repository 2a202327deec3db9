/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated counters: callgrind runs this same program over some of the batches, each once.
 *
 * Place in the data flow: struct counters_job -> files in a temporary folder -> up to two children at once
 * under callgrind -> dumps -> struct sim_counts per kernel. The children run `dvbench simulate JOB`
 * (sim_child.c).
 *
 * Instructions and branches are exact and the same in every run; branch misses are those of a predictor of
 * about 2004 (16,384 two-bit counters), a repeatable proxy and not this CPU's number. */
#ifndef DVBENCH_SIM_H
#define DVBENCH_SIM_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counter_status.h"
#include "counters.h"
#include "dv.h"
#include "pmu_session.h"
#include "sim_parse.h"

enum sim_event { SIM_INSTRUCTIONS, SIM_BRANCHES, SIM_BRANCH_MISSES, N_SIM_EVENTS };

/* The role that an event fills, and its name in counters.csv: "instructions", "Ir"; "branches", "Bc+Bi";
 * ... */
enum counter_role sim_event_role(enum sim_event event);
const char *sim_event_name(enum sim_event event);

struct sim {
    char valgrind[PATH_MAX];
    char program[PATH_MAX];
    cpu_set_t cpus; /* where the children may run: this process's when it was opened, before it was pinned */
    char version[64];  /* "valgrind-3.19.0" */
    char isa[32];      /* what the simulator's CPU has: "avx2" */
    bool libc_differs; /* it runs other variants of memset and memcpy than this CPU does */
    enum pmu_verdict verdict[N_SIM_EVENTS];
    double expected[N_SIM_EVENTS];
    double counted[N_SIM_EVENTS];
};

/* What was counted of one kernel, less what the loop itself costs. */
struct sim_counts {
    enum counter_status status; /* COUNTER_OK, CANNOT_SIMULATE, SIM_ISA_DIFFERS */
    uint64_t n_rows;            /* rows of the pass */
    uint64_t values[N_SIM_EVENTS];
    double libc_share; /* of the instructions, 0 .. 1 */
};

/* Finds valgrind and lets it count the calibration loops. program NULL: /proc/self/exe. DV_ERROR_UNAVAILABLE
 * where there is no valgrind, where this build lacks its headers, or where the self-test fails; *status_out
 * is the word for it. About 0.5 s. */
int sim_open(struct sim *sim_out, const char *program, enum counter_status *status_out,
             struct dv_error *error_out);

/* Counts every kernel of the job: fills counts_out[0 .. n_kernels). Fails only for memory and I/O. */
int sim_measure(const struct sim *sim, const struct counters_job *job, struct sim_counts *counts_out,
                struct dv_error *error_out);

#endif
