/* SPDX-License-Identifier: Apache-2.0 */
/* Single steps: loops of known length, string instructions, limits; and real kernels next to callgrind's
 * counts. The program is its own child under callgrind, as test_counters_sim.c. Skipped where nothing can be
 * stepped. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibration.h"
#include "counters.h"
#include "counters_pass.h"
#include "sim_child.h"
#include "source.h"
#include "step.h"

#define MANY_STEPS 500000u

static void nothing(void *argument)
{
    (void)argument;
}

static void loop(void *n)
{
    calibration_loop(*(const uint64_t *)n);
}

static uint64_t instructions_of(void (*function)(void *argument), void *argument)
{
    struct step_run run;
    assert_int_equal(step_run(function, argument, MANY_STEPS, NULL, &run), COUNTER_OK);
    assert_true(run.n_steps >= run.n_instructions);
    return run.n_instructions;
}

/* Two instructions a turn, whatever the turns; and the same at each repeat. */
static void test_known_loop(void **state)
{
    (void)state;
    uint64_t one = 1;
    uint64_t of_one = instructions_of(loop, &one);
    for (uint64_t n = 2; n <= 2000; n = n * 3 + 1) {
        assert_int_equal(instructions_of(loop, &n), of_one + CALIBRATION_LOOP_INSTRUCTIONS * (n - 1));
        assert_int_equal(instructions_of(loop, &n), of_one + CALIBRATION_LOOP_INSTRUCTIONS * (n - 1));
    }
}

#ifdef __x86_64__

struct string_job {
    uint8_t *out;
    const uint8_t *in;
    size_t n; /* elements */
};

#define STRING_FUNCTION(name, instruction)                                                                   \
    static void __attribute__((noinline)) name(void *argument)                                               \
    {                                                                                                        \
        const struct string_job *job = argument;                                                             \
        void *out = job->out;                                                                                \
        const void *in = job->in;                                                                            \
        size_t n = job->n;                                                                                   \
        __asm__ volatile(instruction : "+D"(out), "+S"(in), "+c"(n) : "a"(0x0102030405060708) : "memory");   \
        assert_int_equal(n, 0);                                                                              \
    }
STRING_FUNCTION(store_bytes, "rep stosb")
STRING_FUNCTION(store_words, "rep stosq")
STRING_FUNCTION(store_pairs, "rep stosw") /* left to its steps */
STRING_FUNCTION(move_bytes, "rep movsb")
STRING_FUNCTION(move_words, "rep movsq")

/* A repeated instruction is one, however long, and does what it does unstepped. */
static void test_string_instructions(void **state)
{
    (void)state;
    static const struct {
        void (*function)(void *argument);
        size_t n_bytes; /* an element */
    } cases[] = {{store_bytes, 1}, {store_words, 8}, {store_pairs, 2}, {move_bytes, 1}, {move_words, 8}};
    static const size_t lengths[] = {1, 2, 3, 700};
    uint8_t in[8 * 700];
    uint8_t stepped[8 * 700 + 1];
    uint8_t plain[8 * 700 + 1];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 7 + 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t of_one = 0;
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            struct string_job job = {stepped, in, lengths[l]};
            memset(stepped, 0xee, sizeof stepped);
            memset(plain, 0xee, sizeof plain);
            uint64_t n = instructions_of(cases[c].function, &job);
            of_one = l == 0 ? n : of_one;
            assert_int_equal(n, of_one);
            job.out = plain;
            cases[c].function(&job);
            assert_memory_equal(stepped, plain, sizeof plain);
            assert_int_equal(stepped[cases[c].n_bytes * lengths[l]], 0xee);
        }
    }
}

#endif

/* What takes too long runs to its end unstepped, and so does what was interrupted. */
static void test_limits(void **state)
{
    (void)state;
    uint64_t n = 100000;
    struct step_run run;
    volatile sig_atomic_t interrupted = 1;
    assert_int_equal(step_run(loop, &n, 1000, NULL, &run), COUNTER_STEP_TOO_LONG);
    assert_int_equal(run.n_steps, 1000);
    assert_int_equal(step_run(loop, &n, MANY_STEPS, &interrupted, &run), COUNTER_INTERRUPTED);
    assert_true(run.n_steps < 2);
    interrupted = 0;
    n = 10;
    assert_int_equal(step_run(loop, &n, MANY_STEPS, &interrupted, &run), COUNTER_OK);
}

static volatile sig_atomic_t n_seen;

