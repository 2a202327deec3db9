/* SPDX-License-Identifier: Apache-2.0 */
/* The C binding against the library that is linked: every promise of gbench.h that does not need a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <malloc.h>
#include <stdlib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "gbench.h"

/* What the callbacks saw: copies, since results live only until the callback returns. */
struct seen_result {
    char name[64], decorated_name[128], aggregate_name[16], label[32], error[128];
    struct gbench_result result;
    struct gbench_counter counters[8];
    char counter_names[8][32];
};

struct seen {
    struct seen_result results[64];
    size_t n_results;
    int n_contexts, n_finalizes;
    bool refuse;
    struct gbench_context context;
};

static bool see_context(const struct gbench_context *context, void *user)
{
    struct seen *seen = user;
    seen->n_contexts++;
    seen->context = *context;
    return !seen->refuse;
}

static void see_runs(const struct gbench_result *results, size_t n_results, void *user)
{
    struct seen *seen = user;
    for (size_t i = 0; i < n_results && seen->n_results < 64; i++) {
        struct seen_result *to = &seen->results[seen->n_results++];
        to->result = results[i];
        snprintf(to->name, sizeof to->name, "%s", results[i].name);
        snprintf(to->decorated_name, sizeof to->decorated_name, "%s", results[i].decorated_name);
        snprintf(to->aggregate_name, sizeof to->aggregate_name, "%s",
                 results[i].aggregate_name ? results[i].aggregate_name : "");
        snprintf(to->label, sizeof to->label, "%s", results[i].label);
        snprintf(to->error, sizeof to->error, "%s", results[i].error);
        for (size_t k = 0; k < results[i].n_counters && k < 8; k++) {
            to->counters[k] = results[i].counters[k];
            snprintf(to->counter_names[k], sizeof to->counter_names[k], "%s", results[i].counters[k].name);
        }
    }
}

static void see_finalize(void *user)
{
    ((struct seen *)user)->n_finalizes++;
}

static int64_t run(struct seen *seen, struct gbench_json *json, const char *filter)
{
    const struct gbench_reporter reporter = {see_context, see_runs, see_finalize, seen};
    memset(seen, 0, sizeof *seen);
    return gbench_run(&reporter, json, filter);
}

static double counter(const struct seen_result *result, const char *name)
{
    for (size_t i = 0; i < result->result.n_counters; i++)
        if (strcmp(result->counter_names[i], name) == 0)
            return result->counters[i].value;
    fail_msg("no counter %s", name);
    return 0;
}

static int clear_after(void **state)
{
    (void)state;
    gbench_clear();
    return gbench_set_filter("");
}

/* Counts what it did; the batch is 10. */
static void count_batches(struct gbench_state *state, void *user)
{
    int64_t *n_done = user;
    while (gbench_keep_running_batch(state, 10))
        *n_done += 10;
    gbench_set_counter(state, "done", (double)gbench_iterations(state), GBENCH_COUNTER_PLAIN, GBENCH_1000);
}

static void test_iterations_are_exact(void **state)
{
    (void)state;
    int64_t n_done = 0;
    static struct seen seen;
    struct gbench_benchmark *benchmark = gbench_register("exact", count_batches, &n_done);
    assert_non_null(benchmark);
    gbench_set_iterations(benchmark, 120);
    gbench_set_repetitions(benchmark, 1);
    gbench_use_real_time(benchmark);
    assert_int_equal(run(&seen, NULL, "."), 1);
    assert_int_equal(n_done, 120);
    assert_int_equal(seen.n_contexts, 1);
    assert_int_equal(seen.n_finalizes, 1);
    assert_int_equal(seen.n_results, 1);
    assert_string_equal(seen.results[0].name, "exact");
    assert_non_null(strstr(seen.results[0].decorated_name, "/iterations:120"));
    assert_int_equal(seen.results[0].result.n_iterations, 120);
    assert_int_equal(seen.results[0].result.unit, GBENCH_NS);
    assert_int_equal(seen.results[0].result.repetition_index, 0);
    assert_null(seen.results[0].result.aggregate_name);
    assert_false(seen.results[0].result.has_error);
    assert_true(seen.results[0].result.real_time > 0);
    assert_true(counter(&seen.results[0], "done") == 120);
    assert_true(seen.context.n_cpus >= 1);
}

