/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps with kernels that no program ships: broken ones must leave a verdict and no time, and nothing may be
 * lost where a run is stopped. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
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

static struct kernel kernel_of(const char *id, kernel_fn *run_into_row_ids)
{
    return (struct kernel){.id = id,
                           .technique = id,
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
        cmocka_unit_test(a_sample_has_the_passes_that_its_least_time_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
