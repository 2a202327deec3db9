/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "figure_rows.h"

double advise_cost(const struct advise *advise, size_t row)
{
    return row == ADVISE_NO_ROW ? NAN : figure_row_cost(advise->costs, row, NULL);
}

double advise_file_cost(const struct advise *advise, const struct advise_vector *vector, size_t row)
{
    return advise_cost(advise, row) * (double)vector->summary.n_rows;
}

static const char *kernel_of(const struct advise *advise, size_t row)
{
    return csv_text(advise->costs, row, CSV_summary_kernel);
}

/* Measured, and a time that can be. */
static bool counts(const struct advise *advise, size_t row, const char *dv)
{
    return strcmp(csv_text(advise->costs, row, CSV_summary_dv), dv) == 0 && advise_cost(advise, row) > 0 &&
           strcmp(csv_text(advise->costs, row, CSV_summary_verdict), "ok") == 0 &&
           csv_text(advise->costs, row, CSV_summary_doubts)[0] == '\0';
}

size_t advise_find(const struct advise *advise, const char *dv, const char *kernel)
{
    for (size_t row = 0; dv && row < csv_n_rows(advise->costs); row++)
        if (counts(advise, row, dv) && strcmp(kernel_of(advise, row), kernel) == 0)
            return row;
    return ADVISE_NO_ROW;
}

static size_t find_best(const struct advise *advise, const char *dv, bool of_library)
{
    size_t best = ADVISE_NO_ROW;
    for (size_t row = 0; row < csv_n_rows(advise->costs); row++) {
        if (!counts(advise, row, dv) ||
            (of_library && strcmp(csv_text(advise->costs, row, CSV_summary_technique), "direct") == 0))
            continue;
        if (best == ADVISE_NO_ROW || advise_cost(advise, row) < advise_cost(advise, best))
            best = row;
    }
    return best;
}

double advise_bound(const struct advise *advise, size_t row, enum csv_column bound)
{
    double extra = 0;
    (void)figure_row_cost(advise->costs, row, &extra);
    return csv_real(advise->costs, row, bound) + extra;
}

struct advise_ratio advise_compare(const struct advise *advise, size_t slow, size_t fast)
{
    struct advise_ratio ratio = {NAN, NAN, NAN, STATS_CANNOT_TELL};
    if (slow == ADVISE_NO_ROW || fast == ADVISE_NO_ROW)
        return ratio;
    const struct csv_table *costs = advise->costs;
    const bool is_paired =
        strcmp(kernel_of(advise, slow), "per_row") == 0 &&
        strcmp(csv_text(costs, slow, CSV_summary_dv), csv_text(costs, fast, CSV_summary_dv)) == 0;
    ratio.value = is_paired ? csv_real(costs, fast, CSV_summary_speedup_vs_per_row)
                            : advise_cost(advise, slow) / advise_cost(advise, fast);
    ratio.low = is_paired ? csv_real(costs, fast, CSV_summary_speedup_low)
                          : advise_bound(advise, slow, CSV_summary_ns_per_row_low) /
                                advise_bound(advise, fast, CSV_summary_ns_per_row_high);
    ratio.high = is_paired ? csv_real(costs, fast, CSV_summary_speedup_high)
                           : advise_bound(advise, slow, CSV_summary_ns_per_row_high) /
                                 advise_bound(advise, fast, CSV_summary_ns_per_row_low);
    const struct stats_interval interval = {
        .exists = ratio.low > 0 && ratio.high > 0, .low = ratio.low, .high = ratio.high};
    ratio.verdict = stats_judge_ratio(&interval, fmax(csv_real(costs, slow, CSV_summary_noise_floor_pct),
                                                      csv_real(costs, fast, CSV_summary_noise_floor_pct)));
    return ratio;
}

/* qsort takes no context. */
struct ranked {
    struct advise_vector vector;
    double cost;
};

static int compare_ranked(const void *left, const void *right)
{
    const double a = ((const struct ranked *)left)->cost, b = ((const struct ranked *)right)->cost;
    return (a < b) - (a > b);
}

void advise_rank(struct advise *advise)
{
    struct ranked *ranked = calloc(advise->n_vectors + 1, sizeof *ranked);
    for (size_t i = 0; i < advise->n_vectors; i++) {
        struct advise_vector *vector = &advise->vectors[i];
        vector->per_row = advise_find(advise, vector->spec, "per_row");
        vector->best = find_best(advise, vector->spec, false);
        vector->best_library = find_best(advise, vector->spec, true);
        const double cost = advise_file_cost(advise, vector, vector->per_row);
        if (ranked)
            ranked[i] = (struct ranked){*vector, isnan(cost) ? -1 : cost};
    }
    if (!ranked) /* in the order given, then */
        return;
    qsort(ranked, advise->n_vectors, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < advise->n_vectors; i++)
        advise->vectors[i] = ranked[i].vector;
    free(ranked);
}

/* NAN where the kernel did not run on one of the vectors that were measured. */
static double sum_of_kernel(const struct advise *advise, const char *kernel)
{
    double sum = 0;
    for (size_t i = 0; i < advise->n_vectors; i++)
        if (advise->vectors[i].per_row != ADVISE_NO_ROW)
            sum += advise_file_cost(advise, &advise->vectors[i],
                                    advise_find(advise, advise->vectors[i].spec, kernel));
    return sum;
}

struct advise_total advise_sum(const struct advise *advise)
{
    struct advise_total total = {0};
    const struct advise_vector *first = NULL;
    for (size_t i = 0; i < advise->n_vectors; i++) {
        const struct advise_vector *vector = &advise->vectors[i];
        if (vector->per_row == ADVISE_NO_ROW)
            continue;
        first = first ? first : vector;
        total.n_measured++;
        total.per_row += advise_file_cost(advise, vector, vector->per_row);
        total.best_each += advise_file_cost(advise, vector, vector->best);
    }
    for (size_t row = 0; first && row < csv_n_rows(advise->costs); row++) {
        if (!counts(advise, row, first->spec))
            continue;
        const double cost = sum_of_kernel(advise, kernel_of(advise, row));
        if (cost > 0 && (!total.one || cost < total.one_cost)) {
            total.one = kernel_of(advise, row);
            total.one_cost = cost;
        }
    }
    return total;
}
