/* SPDX-License-Identifier: Apache-2.0 */
/* What the article says of whole scans, next to what scan.csv holds, with a verdict.
 *
 * Place in the data flow: scan_claims.def, rows of scan.csv -> a table of the report. */
#ifndef DVBENCH_SCAN_CLAIMS_H
#define DVBENCH_SCAN_CLAIMS_H

#include "csv.h"
#include "report_text.h"

/* A heading, what the verdicts mean, and one row per claim. */
void scan_claims_write(const struct report_text *text, const struct csv_table *scan);

#endif
