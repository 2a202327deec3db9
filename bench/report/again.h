/* SPDX-License-Identifier: Apache-2.0 */
/* What two runs of one program differ by, cell by cell: the noise floor of a comparison with the first of them.
 *
 * Place in the data flow: samples.csv of a run and of its second run -> struct again -> gate, versions. */
#ifndef DVBENCH_AGAIN_H
#define DVBENCH_AGAIN_H

#include <stddef.h>

#include "compare.h"

/* A difference of a cell, in per cent: how far the interval of its ratio r, or that of 1/r, lies above 1; 0 where 1 is in
 * it. Scatter that intervals show is in those of a comparison too; a floor is for what they do not show. Where a cell
 * has too few samples for an interval: the greater of r and 1/r, less 1. */
struct again {
    double *cells_pct; /* owned: by row of the first run's summary; NaN where the second has not the cell */
    size_t n_rows;
    /* What the cells stay within, the largest tenth of them left out, but one of 3 to 9: a wild cell is its own floor
     * and nobody else's. */
    double floor_pct;
    double largest_pct;
    size_t n_other; /* differences of machine or build, as compare_differences counts them */
};

/* Returns 0, the codes of compare_runs, or DV_ERROR_USAGE: no cell in common, or the first run's own samples. */
int again_measure(struct again *again_out, const char *run, const char *run_again,
                  struct dv_error *error_out);

/* The floor of one cell: the larger of floor_pct and its own difference. NaN without a second run. */
double again_floor_pct(const struct again *again, size_t row);

void again_free(struct again *again);

#endif
