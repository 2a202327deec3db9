/* SPDX-License-Identifier: Apache-2.0 */
#include "report_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cost_model.h"
#include "references.h"
#include "report_numbers.h"

#define N(value) report_number((value), (char[32]){0}, 32)

static bool is_first_of_kernel(const struct csv_table *table, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(csv_text(table, i, CSV_summary_kernel), csv_text(table, row, CSV_summary_kernel)) == 0)
            return false;
    return true;
}

static const char *percent(double value, char text_out[40])
{
    snprintf(text_out, 40, "%s%s", N(value), isnan(value) ? "" : " %");
    return text_out;
}

static const char *count(size_t n, char text_out[24])
{
    snprintf(text_out, 24, "%zu", n);
    return text_out;
}

static int write_fitted(const struct report_text *text, const struct csv_table *summary,
                        struct dv_error *error_out)
{
    static const char *const headers[] = {"kernel", "vectors", "median error", "worst error", "used"};
    report_table_begin(text, headers, 5);
    for (size_t row = 0; row < csv_n_rows(summary); row++) {
        struct cost_model model;
        if (!is_first_of_kernel(summary, row))
            continue;
        int status =
            cost_model_fit(&model, summary, 0, csv_text(summary, row, CSV_summary_kernel), error_out);
        if (status < 0)
            return status;
        const char *cells[] = {csv_text(summary, row, CSV_summary_kernel),
                               count(model.n_vectors, (char[24]){0}),
                               percent(model.median_pct, (char[40]){0}),
                               percent(model.worst_pct, (char[40]){0}), model.is_usable ? "yes" : "no"};
        if (model.n_vectors)
            report_table_row(text, cells, 5);
    }
    report_table_end(text);
    return 0;
}

/* --- the models of what was recorded of this machine, on the vectors of this run --- */

static int write_trial(const struct report_text *text, const struct csv_table *reference, size_t like,
                       const struct csv_table *summary, const char *kernel, size_t *n_written,
                       struct dv_error *error_out)
{
    static const char *const headers[] = {"kernel",      "vectors not fitted", "median error",
                                          "worst error", "cannot tell",        "used"};
    struct cost_model model;
    struct cost_model_trial trial = {0};
    size_t *rows = calloc(csv_n_rows(summary) + 1, sizeof *rows);
    int status = rows ? cost_model_fit(&model, reference, like, kernel, error_out) : dv_no_memory(error_out);
    if (status == 0)
        status = cost_model_try(&trial, &model, summary, rows, cost_model_rows(rows, summary, 0, kernel),
                                error_out);
    free(rows);
    if (status < 0 || trial.n_vectors + trial.n_outside == 0)
        return status;
    if ((*n_written)++ == 0) {
        report_paragraph(
            text,
            "The models fitted to run %s, recorded on this machine, against the vectors of this "
            "run that it does not have. Cannot tell: the file has fewer rows than a batch, or "
            "the vector lies outside of what was fitted. Off by more than 20 %% in the median in "
            "either way, a model is not used.",
            csv_text(reference, like, CSV_summary_run));
        report_table_begin(text, headers, 6);
    }
    const char *cells[] = {kernel,
                           count(trial.n_vectors, (char[24]){0}),
                           percent(trial.median_pct, (char[40]){0}),
                           percent(trial.worst_pct, (char[40]){0}),
                           count(trial.n_outside, (char[24]){0}),
                           model.is_usable && trial.is_usable ? "yes" : "no"};
    report_table_row(text, cells, 6);
    return 0;
}

static int write_trials(const struct report_text *text, const struct csv_table *reference,
                        const struct csv_table *summary, struct dv_error *error_out)
{
    const size_t like = cost_model_find_like(reference, summary, 0);
    size_t n_written = 0;
    int status = 0;
    for (size_t row = 0; status == 0 && like != COST_MODEL_NO_ROW && row < csv_n_rows(summary); row++)
        if (is_first_of_kernel(summary, row))
            status = write_trial(text, reference, like, summary, csv_text(summary, row, CSV_summary_kernel),
                                 &n_written, error_out);
    if (n_written)
        report_table_end(text);
    return status;
}

int report_model(const struct report_text *text, const struct csv_table *summary, struct dv_error *error_out)
{
    struct references references;
    report_heading(text, 2, "A cost model, and how far off it is");
    report_paragraph(
        text,
        "Nanoseconds per row (the first sink, batch size and mode of the run) by least squares: a sum of a "
        "constant, the depth of the search for a container (log2 of their number), the share of bitsets, the "
        "depth of the search within arrays and runs, the values and runs in these, the deletes in bitsets, "
        "and the deletion rate. The errors are those on the vector that each fit left out. Off by more than "
        "20 %% in the median, or on fewer than 9 vectors, it is not used.");
    int status = write_fitted(text, summary, error_out);
    references_read(&references, CSV_FILE_summary);
    for (size_t i = 0; status == 0 && i < references.n_tables && csv_n_rows(summary); i++)
        status = write_trials(text, references.tables[i], summary, error_out);
    references_free(&references);
    return status;
}
