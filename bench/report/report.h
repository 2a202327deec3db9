/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a run: what was measured, on what, next to what the article found.
 *
 * Place in the data flow: RUN/summary.csv, RUN/run.json, RUN/plots/ -> RUN/report.md and RUN/report.html. */
#ifndef DVBENCH_REPORT_H
#define DVBENCH_REPORT_H

#include "dv.h"

/* Writes RUN/report.md, which shows the pictures of RUN/plots/, and RUN/report.html with the same content and
 * the pictures inside. Every value is escaped. What the run lacks (run.json, pictures, rates) is left out and
 * said. Files appear whole or not at all. Returns 0, the code of run_dir_load, DV_ERROR_IO or
 * DV_ERROR_MEMORY. */
int report_write(const char *run_dir, struct dv_error *error_out);

#endif
