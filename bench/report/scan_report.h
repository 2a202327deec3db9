/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a report and the figures that come from scan.csv.
 *
 * Place in the data flow: RUN/scan.csv -> RUN/plots/scan_STUDY.svg; tables, sentences and claims in report.md and .html. */
#ifndef DVBENCH_SCAN_REPORT_H
#define DVBENCH_SCAN_REPORT_H

#include <stdbool.h>

#include "csv.h"
#include "figure_style.h"
#include "report_text.h"

/* Draws one figure per study and vector of the run; `format` is svg, png or pdf. Returns 0, the code of run_dir_load,
 * DV_ERROR_UNAVAILABLE (no gnuplot), DV_ERROR_IO. */
int scan_figures_draw(const char *run_dir, const struct figure_style *style, struct dv_error *error_out);

/* The three sentences and their figure. */
void scan_report_open(const struct report_text *text, const char *run_dir, const struct csv_table *scan);

/* Writes the sections: the article's claims, then each study's table, sentence and figures. */
void scan_report_write(const struct report_text *text, const char *run_dir, const struct csv_table *scan);

#endif
