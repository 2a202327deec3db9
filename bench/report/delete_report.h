/* SPDX-License-Identifier: Apache-2.0 */
/* What three ways to delete cost, from deletes.csv: tables, figures, and after how many scans rewriting pays.
 *
 * Place in the data flow: RUN/deletes.csv -> RUN/plots/deletes_KIND.PATTERN.svg; sections of report.md and
 * .html. */
#ifndef DVBENCH_DELETE_REPORT_H
#define DVBENCH_DELETE_REPORT_H

#include "csv.h"
#include "figure_style.h"
#include "report_text.h"

/* Draws five figures for each pattern of the run. Returns 0, the code of run_dir_load,
 * DV_ERROR_UNAVAILABLE (no gnuplot), DV_ERROR_IO. */
int delete_figures_draw(const char *run_dir, const struct figure_style *style, struct dv_error *error_out);

/* Three sentences and the first figure. */
void delete_report_open(const struct report_text *text, const char *run_dir, const struct csv_table *deletes);

/* Each pattern's tables and crossovers, the other figures that the run has, and the published directions. */
void delete_report_write(const struct report_text *text, const char *run_dir,
                         const struct csv_table *deletes);

#endif
