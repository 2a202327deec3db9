/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps with kernels that no program ships: broken ones must leave a verdict and no time, and nothing may be
 * lost where a run is stopped. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "block_fixture.h"
#include "broken_kernels.h"
#include "sweep.h"

#define MAX_KERNELS 64
#define N_BATCHES   9 /* the last one is short */
#define ROWS        "4050"
#define BATCH       "500"

struct fixture {
    char *folder;
    struct sweep_options options;
    struct plan plan; /* one block, whose kernels are the test's */
    const struct kernel *kernels[MAX_KERNELS];
    size_t n_kernels;
};

static volatile sig_atomic_t interrupted;

/* Threads at the same time on the first CPU allowed: right answers need no second one. */
static struct cpu_workers workers;

static void choose_cpus(void)
{
    assert_int_equal(machine_choose_workers(&workers, -1, 1, NULL), 0);
    for (int i = 1; i < 3; i++)
        workers.cpus[i] = workers.cpus[0];
    workers.n_cores = 1;
}

/* A sweep of `words` besides the usual ones. */
static struct fixture open_fixture(const char *sink, const char *mode)
{
    char text[256], *words[32];
    int n = 0;
    struct fixture fixture = {.folder = fixture_folder()};
    struct dv_error error = {0};
    snprintf(text, sizeof text,
             "sweep --recipe uniform:rate=0.05:rows=" ROWS " --batch " BATCH
             " --kernel per_row --rounds 6 --min-time 1ms --quiet --sink %s --mode %s",
             sink, mode);
    for (char *rest = text, *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
        words[n++] = word;
    words[n] = NULL;
    assert_int_equal(sweep_options_parse(&fixture.options, n, words, &error), 0);
    assert_int_equal(plan_expand(&fixture.plan, &fixture.options, NULL, &error), 0);
    assert_int_equal(fixture.plan.n_blocks, 1);
    fixture.options.replace = true;
    interrupted = 0;
    return fixture;
}

/* Runs over the fixture's kernels; returns the number of wrong cells. */
static size_t run(struct fixture *fixture)
{
    struct plan_block *block = &fixture->plan.blocks[0];
    const struct kernel **theirs = block->kernels;
    const size_t n_theirs = block->n_kernels;
    struct dv_error error = {0};
    struct sweep sweep = {.options = &fixture->options,
                          .vectors = &fixture->options.vectors,
                          .plan = &fixture->plan,
                          .facts = {fixture->folder, "run", "machine", "cpu", "compiler"},
                          .workers = &workers,
                          .llc_bytes = 1 << 20,
                          .interrupted = &interrupted};
    block->kernels = fixture->kernels;
    block->n_kernels = fixture->n_kernels;
    if (sweep_run(&sweep, &error) != 0)
        fail_msg("%s", error.message);
    block->kernels = theirs;
    block->n_kernels = n_theirs;
    return sweep.n_wrong_out;
}

static void close_fixture(struct fixture *fixture)
{
    plan_free(&fixture->plan);
    sweep_options_free(&fixture->options);
    fixture_folder_remove(fixture->folder);
}

static void add(struct fixture *fixture, const struct kernel *kernel)
{
    assert_true(fixture->n_kernels < MAX_KERNELS);
    fixture->kernels[fixture->n_kernels++] = kernel;
}

/* --- kernels that are right or wrong in their own time --- */

struct calls {
    const struct kernel *right;
    struct kernel_state state;
    size_t n_calls;
};

static int open_calls(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    struct calls *calls = calloc(1, sizeof *calls);
    assert_non_null(calls);
    calls->right = right_kernel();
    assert_int_equal(calls->right->open(dv, &calls->state, error_out), 0);
    state->data = calls;
    return 0;
}

static void close_calls(struct kernel_state *state)
{
    struct calls *calls = state->data;
    calls->right->close(&calls->state);
    free(calls);
}

static uint32_t answer(const struct dv *dv, struct calls *calls, uint64_t start, uint32_t n_rows,
                       struct sink *sink)
{
    calls->n_calls++;
    return calls->right->run[SINK_row_ids](dv, &calls->state, start, n_rows, sink);
}

/* Right over the two passes of the check, wrong later: only the sample's last batch can tell. */
static uint32_t turns_wrong(const struct dv *dv, struct kernel_state *state, uint64_t start, uint32_t n_rows,
                            struct sink *sink)
{
    struct calls *calls = state->data;
    const uint32_t n_live = answer(dv, calls, start, n_rows, sink);
    if (calls->n_calls > 2 * N_BATCHES)
        ((int32_t *)sink->out)[0] ^= 1;
    return n_live;
}

/* Returns at once after some calls, but for the file's last batch. */
static uint32_t stops_working(const struct dv *dv, struct kernel_state *state, uint64_t start,
                              uint32_t n_rows, struct sink *sink)
{
    struct calls *calls = state->data;
    if (calls->n_calls > 3 * N_BATCHES && start < 4000)
        return 0;
    return answer(dv, calls, start, n_rows, sink);
}

/* Right counts always, but after some calls only the file's last batch is stored. */
static uint32_t skips_stores(const struct dv *dv, struct kernel_state *state, uint64_t start, uint32_t n_rows,
                             struct sink *sink)
{
    struct calls *calls = state->data;
    static int32_t elsewhere[4096];
    struct sink hidden = {.out = elsewhere};
    const bool is_stored = calls->n_calls <= 3 * N_BATCHES || start >= 4000;
    const uint32_t n_live = answer(dv, calls, start, n_rows, is_stored ? sink : &hidden);
    if (!is_stored)
        sink->n_out = hidden.n_out;
    return n_live;
}

static uint32_t interrupts(const struct dv *dv, struct kernel_state *state, uint64_t start, uint32_t n_rows,
                           struct sink *sink)
{
    struct calls *calls = state->data;
    if (calls->n_calls >=
        4 * N_BATCHES) /* more than checking takes, and less than the fewest passes of all rounds */
        interrupted = SIGINT;
    return answer(dv, calls, start, n_rows, sink);
}

/* A pass of 9 batches takes a fifth of the least time of a sample, 20 ms, right answers included. */
static uint32_t takes_its_time(const struct dv *dv, struct kernel_state *state, uint64_t start,
                               uint32_t n_rows, struct sink *sink)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const int64_t until_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec + 4000000 / N_BATCHES;
    const uint32_t n_live = answer(dv, state->data, start, n_rows, sink);
    while (now.tv_sec * INT64_C(1000000000) + now.tv_nsec < until_ns)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return n_live;
}

