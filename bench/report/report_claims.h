/* SPDX-License-Identifier: Apache-2.0 */
/* The article's claims next to what the run measured, each with a verdict.
 *
 * Place in the data flow: report_claims.def + summary.csv -> a table of the report, claims.csv. */
#ifndef DVBENCH_REPORT_CLAIMS_H
#define DVBENCH_REPORT_CLAIMS_H

#include "csv.h"
#include "report_places.h"
#include "report_text.h"

/* Of one machine. */
struct claims_count {
    size_t n_reproduced;
    size_t n_differ;
    size_t n_cannot_tell;
};
struct claims_count report_claims_count(const struct report_place *place);

/* Writes the section; `counters` may be NULL: then no claim about counts has a number. A run of several machines has a column for each. */
void report_claims(const struct report_text *text, const struct csv_table *summary,
                   const struct csv_table *counters);

/* Writes DIR/claims.csv, a row per claim and machine. Returns 0, DV_ERROR_IO or DV_ERROR_MEMORY. */
int report_claims_csv(const char *run_dir, const struct csv_table *summary, const struct csv_table *counters,
                      struct dv_error *error_out);

/* The same of other tables: `write_rows` ends each row; the file appears whole or not at all. */
typedef int claims_rows_writer(struct csv_writer *csv, const struct csv_table *table,
                               const struct csv_table *counters, struct dv_error *error_out);
int claims_csv_write(const char *run_dir, const struct csv_table *table, const struct csv_table *counters,
                     claims_rows_writer *write_rows, struct dv_error *error_out);

#endif
