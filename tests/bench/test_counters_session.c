/* SPDX-License-Identifier: Apache-2.0 */
/* Self-test, grouping and the sources, over a fake operating system whose CPU counts as it should, or not. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibration.h"
#include "counters_internal.h"
#include "fake_pmu.h"
#include "payload_writer.h"
#include "pmu_names.h"
#include "step.h"

enum { STRETCHES_PER_EVENT = PMU_CALIBRATION_STRETCHES * PMU_CALIBRATION_REPEATS };

/* What an exact PMU counts in the self-test: short loop, long loop, sorted and shuffled bits take turns. */
static uint64_t count_exactly(const struct fake_pmu *fake, uint32_t type, uint64_t config, size_t stretch)
{
    enum { SHORT, LONG, SORTED, SHUFFLED };
    static const uint64_t iterations[] = {PMU_SHORT_LOOP, PMU_LONG_LOOP};
    size_t kind = stretch % PMU_CALIBRATION_STRETCHES;
    (void)fake;
    if (type != PERF_TYPE_HARDWARE)
        return 5;
    switch (config) {
    case PERF_COUNT_HW_INSTRUCTIONS:
        return 18 +
               (kind <= LONG ? 2 * iterations[kind] : 5 * PMU_CALIBRATION_BITS + PMU_CALIBRATION_BITS / 2);
    case PERF_COUNT_HW_CPU_CYCLES:
        return 30 + (kind <= LONG       ? iterations[kind]
                     : kind == SHUFFLED ? 2 * PMU_CALIBRATION_BITS + 18 * PMU_CALIBRATION_BITS / 2
                                        : 2 * PMU_CALIBRATION_BITS);
    case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
        return 3 + (kind <= LONG ? iterations[kind] : 2 * PMU_CALIBRATION_BITS);
    default:
        return kind == SHUFFLED ? PMU_CALIBRATION_BITS / 2 + 7 : 7;
    }
}

static uint64_t count_no_branch_misses(const struct fake_pmu *fake, uint32_t type, uint64_t config,
                                       size_t stretch)
{
    return config == PERF_COUNT_HW_BRANCH_MISSES ? 0 : count_exactly(fake, type, config, stretch);
}

static uint64_t count_nothing(const struct fake_pmu *fake, uint32_t type, uint64_t config, size_t stretch)
{
    (void)fake, (void)type, (void)config, (void)stretch;
    return 0;
}

static uint64_t count_two_pct_more(const struct fake_pmu *fake, uint32_t type, uint64_t config,
                                   size_t stretch)
{
    return count_exactly(fake, type, config, stretch) * 102 / 100;
}

static uint64_t count_twice(const struct fake_pmu *fake, uint32_t type, uint64_t config, size_t stretch)
{
    return count_exactly(fake, type, config, stretch) * 2;
}

static struct pmu_session session; /* large, and of one test at a time, as all of these */
static struct fake_pmu os;
static struct pmu_system fake_system;

static void open_session(void)
{
    struct counter_events events;
    struct dv_error error = {0};
    fake_system = fake_pmu_system(&os);
    assert_int_equal(counter_events_parse(&events, NULL, &error), 0);
    if (pmu_session_open(&session, &fake_system, &events, 0, true, &error) != 0)
        fail_msg("%s", error.message);
}

/* On a CPU that counts like this and has all counters. */
static void open_session_of(fake_pmu_count *count)
{
    fake_pmu_init(&os);
    os.count = count;
    open_session();
}

static const struct pmu_event *event_of(enum counter_role role)
{
    for (size_t i = 0; i < session.n_events; i++)
        if (session.events[i].event.role == role)
            return &session.events[i];
    return NULL;
}

static void test_exact_pmu_passes(void **state)
{
    (void)state;
    open_session_of(count_exactly);
    for (int role = 0; role < ROLE_other; role++) {
        assert_int_equal(event_of(role)->status, COUNTER_OK);
        assert_int_equal(event_of(role)->verdict, PMU_PASS);
    }
    assert_int_equal(session.n_groups, 1);
    assert_int_equal(session.group_size[0], 4);
    assert_int_equal(pmu_session_status(&session), COUNTER_OK);
    assert_int_equal(os.n_opened, os.n_closed);
}

/* Opens, runs all the time and counts 0 for ever: only the self-test sees it. Without the self-test this test
 * fails. */
static void test_quiet_event_is_caught(void **state)
{
    (void)state;
    open_session_of(count_no_branch_misses);
    assert_int_equal(event_of(ROLE_branch_misses)->status, COUNTER_SELF_TEST_FAILED);
    assert_int_equal(event_of(ROLE_branch_misses)->verdict, PMU_FAIL);
    assert_int_equal(event_of(ROLE_instructions)->status, COUNTER_OK);
    assert_int_equal(session.n_groups, 1);
    assert_int_equal(session.group_size[0], 3);
    assert_int_equal(pmu_session_find(&session, ROLE_branch_misses), -1);
}

