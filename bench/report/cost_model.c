/* SPDX-License-Identifier: Apache-2.0 */
#include "cost_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_rows.h"
#include "stats.h"

enum { LEAST_VECTORS = COST_MODEL_N + 2 };
static const double most_error_pct = 20;
/* Keeps a feature that no vector has, such as run containers, from making the equations singular. */
static const double ridge = 1e-9;

struct point {
    double features[COST_MODEL_N];
    double cost;
};

static void make_features(double features[COST_MODEL_N], const struct cost_model_vector *vector)
{
    const double n_chunks = fmax(1, vector->n_rows / DV_CHUNK_ROWS);
    double n_all = 0;
    for (int kind = 0; kind < DV_N_KINDS; kind++)
        n_all += vector->n_containers[kind];
    features[0] = 1;
    features[1] = vector->n_containers[DV_ARRAY] / n_chunks * log2(1 + vector->n_deleted / fmax(1, n_all));
    features[2] = vector->n_containers[DV_BITSET] / n_chunks;
    features[3] = vector->n_containers[DV_RUN] / n_chunks;
    features[4] = vector->n_rows > 0 ? vector->n_deleted / vector->n_rows : 0;
}

static double multiply(const double coefficients[COST_MODEL_N], const double features[COST_MODEL_N])
{
    double sum = 0;
    for (int i = 0; i < COST_MODEL_N; i++)
        sum += coefficients[i] * features[i];
    return sum;
}

/* Gauss-Jordan; the equations are positive definite, so that no row needs to be exchanged. */
static void solve(double equations[COST_MODEL_N][COST_MODEL_N + 1], double solution[COST_MODEL_N])
{
    for (int i = 0; i < COST_MODEL_N; i++)
        for (int row = 0; row < COST_MODEL_N; row++) {
            const double factor = equations[row][i] / equations[i][i];
            for (int column = i; row != i && column <= COST_MODEL_N; column++)
                equations[row][column] -= factor * equations[i][column];
        }
    for (int i = 0; i < COST_MODEL_N; i++)
        solution[i] = equations[i][COST_MODEL_N] / equations[i][i];
}

/* Normal equations of all points but `left_out`, each divided by its cost: errors count as shares. */
static void fit(double coefficients[COST_MODEL_N], const struct point *points, size_t n, size_t left_out)
{
    double equations[COST_MODEL_N][COST_MODEL_N + 1] = {{0}};
    for (int i = 0; i < COST_MODEL_N; i++)
        equations[i][i] = ridge;
    for (size_t p = 0; p < n; p++)
        for (int i = 0; p != left_out && i < COST_MODEL_N; i++) {
            const double weighted = points[p].features[i] / points[p].cost;
            for (int j = 0; j < COST_MODEL_N; j++)
                equations[i][j] += weighted * points[p].features[j] / points[p].cost;
            equations[i][COST_MODEL_N] += weighted;
        }
    solve(equations, coefficients);
}

static bool is_wanted(const struct csv_table *table, size_t row, size_t like, const char *kernel)
{
    static const enum csv_column same[] = {CSV_summary_machine, CSV_summary_croaring, CSV_summary_sink,
                                           CSV_summary_batch_rows, CSV_summary_mode};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(csv_text(table, row, same[i]), csv_text(table, like, same[i])) != 0)
            return false;
    return strcmp(csv_text(table, row, CSV_summary_kernel), kernel) == 0 &&
           strcmp(csv_text(table, row, CSV_summary_verdict), "ok") == 0 &&
           figure_row_cost(table, row, NULL) > 0;
}

static struct point point_of(const struct csv_table *table, size_t row)
{
    const struct cost_model_vector vector = {
        .n_containers = {[DV_ARRAY] = csv_real(table, row, CSV_summary_array_containers),
                         [DV_BITSET] = csv_real(table, row, CSV_summary_bitset_containers),
                         [DV_RUN] = csv_real(table, row, CSV_summary_run_containers)},
        .n_deleted = csv_real(table, row, CSV_summary_deleted),
        .n_rows = csv_real(table, row, CSV_summary_rows)};
    struct point point = {.cost = figure_row_cost(table, row, NULL)};
    make_features(point.features, &vector);
    return point;
}

/* Each point is predicted by a fit that has not seen it. */
static void try_out(struct cost_model *model, const struct point *points, double *errors)
{
    double coefficients[COST_MODEL_N];
    for (size_t i = 0; i < model->n_vectors; i++) {
        fit(coefficients, points, model->n_vectors, i);
        errors[i] = 100 * fabs(multiply(coefficients, points[i].features) / points[i].cost - 1);
        model->worst_pct = fmax(model->worst_pct, errors[i]);
    }
    model->median_pct = stats_median(errors, model->n_vectors);
    model->is_usable = model->median_pct <= most_error_pct;
}

int cost_model_fit(struct cost_model *model_out, const struct csv_table *summary, size_t like,
                   const char *kernel, struct dv_error *error_out)
{
    const size_t n_rows = csv_n_rows(summary);
    struct point *points = calloc(n_rows + 1, sizeof *points);
    double *errors = calloc(n_rows + 1, sizeof *errors);
    *model_out = (struct cost_model){.median_pct = NAN, .worst_pct = NAN};
    int status = points && errors ? 0 : dv_no_memory(error_out);
    for (size_t row = 0; status == 0 && row < n_rows; row++)
        if (is_wanted(summary, row, like, kernel))
            points[model_out->n_vectors++] = point_of(summary, row);
    if (status == 0 && model_out->n_vectors >= LEAST_VECTORS) {
        fit(model_out->coefficients, points, model_out->n_vectors, SIZE_MAX);
        try_out(model_out, points, errors);
    }
    free(points);
    free(errors);
    return status;
}

double cost_model_predict(const struct cost_model *model, const struct cost_model_vector *vector)
{
    double features[COST_MODEL_N];
    make_features(features, vector);
    return multiply(model->coefficients, features);
}
