/* SPDX-License-Identifier: Apache-2.0 */
/* The attribution of a pair of cells as text and as a row of a CSV.
 *
 * Place in the data flow: summary.csv, counters.csv -> attribution.h -> standard output and explain.csv.
 *
 * explain.csv has a row per pair with the columns of EXPLAIN_CSV_HEADER; all differences are A - B per row;
 * what is not known is empty; of cells from two sources, source is A's+B's. */
#ifndef DVBENCH_EXPLAIN_TEXT_H
#define DVBENCH_EXPLAIN_TEXT_H

#include <stdio.h>

#include "attribution.h"
#include "csv.h"

#define EXPLAIN_CSV_HEADER                                                                                   \
    "pair,a,b,source,ns_a,ns_b,delta_ns,delta_core_cycles,delta_instructions,delta_branches,delta_branch_"   \
    "misses,"                                                                                                \
    "miss_penalty,share_pct,share_low_pct,share_high_pct,marginal_ipc,instructions_ratio,time_ratio"

struct explain {
    const struct csv_table *summary;
    struct attribution_penalty penalty;
    bool is_given; /* the penalty, by hand */
    FILE *csv;     /* NULL where none is wanted */
};

/* Borrows the tables; `counters` may be NULL. penalty: by hand, or NAN for the one of counters.csv. csv_path
 * NULL: RUN/explain.csv,
 * "-": none. DV_ERROR_IO where it cannot be written. */
int explain_open(struct explain *explain_out, const struct csv_table *summary,
                 const struct csv_table *counters, double penalty, const char *run_dir, const char *csv_path,
                 struct dv_error *error_out);

/* Prints the pair of rows of the summary and adds a row to the CSV. A row without a time (a kernel that did
 * not run) is DV_ERROR_USAGE. */
int explain_pair(struct explain *explain, const char *id, const char *question, size_t row_a, size_t row_b,
                 struct dv_error *error_out);

int explain_close(struct explain *explain, struct dv_error *error_out);

#endif
