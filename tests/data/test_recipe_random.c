/* SPDX-License-Identifier: Apache-2.0 */
/* The random numbers of the recipes: published vectors, values from tests/reference/recipes.py, and their
 * distributions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "random.h"
#include "recipe_random.h"

static void seeds_expand_as_splitmix64(void **state)
{
    (void)state;
    static const uint64_t published[4] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                          4593380528125082431u};
    struct recipe_random random;
    recipe_random_init(&random, 1234567);
    for (unsigned i = 0; i < 4; i++)
        assert_true(random.state[i] == published[i]);
}

static void a_shuffle_is_a_permutation_by_its_seed(void **state)
{
    (void)state;
    uint32_t orders[3][100], seen[100] = {0};
    const uint64_t seeds[3] = {1, 1, 2};
    for (unsigned k = 0; k < 3; k++) {
        for (uint32_t i = 0; i < 100; i++)
            orders[k][i] = i;
        random_shuffle(orders[k], 100, sizeof orders[k][0], seeds[k]);
    }
    for (uint32_t i = 0; i < 100; i++)
        seen[orders[0][i]]++;
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(seen[i], 1);
    assert_memory_equal(orders[0], orders[1], sizeof orders[0]);
    assert_memory_not_equal(orders[0], orders[2], sizeof orders[0]);
}

static void numbers_are_those_of_xoshiro256starstar(void **state)
{
    (void)state;
    static const uint64_t published[] = {11520,
                                         0,
                                         1509978240,
                                         1215971899390074240u,
                                         1216172134540287360u,
                                         607988272756665600u,
                                         16172922978634559625u,
                                         8476171486693032832u,
                                         10595114339597558777u,
                                         2904607092377533576u};
    struct recipe_random random = {.state = {1, 2, 3, 4}};
    for (unsigned i = 0; i < sizeof published / sizeof published[0]; i++)
        assert_true(recipe_random_next(&random) == published[i]);
}

/* Of 2^63 + 1 places almost every second draw must be rejected; only then do these numbers come. */
static void biased_draws_are_rejected(void **state)
{
    (void)state;
    static const uint64_t expected[] = {4800180567299270261u, 5295190459760845450u, 3609369285294772691u,
                                        3515805966490203214u};
    struct recipe_random random;
    recipe_random_init(&random, 1);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(recipe_random_below(&random, (UINT64_C(1) << 63) + 1) == expected[i]);
    for (unsigned i = 0; i < 100; i++)
        assert_true(recipe_random_below(&random, 1) == 0);
}

static void geometric_numbers_are_the_reference_ones(void **state)
{
    (void)state;
    static const uint64_t third[] = {1, 0, 0, 2, 0, 0, 2, 5, 0, 0, 2, 12};
    static const uint64_t rare[] = {6204462006711622401u, 3566715936734653191u, 4610128972469775871u};
    struct recipe_random random;
    struct recipe_geometric geometric;
    recipe_random_init(&random, 5);
    recipe_geometric_init(&geometric, 1, 3);
    for (unsigned i = 0; i < sizeof third / sizeof third[0]; i++)
        assert_true(recipe_geometric_next(&geometric, &random) == third[i]);

    recipe_random_init(&random, 5);
    recipe_geometric_init(&geometric, 1, (unsigned __int128)1000000000000000000 << 40);
    for (unsigned i = 0; i < sizeof rare / sizeof rare[0]; i++)
        assert_true(recipe_geometric_next(&geometric, &random) == rare[i]);

    recipe_geometric_init(&geometric, 7, 7);
    assert_int_equal(recipe_geometric_next(&geometric, &random), 0);
}

/* Success 1 in 50: the mean is 49, its standard error over 100,000 numbers 0.16; P(0) is 0.02, P(below 35) is
 * 1 - 0.98^35, 0.507. */
static void geometric_numbers_have_their_distribution(void **state)
{
    (void)state;
    enum { N = 100000 };
    struct recipe_random random;
    struct recipe_geometric geometric;
    uint64_t sum = 0, n_zero = 0, n_below_35 = 0;
    recipe_random_init(&random, 2);
    recipe_geometric_init(&geometric, 1, 50);
    for (unsigned i = 0; i < N; i++) {
        uint64_t n_failures = recipe_geometric_next(&geometric, &random);
        sum += n_failures;
        n_zero += n_failures == 0;
        n_below_35 += n_failures < 35;
    }
    assert_in_range(sum, 4830000, 4970000);
    assert_in_range(n_zero, 1800, 2200);
    assert_in_range(n_below_35, 50000, 51400);
}

/* Each of 5 numbers is in 3 of 5 subsets of 3. */
static void subsets_are_exact_and_fair(void **state)
{
    (void)state;
    uint64_t bits[1], n_taken[5] = {0};
    struct recipe_random random;
    recipe_random_init(&random, 3);
    for (unsigned i = 0; i < 10000; i++) {
        recipe_random_subset(&random, bits, 5, 3);
        assert_int_equal(__builtin_popcountll(bits[0]), 3);
        assert_true(bits[0] >> 5 == 0);
        for (unsigned j = 0; j < 5; j++)
            n_taken[j] += bits[0] >> j & 1;
    }
    for (unsigned j = 0; j < 5; j++)
        assert_in_range(n_taken[j], 5800, 6200);
    recipe_random_subset(&random, bits, 64, 64);
    assert_true(bits[0] == UINT64_MAX);
    recipe_random_subset(&random, bits, 64, 0);
    assert_true(bits[0] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_expand_as_splitmix64),
        cmocka_unit_test(a_shuffle_is_a_permutation_by_its_seed),
        cmocka_unit_test(numbers_are_those_of_xoshiro256starstar),
        cmocka_unit_test(biased_draws_are_rejected),
        cmocka_unit_test(geometric_numbers_are_the_reference_ones),
        cmocka_unit_test(geometric_numbers_have_their_distribution),
        cmocka_unit_test(subsets_are_exact_and_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