static uint32_t answers(const struct dv *dv, struct kernel_state *state, uint64_t start, uint32_t n_rows,
                        struct sink *sink)
{
    return answer(dv, state->data, start, n_rows, sink);
}

static struct kernel kernel_of(const char *id, kernel_fn *run_into_row_ids)
{
    return (struct kernel){.id = id,
                           .technique = id,
                           .needs = DV_NEEDS_INTERVALS,
                           .sinks = 1u << SINK_row_ids,
                           .open = open_calls,
                           .close = close_calls,
                           .run = {[SINK_row_ids] = run_into_row_ids}};
}

/* --- tests --- */

/* Those that read or write around the vector's bytes are caught where these are guarded, by `check`; those of
 * far positions and of repeated batches where there are such. */
static bool is_of_a_plain_sweep(const struct kernel *kernel)
{
    static const char *const others[] = {"reads_behind_the_vector", "reads_a_word_at_the_last_byte",
                                         "writes_to_the_vector", "truncates_positions",
                                         "finds_each_batch_once"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(kernel->id, others[i]) == 0)
            return false;
    return true;
}

static void broken_kernels_have_a_verdict_and_no_time(void **state)
{
    (void)state;
    for (int sink = 0; sink < N_SINKS; sink++) {
        struct fixture fixture = open_fixture(sink_id(sink), "stream");
        size_t n_broken = 0;
        add(&fixture, kernel_find("per_row"));
        add(&fixture, right_kernel());
        for (size_t i = 0; i < broken_kernels_count(); i++)
            if ((broken_kernel_at(i)->sinks & 1u << sink) && is_of_a_plain_sweep(broken_kernel_at(i))) {
                add(&fixture, broken_kernel_at(i));
                n_broken++;
            }
        assert_true(n_broken > 15);
        assert_int_equal(run(&fixture), n_broken);
        struct csv_table *summary = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
        char *samples = fixture_text(fixture.folder, "samples.csv");
        assert_int_equal(csv_n_rows(summary), fixture.n_kernels);
        for (size_t i = 0; i < fixture.n_kernels; i++) {
            const bool is_right = i < 2;
            char cell[40];
            assert_string_equal(csv_text(summary, i, CSV_summary_verdict), is_right ? "ok" : "wrong");
            assert_int_equal(csv_text(summary, i, CSV_summary_reason)[0] == '\0', is_right);
            assert_int_equal(csv_text(summary, i, CSV_summary_ns_per_row)[0] != '\0', is_right);
            assert_int_equal(csv_text(summary, i, CSV_summary_open_ns)[0] != '\0', is_right);
            assert_int_equal(csv_text(summary, i, CSV_summary_speedup_vs_per_row)[0] != '\0', is_right);
            snprintf(cell, sizeof cell, ",%s,", fixture.kernels[i]->id);
            assert_int_equal(fixture_count(samples, cell), is_right ? 6 : 0);
        }
        free(samples);
        csv_free(summary);
        close_fixture(&fixture);
    }
}

