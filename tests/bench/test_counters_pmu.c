/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of counters over a fake operating system: every fault of perf_event_open that was met in the
 * wild. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "calibration.h"
#include "fake_pmu.h"
#include "pmu.h"

#define N_EVENTS 4

static const struct perf_event_attr attrs[PMU_GROUP_MAX] = {{.config = 1}, {.config = 2}, {.config = 3},
                                                            {.config = 4}, {.config = 5}, {.config = 6},
                                                            {.config = 7}, {.config = 8}};

static enum counter_status count_once(struct fake_pmu *fake, size_t n_events, uint64_t *values_out)
{
    struct pmu_group group;
    const struct pmu_system system = fake_pmu_system(fake);
    enum counter_status status = pmu_group_open(&group, &system, attrs, n_events, NULL);
    if (status == COUNTER_OK)
        status = pmu_group_begin(&group);
    if (status == COUNTER_OK)
        status = pmu_group_end(&group, values_out);
    pmu_group_close(&group);
    assert_int_equal(fake->n_opened, fake->n_closed);
    return status;
}

static void test_four_events(void **state)
{
    (void)state;
    struct fake_pmu fake;
    uint64_t values[N_EVENTS];
    fake_pmu_init(&fake);
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_OK);
    for (size_t i = 0; i < N_EVENTS; i++)
        assert_int_equal(values[i], 1000 * (i + 1));
}

static void test_values_are_matched_by_id(void **state)
{
    (void)state;
    struct fake_pmu fake;
    uint64_t values[N_EVENTS];
    fake_pmu_init(&fake);
    fake.is_reversed = true;
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_OK);
    for (size_t i = 0; i < N_EVENTS; i++)
        assert_int_equal(values[i], 1000 * (i + 1));
}

static void test_wrap(void **state)
{
    (void)state;
    struct fake_pmu fake;
    uint64_t values[N_EVENTS];
    fake_pmu_init(&fake);
    fake.start_value = UINT64_MAX - 500;
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_OK);
    for (size_t i = 0; i < N_EVENTS; i++)
        assert_int_equal(values[i], 1000 * (i + 1));
}

/* Values and times of earlier stretches are not counted again: RESET does not clear the times. */
static void test_second_stretch(void **state)
{
    (void)state;
    struct fake_pmu fake;
    struct pmu_group group;
    uint64_t values[N_EVENTS];
    fake_pmu_init(&fake);
    const struct pmu_system system = fake_pmu_system(&fake);
    assert_int_equal(pmu_group_open(&group, &system, attrs, N_EVENTS, NULL), COUNTER_OK);
    assert_int_equal(pmu_group_begin(&group), COUNTER_OK);
    assert_int_equal(pmu_group_end(&group, values), COUNTER_OK);
    fake.running_pct = 0;
    assert_int_equal(pmu_group_begin(&group), COUNTER_OK);
    assert_int_equal(pmu_group_end(&group, values), COUNTER_NOT_SCHEDULED);
    fake.running_pct = 100;
    assert_int_equal(pmu_group_begin(&group), COUNTER_OK);
    assert_int_equal(pmu_group_end(&group, values), COUNTER_OK);
    assert_int_equal(values[0], 1000);
    pmu_group_close(&group);
}

static void test_errnos(void **state)
{
    (void)state;
    static const struct {
        int error;
        int level;
        const char *word;
    } cases[] = {
        {ENOENT, 2, "no-pmu"},     {ENODEV, 2, "no-pmu"},       {ENXIO, 2, "no-pmu"},
        {EOPNOTSUPP, 2, "no-pmu"}, {ENOSYS, INT_MIN, "no-pmu"}, {EACCES, 2, "paranoid"},
        {EACCES, 3, "paranoid"},   {EPERM, 3, "paranoid"},      {EPERM, 4, "paranoid"},
        {EPERM, 2, "seccomp"},     {EPERM, -1, "seccomp"},      {EINVAL, 2, "refused"},
        {EMFILE, 2, "file-limit"}, {EBUSY, 2, "busy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_pmu fake;
        uint64_t values[N_EVENTS];
        fake_pmu_init(&fake);
        fake.open_errno = cases[i].error;
        fake.level = cases[i].level;
        assert_string_equal(counter_status_word(count_once(&fake, N_EVENTS, values)), cases[i].word);
    }
}

/* The third of four does not open: the first two are closed again. */
static void test_failure_closes_all(void **state)
{
    (void)state;
    struct fake_pmu fake;
    uint64_t values[N_EVENTS];
    fake_pmu_init(&fake);
    fake.open_errno = ENOENT;
    fake.open_errno_at = 3;
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_NO_PMU);
    assert_int_equal(fake.n_opened, 2);
    fake_pmu_init(&fake);
    fake.id_errno = EINVAL;
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_REFUSED);
    assert_int_equal(fake.n_opened, 1);
}

