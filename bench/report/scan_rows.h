/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in scan.csv that its report, claims and figures share.
 *
 * Place in the data flow: scan.csv -> rows by study, vectors, projection, kernel -> scan_report.c, scan_figures.c. */
#ifndef DVBENCH_SCAN_ROWS_H
#define DVBENCH_SCAN_ROWS_H

#include <stdbool.h>

#include "csv.h"

#define SCAN_NO_ROW SIZE_MAX

/* Which rows belong together; NULL and 0 match all. */
struct scan_group {
    const char *study;
    const char *vectors; /* column dv */
    const char *query;
    const char *columns;
    uint64_t n_files;
};

bool scan_row_is_of(const struct csv_table *scan, size_t row, const struct scan_group *group);

/* The first row of the group with that kernel and a time; "fastest": the kernel with the shortest query that is not
 * none, function or engine. SCAN_NO_ROW where there is none. */
size_t scan_find_row(const struct csv_table *scan, const struct scan_group *group, const char *kernel);

/* The number in that row; NaN of an empty cell and of SCAN_NO_ROW. */
double scan_value(const struct csv_table *scan, size_t row, enum csv_column column);

/* Per cent by which a query of that gain is shorter: 50 of a gain of 2. */
double scan_shorter_pct(double gain);

/* From which number of int columns on `column` (the share, or an end of its interval, in per cent) of `kernel` is below
 * `limit_pct`: between two widths that were measured a straight line of their logarithms. NaN where it is not. */
double scan_break_even(const struct csv_table *scan, const struct scan_group *group, const char *kernel,
                       double limit_pct, enum csv_column column);

/* Whether `row` is the first with its text in `column` among the rows of the group. */
bool scan_is_first(const struct csv_table *scan, const struct scan_group *group, size_t row,
                   enum csv_column column);

/* The group of one picture and table: a study, and where it varies columns, one kind of vectors. */
struct scan_group scan_group_of(const struct csv_table *scan, size_t row);

/* The number of the row's group within its study, from 1: its picture is plots/scan_STUDY.NUMBER. */
unsigned scan_group_number(const struct csv_table *scan, size_t row);

#endif
