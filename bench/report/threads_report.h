/* SPDX-License-Identifier: Apache-2.0 */
/* What several threads at once make of the same cells.
 *
 * Place in the data flow: threads.csv -> threads_report -> a section of report.md and report.html. */
#ifndef DVBENCH_THREADS_REPORT_H
#define DVBENCH_THREADS_REPORT_H

#include "csv.h"
#include "report_text.h"

/* For each mode one computed sentence, then a table: a row per kernel and sink, a column per number of threads. Nothing where
 * `threads` is NULL. */
void threads_report_write(const struct report_text *text, const struct csv_table *threads);

#endif
