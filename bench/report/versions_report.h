/* SPDX-License-Identifier: Apache-2.0 */
/* The report and the figures of versions.csv.
 *
 * Place in the data flow: RUN/versions.csv -> RUN/plots/versions.N.svg; sections of report.md and .html. */
#ifndef DVBENCH_VERSIONS_REPORT_H
#define DVBENCH_VERSIONS_REPORT_H

#include "csv.h"
#include "figure_style.h"
#include "report_text.h"

/* Draws one figure for each vector, sink, batch size and mode of the run. Returns 0, the code of run_dir_load,
 * DV_ERROR_UNAVAILABLE (no gnuplot), DV_ERROR_IO. */
int versions_figures_draw(const char *run_dir, const struct figure_style *style, struct dv_error *error_out);

/* What each version wins and loses, then each vector's table and figure. */
void versions_report_write(const struct report_text *text, const char *run_dir,
                           const struct csv_table *versions);

#endif