static void test_all_quiet(void **state)
{
    (void)state;
    open_session_of(count_nothing);
    for (int role = 0; role < ROLE_other; role++)
        assert_int_equal(event_of(role)->status, COUNTER_SELF_TEST_FAILED);
    assert_int_equal(session.n_groups, 0);
    assert_int_equal(pmu_session_status(&session), COUNTER_SELF_TEST_FAILED);
}

static void test_bias_is_used_and_told(void **state)
{
    (void)state;
    open_session_of(count_two_pct_more);
    assert_int_equal(event_of(ROLE_instructions)->status, COUNTER_OK);
    assert_int_equal(event_of(ROLE_instructions)->verdict, PMU_BIAS);
    assert_int_equal(event_of(ROLE_branches)->verdict, PMU_BIAS);
    open_session_of(count_twice);
    assert_int_equal(event_of(ROLE_instructions)->status, COUNTER_SELF_TEST_FAILED);
    assert_int_equal(event_of(ROLE_branches)->status, COUNTER_SELF_TEST_FAILED);
}

/* Too few counters, whether the kernel refuses the group or opens it and never runs it: one pass per half. */
static void test_group_is_split(void **state)
{
    (void)state;
    for (int is_refused = 0; is_refused < 2; is_refused++)
        for (size_t n_counters = 1; n_counters <= 4; n_counters++) {
            fake_pmu_init(&os);
            os.count = count_exactly;
            *(is_refused ? &os.n_counters_refused : &os.n_counters) = n_counters;
            open_session();
            assert_int_equal(session.n_groups, n_counters == 4 ? 1 : n_counters >= 2 ? 2 : 4);
            assert_int_equal(session.events[session.group_events[0][0]].event.role, ROLE_instructions);
            for (int role = 0; role < ROLE_other; role++)
                assert_int_equal(event_of(role)->status, COUNTER_OK);
        }
}

/* Without misses there is nothing to divide by; the number itself is checked in test_measure. */
static void test_no_penalty_without_misses(void **state)
{
    (void)state;
    struct pmu_penalty penalty;
    open_session_of(count_exactly);
    os.count = count_no_branch_misses;
    pmu_session_penalty(&session, &penalty);
    assert_int_equal(penalty.status, COUNTER_SELF_TEST_FAILED);
    assert_true(isnan(penalty.core_cycles));
}

/* --- the sources --- */

struct job {
    uint8_t *bytes;
    struct dv dv;
    struct batch batch;
    struct batches batches;
    const struct kernel *kernel;
    struct counters_job counters_job;
};

static void make_job(struct job *job)
{
    struct payload_writer writer;
    size_t n_bytes;
    payload_writer_init(&writer, 0);
    assert_int_equal(payload_writer_add_range(&writer, 3, 9, NULL), 0);
    assert_int_equal(payload_writer_finish(&writer, &job->bytes, &n_bytes, NULL), 0);
    assert_int_equal(dv_open(&job->dv, job->bytes, n_bytes, DV_NEEDS_INTERVALS, NULL), 0);
    job->batch = (struct batch){0, 1000};
    job->batches = (struct batches){.items = &job->batch, .n_items = 1, .n_rows = 1000};
    job->kernel = kernel_find("for_each_in_range");
    job->counters_job = (struct counters_job){.dv = &job->dv,
                                              .batches = &job->batches,
                                              .sink = SINK_row_ids,
                                              .kernels = &job->kernel,
                                              .n_kernels = 1};
}

/* Counters over the fake, one job, and what is counted of its kernel. */
struct counting {
    struct counters *counters;
    struct job job;
    struct counters_result result;
};

static int open_counters(struct counters **counters_out, enum counters_mode mode, struct dv_error *error_out)
{
    const struct counters_options options = {.mode = mode, .program = "/bin/true"};
    fake_system = fake_pmu_system(&os);
    return counters_open_on(counters_out, &options, &fake_system, error_out);
}

/* The fake is as fake_pmu_init made it and the test changed it since. */
static void begin(struct counting *counting, enum counters_mode mode)
{
    struct dv_error error = {0};
    *counting = (struct counting){0};
    if (open_counters(&counting->counters, mode, &error) != 0)
        fail_msg("%s", error.message);
    make_job(&counting->job);
}

static void begin_on(struct counting *counting, enum counters_mode mode, fake_pmu_count *count)
{
    fake_pmu_init(&os);
    os.count = count;
    begin(counting, mode);
}

