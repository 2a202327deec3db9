/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated counters of real kernels. The program is its own child: `test_counters_sim simulate JOB` is what
 * callgrind runs. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "counters.h"
#include "sim_child.h"
#include "sim_parse.h"
#include "source.h"
#include "step.h"

#define MAX_KERNELS 64
#define DEADLY      "deadly"

struct fixture {
    struct counters *counters;
    struct dv_source source;
    struct dv dv;
    struct batches batches;
    const struct kernel *kernels[MAX_KERNELS];
    size_t n_kernels;
};

static void load(struct fixture *fixture, const char *spec)
{
    struct dv_error error = {0};
    unsigned needs = 0;
    fixture->n_kernels = 0;
    for (size_t i = 0; i < kernels_count() && fixture->n_kernels < MAX_KERNELS; i++) {
        const struct kernel *kernel = kernel_at(i);
        if (kernel_unavailable(kernel, SINK_row_ids))
            continue;
        needs |= kernel->needs;
        fixture->kernels[fixture->n_kernels++] = kernel;
    }
    if (source_open_spec(&fixture->source, spec, &error) != 0 ||
        dv_open(&fixture->dv, fixture->source.payload, fixture->source.n_payload_bytes, needs, &error) != 0 ||
        batches_plan(&fixture->batches, &fixture->dv.view, fixture->source.base, fixture->source.n_rows, 5000,
                     1600, &error) != 0)
        fail_msg("%s", error.message);
}

static void unload(struct fixture *fixture)
{
    batches_free(&fixture->batches);
    dv_close(&fixture->dv);
    source_free(&fixture->source);
}

static struct counters_job job_of(const struct fixture *fixture)
{
    return (struct counters_job){
        .dv = &fixture->dv,
        .batches = &fixture->batches,
        .sink = SINK_row_ids,
        .kernels = fixture->kernels,
        .n_kernels = fixture->n_kernels,
    };
}

static void measure(const struct fixture *fixture, const struct counters_job *job,
                    struct counters_result *results_out)
{
    struct dv_error error = {0};
    if (counters_measure(fixture->counters, job, results_out, &error) != 0)
        fail_msg("%s", error.message);
}

