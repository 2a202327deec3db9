/* SPDX-License-Identifier: Apache-2.0 */
/* What the article says of whole scans, next to what scan.csv holds, with a verdict.
 *
 * Place in the data flow: scan_claims.def, rows of scan.csv -> a table of the report, claims.csv. */
#ifndef DVBENCH_SCAN_CLAIMS_H
#define DVBENCH_SCAN_CLAIMS_H

#include "csv.h"
#include "report_claims.h"
#include "report_text.h"

struct claims_count scan_claims_count(const struct csv_table *scan);

/* Writes DIR/claims.csv. Returns 0, DV_ERROR_IO or DV_ERROR_MEMORY. */
int scan_claims_csv(const char *run_dir, const struct csv_table *scan, struct dv_error *error_out);

/* A heading, what the verdicts mean, and one row per claim. */
void scan_claims_write(const struct report_text *text, const struct csv_table *scan);

#endif
