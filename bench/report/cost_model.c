/* SPDX-License-Identifier: Apache-2.0 */
#include "cost_model.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_rows.h"
#include "report_numbers.h"
#include "stats.h"

enum { LEAST_VECTORS = COST_MODEL_N + 2 };
static const double most_error_pct = 20;
/* Keeps a feature that no vector has, such as run containers, from making the equations singular. */
static const double ridge = 1e-9;

struct point {
    double features[COST_MODEL_N];
    double cost;
};

/* What the serialized bytes leave to arrays and runs. An array has 2 bytes per value, a run container 2 and 4 per run;
 * where a vector has both, each container gets the same share: run containers are made where they are smaller. */
static void count_values(const struct csv_table *table, size_t row, double *array_out, double *run_out)
{
    const double n_arrays = csv_real(table, row, CSV_summary_array_containers),
                 n_bitsets = csv_real(table, row, CSV_summary_bitset_containers),
                 n_runs = csv_real(table, row, CSV_summary_run_containers);
    const double n_bytes = report_body_bytes(table, row) - DV_BITSET_BYTES * n_bitsets - 2 * n_runs;
    const double n_each = n_arrays + n_runs > 0 ? fmax(0, n_bytes) / (n_arrays + n_runs) : 0;
    *array_out = n_arrays > 0 ? n_each / 2 : 0;
    *run_out = n_runs > 0 ? n_each / 4 : 0;
}

static void make_features(double features[COST_MODEL_N], const struct csv_table *table, size_t row)
{
    const double n_arrays = csv_real(table, row, CSV_summary_array_containers),
                 n_bitsets = csv_real(table, row, CSV_summary_bitset_containers),
                 n_runs = csv_real(table, row, CSV_summary_run_containers),
                 n_deleted = csv_real(table, row, CSV_summary_deleted),
                 n_rows = fmax(1, csv_real(table, row, CSV_summary_rows)),
                 n_chunks = fmax(1, fmax(n_rows / DV_CHUNK_ROWS, n_arrays + n_bitsets + n_runs));
    double array_values, run_values;
    count_values(table, row, &array_values, &run_values);
    const double bitset_share = n_bitsets > 0 ? n_bitsets / (n_bitsets + n_runs) : 0;
    features[0] = 1;
    features[1] = log2(1 + n_arrays + n_bitsets + n_runs);
    features[2] = n_bitsets / n_chunks;
    features[3] = (n_arrays * log2(1 + array_values) + n_runs * log2(1 + run_values)) / n_chunks;
    features[4] = (n_arrays * array_values + n_runs * run_values) / n_rows;
    features[5] = (n_deleted - n_arrays * array_values) * bitset_share / n_rows;
    features[6] = n_deleted / n_rows;
}

static double multiply(const double coefficients[COST_MODEL_N], const double features[COST_MODEL_N])
{
    double sum = 0;
    for (int i = 0; i < COST_MODEL_N; i++)
        sum += coefficients[i] * features[i];
    return sum;
}

struct equations {
    double of[COST_MODEL_N][COST_MODEL_N + 1];
};

/* Gauss-Jordan; with the ridge the equations are positive definite, so that no row needs to be exchanged. It is added
 * last: taken out with a point it would be rounded away. */
static void solve(struct equations equations, double solution[COST_MODEL_N])
{
    double(*of)[COST_MODEL_N + 1] = equations.of;
    for (int i = 0; i < COST_MODEL_N; i++)
        of[i][i] += ridge;
    for (int i = 0; i < COST_MODEL_N; i++)
        for (int row = 0; row < COST_MODEL_N; row++) {
            const double factor = of[row][i] / of[i][i];
            for (int column = i; row != i && column <= COST_MODEL_N; column++)
                of[row][column] -= factor * of[i][column];
        }
    for (int i = 0; i < COST_MODEL_N; i++)
        solution[i] = of[i][COST_MODEL_N] / of[i][i];
}

/* With sign 1 into the normal equations, with -1 out of them again. Divided by its cost: errors count as shares. */
static void add_point(struct equations *equations, const struct point *point, double sign)
{
    for (int i = 0; i < COST_MODEL_N; i++) {
        const double weighted = sign * point->features[i] / point->cost;
        for (int j = 0; j < COST_MODEL_N; j++)
            equations->of[i][j] += weighted * point->features[j] / point->cost;
        equations->of[i][COST_MODEL_N] += weighted;
    }
}

static const enum csv_column same[] = {CSV_summary_machine, CSV_summary_croaring, CSV_summary_sink,
                                       CSV_summary_batch_rows, CSV_summary_mode};

static bool is_alike(const struct csv_table *table, size_t row, const struct csv_table *other, size_t like)
{
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(csv_text(table, row, same[i]), csv_text(other, like, same[i])) != 0)
            return false;
    return true;
}

size_t cost_model_find_like(const struct csv_table *reference, const struct csv_table *table, size_t like)
{
    for (size_t row = 0; row < csv_n_rows(reference); row++)
        if (is_alike(reference, row, table, like))
            return row;
    return COST_MODEL_NO_ROW;
}

size_t cost_model_rows(size_t *rows_out, const struct csv_table *table, size_t like, const char *kernel)
{
    size_t n = 0;
    for (size_t row = 0; row < csv_n_rows(table); row++)
        if (is_alike(table, row, table, like) &&
            strcmp(csv_text(table, row, CSV_summary_kernel), kernel) == 0 &&
            strcmp(csv_text(table, row, CSV_summary_verdict), "ok") == 0 &&
            figure_row_cost(table, row, NULL) > 0)
            rows_out[n++] = row;
    return n;
}

