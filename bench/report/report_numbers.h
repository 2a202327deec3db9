/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in a summary that the report and its claims are made of. Nothing is computed here that the harness
 * should have: medians and intervals come from the columns; a ratio of two medians is called that.
 *
 * Place in the data flow: groups of rows (figure_rows.h) -> numbers -> report. */
#ifndef DVBENCH_REPORT_NUMBERS_H
#define DVBENCH_REPORT_NUMBERS_H

#include "csv.h"
#include "figure_rows.h"

#define REPORT_NO_ROW ((size_t)-1)

/* The row of that kernel at the place of the axis within 3 per cent of x; REPORT_NO_ROW where there is
 * none. */
size_t report_find_row(const struct figure_group *group, const struct csv_table *table, const char *kernel,
                       double x);

/* The fastest row at x, of another technique than the row `than` where that is not REPORT_NO_ROW. */
size_t report_find_fastest(const struct figure_group *group, const struct csv_table *table, double x,
                           size_t than);

/* ns per row as figure_row_cost says, NaN for REPORT_NO_ROW. */
double report_cost(const struct csv_table *table, size_t row);

/* Bytes of the containers' bodies, without the headers of a payload that has all positions below 2^32. */
double report_body_bytes(const struct csv_table *table, size_t row);

/* The values along the axis, ascending, each once. The caller frees; NULL without memory or values. */
double *report_axis_values(const struct figure_group *group, size_t *n_out);

/* Three significant digits without exponent, "" for NaN, into `text_out`, which is returned. */
char *report_number(double value, char *text_out, size_t n_text);

#endif
