/* SPDX-License-Identifier: Apache-2.0 */
/* The answer that a report opens with: what costs what here, what to use, how sure that is.
 *
 * Place in the data flow: summary.csv -> three sentences of the report. */
#ifndef DVBENCH_REPORT_ANSWER_H
#define DVBENCH_REPORT_ANSWER_H

#include "csv.h"
#include "report_text.h"

/* Of the first machine of the run, its first sink, batch size and mode; a sentence for which there are no
 * numbers says that it cannot tell. */
void report_answer(const struct report_text *text, const struct csv_table *summary,
                   const struct csv_table *counters);

#endif