static void loses_its_times(const char *id, kernel_fn *run_into_row_ids, const char *reason)
{
    const struct kernel turncoat = kernel_of(id, run_into_row_ids);
    struct fixture fixture = open_fixture("row_ids", "stream");
    add(&fixture, kernel_find("per_row"));
    add(&fixture, &turncoat); /* the slowest or the fastest, so that it has a twin */
    assert_int_equal(run(&fixture), 1);
    struct csv_table *summary = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    const size_t row = fixture_row_of(summary, id);
    assert_string_equal(csv_text(summary, row, CSV_summary_verdict), "wrong");
    if (!strstr(csv_text(summary, row, CSV_summary_reason), reason))
        fail_msg("%s: %s", id, csv_text(summary, row, CSV_summary_reason));
    assert_string_equal(csv_text(summary, row, CSV_summary_ns_per_row), "");
    assert_string_equal(csv_text(summary, fixture_row_of(summary, "per_row"), CSV_summary_samples), "6");
    char *samples = fixture_text(fixture.folder, "samples.csv");
    assert_int_equal(fixture_count(samples, id), 0);
    free(samples);
    csv_free(summary);
    close_fixture(&fixture);
}

static void what_turns_wrong_later_loses_its_times(void **state)
{
    (void)state;
    loses_its_times("turns_wrong", turns_wrong, "the last batch of a timed sample: row_ids[0]");
    loses_its_times("stops_working", stops_working, "live rows in a timed sample; oracle");
    loses_its_times("skips_stores", skips_stores, "a batch drawn after a timed sample: row_ids[0]");
}

static void a_stopped_block_keeps_its_samples_and_is_measured_again(void **state)
{
    (void)state;
    const struct kernel stopper = kernel_of("interrupts", interrupts);
    struct fixture fixture = open_fixture("row_ids", "stream");
    fixture.options.min_time_ns = 10e6;
    add(&fixture, kernel_find("per_row"));
    add(&fixture, &stopper);
    assert_int_equal(run(&fixture), 0);
    assert_int_equal(interrupted, SIGINT);
    struct csv_table *summary = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    assert_int_equal(csv_n_rows(summary), 2);
    assert_string_equal(csv_text(summary, 0, CSV_summary_verdict), "ok");
    assert_string_equal(csv_text(summary, 0, CSV_summary_open_ns), "");
    csv_free(summary);
    interrupted = 0;
    fixture.kernels[1] = right_kernel();
    assert_int_equal(run(&fixture), 0);
    summary = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    assert_string_equal(csv_text(summary, 0, CSV_summary_samples), "6");
    assert_true(csv_real(summary, 0, CSV_summary_open_ns) > 0);
    csv_free(summary);
    close_fixture(&fixture);
}

