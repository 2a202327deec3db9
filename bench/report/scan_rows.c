/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_rows.h"

#include <math.h>
#include <string.h>

static bool matches(const char *wanted, const char *text)
{
    return !wanted || strcmp(wanted, text) == 0;
}

bool scan_row_is_of(const struct csv_table *scan, size_t row, const struct scan_group *group)
{
    uint64_t n_files = 0;
    (void)csv_unsigned(scan, row, CSV_scan_files, &n_files);
    return matches(group->study, csv_text(scan, row, CSV_scan_study)) &&
           matches(group->vectors, csv_text(scan, row, CSV_scan_dv)) &&
           matches(group->query, csv_text(scan, row, CSV_scan_query)) &&
           matches(group->columns, csv_text(scan, row, CSV_scan_columns)) &&
           (group->n_files == 0 || group->n_files == n_files);
}

static bool has_vector(const char *kernel)
{
    return strcmp(kernel, "none") != 0 && strcmp(kernel, "function") != 0 && strcmp(kernel, "engine") != 0;
}

size_t scan_find_row(const struct csv_table *scan, const struct scan_group *group, const char *kernel)
{
    const bool is_fastest = strcmp(kernel, "fastest") == 0;
    size_t found = SCAN_NO_ROW;
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        const char *id = csv_text(scan, row, CSV_scan_kernel);
        if (!scan_row_is_of(scan, row, group) || strcmp(csv_text(scan, row, CSV_scan_verdict), "ok") != 0 ||
            (is_fastest ? !has_vector(id) : strcmp(id, kernel) != 0))
            continue;
        if (!is_fastest)
            return row;
        if (found == SCAN_NO_ROW ||
            csv_real(scan, row, CSV_scan_ns_per_row) < csv_real(scan, found, CSV_scan_ns_per_row))
            found = row;
    }
    return found;
}

double scan_value(const struct csv_table *scan, size_t row, enum csv_column column)
{
    return row == SCAN_NO_ROW ? NAN : csv_real(scan, row, column);
}

double scan_shorter_pct(double gain)
{
    return 100 * (1 - 1 / gain);
}

static bool is_of_ints(const char *columns)
{
    const char *type = columns + strspn(columns, "0123456789");
    return type > columns && strcmp(type, "int") == 0;
}

/* The row of the narrowest query over more than `width` int columns: rows stand as they were asked for, and other studies
 * have narrow queries again. */
static size_t next_wider(const struct csv_table *scan, const struct scan_group *group, const char *kernel,
                         double width, enum csv_column column)
{
    size_t found = SCAN_NO_ROW;
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        const double width_here = csv_real(scan, row, CSV_scan_n_columns);
        if (!scan_row_is_of(scan, row, group) || strcmp(csv_text(scan, row, CSV_scan_kernel), kernel) != 0 ||
            !is_of_ints(csv_text(scan, row, CSV_scan_columns)) || isnan(csv_real(scan, row, column)))
            continue;
        if (width_here > width &&
            (found == SCAN_NO_ROW || width_here < csv_real(scan, found, CSV_scan_n_columns)))
            found = row;
    }
    return found;
}

double scan_break_even(const struct csv_table *scan, const struct scan_group *group, const char *kernel,
                       double limit_pct, enum csv_column column)
{
    double width_before = 0, share_before = NAN;
    for (size_t row; (row = next_wider(scan, group, kernel, width_before, column)) != SCAN_NO_ROW;) {
        const double width = csv_real(scan, row, CSV_scan_n_columns), share = csv_real(scan, row, column);
        if (share < limit_pct)
            return isnan(share_before)
                       ? width
                       : width_before * pow(width / width_before,
                                            log(share_before / limit_pct) / log(share_before / share));
        width_before = width;
        share_before = share;
    }
    return NAN;
}

bool scan_is_first(const struct csv_table *scan, const struct scan_group *group, size_t row,
                   enum csv_column column)
{
    if (!scan_row_is_of(scan, row, group))
        return false;
    for (size_t before = 0; before < row; before++)
        if (scan_row_is_of(scan, before, group) &&
            strcmp(csv_text(scan, before, column), csv_text(scan, row, column)) == 0)
            return false;
    return true;
}

struct scan_group scan_group_of(const struct csv_table *scan, size_t row)
{
    const bool varies_columns = strcmp(csv_text(scan, row, CSV_scan_axis), "columns") == 0;
    return (struct scan_group){.study = csv_text(scan, row, CSV_scan_study),
                               .vectors = varies_columns ? csv_text(scan, row, CSV_scan_dv) : NULL};
}

unsigned scan_group_number(const struct csv_table *scan, size_t row)
{
    const struct scan_group group = scan_group_of(scan, row), study = {.study = group.study};
    unsigned number = 0;
    for (size_t at = 0; group.vectors && at <= row; at++) {
        number += scan_is_first(scan, &study, at, CSV_scan_dv);
        if (scan_row_is_of(scan, at, &group))
            break;
    }
    return group.vectors ? number : 1;
}
