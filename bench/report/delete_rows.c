/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_rows.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define NO_ROW SIZE_MAX

static bool is_of(const struct csv_table *deletes, size_t row, const char *pattern, const char *way)
{
    return strcmp(csv_text(deletes, row, CSV_deletes_pattern), pattern) == 0 &&
           strcmp(csv_text(deletes, row, CSV_deletes_way), way) == 0 &&
           strcmp(csv_text(deletes, row, CSV_deletes_verdict), "ok") == 0;
}

static size_t find(const struct csv_table *deletes, const char *pattern, const char *way, double batch)
{
    size_t found = NO_ROW;
    for (size_t row = 0; row < csv_n_rows(deletes); row++)
        if (is_of(deletes, row, pattern, way) &&
            (batch >= 0 ? csv_real(deletes, row, CSV_deletes_batch) == batch
                        : !isnan(csv_real(deletes, row, CSV_deletes_count_ms))))
            found = row;
    return found;
}

double delete_value(const struct csv_table *deletes, const char *pattern, const char *way, double batch,
                    enum csv_column column)
{
    const size_t row = find(deletes, pattern, way, batch);
    return row == NO_ROW ? NAN : csv_real(deletes, row, column);
}

double delete_sum(const struct csv_table *deletes, const char *pattern, const char *way,
                  enum csv_column column)
{
    double total = 0;
    size_t n = 0;
    for (size_t row = 0; row < csv_n_rows(deletes); row++)
        if (is_of(deletes, row, pattern, way) && csv_real(deletes, row, CSV_deletes_batch) > 0) {
            total += csv_real(deletes, row, column);
            n++;
        }
    return n ? total : NAN;
}

bool delete_is_first(const struct csv_table *deletes, size_t row)
{
    for (size_t before = 0; before < row; before++)
        if (strcmp(csv_text(deletes, before, CSV_deletes_pattern),
                   csv_text(deletes, row, CSV_deletes_pattern)) == 0)
            return false;
    return true;
}

static double ms_per_batch(const struct csv_table *deletes, const char *pattern, const char *way)
{
    return delete_sum(deletes, pattern, way, CSV_deletes_delete_ms) /
           csv_real(deletes, 0, CSV_deletes_batches);
}

double delete_crossover(const struct csv_table *deletes, const char *pattern, enum csv_column read)
{
    const double saved = delete_value(deletes, pattern, "v3", DELETE_LAST_READ, read) -
                         delete_value(deletes, pattern, "cow", DELETE_LAST_READ, read),
                 extra = ms_per_batch(deletes, pattern, "cow") - ms_per_batch(deletes, pattern, "v3");
    if (isnan(saved) || isnan(extra))
        return NAN;
    return saved > 0 ? extra / saved : INFINITY;
}

/* --- figures --- */

#define PER_BATCH "batch of deletes"
#define PER_SCANS "scans of the table after each batch of deletes"

const struct delete_figure delete_figures[] = {
    {"deletes_time", "What does a batch of deletes cost?", PER_BATCH, "milliseconds to delete, flushed",
     DELETE_OVER_BATCHES, CSV_deletes_delete_ms, 1},
    {"deletes_bytes", "How much does a batch of deletes write?", PER_BATCH, "kilobytes written",
     DELETE_OVER_BATCHES, CSV_deletes_bytes_written, 1e3},
    {"deletes_scan", "What does a scan of one column cost after the deletes?", "batches deleted before",
     "milliseconds of the scan, loading included", DELETE_OVER_BATCHES, CSV_deletes_scan1_ms, 1},
    {"deletes_total1", "After how many scans of one column has rewriting paid for itself?", PER_SCANS,
     "milliseconds per batch, its scans included", DELETE_OVER_SCANS, CSV_deletes_scan1_ms, 1},
    {"deletes_total9", "After how many scans of nine columns has rewriting paid for itself?", PER_SCANS,
     "milliseconds per batch, its scans included", DELETE_OVER_SCANS, CSV_deletes_scan9_ms, 1},
};
const size_t delete_n_figures = sizeof delete_figures / sizeof *delete_figures;

static const double scan_counts[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

size_t delete_figure_n_points(const struct delete_figure *figure, const struct csv_table *deletes)
{
    return figure->kind == DELETE_OVER_SCANS ? sizeof scan_counts / sizeof *scan_counts : csv_n_rows(deletes);
}

bool delete_figure_point(const struct delete_figure *figure, const struct csv_table *deletes,
                         const char *pattern, const char *way, size_t i, double *x_out, double *y_out)
{
    if (figure->kind == DELETE_OVER_SCANS) {
        *x_out = scan_counts[i];
        *y_out = ms_per_batch(deletes, pattern, way) +
                 scan_counts[i] * delete_value(deletes, pattern, way, DELETE_LAST_READ, figure->column);
    } else {
        if (!is_of(deletes, i, pattern, way))
            return false;
        *x_out = csv_real(deletes, i, CSV_deletes_batch);
        *y_out = csv_real(deletes, i, figure->column) / figure->unit;
    }
    return !isnan(*y_out);
}