/* --- threads --- */

static struct fixture open_threads(const char *mode, bool share_dv)
{
    struct fixture fixture = open_fixture("row_ids", mode);
    const int counts[] = {1, 2, 3};
    choose_cpus();
    memcpy(fixture.options.threads, counts, sizeof counts);
    fixture.options.n_threads = 3;
    fixture.options.rounds = 7; /* odd: the median is a sample, and inverse values have inverse medians */
    fixture.options.share_dv = share_dv;
    return fixture;
}

static size_t threads_row(const struct csv_table *threads, const char *kernel, size_t count)
{
    for (size_t i = 0; i < csv_n_rows(threads); i++)
        if (strcmp(csv_text(threads, i, CSV_threads_kernel), kernel) == 0 &&
            csv_real(threads, i, CSV_threads_threads) == (double)count)
            return i;
    fail_msg("no row of %s with %zu threads", kernel, count);
    return 0;
}

/* All rows of a count that is right, and what can be worked out from the others. */
static void threads_are_accounted_for(const char *mode, bool share_dv)
{
    static const char *const kernels[] = {"per_row", "direct_scalar", "bound"};
    struct fixture fixture = open_threads(mode, share_dv);
    add(&fixture, kernel_find("per_row"));
    add(&fixture, kernel_find("direct_scalar"));
    assert_int_equal(run(&fixture), 0);
    struct csv_table *threads = fixture_table(fixture.folder, "threads.csv", CSV_FILE_threads);
    struct csv_table *summary = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    assert_int_equal(csv_n_rows(threads), 9);
    for (size_t k = 0; k < 3; k++)
        for (size_t count = 1; count <= 3; count++) {
            const size_t row = threads_row(threads, kernels[k], count),
                         bound = threads_row(threads, "bound", count);
            const double rows_per_s = csv_real(threads, row, CSV_threads_rows_per_s);
            assert_string_equal(csv_text(threads, row, CSV_threads_verdict), "ok");
            assert_string_equal(csv_text(threads, row, CSV_threads_samples), "7");
            assert_string_equal(csv_text(threads, row, CSV_threads_cores), "1");
            assert_string_equal(csv_text(threads, row, CSV_threads_mode), mode);
            assert_string_equal(csv_text(threads, row, CSV_threads_vectors), share_dv ? "shared" : "own");
            if (k < 2)
                assert_string_equal(csv_text(threads, row, CSV_threads_cell),
                                    csv_text(summary, fixture_row_of(summary, kernels[k]), CSV_summary_cell));
            assert_true(csv_real(threads, row, CSV_threads_rows_per_s_low) <= rows_per_s);
            assert_true(rows_per_s <= csv_real(threads, row, CSV_threads_rows_per_s_high));
            /* the last thread's end is not before the middle one's */
            assert_true(csv_real(threads, row, CSV_threads_thread_ns_per_row) * rows_per_s <=
                        1.000001e9 * (double)count);
            const double pct = 100 * rows_per_s / csv_real(threads, bound, CSV_threads_rows_per_s);
            assert_true(fabs(csv_real(threads, row, CSV_threads_pct_of_bound) / pct - 1) < 1e-6);
            if (count == 1) {
                assert_true(csv_real(threads, row, CSV_threads_scaling) == 1);
                assert_true(fabs(csv_real(threads, row, CSV_threads_thread_ns_per_row) * rows_per_s / 1e9 -
                                 1) < 1e-6);
            }
            /* one CPU: three cannot do more than one */
            assert_true(count < 3 || csv_real(threads, row, CSV_threads_scaling) < 2);
        }
    csv_free(summary);
    csv_free(threads);
    /* Done: nothing is measured again, and the rows stay. */
    char *before = fixture_text(fixture.folder, "threads.csv");
    assert_int_equal(run(&fixture), 0);
    char *after = fixture_text(fixture.folder, "threads.csv");
    assert_string_equal(before, after);
    free(before);
    free(after);
    /* Of a vector that is shared where it was not, or the other way round, they do not hold. */
    fixture.options.share_dv = !share_dv;
    assert_int_equal(run(&fixture), 0);
    threads = fixture_table(fixture.folder, "threads.csv", CSV_FILE_threads);
    assert_int_equal(csv_n_rows(threads), 9);
    const bool is_shared = !share_dv && strcmp(mode, "cold") != 0;
    for (size_t i = 0; i < 9; i++)
        assert_string_equal(csv_text(threads, i, CSV_threads_vectors), is_shared ? "shared" : "own");
    csv_free(threads);
    close_fixture(&fixture);
}

