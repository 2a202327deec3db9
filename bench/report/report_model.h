/* SPDX-License-Identifier: Apache-2.0 */
/* The report's section of the cost model: how far off it is on vectors that it was not fitted to.
 *
 * Place in the data flow: summary.csv -> cost_model.h -> a table of the report. */
#ifndef DVBENCH_REPORT_MODEL_H
#define DVBENCH_REPORT_MODEL_H

#include "csv.h"
#include "report_text.h"

/* Writes the section; returns 0 or DV_ERROR_MEMORY. */
int report_model(const struct report_text *text, const struct csv_table *summary, struct dv_error *error_out);

#endif
