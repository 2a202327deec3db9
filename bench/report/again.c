/* SPDX-License-Identifier: Apache-2.0 */
#include "again.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "compare_differences.h"

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* How far the interval stays away from 1: what it does not cover is what a comparison has to fear. */
static double difference_pct(const struct stats_summary *ratio)
{
    const struct stats_interval *interval = &ratio->interval;
    const double r = ratio->median;
    return 100 *
           (interval->exists ? fmax(0, fmax(interval->low, 1 / interval->high) - 1) : fmax(r, 1 / r) - 1);
}

/* Fills the cells, and `sorted` with the n_sorted that are known. */
static size_t collect(struct again *again, const struct comparisons *both, double *sorted, bool *is_same_out)
{
    size_t n = 0;
    *is_same_out = true;
    for (size_t row = 0; row < again->n_rows; row++)
        again->cells_pct[row] = NAN;
    for (size_t i = 0; i < both->n_items; i++) {
        const struct comparison *one = &both->items[i];
        if (one->row_a == COMPARE_NO_ROW || !(one->ratio.median > 0))
            continue;
        again->cells_pct[one->row_a] = sorted[n++] = difference_pct(&one->ratio);
        *is_same_out = *is_same_out && one->ratio.min == 1 && one->ratio.max == 1;
    }
    qsort(sorted, n, sizeof *sorted, by_size);
    return n;
}

static int set_floor(struct again *again, const struct comparisons *both, double *sorted,
                     const char *run_again, struct dv_error *error_out)
{
    bool is_same;
    const size_t n = collect(again, both, sorted, &is_same), n_out = n >= 10 ? n / 10 : n >= 3;
    if (n == 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "--baseline-again %s: no cell in common with the baseline",
                       run_again);
    if (is_same)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--baseline-again %s: these are the baseline's own samples; measure it once more",
                       run_again);
    again->floor_pct = sorted[n - 1 - n_out];
    again->largest_pct = sorted[n - 1];
    return 0;
}

int again_measure(struct again *again_out, const char *run, const char *run_again, struct dv_error *error_out)
{
    struct comparisons both;
    struct strings lines = {0};
    *again_out = (struct again){.floor_pct = NAN, .largest_pct = NAN};
    int status = compare_runs(&both, run, run_again, 0, error_out);
    if (status < 0)
        return status;
    again_out->n_rows = csv_n_rows(both.summary_a);
    again_out->cells_pct = malloc((again_out->n_rows + 1) * sizeof *again_out->cells_pct);
    double *sorted = malloc((both.n_items + 1) * sizeof *sorted);
    status = again_out->cells_pct && sorted ? 0 : dv_no_memory(error_out);
    if (status == 0)
        status = set_floor(again_out, &both, sorted, run_again, error_out);
    if (status == 0)
        status = compare_differences(&lines, run, both.summary_a, run_again, both.summary_b,
                                     &again_out->n_other, error_out);
    strings_free(&lines);
    free(sorted);
    compare_free(&both);
    if (status < 0)
        again_free(again_out);
    return status;
}

double again_floor_pct(const struct again *again, size_t row)
{
    return row < again->n_rows ? fmax(again->floor_pct, again->cells_pct[row]) : again->floor_pct;
}

void again_free(struct again *again)
{
    free(again->cells_pct);
    *again = (struct again){.floor_pct = NAN, .largest_pct = NAN};
}
