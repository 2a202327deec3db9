/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_find.h"
#include "cell_name.h"
#include "figure_pairs.h"

/* Whether `part`, up to ':' or its end, is one of the parts of `spec`. */
static bool has_part(const char *spec, const char *part, size_t n_bytes)
{
    for (; *spec; spec += *spec == ':') {
        size_t n_here = strcspn(spec, ":");
        if (n_here == n_bytes && strncmp(spec, part, n_bytes) == 0)
            return true;
        spec += n_here;
    }
    return false;
}

static bool matches_dv(const char *spec, const char *asked)
{
    if (strcmp(spec, asked) == 0)
        return true;
    size_t n_recipe = strcspn(asked, ":");
    if (strncmp(spec, asked, n_recipe) != 0 || (spec[n_recipe] != ':' && spec[n_recipe] != '\0'))
        return false;
    for (const char *part = asked + n_recipe; *part == ':';) {
        size_t n_bytes = strcspn(++part, ":");
        if (!has_part(spec, part, n_bytes))
            return false;
        part += n_bytes;
    }
    return true;
}

static bool matches(const struct csv_table *summary, size_t row, const struct cell_name *name)
{
    return strcmp(csv_text(summary, row, CSV_summary_kernel), name->kernel) == 0 &&
           strcmp(csv_text(summary, row, CSV_summary_sink), name->sink) == 0 &&
           (!name->batch || strcmp(csv_text(summary, row, CSV_summary_batch_rows), name->batch) == 0) &&
           (!name->mode || strcmp(csv_text(summary, row, CSV_summary_mode), name->mode) == 0) &&
           matches_dv(csv_text(summary, row, CSV_summary_dv), name->dv);
}

/* How many rows bear the name; the last of them in `row_out`. */
static size_t find_named(const struct csv_table *summary, const struct cell_name *name, size_t *row_out)
{
    size_t n_found = 0;
    for (size_t row = 0; row < csv_n_rows(summary); row++)
        if (matches(summary, row, name)) {
            *row_out = row;
            n_found++;
        }
    return n_found;
}

int cell_find(const struct csv_table *summary, const char *name, size_t *row_out, struct dv_error *error_out)
{
    struct cell_name parsed;
    for (size_t row = 0; row < csv_n_rows(summary); row++)
        if (strcmp(csv_text(summary, row, CSV_summary_cell), name) == 0) {
            *row_out = row;
            return 0;
        }
    char *copy = strdup(name);
    if (!copy)
        return dv_no_memory(error_out);
    const bool is_name = cell_name_parse(&parsed, copy);
    const size_t n_found = is_name ? find_named(summary, &parsed, row_out) : 0;
    free(copy);
    if (n_found == 1)
        return 0;
    if (n_found > 1)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "'%s' means %zu cells: add more of the DV's spec, batch= or mode=", name, n_found);
    return dv_fail(error_out, DV_ERROR_USAGE,
                   "no cell '%s' in this run; give its hash or kernel/sink@dv[,batch=N][,mode=M]", name);
}

static bool is_preset_row(const struct csv_table *summary, size_t row, const char *kernel)
{
    return strcmp(csv_text(summary, row, CSV_summary_kernel), kernel) == 0 &&
           strcmp(csv_text(summary, row, CSV_summary_sink), "row_ids") == 0 &&
           strcmp(csv_text(summary, row, CSV_summary_mode), "stream") == 0 &&
           strcmp(csv_text(summary, row, CSV_summary_axis), "rate") == 0 &&
           strcmp(csv_text(summary, row, CSV_summary_verdict), "ok") == 0;
}

int cell_find_rate(const struct csv_table *summary, const char *kernel, double rate, size_t *row_out,
                   struct dv_error *error_out)
{
    double nearest = INFINITY;
    bool is_found = false;
    for (size_t row = 0; row < csv_n_rows(summary); row++) {
        double distance = figure_pairs_rate_distance(csv_real(summary, row, CSV_summary_rate), rate);
        if (!is_preset_row(summary, row, kernel) || !(distance < nearest))
            continue;
        nearest = distance;
        *row_out = row;
        is_found = true;
    }
    if (is_found)
        return 0;
    return dv_fail(error_out, DV_ERROR_USAGE,
                   "the run has no cell of %s into row_ids at a deletion rate near %g %%", kernel,
                   100 * rate);
}
