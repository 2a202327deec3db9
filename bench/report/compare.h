/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs, cell by cell: the ratio of their times, and whether it says anything.
 *
 * Place in the data flow: samples.csv and summary.csv of two runs -> comparisons -> compare, gate. */
#ifndef DVBENCH_COMPARE_H
#define DVBENCH_COMPARE_H

#include <stddef.h>

#include "csv.h"
#include "stats.h"

enum compare_verdict {
    COMPARE_CANNOT_TELL, /* the interval does not leave 1 by more than the noise */
    COMPARE_SLOWER,      /* B is slower than A */
    COMPARE_FASTER,
    COMPARE_WRONG,    /* B's kernel gave wrong answers where A's did not */
    COMPARE_OTHER_DV, /* the same spec, other bytes: nothing to compare */
    COMPARE_MISSING,  /* measured in A, not in B */
    COMPARE_N_VERDICTS
};

struct comparison {
    size_t row_a; /* of the summary of A */
    size_t row_b; /* of the summary of B; 0 where COMPARE_MISSING */
    enum compare_verdict verdict;
    struct stats_summary ratio; /* time in B / time in A, paired by process start and round */
    double
        noise_pct; /* what the interval had to leave: the larger noise floor of the two, or the threshold */
};

struct comparisons {
    struct csv_table *summary_a; /* owned */
    struct csv_table *summary_b; /* owned */
    struct comparison *items;    /* owned; largest ratio first */
    size_t n_items;
    size_t n_verdict[COMPARE_N_VERDICTS];
    size_t n_only_b; /* cells measured in B alone */
};

/* Compares all cells that A measured; a cell is the same where vector, kernel, sink, batch size and mode are.
 * `threshold_pct` >= 0: differences up to it do not count, whatever the noise. Returns 0, the codes of
 * run_dir_load, DV_ERROR_MEMORY, or DV_ERROR_INPUT where the runs have no cell in common. */
int compare_runs(struct comparisons *comparisons_out, const char *run_a, const char *run_b,
                 double threshold_pct, struct dv_error *error_out);

void compare_free(struct comparisons *comparisons);

/* "slower", "faster", "cannot tell", ...; static. */
const char *compare_verdict_name(enum compare_verdict verdict);

/* Prints a line per comparison that says something (all of them where `with_all`), then the counts. */
void compare_print(const struct comparisons *comparisons, int with_all);

#endif