static void see(int signal)
{
    (void)signal;
    n_seen++;
}

/* Another signal's handler is not in the count; the caller's SIGTRAP and mask come back, and a blocked
 * SIGTRAP does no harm. */
static void raise_here(void *argument)
{
    (void)argument;
    raise(SIGUSR1);
}

static void test_signals(void **state)
{
    (void)state;
    sigset_t trap;
    sigset_t mask;
    uint64_t n = 5;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    signal(SIGUSR1, see);
    signal(SIGTRAP, see);
    sigprocmask(SIG_BLOCK, &trap, &mask);
    n_seen = 0;
    assert_true(instructions_of(loop, &n) > 0);
    sigprocmask(SIG_SETMASK, &mask, &trap);
    assert_true(sigismember(&trap, SIGTRAP));
    assert_int_equal(n_seen, 0);
    raise(SIGTRAP);
    assert_int_equal(n_seen, 1);
    signal(SIGTRAP, SIG_DFL);
    uint64_t first = instructions_of(raise_here, NULL);
    assert_int_equal(instructions_of(raise_here, NULL), first);
    assert_int_equal(n_seen, 3);
    signal(SIGUSR1, SIG_DFL);
    assert_true(first > instructions_of(nothing, NULL));
}

/* --- kernels --- */

struct fixture {
    struct dv_source source;
    struct dv dv;
    struct batches batches;
};

static void load(struct fixture *fixture, const char *spec, uint32_t batch_rows)
{
    struct dv_error error = {0};
    unsigned needs = DV_NEEDS_VIEW;
    for (size_t i = 0; i < kernels_count(); i++)
        if (!kernel_unavailable(kernel_at(i), SINK_row_ids))
            needs |= kernel_at(i)->needs;
    if (source_open_spec(&fixture->source, spec, &error) != 0 ||
        dv_open(&fixture->dv, fixture->source.payload, fixture->source.n_payload_bytes, needs, &error) != 0 ||
        batches_plan(&fixture->batches, &fixture->dv.view, fixture->source.base, fixture->source.n_rows,
                     batch_rows, 1600, &error) != 0)
        fail_msg("%s", error.message);
}

static void unload(struct fixture *fixture)
{
    batches_free(&fixture->batches);
    dv_close(&fixture->dv);
    source_free(&fixture->source);
}

static void run_pass(void *pass)
{
    counters_pass_run(pass);
}

/* Instructions of all batches, less the loop's, after one run that resolves what is called. */
static double step_per_row(const struct fixture *fixture, const struct kernel *kernel)
{
    const struct kernel *kernels[] = {kernel, NULL};
    double n[2] = {0};
    for (int i = 0; i < 4; i++) {
        struct counters_pass pass;
        const struct counters_visits visits = {.batches = &fixture->batches,
                                               .n_visits = fixture->batches.n_items};
        assert_int_equal(counters_pass_open(&pass, &fixture->dv, &visits, kernels[i / 2], SINK_row_ids, NULL),
                         0);
        if (i % 2 == 0)
            counters_pass_run(&pass);
        else
            n[i / 2] = (double)instructions_of(run_pass, &pass);
        counters_pass_close(&pass);
    }
    return (n[0] - n[1]) / (double)fixture->batches.n_rows;
}

static const char *const both[] = {"per_row",       "per_row_branchless", "for_each_in_range_inline",
                                   "direct_scalar", "direct_bmi2",        "direct_avx2"};
#define N_BOTH (sizeof both / sizeof *both)

/* Two ways to count the same instructions. What may differ is the first call under callgrind, where the
 * linker resolves memset, and the variant of it that its CPU gets: none of them calls it here. */
static void test_agrees_with_callgrind(void **state)
{
    (void)state;
    struct fixture fixture;
    struct counters *counters;
    struct counters_result results[N_BOTH];
    const struct kernel *kernels[N_BOTH];
    struct dv_error error = {0};
    const struct counters_options options = {.mode = COUNTERS_SIM};
    size_t n_kernels = 0;
    if (counters_open(&counters, &options, &error) != 0) {
        print_message("skipped: %s\n", error.message);
        skip();
    }
    load(&fixture, "uniform:rate=0.05:rows=600:seed=3", 100);
    for (size_t i = 0; i < N_BOTH; i++)
        if (!kernel_unavailable(kernel_find(both[i]), SINK_row_ids))
            kernels[n_kernels++] = kernel_find(both[i]);
    const struct counters_job job = {.dv = &fixture.dv,
                                     .batches = &fixture.batches,
                                     .sink = SINK_row_ids,
                                     .kernels = kernels,
                                     .n_kernels = n_kernels};
    assert_int_equal(counters_measure(counters, &job, results, &error), 0);
    for (size_t i = 0; i < n_kernels; i++) {
        if (strcmp(results[i].source, "sim") != 0)
            continue; /* other code than here */
        double stepped = step_per_row(&fixture, kernels[i]);
        print_message("%s: stepped %.4f, simulated %.4f\n", kernels[i]->id, stepped,
                      results[i].instructions_per_row);
        assert_true(fabs(stepped / results[i].instructions_per_row - 1) < 0.001);
    }
    counters_results_free(results, n_kernels);
    counters_close(counters);
    unload(&fixture);
}

