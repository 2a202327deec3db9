/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs, cell by cell: the ratio of their times, and whether it says anything.
 *
 * Place in the data flow: samples.csv and summary.csv of two runs -> comparisons -> compare, gate. */
#ifndef DVBENCH_COMPARE_H
#define DVBENCH_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "csv.h"
#include "stats.h"

enum compare_verdict {
    COMPARE_CANNOT_TELL, /* judged: the interval does not leave 1 by more than the noise */
    COMPARE_SLOWER,      /* B is slower than A */
    COMPARE_FASTER,
    COMPARE_TOO_NOISY,  /* of a gate: the interval passes the threshold, but not the noise */
    COMPARE_NOT_JUDGED, /* too few common samples for an interval, or a noise floor that is not known */
    COMPARE_WRONG,      /* B's kernel gave wrong answers, whatever A says */
    COMPARE_OTHER_DV,   /* the same spec, other bytes: nothing to compare */
    COMPARE_OTHER_WORK, /* the same bytes, other rows or batches of them */
    COMPARE_MISSING,    /* measured in A, not in B */
    COMPARE_N_VERDICTS
};

#define COMPARE_NO_ROW ((size_t)-1)

struct comparison {
    size_t row_a; /* of the summary of A, or COMPARE_NO_ROW: a wrong cell of B that A did not measure */
    size_t row_b; /* of the summary of B, or COMPARE_NO_ROW */
    enum compare_verdict verdict;
    struct stats_summary ratio; /* time in B / time in A, paired by process start and round */
    /* What the interval had to leave: the larger noise floor of the two, or the threshold; NaN: not known. */
    double noise_pct;
    /* Of a gate: the ratio is that of instructions, which do not scatter, and whether the times differ too. */
    bool is_by_instructions;
    bool is_slower_in_time;
};

struct comparisons {
    struct csv_table *summary_a; /* owned */
    struct csv_table *summary_b; /* owned */
    struct comparison *items;    /* owned; largest ratio first */
    size_t n_items;
    size_t n_verdict[COMPARE_N_VERDICTS];
    size_t n_only_b; /* cells measured in B only */
};

/* Compares all cells that A measured. A cell is the same where the vector's bytes and rows, the batches, kernel,
 * sink, batch size and mode are; the path or spec of the vector need not be. `threshold_pct` >= 0: differences up to
 * it do not count, whatever the noise. Takes n log n steps for n rows. Returns 0, the codes of run_dir_load or
 * DV_ERROR_MEMORY. */
int compare_runs(struct comparisons *comparisons_out, const char *run_a, const char *run_b,
                 double threshold_pct, struct dv_error *error_out);

void compare_free(struct comparisons *comparisons);

/* How many cells have a verdict on what they cost: slower, faster, cannot tell or too noisy. */
size_t compare_n_judged(const struct comparisons *comparisons);

/* Prints a line per comparison that says something (all of them where `with_all`), then the counts. */
void compare_print(const struct comparisons *comparisons, bool with_all);

/* A verdict for machines ("cannot_tell"), for people ("cannot tell"), and why it stops a gate, NULL where it does not. */
const char *compare_verdict_id(enum compare_verdict verdict);
const char *compare_verdict_text(enum compare_verdict verdict);
const char *compare_verdict_stops(enum compare_verdict verdict);

/* "KERNEL/SINK@DV,..." of a comparison, fit for any output; owned by the caller, NULL without memory. */
char *compare_cell_name(const struct comparisons *comparisons, const struct comparison *one);

/* The ratio with its interval and what it had to leave, in words; "" where there is none. Returns `text_out`. */
#define COMPARE_NUMBERS_BYTES 128
char *compare_numbers(const struct comparison *one, char text_out[COMPARE_NUMBERS_BYTES]);

#endif
