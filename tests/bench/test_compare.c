/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison of two runs says, and what it must not say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare.h"
#include "gate_selftest.h"
#include "summary_fixture.h"

#define CELL(kernel_, ns_, noise_, n_)                                                                       \
    {                                                                                                        \
        .dv = "uniform:rate=0.05", .axis = "rate", .rate = 0.05, .kernel = kernel_, .ns_per_row = ns_,       \
        .noise_pct = noise_, .n_samples = n_                                                                 \
    }

/* The verdict on the one cell of A. */
static enum compare_verdict verdict_of(struct fixture_row a, struct fixture_row b, double threshold_pct)
{
    struct comparisons comparisons;
    char *folder_a = fixture_make(&a, 1), *folder_b = fixture_make(&b, 1);
    assert_int_equal(compare_runs(&comparisons, folder_a, folder_b, threshold_pct, NULL), 0);
    assert_int_equal(comparisons.n_items, 1);
    enum compare_verdict verdict = comparisons.items[0].verdict;
    assert_int_equal(comparisons.n_verdict[verdict], 1);
    compare_free(&comparisons);
    fixture_remove(folder_a);
    fixture_remove(folder_b);
    return verdict;
}

static void differences_beyond_the_noise_count(void **state)
{
    const struct fixture_row a = CELL("k", 10, 2, 9);
    (void)state;
    assert_int_equal(verdict_of(a, (struct fixture_row)CELL("k", 10.5, 2, 9), 0), COMPARE_SLOWER);
    assert_int_equal(verdict_of(a, (struct fixture_row)CELL("k", 9.5, 2, 9), 0), COMPARE_FASTER);
    assert_int_equal(verdict_of(a, (struct fixture_row)CELL("k", 10.1, 2, 9), 0), COMPARE_CANNOT_TELL);
    assert_int_equal(verdict_of(a, a, 0), COMPARE_CANNOT_TELL);
}

static void the_larger_noise_of_both_counts(void **state)
{
    const struct fixture_row quiet = CELL("k", 10, 1, 9), loud = CELL("k", 10.5, 8, 9);
    (void)state;
    assert_int_equal(verdict_of(quiet, loud, 0), COMPARE_CANNOT_TELL);
    assert_int_equal(verdict_of(loud, quiet, 0), COMPARE_CANNOT_TELL);
}

static void the_threshold_counts_where_it_is_larger(void **state)
{
    const struct fixture_row a = CELL("k", 10, 2, 9), b = CELL("k", 10.5, 2, 9);
    (void)state;
    assert_int_equal(verdict_of(a, b, 3), COMPARE_SLOWER);
    assert_int_equal(verdict_of(a, b, 10), COMPARE_CANNOT_TELL);
}

static void nothing_is_judged_without_samples_or_noise(void **state)
{
    (void)state;
    assert_int_equal(
        verdict_of((struct fixture_row)CELL("k", 10, 2, 5), (struct fixture_row)CELL("k", 20, 2, 9), 0),
        COMPARE_NOT_JUDGED);
    assert_int_equal(
        verdict_of((struct fixture_row)CELL("k", 10, 2, 9), (struct fixture_row)CELL("k", 20, 2, 0), 0),
        COMPARE_NOT_JUDGED);
    assert_int_equal(
        verdict_of((struct fixture_row)CELL("k", 10, NAN, 9), (struct fixture_row)CELL("k", 20, 2, 9), 0),
        COMPARE_NOT_JUDGED);
}

static void what_cannot_be_compared_has_a_name(void **state)
{
    const struct fixture_row a = CELL("k", 10, 2, 9);
    struct fixture_row wrong = a, gone = a, other = a, longer = a, fewer = a, elsewhere = a;
    (void)state;
    wrong.verdict = "wrong";
    gone.verdict = "unavailable";
    other.digest = "e";
    longer.rows = 2000000;
    fewer.batches = 1;
    elsewhere.dv = "another/path.bin";
    assert_int_equal(verdict_of(a, wrong, 0), COMPARE_WRONG);
    assert_int_equal(verdict_of(a, gone, 0), COMPARE_MISSING);
    assert_int_equal(verdict_of(a, other, 0), COMPARE_OTHER_DV);
    assert_int_equal(verdict_of(a, longer, 0), COMPARE_OTHER_WORK);
    assert_int_equal(verdict_of(a, fewer, 0), COMPARE_OTHER_WORK);
    assert_int_equal(verdict_of(a, elsewhere, 0), COMPARE_CANNOT_TELL);
    elsewhere.rows = 2000000;
    assert_int_equal(verdict_of(a, elsewhere, 0), COMPARE_OTHER_WORK);
}