static void threads_are_accounted_for_in_every_mode(void **state)
{
    (void)state;
    for (int mode = 0; mode < N_MODES; mode++)
        threads_are_accounted_for(mode_id((enum sweep_mode)mode), false);
    threads_are_accounted_for("stream", true);
}

/* Right wherever one thread runs it; a second one that is open at the same time gets wrong rows. */
static atomic_int n_open_states;

static int open_counted(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    atomic_fetch_add(&n_open_states, 1);
    return open_calls(dv, state, error_out);
}

static void close_counted(struct kernel_state *state)
{
    atomic_fetch_sub(&n_open_states, 1);
    close_calls(state);
}

static uint32_t wrong_at_once(const struct dv *dv, struct kernel_state *state, uint64_t start,
                              uint32_t n_rows, struct sink *sink)
{
    const uint32_t n_live = answer(dv, state->data, start, n_rows, sink);
    if (atomic_load(&n_open_states) > 3) /* its entry, its twin and the one of the opening cost are three */
        ((int32_t *)sink->out)[n_live / 2] ^= 1;
    return n_live;
}

/* Wrong in timed samples only, and not in their last batch. */
static uint32_t wrong_count_late(const struct dv *dv, struct kernel_state *state, uint64_t start,
                                 uint32_t n_rows, struct sink *sink)
{
    struct calls *calls = state->data;
    const uint32_t n_live = answer(dv, calls, start, n_rows, sink);
    return n_live - (atomic_load(&n_open_states) > 3 && calls->n_calls > 3 * N_BATCHES && start < 4000);
}

/* What it keeps cannot be had three times. */
static int open_few(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    if (atomic_load(&n_open_states) > 3)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "too many, at once");
    return open_counted(dv, state, error_out);
}

static void wrong_with_threads(const char *id, kernel_fn *run_into_row_ids, const char *reason)
{
    struct kernel kernel = kernel_of(id, run_into_row_ids);
    kernel.open = open_counted;
    kernel.close = close_counted;
    struct fixture fixture = open_threads("stream", false);
    add(&fixture, kernel_find("per_row"));
    add(&fixture, &kernel);
    assert_int_equal(run(&fixture), 1);
    assert_int_equal(atomic_load(&n_open_states), 0);
    struct csv_table *threads = fixture_table(fixture.folder, "threads.csv", CSV_FILE_threads);
    struct csv_table *summary = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    for (size_t count = 1; count <= 3; count++) {
        const size_t row = threads_row(threads, id, count);
        assert_string_equal(csv_text(threads, row, CSV_threads_verdict), "wrong");
        if (!strstr(csv_text(threads, row, CSV_threads_reason), reason))
            fail_msg("%s: %s", id, csv_text(threads, row, CSV_threads_reason));
        assert_string_equal(csv_text(threads, row, CSV_threads_rows_per_s), "");
        assert_string_equal(csv_text(threads, row, CSV_threads_scaling), "");
        assert_string_equal(csv_text(threads, row, CSV_threads_pct_of_bound), "");
        assert_string_equal(csv_text(threads, threads_row(threads, "per_row", count), CSV_threads_verdict),
                            "ok");
    }
    const size_t row = fixture_row_of(summary, id);
    assert_string_equal(csv_text(summary, row, CSV_summary_verdict), "wrong");
    assert_string_equal(csv_text(summary, row, CSV_summary_ns_per_row), "");
    csv_free(summary);
    csv_free(threads);
    close_fixture(&fixture);
}

