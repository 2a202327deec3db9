/* SPDX-License-Identifier: Apache-2.0 */
/* The article's claims beside what the run measured.
 *
 * Place in the data flow: report_claims.def + summary.csv -> a table of the report. */
#ifndef DVBENCH_REPORT_CLAIMS_H
#define DVBENCH_REPORT_CLAIMS_H

#include "csv.h"
#include "report_text.h"

/* Writes the section; a claim whose cells the run lacks says so. Returns 0 or DV_ERROR_MEMORY. */
int report_claims(const struct report_text *text, const struct csv_table *summary,
                  struct dv_error *error_out);

#endif