static int set_up(void **state)
{
    struct dv_error error = {0};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const struct counters_options options = {.mode = COUNTERS_SIM};
    *state = fixture;
    if (counters_open(&fixture->counters, &options, &error) != 0) {
        print_message("skipped: %s\n", error.message);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    counters_close(fixture->counters);
    free(fixture);
    return 0;
}

/* To the last digit, branch misses included; and the cells say what they are. */
static void test_two_runs_agree(void **state)
{
    struct fixture *fixture = *state;
    struct counters_result first[MAX_KERNELS];
    struct counters_result second[MAX_KERNELS];
    load(fixture, "uniform:rate=0.05:rows=400000:seed=3");
    const struct counters_job job = job_of(fixture);
    size_t n_counted = 0;
    measure(fixture, &job, first);
    measure(fixture, &job, second);
    for (size_t i = 0; i < job.n_kernels; i++) {
        bool is_stepped = strcmp(first[i].source, "step") == 0;
        assert_true(is_stepped || strcmp(first[i].source, "sim") == 0);
        assert_string_equal(first[i].source, second[i].source);
        assert_string_equal(first[i].status, second[i].status);
        assert_true(isnan(first[i].core_cycles_per_row));
        assert_true(isnan(first[i].ipc));
        if (isnan(first[i].instructions_per_row)) {
            assert_true(first[i].status[0] != '\0');
            continue;
        }
        assert_true(first[i].instructions_per_row > 0);
        assert_true(first[i].instructions_per_row == second[i].instructions_per_row);
        if (is_stepped) { /* instructions alone */
            assert_true(isnan(first[i].branches_per_row) && isnan(first[i].branch_misses_per_row));
            assert_string_equal(first[i].values[0].source, "step");
            assert_string_equal(first[i].values[1].source, "sim");
            assert_string_not_equal(first[i].values[1].status, "ok");
            continue;
        }
        n_counted++;
        assert_string_equal(first[i].status, "core_cycles=cannot-simulate;ipc=cannot-simulate");
        assert_true(first[i].branches_per_row == second[i].branches_per_row);
        assert_true(first[i].branch_misses_per_row == second[i].branch_misses_per_row);
        assert_true(first[i].branch_misses_per_row <= first[i].branches_per_row);
        assert_int_equal(first[i].n_values, 3);
        assert_non_null(strstr(first[i].values[0].encoding, "callgrind:Ir@"));
    }
    assert_true(n_counted > 0);
    counters_results_free(first, job.n_kernels);
    counters_results_free(second, job.n_kernels);
    unload(fixture);
}

/* A walk over 5 % deleted rows: its instructions lie between bounds that no other work could meet. */
static void test_counts_are_per_row(void **state)
{
    struct fixture *fixture = *state;
    struct counters_result result;
    load(fixture, "uniform:rate=0.05:rows=400000:seed=3");
    struct counters_job job = job_of(fixture);
    const struct kernel *walk = kernel_find("for_each_in_range");
    job.kernels = &walk;
    job.n_kernels = 1;
    measure(fixture, &job, &result);
    assert_true(result.instructions_per_row > 2 && result.instructions_per_row < 60);
    assert_true(result.branches_per_row > 0.1 && result.branches_per_row < 20);
    counters_results_free(&result, 1);
    unload(fixture);
}

/* In replay the predictor has learnt the batch; the instructions are those of the one batch. */
static void test_replay(void **state)
{
    struct fixture *fixture = *state;
    struct counters_result result;
    load(fixture, "stride:step=7:rows=400000");
    struct counters_job job = job_of(fixture);
    const struct kernel *walk = kernel_find("for_each_in_range");
    job.kernels = &walk;
    job.n_kernels = 1;
    job.replay = true;
    measure(fixture, &job, &result);
    assert_true(result.instructions_per_row > 2 && result.instructions_per_row < 60);
    counters_results_free(&result, 1);
    unload(fixture);
}

static struct counters_result *measure_beside(struct fixture *fixture, const char *id,
                                              struct counters_result results_out[4])
{
    load(fixture, "uniform:rate=0.05:rows=400000:seed=3");
    struct counters_job job = job_of(fixture);
    struct kernel lost = *kernel_find("for_each_in_range");
    lost.id = id;
    const struct kernel *walk = kernel_find("for_each_in_range");
    const struct kernel *kernels[] = {walk, walk, &lost, walk}; /* every other one to the same child */
    job.kernels = kernels;
    job.n_kernels = 4;
    measure(fixture, &job, results_out);
    unload(fixture);
    return results_out;
}

/* Where it can be stepped it has its instructions after all, those of the walk up to the batches sampled.
 */
static void assert_only_third_is_lost(const struct counters_result results[4])
{
    assert_true(isnan(results[2].branches_per_row) && isnan(results[2].branch_misses_per_row));
    assert_string_equal(results[2].values[1].status, "cannot-simulate");
    if (step_self_test() == COUNTER_OK) {
        assert_string_equal(results[2].source, "step");
        assert_non_null(strstr(results[2].status, "branches=cannot-simulate;branch_misses=cannot-simulate"));
        assert_true(fabs(results[2].instructions_per_row / results[0].instructions_per_row - 1) < 0.1);
    } else {
        assert_true(isnan(results[2].instructions_per_row));
        assert_string_equal(results[2].source, "sim");
        assert_string_equal(results[2].values[0].status, "step-refused");
    }
    for (int i = 0; i < 4; i++)
        if (i != 2)
            assert_true(results[i].instructions_per_row > 2);
    assert_true(results[1].instructions_per_row == results[0].instructions_per_row);
    assert_true(results[3].instructions_per_row == results[0].instructions_per_row);
}

/* A kernel that the child does not have, as one that needs an ISA which the simulator masks. */
static void test_kernel_missing_in_child(void **state)
{
    struct counters_result results[4];
    assert_only_third_is_lost(measure_beside(*state, "not_in_the_registry", results));
    counters_results_free(results, 4);
}

/* One that kills its child: what stands after it in the same child is counted by another start. */
static void test_kernel_kills_child(void **state)
{
    struct fixture *fixture = *state;
    struct counters_result results[6];
    load(fixture, "uniform:rate=0.05:rows=400000:seed=3");
    struct counters_job job = job_of(fixture);
    struct kernel deadly = *kernel_find("for_each_in_range");
    deadly.id = DEADLY;
    const struct kernel *walk = kernel_find("for_each_in_range");
    const struct kernel *kernels[] = {walk, walk, &deadly, walk, walk, walk};
    job.kernels = kernels;
    job.n_kernels = 6;
    measure(fixture, &job, results);
    assert_only_third_is_lost(results);
    assert_true(results[4].instructions_per_row == results[0].instructions_per_row);
    counters_results_free(results, 6);
    unload(fixture);
}

/* Runs the kernels that stand before DEADLY in the job, then dies as one would on an illegal instruction. */
static int child(const char *job_path)
{
    char text[65536];
    FILE *file = fopen(job_path, "r+");
    size_t n_bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n_bytes] = '\0';
    const char *deadly = strstr(text, "kernel " DEADLY "\n");
    if (!file || (deadly && ftruncate(fileno(file), deadly - text) != 0))
        return 1;
    fclose(file);
    int code = sim_child_run(job_path, NULL);
    if (deadly)
        raise(SIGILL);
    return code != 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_runs_agree),
        cmocka_unit_test(test_counts_are_per_row),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_kernel_missing_in_child),
        cmocka_unit_test(test_kernel_kills_child),
    };
    if (argc == 3 && strcmp(argv[1], "simulate") == 0)
        return child(argv[2]);
    struct counters *counters;
    struct dv_error error = {0};
    const struct counters_options options = {.mode = COUNTERS_SIM};
    if (counters_open(&counters, &options, &error) != 0) {
        printf("skipped: %s\n", error.message);
        return 77;
    }
    counters_close(counters);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