static void what_is_wrong_only_at_once_has_no_time(void **state)
{
    (void)state;
    wrong_with_threads("wrong_at_once", wrong_at_once, "threads at once: row_ids[");
    wrong_with_threads("wrong_count_late", wrong_count_late, "live rows in a timed sample");
}

static void what_opens_too_seldom_is_unavailable_with_threads(void **state)
{
    (void)state;
    struct kernel few = kernel_of("few", answers);
    few.open = open_few;
    few.close = close_counted;
    struct fixture fixture = open_threads("stream", false);
    add(&fixture, kernel_find("per_row"));
    add(&fixture, &few);
    assert_int_equal(run(&fixture), 0);
    struct csv_table *threads = fixture_table(fixture.folder, "threads.csv", CSV_FILE_threads);
    const size_t row = threads_row(threads, "few", 1);
    assert_string_equal(csv_text(threads, row, CSV_threads_verdict), "unavailable");
    assert_non_null(strstr(csv_text(threads, row, CSV_threads_reason), "of 3: too many; at once"));
    csv_free(threads);
    assert_int_equal(atomic_load(&n_open_states), 0);
    close_fixture(&fixture);
}

static void a_sample_has_the_passes_that_its_least_time_takes(void **state)
{
    (void)state;
    const struct kernel slow = kernel_of("takes_its_time", takes_its_time);
    struct fixture fixture = open_fixture("row_ids", "stream");
    fixture.options.min_time_ns = 20e6;
    add(&fixture, &slow);
    assert_int_equal(run(&fixture), 0);
    struct csv_table *samples = fixture_table(fixture.folder, "samples.csv", CSV_FILE_samples);
    assert_int_equal(csv_n_rows(samples), 3 * 6); /* with its twin and the bound */
    uint64_t first = 0;
    for (size_t i = 0; i < csv_n_rows(samples); i++) {
        uint64_t n_iterations;
        csv_unsigned(samples, i, CSV_samples_iterations, &n_iterations);
        assert_int_equal(n_iterations % N_BATCHES, 0); /* whole passes */
        if (strncmp(csv_text(samples, i, CSV_samples_kernel), "takes_its_time", 14) != 0)
            continue;
        /* 5 passes, or fewer where the clock's own cost or a page fault made the pass longer; the same in all
         * rounds. */
        assert_in_range(n_iterations, 2 * N_BATCHES, 5 * N_BATCHES);
        first = first ? first : n_iterations;
        assert_int_equal(n_iterations, first);
    }
    csv_free(samples);
    struct csv_table *summary = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    assert_string_equal(csv_text(summary, 0, CSV_summary_speedup_vs_per_row), ""); /* no per_row, no ratio */
    csv_free(summary);
    close_fixture(&fixture);
}

int main(void)
{
    if (kernel_unavailable(kernel_find("per_row"), SINK_row_ids))
        return 77; /* built without CRoaring: nothing to compare with */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_kernels_have_a_verdict_and_no_time),
        cmocka_unit_test(what_turns_wrong_later_loses_its_times),
        cmocka_unit_test(a_stopped_block_keeps_its_samples_and_is_measured_again),
        cmocka_unit_test(threads_are_accounted_for_in_every_mode),
        cmocka_unit_test(what_is_wrong_only_at_once_has_no_time),
        cmocka_unit_test(what_opens_too_seldom_is_unavailable_with_threads),
        cmocka_unit_test(a_sample_has_the_passes_that_its_least_time_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
