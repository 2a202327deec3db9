/* SPDX-License-Identifier: Apache-2.0 */
/* A cost model: ns per row of one kernel from what a vector consists of, fitted to a sweep by least squares of
 * the relative errors, and tried on the vectors that each fit left out.
 *
 * Place in the data flow: rows of summary.csv -> struct cost_model -> report and advise. */
#ifndef DVBENCH_COST_MODEL_H
#define DVBENCH_COST_MODEL_H

#include <stdbool.h>

#include "csv.h"
#include "dv.h"

/* 1, arrays x log2 of the deletes per chunk, bitsets, runs (as shares of the chunks), deletion rate. */
enum { COST_MODEL_N = 5 };

struct cost_model {
    double coefficients[COST_MODEL_N];
    size_t n_vectors;  /* that it was fitted to */
    double median_pct; /* error on vectors left out, each once; NAN where there are too few */
    double worst_pct;
    bool is_usable; /* median_pct is 20 at most */
};

/* What the model knows of a vector. */
struct cost_model_vector {
    double n_containers[DV_N_KINDS];
    double n_deleted;
    double n_rows;
};

/* Fits the rows of this kernel that agree with row `like` in machine, CRoaring, sink, batch size and mode.
 * Returns 0 or DV_ERROR_MEMORY. */
int cost_model_fit(struct cost_model *model_out, const struct csv_table *summary, size_t like,
                   const char *kernel, struct dv_error *error_out);

double cost_model_predict(const struct cost_model *model, const struct cost_model_vector *vector);

#endif
