/* SPDX-License-Identifier: Apache-2.0 */
/* The report's section of key numbers: the fastest kernel and what it gains, per deletion rate and per vector.
 *
 * Place in the data flow: summary.csv -> groups of rows (figure_rows.h) -> tables of the report. */
#ifndef DVBENCH_REPORT_KEY_NUMBERS_H
#define DVBENCH_REPORT_KEY_NUMBERS_H

#include "csv.h"
#include "report_text.h"

/* Writes the section: one row per deletion rate where the run varies it, and one per vector that no axis connects, such
 * as a given file. Returns 0 or DV_ERROR_MEMORY. */
int report_key_numbers(const struct report_text *text, const struct csv_table *summary,
                       struct dv_error *error_out);

#endif