static void test_last_batch_overshoots_and_is_counted(void **state)
{
    (void)state;
    int64_t n_done = 0;
    static struct seen seen;
    gbench_set_iterations(gbench_register("overshoot", count_batches, &n_done), 25);
    assert_int_equal(run(&seen, NULL, "."), 1);
    assert_int_equal(n_done, 30);
    assert_int_equal(seen.results[0].result.n_iterations, 30);
}

static void test_min_time_searches(void **state)
{
    (void)state;
    int64_t n_done = 0;
    static struct seen seen;
    struct gbench_benchmark *benchmark = gbench_register("searched", count_batches, &n_done);
    gbench_set_min_time(benchmark, 0.0001);
    gbench_set_iterations(benchmark, 7); /* excluded by min time, so ignored */
    assert_int_equal(run(&seen, NULL, "."), 1);
    assert_true(seen.results[0].result.n_iterations > 7);
    assert_true(n_done >= seen.results[0].result.n_iterations);
}

static void set_counters(struct gbench_state *state, void *user)
{
    (void)user;
    while (gbench_keep_running(state))
        gbench_set_iteration_time(state, 0.5);
    gbench_set_counter(state, "plain", 3, GBENCH_COUNTER_PLAIN, GBENCH_1000);
    gbench_set_counter(state, "rate", 80, GBENCH_COUNTER_RATE, GBENCH_1024);
    gbench_set_counter(state, "invariant", 2, GBENCH_COUNTER_ITERATION_INVARIANT, GBENCH_1000);
    gbench_set_counter(state, "average", 2, GBENCH_COUNTER_AVG_ITERATIONS, GBENCH_1000);
    gbench_set_counter(state, "inverse", 16, GBENCH_COUNTER_AVG_ITERATIONS | GBENCH_COUNTER_INVERT,
                       GBENCH_1000);
    gbench_set_counter(state, "threads", 6, GBENCH_COUNTER_AVG_THREADS, GBENCH_1000);
    gbench_set_items_processed(state, 40);
    gbench_set_bytes_processed(state, 4000);
    gbench_set_label(state, "a label");
}

/* Manual time makes every derived number exact: 4 iterations of half a second. */
static void test_counters_and_manual_time(void **state)
{
    (void)state;
    static struct seen seen;
    struct gbench_benchmark *benchmark = gbench_register("counters", set_counters, NULL);
    gbench_use_manual_time(benchmark);
    gbench_use_real_time(benchmark); /* excluded by manual time, so ignored */
    gbench_set_iterations(benchmark, 4);
    gbench_set_unit(benchmark, GBENCH_MS);
    assert_int_equal(run(&seen, NULL, "."), 1);
    const struct seen_result *result = &seen.results[0];
    assert_true(result->result.real_time == 500);
    assert_int_equal(result->result.unit, GBENCH_MS);
    assert_string_equal(result->label, "a label");
    assert_int_equal(result->result.n_counters, 8);
    assert_true(counter(result, "plain") == 3);
    assert_true(counter(result, "rate") == 40);
    assert_true(counter(result, "invariant") == 8);
    assert_true(counter(result, "average") == 0.5);
    assert_true(counter(result, "inverse") == 0.25);
    assert_true(counter(result, "threads") == 6);
    assert_true(counter(result, "items_per_second") == 20);
    assert_true(counter(result, "bytes_per_second") == 2000);
    for (size_t i = 0; i < 8; i++)
        if (strcmp(result->counter_names[i], "inverse") == 0)
            assert_int_equal(result->counters[i].flags,
                             GBENCH_COUNTER_AVG_ITERATIONS | GBENCH_COUNTER_INVERT);
        else if (strcmp(result->counter_names[i], "rate") == 0)
            assert_int_equal(result->counters[i].one_k, GBENCH_1024);
}

