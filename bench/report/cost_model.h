/* SPDX-License-Identifier: Apache-2.0 */
/* A cost model: ns per row of one kernel from what a vector consists of, fitted to a sweep by least squares of
 * the relative errors; tried on the vectors that each fit left out, and on vectors of other runs.
 *
 * Place in the data flow: rows of summary.csv -> struct cost_model -> report and advise. */
#ifndef DVBENCH_COST_MODEL_H
#define DVBENCH_COST_MODEL_H

#include <stdbool.h>

#include "csv.h"
#include "dv.h"

/* 1, depth of the search for a container, share of bitsets, depth of the search within arrays and runs, values of
 * arrays and runs per row, deletes in bitsets per row, deletes per row. */
enum { COST_MODEL_N = 7 };

struct cost_model {
    double coefficients[COST_MODEL_N];
    double least[COST_MODEL_N]; /* features that it was fitted to */
    double most[COST_MODEL_N];
    double batch_rows;
    const struct csv_table *fitted; /* borrowed */
    size_t n_vectors;               /* that it was fitted to */
    double median_pct;              /* error on vectors left out, each once; NAN where there are too few */
    double worst_pct;
    bool is_usable; /* median_pct is 20 at most */
};

/* Fits the rows of this kernel that agree with row `like` in machine, CRoaring, sink, batch size and mode.
 * Returns 0 or DV_ERROR_MEMORY. */
int cost_model_fit(struct cost_model *model_out, const struct csv_table *summary, size_t like,
                   const char *kernel, struct dv_error *error_out);

/* The first row of `reference` that agrees with row `like` of `table` in these columns; COST_MODEL_NO_ROW. */
#define COST_MODEL_NO_ROW ((size_t)-1)
size_t cost_model_find_like(const struct csv_table *reference, const struct csv_table *table, size_t like);

/* For the vector of that row. NAN where the file has fewer rows than a batch, or a feature lies outside of what
 * the model was fitted to. */
double cost_model_predict(const struct cost_model *model, const struct csv_table *table, size_t row);

/* The model against measured rows whose vectors it was not fitted to. */
struct cost_model_trial {
    size_t n_vectors; /* predicted */
    size_t n_outside; /* predict says NAN */
    double median_pct;
    double worst_pct;
    bool is_usable; /* median_pct is 20 at most */
};

/* Tries it on the rows of its kernel among `rows`; those of vectors that it was fitted to do not count.
 * Returns 0 or DV_ERROR_MEMORY. */
int cost_model_try(struct cost_model_trial *trial_out, const struct cost_model *model,
                   const struct csv_table *table, const size_t *rows, size_t n_rows,
                   struct dv_error *error_out);

/* All rows of `table` that a model of `kernel` can be tried on, as many as the table has at most: those that agree
 * with row `like`. Returns how many. */
size_t cost_model_rows(size_t *rows_out, const struct csv_table *table, size_t like, const char *kernel);

#endif
