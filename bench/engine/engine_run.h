/* SPDX-License-Identifier: Apache-2.0 */
/* What every run inside an engine has: its folder, its words, whether it was interrupted, and its record.
 *
 * Place in the data flow: a command -> struct engine_run -> scan_run, delete_run -> run.json of the run's
 * folder. */
#ifndef DVBENCH_ENGINE_RUN_H
#define DVBENCH_ENGINE_RUN_H

#include <signal.h>

#include "engine.h"
#include "machine.h"
#include "run_json.h"

/* All borrowed. */
struct engine_run {
    struct engine *engine;
    const char *dir; /* the run's folder */
    int argc;        /* of the command: what --resume continues with */
    char **argv;
    bool is_resumed;
    volatile sig_atomic_t *interrupted;
    size_t n_wrong_out; /* answers that were wrong */
};

enum { ENGINE_RUN_SETTINGS = 8 };

/* run.json while it is not written; what `info` points to is next to it, so it must not be moved. */
struct engine_record {
    struct machine machine;
    char machine_text[192];
    struct run_info info;
    char numbers[4][24];
    struct run_pair settings[ENGINE_RUN_SETTINGS];
};

/* A run that begins now; `plan` is static. `numbers` are those of its options that run.json names. */
struct engine_run_numbers {
    uint64_t n_threads, n_rounds, n_rows, seed;
};
void engine_record_fill(struct engine_record *record_out, const struct engine_run *run, const char *plan,
                        const struct engine_run_numbers *numbers);

/* Runs on `cpu`, or as SWEEP_CPU_DEFAULT and SWEEP_CPU_NONE say, and notes which in `info`; several
 * threads are not pinned unless asked to. Returns 0, or the code of machine_pin_cpu for a CPU that was
 * named. */
int engine_run_pin(int cpu, uint64_t n_threads, struct run_info *info, struct dv_error *error_out);

#endif