static void sum_args(struct gbench_state *state, void *user)
{
    int64_t sum = 0;
    (void)user;
    for (size_t i = 0; i < gbench_n_args(state) + 2; i++) /* two past the end read 0 */
        sum += gbench_range(state, i);
    while (gbench_keep_running(state)) {
    }
    gbench_set_counter(state, "sum", (double)sum, GBENCH_COUNTER_PLAIN, GBENCH_1000);
    gbench_set_counter(state, "asked", (double)gbench_max_iterations(state), GBENCH_COUNTER_PLAIN,
                       GBENCH_1000);
    gbench_set_counter(state, "of", gbench_threads(state) + gbench_thread_index(state), GBENCH_COUNTER_PLAIN,
                       GBENCH_1000);
}

static void test_arguments(void **state)
{
    (void)state;
    static struct seen seen;
    struct gbench_benchmark *benchmark = gbench_register("args", sum_args, NULL);
    assert_int_equal(gbench_add_args(benchmark, (const int64_t[]){3, 4}, 2), 0);
    assert_int_equal(gbench_add_args(benchmark, (const int64_t[]){-5, 100}, 2), 0);
    assert_int_equal(gbench_add_args(benchmark, (const int64_t[]){1}, 1), -1);
    gbench_set_iterations(benchmark, 5);
    assert_int_equal(run(&seen, NULL, "."), 2);
    assert_string_equal(seen.results[0].name, "args/3/4");
    assert_string_equal(seen.results[1].name, "args/-5/100");
    assert_true(counter(&seen.results[0], "sum") == 7);
    assert_true(counter(&seen.results[1], "sum") == 95);
    assert_true(counter(&seen.results[0], "asked") == 5);
    assert_true(counter(&seen.results[0], "of") == 1);
}

static void test_repetitions_and_aggregates(void **state)
{
    (void)state;
    static struct seen seen;
    struct gbench_benchmark *benchmark = gbench_register("repeated", set_counters, NULL);
    gbench_use_manual_time(benchmark);
    gbench_set_iterations(benchmark, 2);
    gbench_set_repetitions(benchmark, 3);
    assert_int_equal(run(&seen, NULL, "."), 1);
    assert_true(seen.n_results >= 6); /* 3 runs, then mean, median, stddev and, since 1.6, cv */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(seen.results[i].result.repetition_index, i);
        assert_int_equal(seen.results[i].result.n_repetitions, 3);
    }
    assert_string_equal(seen.results[3].aggregate_name, "mean");
    assert_int_equal(seen.results[3].result.repetition_index, -1);
    assert_true(seen.results[3].result.real_time == 5e8);
    assert_string_equal(seen.results[3].name, "repeated");
    for (size_t i = 3; i < seen.n_results; i++)
        assert_int_equal(seen.results[i].result.aggregate_is_ratio,
                         strcmp(seen.results[i].aggregate_name, "cv") == 0);
}

static void fail_before(struct gbench_state *state, void *user)
{
    (void)user;
    gbench_skip_with_error(state, "no input");
    gbench_skip_with_error(state, "a second message");
    while (gbench_keep_running(state))
        fail_msg("the loop of a failed run was entered");
}

static void fail_inside(struct gbench_state *state, void *user)
{
    int64_t *n_done = user;
    while (gbench_keep_running(state)) {
        ++*n_done;
        gbench_skip_with_error(state, "broken");
    }
    assert_false(gbench_keep_running(state));
}

static void return_early(struct gbench_state *state, void *user)
{
    (void)user;
    (void)gbench_keep_running(state);
}

static void never_loop(struct gbench_state *state, void *user)
{
    (void)state, (void)user;
}

static void pause_twice(struct gbench_state *state, void *user)
{
    (void)user;
    while (gbench_keep_running(state)) {
        gbench_pause_timing(state);
        gbench_pause_timing(state);
        gbench_resume_timing(state);
    }
}

static void leave_paused(struct gbench_state *state, void *user)
{
    (void)user;
    while (gbench_keep_running(state))
        gbench_pause_timing(state);
}

static void resume_unpaused(struct gbench_state *state, void *user)
{
    (void)user;
    while (gbench_keep_running(state))
        gbench_resume_timing(state);
}

static void empty_batch(struct gbench_state *state, void *user)
{
    (void)user;
    while (gbench_keep_running_batch(state, 0))
        fail_msg("a batch of 0 iterations was run");
}

