/* SPDX-License-Identifier: Apache-2.0 */
#include "report_numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 0.03

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) <= TOLERANCE * fabs(wanted);
}

double report_cost(const struct csv_table *table, size_t row)
{
    return row == REPORT_NO_ROW ? NAN : figure_row_cost(table, row, NULL);
}

/* RoaringFormatSpec: 12 bytes for buckets and key; a cookie, key and cardinality per container, and offsets but where there
 * are runs in fewer than 4. An empty vector has no bucket. */
double report_body_bytes(const struct csv_table *table, size_t row)
{
    const double n_runs = csv_real(table, row, CSV_summary_run_containers),
                 n_all = csv_real(table, row, CSV_summary_array_containers) +
                         csv_real(table, row, CSV_summary_bitset_containers) + n_runs;
    const double n_header =
        12 + (n_runs > 0 ? 4 + ceil(n_all / 8) : 8) + 4 * n_all + (n_runs == 0 || n_all >= 4 ? 4 * n_all : 0);
    return n_all > 0 ? csv_real(table, row, CSV_summary_dv_bytes) - n_header : 0;
}

size_t report_find_row(const struct figure_group *group, const struct csv_table *table, const char *kernel,
                       double x)
{
    size_t best = REPORT_NO_ROW;
    double best_distance = INFINITY;
    for (size_t i = 0; i < group->n_points; i++) {
        const struct figure_point *point = &group->points[i];
        double distance = fabs(point->x - x);
        if (is_near(point->x, x) && distance < best_distance &&
            strcmp(csv_text(table, point->row, CSV_summary_kernel), kernel) == 0) {
            best = point->row;
            best_distance = distance;
        }
    }
    return best;
}

static bool is_rival(const struct csv_table *table, size_t row, size_t than)
{
    return than == REPORT_NO_ROW || strcmp(csv_text(table, row, CSV_summary_technique),
                                           csv_text(table, than, CSV_summary_technique)) != 0;
}

size_t report_find_fastest(const struct figure_group *group, const struct csv_table *table, double x,
                           size_t than)
{
    size_t best = REPORT_NO_ROW;
    for (size_t i = 0; i < group->n_points; i++) {
        const struct figure_point *point = &group->points[i];
        if (point->x == x && (best == REPORT_NO_ROW || point->cost < report_cost(table, best)) &&
            is_rival(table, point->row, than))
            best = point->row;
    }
    return best;
}

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double *report_axis_values(const struct figure_group *group, size_t *n_out)
{
    *n_out = 0;
    double *values = malloc((group->n_points + 1) * sizeof *values);
    if (!values)
        return NULL;
    for (size_t i = 0; i < group->n_points; i++)
        values[i] = group->points[i].x;
    qsort(values, group->n_points, sizeof *values, compare_values);
    for (size_t i = 0; i < group->n_points; i++)
        if (*n_out == 0 || values[i] != values[*n_out - 1])
            values[(*n_out)++] = values[i];
    return values;
}

char *report_number(double value, char *text_out, size_t n_text)
{
    double size = fabs(value);
    if (isnan(value))
        snprintf(text_out, n_text, "%s", "");
    else if (size >= 99.95 || size == 0)
        snprintf(text_out, n_text, "%.0f", value);
    else
        snprintf(text_out, n_text, "%.*f",
                 size >= 9.995      ? 1
                 : size >= 0.9995   ? 2
                 : size >= 0.09995  ? 3
                 : size >= 0.000995 ? 4
                                    : (int)(2 - floor(log10(size))),
                 value);
    return text_out;
}