static void assert_same(const struct step_counts *a, const struct step_counts *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->n_batches, b->n_batches);
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_instructions, b->n_instructions);
}

static struct step_counts measure(const struct counters_job *job)
{
    struct step_counts counts;
    struct dv_error error = {0};
    assert_int_equal(step_measure(job, kernel_find("for_each_in_range"), &counts, &error), 0);
    return counts;
}

/* The sample: whole batches, spread, as many as the aim allows, and the same count each time. */
static void test_measure(void **state)
{
    (void)state;
    struct fixture fixture;
    load(&fixture, "uniform:rate=0.05:rows=400000:seed=3", 20);
    struct counters_job job = {.dv = &fixture.dv, .batches = &fixture.batches, .sink = SINK_row_ids};
    struct step_counts counts = measure(&job);
    assert_int_equal(counts.status, COUNTER_OK);
    assert_true(counts.n_batches > 1 && counts.n_rows == 20 * counts.n_batches);
    assert_true(counts.n_instructions > 2 * counts.n_rows && counts.n_instructions < 200 * counts.n_rows);
    struct step_counts again = measure(&job);
    assert_same(&counts, &again);
    job.replay = true;
    counts = measure(&job);
    assert_int_equal(counts.status, COUNTER_OK);
    assert_true(counts.n_batches > 1 && counts.n_rows == 20 * counts.n_batches);
    unload(&fixture);
}

/* A kernel that keeps its place counts what a step to the next batch costs, however far apart the counted ones are: the
 * sample's count is near that of all batches, where the way from one to the other would be many times it. */
static void test_measure_steps_from_before(void **state)
{
    (void)state;
    struct fixture fixture;
    struct step_counts counts;
    struct dv_error error = {0};
    const struct kernel *kernel = kernel_find("expand_positions");
    load(&fixture, "uniform:rate=0.05:rows=8000:seed=3", 20);
    struct counters_job job = {.dv = &fixture.dv, .batches = &fixture.batches, .sink = SINK_row_ids};
    assert_int_equal(step_measure(&job, kernel, &counts, &error), 0);
    assert_int_equal(counts.status, COUNTER_OK);
    assert_true(counts.n_batches > 1 && counts.n_batches < fixture.batches.n_items / 2);
    const double sampled = (double)counts.n_instructions / (double)counts.n_rows,
                 all = step_per_row(&fixture, kernel);
    print_message("sampled %.4f, all %.4f\n", sampled, all);
    assert_true(fabs(sampled / all - 1) < 0.1);
    unload(&fixture);
}

/* A batch that no one can wait for, and a run that was stopped. */
static void test_measure_gives_up(void **state)
{
    (void)state;
    struct fixture fixture;
    volatile sig_atomic_t interrupted = 0;
    load(&fixture, "uniform:rate=0.05:rows=400000:seed=3", 200000);
    struct counters_job job = {
        .dv = &fixture.dv, .batches = &fixture.batches, .sink = SINK_row_ids, .interrupted = &interrupted};
    assert_int_equal(measure(&job).status, COUNTER_STEP_TOO_LONG);
    interrupted = 1;
    assert_int_equal(measure(&job).status, COUNTER_INTERRUPTED);
    unload(&fixture);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_loop),
#ifdef __x86_64__
        cmocka_unit_test(test_string_instructions),
#endif
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_agrees_with_callgrind),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_measure_steps_from_before),
        cmocka_unit_test(test_measure_gives_up),
    };
    if (argc == 3 && strcmp(argv[1], "simulate") == 0)
        return sim_child_run(argv[2], NULL) != 0;
    if (step_self_test() != COUNTER_OK) {
        printf("skipped: single steps do not reach this program\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
