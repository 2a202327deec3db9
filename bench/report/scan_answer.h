/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of `scan` says in three sentences, and the figure that shows it.
 *
 * Place in the data flow: scan.csv -> the first lines of the report. */
#ifndef DVBENCH_SCAN_ANSWER_H
#define DVBENCH_SCAN_ANSWER_H

#include "csv.h"
#include "report_text.h"

/* The row of per_row with the largest share of its query: the picture of its group opens the report. SCAN_NO_ROW where
 * no share is known. */
size_t scan_answer_row(const struct csv_table *scan);

/* What the vectors cost, which kernel to use, how sure that is; "cannot tell" where per_row has no time. */
void scan_answer(const struct report_text *text, const struct csv_table *scan);

#endif