/* Whatever A says of the cell: it lacks it, had it wrong, or could not run it. */
static void a_wrong_cell_of_b_is_never_passed_over(void **state)
{
    static const char *const verdicts_of_a[] = {NULL, "wrong", "unavailable"};
    struct fixture_row a[] = {CELL("k", 10, 2, 9), CELL("l", 10, 2, 9)}, b[] = {a[0], a[1]};
    (void)state;
    b[1].verdict = "wrong";
    for (size_t i = 0; i < 3; i++) {
        struct comparisons comparisons;
        a[1].verdict = verdicts_of_a[i];
        char *folder_a = fixture_make(a, i == 0 ? 1 : 2), *folder_b = fixture_make(b, 2);
        assert_int_equal(compare_runs(&comparisons, folder_a, folder_b, 0, NULL), 0);
        assert_int_equal(comparisons.n_verdict[COMPARE_WRONG], 1);
        assert_int_equal(comparisons.n_verdict[COMPARE_CANNOT_TELL], 1);
        compare_free(&comparisons);
        fixture_remove(folder_a);
        fixture_remove(folder_b);
    }
}

static void nothing_in_common_is_no_pass(void **state)
{
    const struct fixture_row a = CELL("k", 10, 2, 9), b = CELL("l", 10, 2, 9);
    struct comparisons comparisons;
    struct dv_error error = {0};
    (void)state;
    char *folder_a = fixture_make(&a, 1), *folder_b = fixture_make(&b, 1);
    assert_int_equal(compare_runs(&comparisons, folder_a, folder_b, 0, &error), 0);
    assert_int_equal(compare_n_judged(&comparisons), 0);
    assert_int_equal(comparisons.n_verdict[COMPARE_MISSING], 1);
    assert_int_equal(comparisons.n_only_b, 1);
    compare_free(&comparisons);
    assert_int_equal(compare_runs(&comparisons, folder_a, "/nonexistent", 0, &error), DV_ERROR_INPUT);
    assert_non_null(strstr(error.where, "/nonexistent"));
    fixture_remove(folder_a);
    fixture_remove(folder_b);
}

static void cells_of_other_kernels_do_not_mix(void **state)
{
    const struct fixture_row a[] = {CELL("k", 10, 2, 9), CELL("l", 20, 2, 9)},
                             b[] = {CELL("l", 20, 2, 9), CELL("k", 15, 2, 9)};
    struct comparisons comparisons;
    (void)state;
    char *folder_a = fixture_make(a, 2), *folder_b = fixture_make(b, 2);
    assert_int_equal(compare_runs(&comparisons, folder_a, folder_b, 0, NULL), 0);
    assert_int_equal(comparisons.n_verdict[COMPARE_SLOWER], 1);
    assert_int_equal(comparisons.n_verdict[COMPARE_CANNOT_TELL], 1);
    /* The largest ratio first. */
    assert_int_equal(comparisons.items[0].row_a, 0);
    assert_true(fabs(comparisons.items[0].ratio.median - 1.5) < 0.01);
    compare_free(&comparisons);
    fixture_remove(folder_a);
    fixture_remove(folder_b);
}

static void the_gate_can_fail(void **state)
{
    (void)state;
    assert_int_equal(gate_selftest(NULL, 5, NULL), 0);
    /* A threshold that swallows everything but what is slowed by twice as much. */
    assert_int_equal(gate_selftest(NULL, 50, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_beyond_the_noise_count),
        cmocka_unit_test(the_larger_noise_of_both_counts),
        cmocka_unit_test(the_threshold_counts_where_it_is_larger),
        cmocka_unit_test(nothing_is_judged_without_samples_or_noise),
        cmocka_unit_test(what_cannot_be_compared_has_a_name),
        cmocka_unit_test(a_wrong_cell_of_b_is_never_passed_over),
        cmocka_unit_test(nothing_in_common_is_no_pass),
        cmocka_unit_test(cells_of_other_kernels_do_not_mix),
        cmocka_unit_test(the_gate_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
