/* SPDX-License-Identifier: Apache-2.0 */
/* The noise floor from A/A pairs: two classes, the largest deviation of each, and the class a cell belongs
 * to. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "noise.h"

static char dv_a[] = "a", dv_b[] = "b", slow[] = "per_row", slow_twin[] = "per_row_aa",
            fast[] = "direct_avx2", fast_twin[] = "direct_avx2_aa";

static void add(struct sample_row *rows, size_t *n, char *dv, char *kernel, int round, double ns)
{
    rows[(*n)++] = (struct sample_row){.dv = dv,
                                       .kernel = kernel,
                                       .sink = SINK_row_ids,
                                       .batch_rows = 5000,
                                       .mode = MODE_stream,
                                       .round = round,
                                       .sample.ns_per_row = ns};
}

static void classes_take_their_largest_deviation(void **state)
{
    (void)state;
    struct sample_row rows[64];
    size_t n = 0;
    for (int round = 0; round < 3; round++) {
        add(rows, &n, dv_a, slow, round, 10);
        add(rows, &n, dv_a, slow_twin, round, 10.2);
        add(rows, &n, dv_a, fast_twin, round, 0.09);
        add(rows, &n, dv_a, fast, round, 0.1);
        add(rows, &n, dv_b, slow, round, 20);
        add(rows, &n, dv_b, slow_twin, round, 19);
        add(rows, &n, dv_b, fast, round, 0.1);
        add(rows, &n, dv_b, fast_twin, round, 0.101);
    }
    struct samples samples = {.rows = rows, .n_rows = n};
    struct noise noise;
    assert_int_equal(noise_measure(&noise, &samples, NULL), 0);
    assert_int_equal(noise.n_pairs, 4);
    assert_true(fabs(noise.slow_pct - 5) < 1e-9);
    assert_true(fabs(noise.fast_pct - 10) < 1e-9);
    assert_true(noise_floor_pct(&noise, "a", "row_ids", 5000, "stream", 5) == noise.slow_pct);
    assert_true(noise_floor_pct(&noise, "a", "row_ids", 5000, "stream", 0.3) == noise.fast_pct);
    assert_true(isnan(noise_floor_pct(&noise, "a", "is_deleted", 5000, "stream", 5)));
    assert_true(isnan(noise_floor_pct(&noise, "a", "row_ids", 5000, "replay", 5)));
    noise_free(&noise);
}

static void median_of_the_pairs_ignores_one_outlier(void **state)
{
    (void)state;
    struct sample_row rows[16];
    size_t n = 0;
    for (int round = 0; round < 3; round++) {
        add(rows, &n, dv_a, slow, round, 10);
        add(rows, &n, dv_a, slow_twin, round, round == 1 ? 50 : 10);
    }
    struct samples samples = {.rows = rows, .n_rows = n};
    struct noise noise;
    assert_int_equal(noise_measure(&noise, &samples, NULL), 0);
    assert_true(noise.slow_pct == 0 && noise.fast_pct == 0); /* one pair is both classes */
    noise_free(&noise);
}

static void no_pair_no_floor(void **state)
{
    (void)state;
    struct sample_row rows[1];
    size_t n = 0;
    add(rows, &n, dv_a, slow, 0, 10);
    struct samples samples = {.rows = rows, .n_rows = n};
    struct noise noise;
    assert_int_equal(noise_measure(&noise, &samples, NULL), 0);
    assert_true(isnan(noise.slow_pct) && isnan(noise.fast_pct));
    noise_free(&noise);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_take_their_largest_deviation),
        cmocka_unit_test(median_of_the_pairs_ignores_one_outlier),
        cmocka_unit_test(no_pair_no_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