static const struct counters_result *count(struct counting *counting)
{
    assert_int_equal(
        counters_measure(counting->counters, &counting->job.counters_job, &counting->result, NULL), 0);
    return &counting->result;
}

static void end(struct counting *counting)
{
    counters_results_free(&counting->result, 1);
    dv_close(&counting->job.dv);
    free(counting->job.bytes);
    counters_close(counting->counters);
}

/* After the self-test: the empty loop's pass counts 100 instructions, the kernel's 4100, and so on. */
static uint64_t count_a_kernel(const struct fake_pmu *fake, uint32_t type, uint64_t config, size_t stretch)
{
    size_t n_self_test = 4 * STRETCHES_PER_EVENT + 1; /* and the trial of the group */
    size_t n_penalty = 9 * 2;
    if (stretch < n_self_test)
        return count_exactly(fake, type, config, stretch);
    if (stretch < n_self_test + n_penalty) /* sorted and shuffled take turns */
        return count_exactly(fake, type, config, (stretch - n_self_test) % 2 ? 3 : 2);
    bool is_loop = stretch == n_self_test + n_penalty;
    switch (config) {
    case PERF_COUNT_HW_INSTRUCTIONS:
        return is_loop ? 100 : 4100;
    case PERF_COUNT_HW_CPU_CYCLES:
        return is_loop ? 50 : 1050;
    case PERF_COUNT_HW_BRANCH_INSTRUCTIONS:
        return is_loop ? 10 : 510;
    default:
        return is_loop ? 3 : 2; /* fewer than the loop alone: noise around 0 */
    }
}

static void test_measure(void **state)
{
    (void)state;
    struct counting counting;
    struct counter_value penalty[COUNTERS_CALIBRATION_VALUES];
    begin_on(&counting, COUNTERS_AUTO, count_a_kernel);
    assert_string_equal(counters_source(counting.counters), "pmu");
    assert_int_equal(counters_calibration(counting.counters, penalty), 3);
    assert_string_equal(penalty[0].event, COUNTERS_PENALTY);
    assert_true(fabs(penalty[0].value_per_row - 18) < 0.01);
    assert_true(penalty[1].value_per_row <= penalty[0].value_per_row &&
                penalty[0].value_per_row <= penalty[2].value_per_row);
    const struct counters_result *result = count(&counting);
    assert_true(result->instructions_per_row == 4.0);
    assert_true(result->core_cycles_per_row == 1.0);
    assert_true(result->ipc == 4.0);
    assert_true(result->branches_per_row == 0.5);
    assert_true(result->branch_misses_per_row == 0.0);
    assert_string_equal(result->status, "");
    assert_string_equal(result->source, "pmu");
    assert_int_equal(result->n_values, 4);
    assert_string_equal(result->values[0].event, "perf::INSTRUCTIONS");
    assert_string_equal(result->values[0].status, "ok");
    assert_int_equal(os.n_opened, os.n_closed);
    end(&counting);
}

/* One event fails its self-test: its cell is empty, with the word for it and no other. */
static void test_measure_without_branch_misses(void **state)
{
    (void)state;
    struct counting counting;
    begin_on(&counting, COUNTERS_PMU, count_no_branch_misses);
    os.count = count_a_kernel;
    os.n_stretches = 4 * STRETCHES_PER_EVENT + 1 + 9 * 2; /* where the counting passes begin there */
    const struct counters_result *result = count(&counting);
    assert_true(isnan(result->branch_misses_per_row));
    assert_false(isnan(result->instructions_per_row));
    assert_string_equal(result->status, "branch_misses=self-test-failed");
    assert_string_equal(result->values[3].status, "self-test-failed");
    assert_true(isnan(result->values[3].value_per_row));
    end(&counting);
}

/* The PMU goes to somebody else after the self-test: not scheduled, never 0. */
static void test_measure_loses_the_pmu(void **state)
{
    (void)state;
    struct counting counting;
    begin_on(&counting, COUNTERS_PMU, count_exactly);
    os.running_pct = 60;
    const struct counters_result *result = count(&counting);
    assert_true(isnan(result->instructions_per_row) && isnan(result->ipc));
    assert_string_equal(result->status, "not-scheduled");
    end(&counting);
}

