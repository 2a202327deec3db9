/* SPDX-License-Identifier: Apache-2.0 */
/* The attribution of a pair of cells as text and as a row of a CSV.
 *
 * Place in the data flow: summary.csv, counters.csv -> attribution.h -> standard output and explain.csv.
 */
#ifndef DVBENCH_EXPLAIN_TEXT_H
#define DVBENCH_EXPLAIN_TEXT_H

#include "attribution.h"
#include "csv.h"

struct explain {
    const struct csv_table *summary;
    struct attribution_penalty penalty;
    bool is_given; /* the penalty, by hand */
    const char *run;
    struct csv_writer *csv; /* NULL where none is wanted */
};

/* Borrows the tables and `run_dir`; `counters` may be NULL. penalty: by hand, or NAN for the one of counters.csv. csv_path
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
