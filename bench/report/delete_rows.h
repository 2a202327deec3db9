/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of deletes.csv by pattern, way and batch, and the points of its figures.
 *
 * Place in the data flow: deletes.csv -> a number, a figure's point -> delete_report.c, delete_figures.c. */
#ifndef DVBENCH_DELETE_ROWS_H
#define DVBENCH_DELETE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "csv.h"

enum { DELETE_LAST_READ = -1 }; /* in place of a batch: the last one whose reads were timed */

/* NaN where no row is ok or the cell is empty. */
double delete_value(const struct csv_table *deletes, const char *pattern, const char *way, double batch,
                    enum csv_column column);

/* Of all batches; NaN where one lacks the number, since the sum is not known then. */
double delete_sum(const struct csv_table *deletes, const char *pattern, const char *way,
                  enum csv_column column);

/* Whether no row before has that pattern. */
bool delete_is_first(const struct csv_table *deletes, size_t row);

/* Scans per batch of deletes after which cow has paid for itself against v3: NaN where a number lacks, 0 or less where
 * at once, infinity where a scan of cow's table is not faster. `read` is the column of the scan. */
double delete_crossover(const struct csv_table *deletes, const char *pattern, enum csv_column read);

enum delete_figure_kind { DELETE_OVER_BATCHES, DELETE_OVER_SCANS };

/* One kind of picture; there is one per pattern. */
struct delete_figure {
    const char *id;       /* plots/ID.PATTERN.svg */
    const char *question; /* its title */
    const char *x, *y;    /* what the axes are */
    enum delete_figure_kind kind;
    enum csv_column column; /* over scans: the column of the scan */
    double unit;            /* what a number of the column is divided by */
};

extern const struct delete_figure delete_figures[];
extern const size_t delete_n_figures;

/* How many points a way may have; the point number `i` of them, false where it has none. */
size_t delete_figure_n_points(const struct delete_figure *figure, const struct csv_table *deletes);
bool delete_figure_point(const struct delete_figure *figure, const struct csv_table *deletes,
                         const char *pattern, const char *way, size_t i, double *x_out, double *y_out);

#endif