static void test_no_pmu(void **state)
{
    (void)state;
    static const struct {
        int error;
        const char *word;
    } cases[] = {{ENOENT, "no-pmu"}, {EACCES, "paranoid"}, {EPERM, "seccomp"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct dv_error error = {0};
        struct counting counting = {0};
        fake_pmu_init(&os);
        os.open_errno = cases[i].error;
        assert_int_equal(open_counters(&counting.counters, COUNTERS_PMU, &error), DV_ERROR_UNAVAILABLE);
        assert_null(counting.counters);
        assert_non_null(strstr(error.message, cases[i].word));
        /* /bin/true is not a child that simulates: auto ends with single steps, where they reach us. */
        begin(&counting, COUNTERS_AUTO);
        const bool has_steps = step_self_test() == COUNTER_OK;
        assert_string_equal(counters_source(counting.counters), has_steps ? "step" : "none");
        const struct counters_result *result = count(&counting);
        assert_non_null(strstr(result->status, cases[i].word));
        assert_int_equal(isnan(result->instructions_per_row), !has_steps);
        assert_true(isnan(result->branch_misses_per_row));
        assert_string_equal(result->source, has_steps ? "step" : "none");
        end(&counting);
    }
}

static void test_not_asked(void **state)
{
    (void)state;
    struct counting counting;
    fake_pmu_init(&os);
    begin(&counting, COUNTERS_NONE);
    const struct counters_result *result = count(&counting);
    assert_string_equal(result->status, "not-asked");
    assert_string_equal(result->source, "none");
    assert_int_equal(os.n_opened, 0);
    end(&counting);
}

static void test_unknown_event(void **state)
{
    (void)state;
    struct dv_error error = {0};
    struct counters *counters = NULL;
    const struct counters_options options = {.mode = COUNTERS_PMU,
                                             .events = "perf::INSTRUCTIONS,no_such_pmu::EVENT"};
    fake_pmu_init(&os);
    fake_system = fake_pmu_system(&os);
    assert_int_equal(counters_open_on(&counters, &options, &fake_system, &error), DV_ERROR_USAGE);
    assert_non_null(strstr(error.message, "no_such_pmu::EVENT"));
    assert_null(counters);
}

static void set_kind(struct cpu_kind *kind, const char *pmu, const char *list, int cpu, uint32_t perf_type)
{
    snprintf(kind->pmu, sizeof kind->pmu, "%s", pmu);
    snprintf(kind->list, sizeof kind->list, "%s", list);
    CPU_ZERO(&kind->cpus);
    CPU_SET(cpu, &kind->cpus);
    kind->perf_type = perf_type;
}

/* CPU 3 is of the second kind: a generic event without its PMU's number would go to the first, and one of the
 * first PMU (here of the type of software events) counts nothing on it. */
static void test_hybrid(void **state)
{
    (void)state;
    struct counter_events events;
    struct dv_error error = {0};
    fake_pmu_init(&os);
    os.kinds.n_items = 2;
    set_kind(&os.kinds.items[0], "cpu_core", "1-2", 1, PERF_TYPE_SOFTWARE);
    set_kind(&os.kinds.items[1], "cpu_atom", "3", 3, 10);
    fake_system = fake_pmu_system(&os);
    assert_int_equal(counter_events_parse(&events, "perf::INSTRUCTIONS", &error), 0);
    assert_int_equal(pmu_session_open(&session, &fake_system, &events, 3, true, &error), 0);
    assert_true(session.events[0].attr.config == (UINT64_C(10) << 32 | PERF_COUNT_HW_INSTRUCTIONS));
    assert_non_null(strstr(session.events[0].encoding, "@cpu_atom"));
    assert_int_equal(counter_events_parse(&events, "perf::PAGE-FAULTS", &error), 0);
    assert_int_equal(pmu_session_open(&session, &fake_system, &events, 3, false, &error), 0);
    assert_int_equal(session.events[0].status, COUNTER_OTHER_PMU);
    assert_int_equal(pmu_session_open(&session, &fake_system, &events, 3, true, &error), DV_ERROR_USAGE);
    assert_non_null(strstr(error.message, "cpu_core (CPUs 1-2)"));
    assert_non_null(strstr(error.message, "CPU 3 has cpu_atom"));
    assert_int_equal(pmu_session_open(&session, &fake_system, &events, -1, true, &error), 0); /* not pinned */
    assert_int_equal(session.events[0].status, COUNTER_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_pmu_passes),
        cmocka_unit_test(test_quiet_event_is_caught),
        cmocka_unit_test(test_all_quiet),
        cmocka_unit_test(test_bias_is_used_and_told),
        cmocka_unit_test(test_group_is_split),
        cmocka_unit_test(test_no_penalty_without_misses),
        cmocka_unit_test(test_measure),
        cmocka_unit_test(test_measure_without_branch_misses),
        cmocka_unit_test(test_measure_loses_the_pmu),
        cmocka_unit_test(test_no_pmu),
        cmocka_unit_test(test_not_asked),
        cmocka_unit_test(test_unknown_event),
        cmocka_unit_test(test_hybrid),
    };
    if (!pmu_names_built()) {
        printf("skipped: built without libpfm4\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