static struct point point_of(const struct csv_table *table, size_t row)
{
    struct point point = {.cost = figure_row_cost(table, row, NULL)};
    make_features(point.features, table, row);
    return point;
}

/* Each point is predicted by a fit that has not seen it. */
static void try_out(struct cost_model *model, const struct equations *all, const struct point *points,
                    double *errors)
{
    double coefficients[COST_MODEL_N];
    for (size_t i = 0; i < model->n_vectors; i++) {
        struct equations others = *all;
        add_point(&others, &points[i], -1);
        solve(others, coefficients);
        errors[i] = 100 * fabs(multiply(coefficients, points[i].features) / points[i].cost - 1);
        model->worst_pct = fmax(model->worst_pct, errors[i]);
    }
    model->median_pct = stats_median(errors, model->n_vectors);
    model->is_usable = model->median_pct <= most_error_pct;
}

static void note_range(struct cost_model *model, const struct point *points)
{
    for (int i = 0; i < COST_MODEL_N; i++) {
        model->least[i] = INFINITY;
        model->most[i] = -INFINITY;
        for (size_t p = 0; p < model->n_vectors; p++) {
            model->least[i] = fmin(model->least[i], points[p].features[i]);
            model->most[i] = fmax(model->most[i], points[p].features[i]);
        }
    }
}

int cost_model_fit(struct cost_model *model_out, const struct csv_table *summary, size_t like,
                   const char *kernel, struct dv_error *error_out)
{
    const size_t n_rows = csv_n_rows(summary);
    struct point *points = calloc(n_rows + 1, sizeof *points);
    double *errors = calloc(n_rows + 1, sizeof *errors);
    size_t *rows = calloc(n_rows + 1, sizeof *rows);
    *model_out = (struct cost_model){.median_pct = NAN,
                                     .worst_pct = NAN,
                                     .fitted = summary,
                                     .batch_rows = csv_real(summary, like, CSV_summary_batch_rows)};
    int status = points && errors && rows ? 0 : dv_no_memory(error_out);
    if (status == 0)
        model_out->n_vectors = cost_model_rows(rows, summary, like, kernel);
    for (size_t i = 0; i < model_out->n_vectors; i++)
        points[i] = point_of(summary, rows[i]);
    if (status == 0 && model_out->n_vectors >= LEAST_VECTORS) {
        struct equations all = {{{0}}};
        for (size_t i = 0; i < model_out->n_vectors; i++)
            add_point(&all, &points[i], 1);
        model_out->worst_pct = 0;
        solve(all, model_out->coefficients);
        try_out(model_out, &all, points, errors);
        note_range(model_out, points);
    }
    free(points);
    free(errors);
    free(rows);
    return status;
}

double cost_model_predict(const struct cost_model *model, const struct csv_table *table, size_t row)
{
    enum { SLACK = 1000 }; /* of the range: the same vector with another seed is within it */
    const struct point point = point_of(table, row);
    bool is_inside = csv_real(table, row, CSV_summary_rows) >= model->batch_rows;
    for (int i = 0; i < COST_MODEL_N; i++) {
        const double slack = (model->most[i] - model->least[i]) / SLACK;
        is_inside = is_inside && point.features[i] >= model->least[i] - slack &&
                    point.features[i] <= model->most[i] + slack;
    }
    const double predicted = multiply(model->coefficients, point.features);
    return is_inside && predicted > 0 ? predicted : NAN;
}

/* The vectors of the table, as the keys of an object; NULL without memory. */
static json_t *vectors_of(const struct csv_table *table)
{
    json_t *vectors = json_object();
    for (size_t row = 0; vectors && row < csv_n_rows(table); row++)
        if (json_object_set_new_nocheck(vectors, csv_text(table, row, CSV_summary_dv), json_true()) < 0) {
            json_decref(vectors);
            return NULL;
        }
    return vectors;
}

int cost_model_try(struct cost_model_trial *trial_out, const struct cost_model *model,
                   const struct csv_table *table, const size_t *rows, size_t n_rows,
                   struct dv_error *error_out)
{
    double *errors = calloc(n_rows + 1, sizeof *errors);
    json_t *known = vectors_of(model->fitted);
    *trial_out = (struct cost_model_trial){.median_pct = NAN, .worst_pct = NAN};
    if (!errors || !known) {
        free(errors);
        json_decref(known);
        return dv_no_memory(error_out);
    }
    for (size_t i = 0; i < n_rows; i++) {
        if (json_object_get(known, csv_text(table, rows[i], CSV_summary_dv)))
            continue;
        const double predicted = cost_model_predict(model, table, rows[i]);
        if (isnan(predicted)) {
            trial_out->n_outside++;
            continue;
        }
        const double error = 100 * fabs(predicted / figure_row_cost(table, rows[i], NULL) - 1);
        errors[trial_out->n_vectors++] = error;
        trial_out->worst_pct = fmax(trial_out->worst_pct, error); /* of NAN and a number fmax is the number */
    }
    if (trial_out->n_vectors)
        trial_out->median_pct = stats_median(errors, trial_out->n_vectors);
    trial_out->is_usable = trial_out->median_pct <= most_error_pct;
    free(errors);
    json_decref(known);
    return 0;
}