static void test_refused_group_says_so(void **state)
{
    (void)state;
    struct fake_pmu fake;
    struct pmu_group group;
    int is_refused = -1;
    fake_pmu_init(&fake);
    fake.n_counters_refused = 2;
    const struct pmu_system system = fake_pmu_system(&fake);
    assert_int_equal(pmu_group_open(&group, &system, attrs, N_EVENTS, &is_refused), COUNTER_REFUSED);
    assert_int_equal(is_refused, 1);
    assert_int_equal(pmu_group_open(&group, &system, attrs, 2, &is_refused), COUNTER_OK);
    assert_int_equal(is_refused, 0);
    pmu_group_close(&group);
}

/* Opens, enables, reads, and never ran: value 0 with running 0 is not a count. */
static void test_group_never_runs(void **state)
{
    (void)state;
    struct fake_pmu fake;
    uint64_t values[7] = {7, 7, 7, 7, 7, 7, 7};
    fake_pmu_init(&fake);
    fake.n_counters = 6;
    assert_int_equal(count_once(&fake, 7, values), COUNTER_NOT_SCHEDULED);
    assert_int_equal(values[0], 7);
    assert_int_equal(count_once(&fake, 6, values), COUNTER_OK);
}

/* Half of the time is no count either: nothing is scaled. */
static void test_multiplexed(void **state)
{
    (void)state;
    struct fake_pmu fake;
    uint64_t values[N_EVENTS];
    fake_pmu_init(&fake);
    fake.running_pct = 50;
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_NOT_SCHEDULED);
}

/* What the kernel takes to switch a group on is no lost time; a lost tick is. */
static void test_switching_is_no_loss(void **state)
{
    (void)state;
    struct fake_pmu fake;
    uint64_t values[N_EVENTS];
    fake_pmu_init(&fake);
    fake.switch_ns = 700;
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_OK);
    fake.switch_ns = 4000;
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_NOT_SCHEDULED);
}

static void test_reads(void **state)
{
    (void)state;
    static const long short_reads[] = {0, 8, 24, 24 + 3 * 16};
    struct fake_pmu fake;
    uint64_t values[N_EVENTS];
    for (size_t i = 0; i < sizeof short_reads / sizeof short_reads[0]; i++) {
        fake_pmu_init(&fake);
        fake.read_bytes = short_reads[i];
        assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_READ_FAILED);
    }
    fake_pmu_init(&fake);
    fake.read_errno = EIO;
    assert_int_equal(count_once(&fake, N_EVENTS, values), COUNTER_READ_FAILED);
}

/* The kernel's own software events, through the same code: what runs here on any machine. */
static void test_software_events(void **state)
{
    (void)state;
    static const struct perf_event_attr software[3] = {
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK},
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS},
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
    };
    struct pmu_group group;
    uint64_t values[3];
    enum counter_status status = pmu_group_open(&group, pmu_system_kernel(), software, 3, NULL);
    if (status == COUNTER_PARANOID || status == COUNTER_SECCOMP || status == COUNTER_NO_PMU)
        skip(); /* a container that forbids even these */
    assert_int_equal(status, COUNTER_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pmu_group_begin(&group), COUNTER_OK);
        calibration_loop(3000000);
        assert_int_equal(pmu_group_end(&group, values), COUNTER_OK);
        assert_in_range(values[0], 1, 10000000000);
    }
    pmu_group_close(&group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_events),
        cmocka_unit_test(test_values_are_matched_by_id),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_second_stretch),
        cmocka_unit_test(test_errnos),
        cmocka_unit_test(test_failure_closes_all),
        cmocka_unit_test(test_refused_group_says_so),
        cmocka_unit_test(test_group_never_runs),
        cmocka_unit_test(test_multiplexed),
        cmocka_unit_test(test_switching_is_no_loss),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_software_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
