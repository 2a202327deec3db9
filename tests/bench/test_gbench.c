/* SPDX-License-Identifier: Apache-2.0 */
/* The C binding: exact iterations, and errors of the run where the library would abort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gbench.h"

struct counted {
    int64_t n_batch;
    int64_t n_done;
};

static void count_batches(struct gbench_state *state, void *user)
{
    struct counted *counted = user;
    while (gbench_keep_running_batch(state, counted->n_batch))
        counted->n_done += counted->n_batch;
}

static void test_iterations_are_exact(void **state)
{
    (void)state;
    static const struct counted runs[] = {{1, 0}, {7, 0}, {1000, 0}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct counted counted = runs[i];
        struct gbench_result result;
        char message[100] = "";
        assert_int_equal(
            gbench_run("a/b", count_batches, &counted, 7000, NULL, &result, message, sizeof message), 0);
        assert_int_equal(counted.n_done, 7000);
        assert_int_equal(result.n_iterations, 7000);
        assert_true(result.cpu_ns >= 0);
    }
}

static void skip_with_two(struct gbench_state *state, void *user)
{
    (void)user;
    while (gbench_keep_running(state)) {
        gbench_skip_with_error(state, "the first");
        gbench_skip_with_error(state, "the second");
    }
}

static void return_early(struct gbench_state *state, void *user)
{
    (void)user;
    (void)gbench_keep_running(state);
}

static void never_loop(struct gbench_state *state, void *user)
{
    (void)state;
    (void)user;
}

static void empty_batch(struct gbench_state *state, void *user)
{
    (void)user;
    while (gbench_keep_running_batch(state, 0))
        ;
}

static void test_misuse_is_an_error_of_the_run(void **state)
{
    (void)state;
    static const struct {
        gbench_fn *fn;
        const char *message;
    } runs[] = {
        {skip_with_two, "the first"},
        {return_early, "returned before its loop had ended"},
        {never_loop, "returned before its loop had ended"},
        {empty_batch, "fewer than 1 iteration in a batch"},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct gbench_result result;
        char message[100] = "";
        assert_int_equal(gbench_run("a", runs[i].fn, NULL, 10, NULL, &result, message, sizeof message), -1);
        assert_string_equal(message, runs[i].message);
    }
}

/* Between blocks everything is forgotten: no growth, no name that is taken. */
static void test_thousands_of_runs(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct counted counted = {1, 0};
        struct gbench_result result;
        char message[100];
        assert_int_equal(gbench_run("a", count_batches, &counted, 1, NULL, &result, message, sizeof message),
                         0);
        assert_int_equal(counted.n_done, 1);
    }
}

static void test_filter(void **state)
{
    (void)state;
    static const struct {
        const char *filter, *name;
        bool passes;
    } rows[] = {
        {"", "per_row/row_ids", true},
        {"all", "per_row/row_ids", true},
        {"row_ids", "per_row/row_ids", true},
        {"^row_ids", "per_row/row_ids", false},
        {"-touch", "per_row/touch", false},
        {"-touch", "per_row/row_ids", true},
        {"(a|b)/x$", "b/x", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(gbench_set_filter(rows[i].filter), 0);
        assert_int_equal(gbench_filter_matches(rows[i].name), rows[i].passes);
    }
    assert_int_equal(gbench_set_filter("("), -1);
    assert_int_equal(gbench_set_filter(""), 0);
}

static void test_version_is_known(void **state)
{
    (void)state;
    assert_true(gbench_library_version()[0] >= '1' && gbench_library_version()[0] <= '9');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterations_are_exact), cmocka_unit_test(test_misuse_is_an_error_of_the_run),
        cmocka_unit_test(test_thousands_of_runs),    cmocka_unit_test(test_filter),
        cmocka_unit_test(test_version_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
