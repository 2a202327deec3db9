/* SPDX-License-Identifier: Apache-2.0 */
#include "stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WANTED_PCT 95.0

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of_sorted(const double *sorted, size_t n)
{
    if (n == 0)
        return NAN;
    /* Halves first: the sum of two large values must not overflow. */
    return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

/* P(X = k) for X binomial with n trials of probability 1/2, through logarithms: 2^-n alone would underflow
 * past n = 1074. */
static double coin_probability(size_t n, size_t k)
{
    int sign;
    const double log_ways = lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
                            lgamma_r((double)(n - k) + 1, &sign);
    return exp(log_ways - (double)n * M_LN2);
}

size_t stats_interval_rank(size_t n_samples, double *confidence_pct_out)
{
    double outside = 0, confidence_pct = NAN; /* outside: probability that the median lies below x_(rank) */
    size_t rank = 0;
    while (2 * rank < n_samples) {
        outside += coin_probability(n_samples, rank);
        const double pct = 100 * (1 - 2 * outside);
        if (pct < WANTED_PCT)
            break;
        confidence_pct = pct;
        rank++;
    }
    if (confidence_pct_out)
        *confidence_pct_out = confidence_pct;
    return rank;
}

static struct stats_interval interval_of_sorted(const double *sorted, size_t n)
{
    struct stats_interval interval = {.low = NAN, .high = NAN};
    const size_t rank = stats_interval_rank(n, &interval.confidence_pct);
    if (rank == 0)
        return interval;
    interval.exists = true;
    interval.low = sorted[rank - 1];
    interval.high = sorted[n - rank];
    return interval;
}

static void summarise_nothing(struct stats_summary *summary_out)
{
    *summary_out = (struct stats_summary){.median = NAN, .mad = NAN, .min = NAN, .max = NAN};
    summary_out->interval = interval_of_sorted(NULL, 0);
}

/* Sorts and then overwrites `values`, which are finite. */
static void summarise_in_place(struct stats_summary *summary_out, double *values, size_t n)
{
    summarise_nothing(summary_out);
    if (n == 0)
        return;
    qsort(values, n, sizeof *values, compare_doubles);
    summary_out->n_samples = n;
    summary_out->median = median_of_sorted(values, n);
    summary_out->min = values[0];
    summary_out->max = values[n - 1];
    summary_out->interval = interval_of_sorted(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - summary_out->median);
    qsort(values, n, sizeof *values, compare_doubles);
    summary_out->mad = median_of_sorted(values, n);
}

static double *new_values(size_t n)
{
    return n > SIZE_MAX / sizeof(double) ? NULL : malloc((n ? n : 1) * sizeof(double));
}

int stats_summarise(struct stats_summary *summary_out, const double *samples, size_t n_samples)
{
    size_t n = 0;
    summarise_nothing(summary_out);
    double *values = new_values(n_samples);
    if (!values)
        return DV_ERROR_MEMORY;
    for (size_t i = 0; i < n_samples; i++)
        if (isfinite(samples[i]))
            values[n++] = samples[i];
    summarise_in_place(summary_out, values, n);
    free(values);
    return 0;
}

int stats_summarise_ratios(struct stats_summary *summary_out, const double *numerators,
                           const double *denominators, size_t n_pairs)
{
    size_t n = 0;
    summarise_nothing(summary_out);
    double *values = new_values(n_pairs);
    if (!values)
        return DV_ERROR_MEMORY;
    for (size_t i = 0; i < n_pairs; i++) {
        if (!(numerators[i] > 0) || !(denominators[i] > 0))
            continue;
        values[n] = numerators[i] / denominators[i];
        n += isfinite(numerators[i]) && isfinite(denominators[i]) && isfinite(values[n]);
    }
    summarise_in_place(summary_out, values, n);
    free(values);
    return 0;
}

double stats_median(const double *samples, size_t n_samples)
{
    struct stats_summary summary;
    (void)stats_summarise(&summary, samples, n_samples);
    return summary.median;
}

enum stats_verdict stats_judge_ratio(const struct stats_interval *interval, double noise_floor_pct)
{
    if (!interval->exists || !(noise_floor_pct >= 0))
        return STATS_CANNOT_TELL;
    if (interval->low > 1 + noise_floor_pct / 100)
        return STATS_ABOVE;
    return interval->high < 1 - noise_floor_pct / 100 ? STATS_BELOW : STATS_CANNOT_TELL;
}
