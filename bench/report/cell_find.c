/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cell_find.h"
#include "cell_name.h"

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
