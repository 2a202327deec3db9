/* SPDX-License-Identifier: Apache-2.0 */
/* Robust statistics of a few samples: median, MAD, order-statistic intervals, paired ratios.
 *
 * Place in the data flow: samples of a cell -> summary.csv, comparisons, the gate. No distribution is
 * assumed anywhere; an interval that the samples cannot support is empty instead of wide. */
#ifndef DVBENCH_STATS_H
#define DVBENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "dv.h"

/* The sign-test interval of the median: [x_(rank), x_(n + 1 - rank)] of the sorted samples. */
struct stats_interval {
    bool exists; /* false under 6 samples: none of 95 % can be had */
    double low;  /* NaN where it does not exist, as are the next two */
    double high;
    double confidence_pct; /* exact, from the binomial distribution; >= 95 */
};

struct stats_summary {
    size_t n_samples; /* that the rest rests on; where 0, all of it is NaN */
    double median;    /* of an even number: the mean of the two in the middle */
    double mad;       /* median of |sample - median|, not scaled */
    double min;
    double max;
    struct stats_interval interval;
};

/* Summarises the finite ones of `samples`; NaN and infinities are samples that were not taken, and are left
 * out. Returns 0 or DV_ERROR_MEMORY, then `summary_out` is that of no sample. */
int stats_summarise(struct stats_summary *summary_out, const double *samples, size_t n_samples);

/* Summarises the ratios numerators[i] / denominators[i] of samples taken in the same round; a pair with a
 * side that is not finite or not above 0 is left out. For a speed-up over the baseline: the baseline's
 * times over the other's. Returns as stats_summarise. */
int stats_summarise_ratios(struct stats_summary *summary_out, const double *numerators,
                           const double *denominators, size_t n_pairs);

/* Median of the finite ones of `samples`, NaN of none (or without memory). */
double stats_median(const double *samples, size_t n_samples);

/* The largest rank from 1 for which the interval covers the median with at least 95 %: the narrowest of
 * them. 0 under 6 samples. `confidence_pct_out` may be NULL. Conover, Practical Nonparametric Statistics,
 * 3.2. */
size_t stats_interval_rank(size_t n_samples, double *confidence_pct_out);

enum stats_verdict { STATS_CANNOT_TELL, STATS_ABOVE, STATS_BELOW };

/* Whether a ratio differs from 1: its interval must leave [1 - noise, 1 + noise], noise_floor_pct / 100 =
 * noise. Without interval, or with a noise floor that is unknown (NaN): cannot tell. */
enum stats_verdict stats_judge_ratio(const struct stats_interval *interval, double noise_floor_pct);

#endif
