/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics against values worked out by hand and by counting coin tosses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stats.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void test_median_and_mad(void **state)
{
    (void)state;
    struct stats_summary s;
    assert_int_equal(stats_summarise(&s, (const double[]){3, 1, 2}, 3), 0);
    NEAR(s.median, 2);
    NEAR(s.mad, 1);
    NEAR(s.min, 1);
    NEAR(s.max, 3);
    assert_int_equal(s.n_samples, 3);
    assert_int_equal(stats_summarise(&s, (const double[]){1, 1, 2, 2, 4, 6, 9}, 7),
                     0); /* the textbook's example */
    NEAR(s.median, 2);
    NEAR(s.mad, 1);
    assert_int_equal(stats_summarise(&s, (const double[]){4, 1, 3, 2}, 4), 0);
    NEAR(s.median, 2.5);
    NEAR(s.mad, 1);
    NEAR(stats_median((const double[]){7}, 1), 7);
    assert_true(stats_median((const double[]){1.5e308, 1.5e308}, 2) == 1.5e308);
}

static void test_input_is_left_alone(void **state)
{
    (void)state;
    double values[] = {3, 1, 2};
    (void)stats_median(values, 3);
    assert_true(values[0] == 3 && values[1] == 1 && values[2] == 2);
}

static void test_nothing_gives_nothing(void **state)
{
    (void)state;
    struct stats_summary s;
    const double none[] = {NAN, INFINITY, -INFINITY};
    for (size_t n = 0; n <= 3; n += 3) {
        assert_int_equal(stats_summarise(&s, none, n), 0);
        assert_int_equal(s.n_samples, 0);
        assert_true(isnan(s.median) && isnan(s.mad) && isnan(s.min) && isnan(s.max));
        assert_false(s.interval.exists);
        assert_true(isnan(s.interval.low) && isnan(s.interval.high) && isnan(s.interval.confidence_pct));
    }
    assert_int_equal(stats_summarise(&s, (const double[]){NAN, 5, INFINITY, 7}, 4), 0);
    assert_int_equal(s.n_samples, 2);
    NEAR(s.median, 6);
}

/* Coverage of [x_(rank), x_(n+1-rank)] by counting all 2^n outcomes through Pascal's triangle, in
 * integers. */
static double counted_pct(unsigned n, unsigned rank)
{
    uint64_t ways = 1, outside = 0;
    for (unsigned k = 0; k < rank; k++) {
        outside += ways;
        ways = ways * (n - k) / (k + 1);
    }
    return 100.0 - 200.0 * (double)outside / (double)(UINT64_C(1) << n);
}

static void test_interval_ranks(void **state)
{
    (void)state;
    double pct;
    for (size_t n = 0; n < 6; n++) {
        assert_int_equal(stats_interval_rank(n, &pct), 0);
        assert_true(isnan(pct));
    }
    static const struct {
        size_t n, rank;
        double pct;
    } known[] = {{6, 1, 96.875},      {7, 1, 98.4375},       {8, 1, 99.21875},   {9, 2, 96.09375},
                 {10, 2, 97.8515625}, {12, 3, 96.142578125}, {15, 4, 96.484375}, {27, 8, 98.08427095413208}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(stats_interval_rank(known[i].n, &pct), known[i].rank);
        NEAR(pct, known[i].pct);
    }
    for (unsigned n = 6; n <= 60; n++) {
        const unsigned rank = (unsigned)stats_interval_rank(n, &pct);
        NEAR(pct, counted_pct(n, rank));
        assert_true(pct >= 95);
        assert_true(2 * (rank + 1) > n || counted_pct(n, rank + 1) < 95); /* the narrowest */
    }
    assert_int_equal(stats_interval_rank(10000, &pct), 4902); /* 5,000 - 1.96 x 50 */
    assert_true(pct > 95 && pct < 95.2);
}

static void test_interval_ends(void **state)
{
    (void)state;
    struct stats_summary s;
    assert_int_equal(stats_summarise(&s, (const double[]){6, 5, 4, 3, 2, 1}, 6), 0);
    assert_true(s.interval.exists);
    NEAR(s.interval.low, 1);
    NEAR(s.interval.high, 6);
    assert_int_equal(stats_summarise(&s, (const double[]){9, 8, 7, 6, 5, 4, 3, 2, 1}, 9), 0);
    NEAR(s.interval.low, 2);
    NEAR(s.interval.high, 8);
    NEAR(s.interval.confidence_pct, 96.09375);
    assert_int_equal(stats_summarise(&s, (const double[]){1, 2, 3, 4, 5, NAN}, 6), 0); /* five real ones */
    assert_false(s.interval.exists);
}

static void test_paired_ratios(void **state)
{
    (void)state;
    struct stats_summary s;
    /* The ratio of the medians would be 20 / 10; the paired one sees through the drift. */
    const double slow[] = {3, 30, 300, 6, 60, 600}, fast[] = {1, 10, 100, 2, 20, 200};
    assert_int_equal(stats_summarise_ratios(&s, slow, fast, 6), 0);
    NEAR(s.median, 3);
    NEAR(s.mad, 0);
    NEAR(s.interval.low, 3);
    const double odd[] = {2, 0, -1, NAN, INFINITY, 4}, ones[] = {1, 1, 1, 1, 1, 0};
    assert_int_equal(stats_summarise_ratios(&s, odd, ones, 6), 0);
    assert_int_equal(s.n_samples, 1);
    NEAR(s.median, 2);
    assert_int_equal(stats_summarise_ratios(&s, (const double[]){1e308}, (const double[]){1e-308}, 1), 0);
    assert_int_equal(s.n_samples, 0); /* overflowed */
}

static void test_judge(void **state)
{
    (void)state;
    const struct stats_interval above = {true, 1.03, 1.2, 96}, below = {true, 0.8, 0.97, 96},
                                around = {true, 0.9, 1.3, 96}, none = {false, NAN, NAN, NAN};
    assert_int_equal(stats_judge_ratio(&above, 2), STATS_ABOVE);
    assert_int_equal(stats_judge_ratio(&above, 4), STATS_CANNOT_TELL);
    assert_int_equal(stats_judge_ratio(&below, 2), STATS_BELOW);
    assert_int_equal(stats_judge_ratio(&below, 3.5), STATS_CANNOT_TELL);
    assert_int_equal(stats_judge_ratio(&around, 0), STATS_CANNOT_TELL);
    assert_int_equal(stats_judge_ratio(&none, 0), STATS_CANNOT_TELL);
    assert_int_equal(stats_judge_ratio(&above, NAN), STATS_CANNOT_TELL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median_and_mad),
        cmocka_unit_test(test_input_is_left_alone),
        cmocka_unit_test(test_nothing_gives_nothing),
        cmocka_unit_test(test_interval_ranks),
        cmocka_unit_test(test_interval_ends),
        cmocka_unit_test(test_paired_ratios),
        cmocka_unit_test(test_judge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
