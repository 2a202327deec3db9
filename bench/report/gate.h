/* SPDX-License-Identifier: Apache-2.0 */
/* The gate: whether run B may follow run A, how far that can be trusted, and why not.
 *
 * Place in the data flow: comparisons, counters.csv, the baseline's second run -> struct gate -> gate_print. */
#ifndef DVBENCH_GATE_H
#define DVBENCH_GATE_H

#include "again.h"
#include "compare.h"
#include "string_list.h"

/* A gate is too noisy where more than one judged cell in so many is. */
#define GATE_NOISY_CELLS_IN 10

enum gate_result { GATE_PASSED, GATE_STOPPED, GATE_TOO_NOISY };

struct gate_settings {
    const char *run_a;
    const char *
        run_a_again; /* the same program as A, measured once more: what they differ by is noise; NULL: none */
    const char *run_b;
    double threshold_pct; /* >= 0 */
    bool is_by_time;      /* instructions are not looked at */
    bool allow_differences;
};

/* Lines are sentences without line end. */
struct gate {
    struct comparisons cells;
    struct strings differences; /* what else differs between the runs */
    struct strings trust;       /* how far the verdicts can be trusted */
    struct strings reasons;     /* why the result is not GATE_PASSED */
    double threshold_pct;
    struct again again; /* what both runs of the baseline differ by; floor_pct NaN: not known */
    size_t n_by_instructions;
    bool is_refused; /* the runs are of different machines or builds */
    enum gate_result result;
};

/* Compares and judges. A cell is judged by its instructions per row where both runs have them from the same source (sim
 * or step) over the same batches, else by its time. The caller frees where 0. Returns 0, the codes of compare_runs, or
 * DV_ERROR_USAGE: the baseline's second run is the first one, or has no cell of it. */
int gate_judge(struct gate *gate_out, const struct gate_settings *settings, struct dv_error *error_out);

/* A cell that is measured again before it counts: slower or too noisy by time. */
bool gate_is_to_repeat(const struct comparison *one);

/* Takes over the verdicts of `again`, a second measurement of the same sides, for the cells that were slower or too
 * noisy: slower is what is so in both. The others keep theirs. Returns 0 or DV_ERROR_MEMORY. */
int gate_confirm(struct gate *gate, const struct gate *again, struct dv_error *error_out);

/* Of the command: EXIT_FINE, EXIT_CHECK_FAILED or EXIT_TOO_NOISY. */
int gate_exit_code(const struct gate *gate);

void gate_free(struct gate *gate);

#endif