static void pause_well(struct gbench_state *state, void *user)
{
    (void)user;
    while (gbench_keep_running(state)) {
        gbench_pause_timing(state);
        gbench_resume_timing(state);
    }
}

static void test_misuse_is_an_error_of_the_run(void **state)
{
    (void)state;
    static struct seen seen;
    int64_t n_done = 0;
    static const struct {
        const char *name, *error;
        gbench_fn *fn;
    } rows[] = {
        {"before", "no input", fail_before},
        {"inside", "broken", fail_inside},
        {"early", "the benchmark function returned before its loop had ended", return_early},
        {"never", "the benchmark function returned before its loop had ended", never_loop},
        {"twice", "gbench_pause_timing: the timer does not run", pause_twice},
        {"paused", "gbench_keep_running: the timer is paused", leave_paused},
        {"unpaused", "gbench_resume_timing: the timer is not paused", resume_unpaused},
        {"empty", "gbench_keep_running_batch: fewer than 1 iteration", empty_batch},
        {"well", "", pause_well},
    };
    const size_t n_rows = sizeof rows / sizeof *rows;
    for (size_t i = 0; i < n_rows; i++)
        gbench_set_iterations(gbench_register(rows[i].name, rows[i].fn, &n_done), 3);
    assert_int_equal(run(&seen, NULL, "."), n_rows);
    assert_int_equal(seen.n_results, n_rows);
    for (size_t i = 0; i < n_rows; i++) {
        assert_string_equal(seen.results[i].name, rows[i].name);
        assert_string_equal(seen.results[i].error, rows[i].error);
        assert_int_equal(seen.results[i].result.has_error, *rows[i].error != 0);
    }
    assert_int_equal(n_done, 1);
}

static void test_context_may_refuse(void **state)
{
    (void)state;
    int64_t n_done = 0;
    static struct seen seen;
    const struct gbench_reporter reporter = {see_context, see_runs, see_finalize, &seen};
    gbench_set_iterations(gbench_register("refused", count_batches, &n_done), 10);
    memset(&seen, 0, sizeof seen);
    seen.refuse = true;
    gbench_run(&reporter, NULL, ".");
    assert_int_equal(seen.n_contexts, 1);
    assert_int_equal(n_done, 0);
    assert_int_equal(gbench_run(NULL, NULL, "."), 1); /* no reporter at all */
    assert_int_equal(n_done, 10);
}

static void test_null_benchmark_is_ignored(void **state)
{
    (void)state;
    gbench_set_iterations(NULL, 1);
    gbench_set_min_time(NULL, 1);
    gbench_set_repetitions(NULL, 1);
    gbench_set_threads(NULL, 1);
    gbench_set_unit(NULL, GBENCH_S);
    gbench_use_real_time(NULL);
    gbench_use_manual_time(NULL);
    assert_int_equal(gbench_add_args(NULL, (const int64_t[]){1}, 1), -1);
}

/* Heap bytes in use; sanitizers and valgrind, which have allocators of their own, tell 0 and find leaks
 * themselves. */
static size_t heap_bytes(void)
{
    return mallinfo2().uordblks;
}

static void test_clear_and_run_again_thousands_of_times(void **state)
{
    (void)state;
    int64_t n_done = 0;
    static struct seen seen;
    size_t n_bytes = 0;
    for (int i = 0; i < 3000; i++) {
        for (int k = 0; k < 4; k++)
            gbench_set_iterations(gbench_register("again", count_batches, &n_done), 10);
        assert_int_equal(run(&seen, NULL, "."), 4);
        assert_int_equal(seen.n_results, 4);
        gbench_clear();
        if (i == 500)
            n_bytes = heap_bytes();
    }
    assert_int_equal(n_done, 3000 * 4 * 10);
    assert_true(heap_bytes() <= n_bytes + 1000); /* 2,500 more rounds: under half a byte each */
}

