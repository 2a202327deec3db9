/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: instructions, branches, branch misses and cycles of the kernels of one block, or the reason why
 * not.
 *
 * Place in the data flow: struct dv + batches + kernels -> counting passes -> struct counters_result -> CSV.
 *
 * Four sources have one interface: `pmu` (libpfm4 names, perf_event_open), `sim` (callgrind in child
 * processes), `step` (only instructions, by single steps: of kernels that `sim` cannot run, and of all where
 * `auto` finds neither PMU nor simulator) and `none`.
 * Counting is a pass of its own over the same batches; never call it while time is measured: `sim` runs up to
 * two children at once. A value that was not counted is NAN with a status word, never 0. */
#ifndef DVBENCH_COUNTERS_H
#define DVBENCH_COUNTERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batches.h"
#include "dv.h"
#include "kernel.h"
#include "sink.h"

struct counters; /* opaque */

/* X(enumerator, the word of --counters). A source can also be COUNTERS_STEP, which nobody asks for: it is what
 * COUNTERS_AUTO falls back to. */
#define FOR_EACH_COUNTERS_MODE(X) X(AUTO, "auto") X(PMU, "pmu") X(SIM, "sim") X(NONE, "none")

#define COUNTERS_MODE_ENUMERATOR(id, word) COUNTERS_##id,
enum counters_mode {
    FOR_EACH_COUNTERS_MODE(COUNTERS_MODE_ENUMERATOR) N_COUNTERS_MODES,
    COUNTERS_STEP = N_COUNTERS_MODES
};
#undef COUNTERS_MODE_ENUMERATOR

/* The words in the order of the enumerators, then NULL. */
extern const char *const counters_mode_words[N_COUNTERS_MODES + 1];

/* The mode of a word, or -1. */
int counters_mode_find(const char *name);

/* What a simulated pass visits at most: enough batches for a stable mean, few enough for a simulator. */
#define COUNTERS_SIM_BATCHES 40

struct counters_options {
    enum counters_mode mode;
    /* A set of counter_sets.def, or a comma list of libpfm4 names; NULL: the set "portable". */
    const char *events;
    int cpu;             /* that will be measured on, -1: any; of a hybrid CPU its PMU counts */
    const char *program; /* this program, for the simulator's children; NULL: /proc/self/exe */
};

/* One block: a DV and a sink with all kernels. Everything is borrowed for the duration of the call. `dv`
 * holds the representations that the kernels need. The batches are those that were timed; the simulator
 * spreads COUNTERS_SIM_BATCHES over them. In replay the first batch is visited again and again. */
struct counters_job {
    const struct dv *dv;
    const struct batches *batches;
    enum sink_kind sink;
    bool replay;
    const struct kernel *const *kernels;
    size_t n_kernels;
    const volatile sig_atomic_t *interrupted; /* not 0: single steps end; NULL: nobody asks */
};

/* One event of one kernel: a row of counters.csv. */
struct counter_value {
    char event[96];       /* the name asked for, without comma or quote */
    char encoding[160];   /* as given to the kernel, or the simulator's name and the ISA it ran */
    const char *source;   /* "pmu", "sim" or "step", static */
    int pass;             /* counting pass, from 0 */
    double value_per_row; /* NAN where not counted */
    const char *status;   /* "ok", or one of the status words, static */
};

/* All of one kernel. The five doubles are per row, ipc excepted; NAN where not counted. */
struct counters_result {
    double instructions_per_row;
    double branches_per_row;
    double branch_misses_per_row;
    double core_cycles_per_row;
    double ipc;
    const char *source; /* "pmu", "sim", "step" or "none", static: the column counter_source */
    /* The column counter_status: "" where nothing is empty, else a word or `event=word;...`. */
    char status[256];
    struct counter_value *values; /* owned: counters_results_free */
    size_t n_values;
};

/* Opens a source. COUNTERS_AUTO takes the PMU if its self-test passes, else the simulator, else single steps, else
 * none, and never fails where all are missing; COUNTERS_PMU and COUNTERS_SIM fail with DV_ERROR_UNAVAILABLE and a message
 * that says what would change it; an unknown event name is DV_ERROR_USAGE. On failure *counters_out is
 * NULL. */
int counters_open(struct counters **counters_out, const struct counters_options *options,
                  struct dv_error *error_out);

/* Counts one block: fills results_out[0 .. n_kernels), in the order of the job's kernels. A kernel that
 * cannot be counted is not a failure: its result says why. Fails (negative code) only for memory and I/O; then
 * results_out is all empty. */
int counters_measure(struct counters *counters, const struct counters_job *job,
                     struct counters_result *results_out, struct dv_error *error_out);

/* Frees what the results own, not the array. */
void counters_results_free(struct counters_result *results, size_t n_results);

/* "pmu", "sim" or "none". */
const char *counters_source(const struct counters *counters);

/* The events asked for that the source cannot count, "A, B", cut off where they do not fit; false where it counts all. */
bool counters_missing(const struct counters *counters, char *names_out, size_t n_names);

/* Why there is no better source, as a sentence for run.json and the log: "no PMU in this machine; simulated by
 * valgrind-3.19.0". */
const char *counters_reason(const struct counters *counters);

/* Names and encodings of the events, one "name=encoding" a line, for run.json; owned by `counters`. */
const char *counters_encodings(const struct counters *counters);

/* Core cycles of a mispredicted branch on this CPU and the ends of the 95 % interval, measured when the PMU
 * was opened, as rows of counters.csv of a cell that is none: COUNTERS_PENALTY and its two ends. Fills
 * values_out and returns how many: 0 unless the source is `pmu`. */
#define COUNTERS_CALIBRATION_CELL   "calibration"
#define COUNTERS_CALIBRATION_VALUES 3
#define COUNTERS_PENALTY            "miss_penalty"
#define COUNTERS_PENALTY_LOW        "miss_penalty_low"
#define COUNTERS_PENALTY_HIGH       "miss_penalty_high"
size_t counters_calibration(const struct counters *counters,
                            struct counter_value values_out[COUNTERS_CALIBRATION_VALUES]);

void counters_close(struct counters *counters);

#endif
