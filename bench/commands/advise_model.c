/* SPDX-License-Identifier: Apache-2.0 */
/* The cost model of each kernel, from what was recorded of this machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"

const struct advise_model *advise_model_of(const struct advise *advise, size_t row)
{
    for (size_t i = 0; row != ADVISE_NO_ROW && i < advise->n_models; i++)
        if (strcmp(advise->models[i].kernel, csv_text(advise->costs, row, CSV_summary_kernel)) == 0)
            return advise->models[i].run ? &advise->models[i] : NULL;
    return NULL;
}

double advise_predict(const struct advise *advise, size_t row)
{
    const struct advise_model *model = advise_model_of(advise, row);
    return model && model->model.is_usable ? cost_model_predict(&model->model, advise->costs, row) : NAN;
}

static int fit_kernel(const struct advise *advise, struct advise_model *model,
                      const struct references *references, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < references->n_tables; i++) {
        const struct csv_table *table = references->tables[i];
        struct cost_model fitted;
        const size_t like = cost_model_find_like(table, advise->costs, 0);
        if (like == COST_MODEL_NO_ROW)
            continue;
        status = cost_model_fit(&fitted, table, like, model->kernel, error_out);
        if (status == 0 && (!model->run || fitted.median_pct < model->model.median_pct)) {
            model->model = fitted;
            model->run = csv_text(table, like, CSV_summary_run);
        }
    }
    return status;
}

/* Only the vectors given, not those arranged from them. */
static int try_kernel(const struct advise *advise, struct advise_model *model, struct dv_error *error_out)
{
    size_t n = 0, *rows = calloc(advise->n_vectors + 1, sizeof *rows);
    if (!rows)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < advise->n_vectors; i++) {
        const size_t row = advise_find(advise, advise->vectors[i].spec, model->kernel);
        if (row != ADVISE_NO_ROW)
            rows[n++] = row;
    }
    const int status = cost_model_try(&model->trial, &model->model, advise->costs, rows, n, error_out);
    free(rows);
    return status;
}

static bool is_new(const struct advise *advise, const char *kernel)
{
    for (size_t i = 0; i < advise->n_models; i++)
        if (strcmp(advise->models[i].kernel, kernel) == 0)
            return false;
    return true;
}

int advise_fit(struct advise *advise, const struct references *references, struct dv_error *error_out)
{
    const size_t n_rows = csv_n_rows(advise->costs);
    int status = 0;
    advise->models = calloc(n_rows + 1, sizeof *advise->models);
    if (!advise->models)
        return dv_no_memory(error_out);
    for (size_t row = 0; status == 0 && row < n_rows; row++) {
        const char *kernel = csv_text(advise->costs, row, CSV_summary_kernel);
        if (!is_new(advise, kernel))
            continue;
        struct advise_model *model = &advise->models[advise->n_models++];
        *model = (struct advise_model){.kernel = kernel};
        status = fit_kernel(advise, model, references, error_out);
        if (status == 0 && model->run)
            status = try_kernel(advise, model, error_out);
    }
    return status;
}
