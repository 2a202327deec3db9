/* SPDX-License-Identifier: Apache-2.0 */
#include "report_model.h"

#include <math.h>
#include <string.h>

#include "cost_model.h"
#include "report_numbers.h"

#define N(value) report_number((value), (char[32]){0}, 32)

static bool is_first_of_kernel(const struct csv_table *table, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(csv_text(table, i, CSV_summary_kernel), csv_text(table, row, CSV_summary_kernel)) == 0)
            return false;
    return true;
}

int report_model(const struct report_text *text, const struct csv_table *summary, struct dv_error *error_out)
{
    static const char *const headers[] = {"kernel", "vectors", "median error", "worst error", "used"};
    report_heading(text, 2, "A cost model, and how far off it is");
    report_paragraph(
        text,
        "Nanoseconds per row (the first sink, batch size and mode of the run) as a sum of a constant, the "
        "shares of chunks that are arrays (times the logarithm of the deletes in one), bitsets and runs, "
        "and the deletion rate, by least squares. The errors are those on the vector that each fit left "
        "out. Off by more than 20 %% in the median, or on fewer than 7 vectors, it is not used.");
    report_table_begin(text, headers, 5);
    for (size_t row = 0; row < csv_n_rows(summary); row++) {
        struct cost_model model;
        if (!is_first_of_kernel(summary, row))
            continue;
        int status =
            cost_model_fit(&model, summary, 0, csv_text(summary, row, CSV_summary_kernel), error_out);
        if (status < 0)
            return status;
        char n[24], median[40], worst[40];
        snprintf(n, sizeof n, "%zu", model.n_vectors);
        snprintf(median, sizeof median, "%s%s", N(model.median_pct), isnan(model.median_pct) ? "" : " %");
        snprintf(worst, sizeof worst, "%s%s", N(model.worst_pct), isnan(model.worst_pct) ? "" : " %");
        const char *cells[] = {csv_text(summary, row, CSV_summary_kernel), n, median, worst,
                               model.is_usable ? "yes" : "no"};
        if (model.n_vectors)
            report_table_row(text, cells, 5);
    }
    report_table_end(text);
    return 0;
}