static void test_filter(void **state)
{
    (void)state;
    static struct seen seen;
    int64_t n_done = 0;
    assert_true(gbench_filter_matches("anything"));
    assert_int_equal(gbench_set_filter("^per_row/"), 0);
    assert_true(gbench_filter_matches("per_row/row_ids"));
    assert_false(gbench_filter_matches("x_per_row/row_ids"));
    assert_int_equal(gbench_set_filter("("), -1); /* and the old one stays */
    assert_false(gbench_filter_matches("x"));
    assert_int_equal(gbench_set_filter("-row_(ids|x)"), 0);
    assert_false(gbench_filter_matches("per_row/row_ids"));
    assert_true(gbench_filter_matches("per_row/touch"));
    assert_int_equal(gbench_set_filter("all"), 0);
    assert_true(gbench_filter_matches("b"));

    /* The library decides as gbench_filter_matches does; no letter here is one of its decoration,
     * "/iterations:10". */
    static const char *const names[] = {"x", "xy", "y/x", "z"};
    static const char *const filters[] = {"",    "all",   "x", "^x", "-x",  "-^x",
                                          "y|z", "[xy]+", "q", "-q", "x{1}"};
    for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
        int64_t n_expected = 0;
        assert_int_equal(gbench_set_filter(filters[f]), 0);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            gbench_set_iterations(gbench_register(names[i], count_batches, &n_done), 10);
            n_expected += gbench_filter_matches(names[i]);
        }
        run(&seen, NULL, NULL);
        assert_int_equal(seen.n_results, n_expected);
        gbench_clear();
    }
}

static void test_initialize(void **state)
{
    (void)state;
    char program[] = "test", filter[] = "--benchmark_filter=^only$", help[] = "--help",
         out[] = "--benchmark_out=x.json", own[] = "--rows=5", min_time[] = "--benchmark_min_time=0.01s",
         dashes[] = "--", after[] = "--benchmark_filter=kept";
    char *argv[] = {program, help, filter, own, out, min_time, dashes, after, NULL};
    char *const expected[] = {program, help, own, out, dashes, after};
    int argc = 8;
    char message[256] = "";
    assert_int_equal(gbench_initialize(&argc, argv, message, sizeof message), 0);
    assert_int_equal(argc, 6);
    for (int i = 0; i < argc; i++)
        assert_ptr_equal(argv[i], expected[i]);
    assert_null(argv[argc]);
    assert_true(gbench_filter_matches("only"));
    assert_false(gbench_filter_matches("only2"));
}

static void test_initialize_refuses(void **state)
{
    (void)state;
    static const char *const bad[] = {"--benchmark_format=xml",    "--benchmark_time_unit=h",
                                      "--benchmark_color=",        "--benchmark_filter=(",
                                      "--benchmark_min_time=5q",   "--benchmark_min_time=",
                                      "--benchmark_min_time=1.5x", "--benchmark_min_time=-1",
                                      "--benchmark_nothing=1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char program[] = "test", flag[64], message[256] = "";
        char *argv[] = {program, flag, NULL};
        int argc = 2;
        snprintf(flag, sizeof flag, "%s", bad[i]);
        assert_int_equal(gbench_initialize(&argc, argv, message, sizeof message), -1);
        assert_non_null(strstr(message, bad[i]));
        assert_null(strchr(message, '\n'));
    }
}

static void test_version_is_known(void **state)
{
    (void)state;
    assert_true(gbench_library_version()[0] >= '1' && gbench_library_version()[0] <= '9');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_iterations_are_exact, clear_after),
        cmocka_unit_test_teardown(test_last_batch_overshoots_and_is_counted, clear_after),
        cmocka_unit_test_teardown(test_min_time_searches, clear_after),
        cmocka_unit_test_teardown(test_counters_and_manual_time, clear_after),
        cmocka_unit_test_teardown(test_arguments, clear_after),
        cmocka_unit_test_teardown(test_repetitions_and_aggregates, clear_after),
        cmocka_unit_test_teardown(test_misuse_is_an_error_of_the_run, clear_after),
        cmocka_unit_test_teardown(test_context_may_refuse, clear_after),
        cmocka_unit_test_teardown(test_null_benchmark_is_ignored, clear_after),
        cmocka_unit_test_teardown(test_clear_and_run_again_thousands_of_times, clear_after),
        cmocka_unit_test_teardown(test_filter, clear_after),
        cmocka_unit_test_teardown(test_initialize, clear_after),
        cmocka_unit_test_teardown(test_initialize_refuses, clear_after),
        cmocka_unit_test_teardown(test_version_is_known, clear_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
