/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of `deletes` says in three sentences.
 *
 * Place in the data flow: deletes.csv -> the first lines of the report. */
#ifndef DVBENCH_DELETE_ANSWER_H
#define DVBENCH_DELETE_ANSWER_H

#include "csv.h"
#include "report_text.h"

/* Of the first pattern: what deleting and reading cost, when to rewrite, how sure that is; "cannot tell"
 * without the times of cow and v3. Of the study of batches, how loading grows and where compacting pays;
 * of that of sizes, the smallest and the largest file. */
void delete_answer(const struct report_text *text, const struct csv_table *deletes);

#endif
