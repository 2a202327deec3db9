/* SPDX-License-Identifier: Apache-2.0 */
/* Names of events: the sets, lists by hand, and libpfm4's encodings of CPUs that are not here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counter_sets.h"
#include "pmu_names.h"

static void test_default_set(void **state)
{
    (void)state;
    struct counter_events events;
    /* perf's name of a generic event is that event, once */
    assert_int_equal(counter_events_parse(&events, "perf::BRANCHES,branches,Branch-Misses", NULL), 0);
    assert_int_equal(events.n_items, 2);
    assert_int_equal(events.items[0].role, ROLE_branches);
    assert_string_equal(events.items[1].name, "perf::BRANCH-MISSES");
    assert_int_equal(events.items[1].role, ROLE_branch_misses);
    assert_int_equal(counter_events_parse(&events, NULL, NULL), 0);
    assert_int_equal(events.n_items, 4);
    assert_string_equal(events.items[0].name, "perf::INSTRUCTIONS");
    assert_int_equal(events.items[3].role, ROLE_branch_misses);
}

/* A name that some set knows keeps its role, and with it its self-test. */
static void test_list_by_hand(void **state)
{
    (void)state;
    struct counter_events events;
    assert_int_equal(counter_events_parse(&events, "perf::CYCLES,perf::PAGE-FAULTS,abc::X:Y=1", NULL), 0);
    assert_int_equal(events.n_items, 3);
    assert_int_equal(events.items[0].role, ROLE_core_cycles);
    assert_int_equal(events.items[1].role, ROLE_other);
    assert_string_equal(events.items[2].name, "abc::X:Y=1");
}

/* Sets and names mix, and what both name is counted once. */
static void test_set_and_names(void **state)
{
    (void)state;
    struct counter_events events;
    assert_int_equal(
        counter_events_parse(&events, "software,abc::X,portable,perf::CYCLES,perf::PAGE-FAULTS", NULL), 0);
    assert_int_equal(events.n_items, 9);
    assert_string_equal(events.items[4].name, "abc::X");
    assert_string_equal(events.items[5].name, "perf::INSTRUCTIONS");
}

static void test_bad_lists(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "perf::CYCLES,", ",perf::CYCLES", "a b", "a\"b", "a;b", "perf::CYCLES,,perf::BRANCHES"};
    struct counter_events events;
    char text[4096] = "e", name[8];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(counter_events_parse(&events, bad[i], NULL), DV_ERROR_USAGE);
    for (int i = 0; i < COUNTER_EVENTS_MAX; i++) {
        snprintf(name, sizeof name, ",e%d", i);
        strcat(text, name);
    }
    assert_int_equal(counter_events_parse(&events, text, NULL), DV_ERROR_USAGE);
    memset(text, 'x', 200);
    text[200] = '\0';
    assert_int_equal(counter_events_parse(&events, text, NULL), DV_ERROR_USAGE);
}

/* A set of a CPU fills the columns of the roles, so it has one event for each; a set of other events need not. */
static void test_sets_are_whole(void **state)
{
    (void)state;
    const struct counter_event *row, *other;
    for (size_t i = 0; (row = counter_set_row(i)) != NULL; i++) {
        struct counter_events events;
        int n_rows[N_ROLES] = {0};
        assert_int_equal(counter_events_parse(&events, row->set, NULL), 0);
        for (size_t k = 0; (other = counter_set_row(k)) != NULL; k++) {
            if (strcmp(other->set, row->set) != 0)
                continue;
            n_rows[other->role]++;
            if (k != i && strcmp(other->name, row->name) == 0)
                fail_msg("counter_sets.def: set %s has %s twice: remove one row", row->set, row->name);
        }
        const bool is_judged = n_rows[ROLE_other] == 0;
        for (enum counter_role role = 0; role < ROLE_other; role++)
            if (n_rows[role] > 1 || (is_judged && n_rows[role] == 0))
                fail_msg("counter_sets.def: set %s has %d events of role %s, not one: COUNTER(%s, %s, ...)",
                         row->set, n_rows[role], counter_role_id(role), row->set, counter_role_id(role));
    }
}

static void test_encodings(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t config;
        uint64_t
            config_since; /* of a later libpfm4, 0 where it is the same: 4.13+git names the fixed counter */
    } cases[] = {
        {"perf::INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0},
        {"perf::CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0},
        {"perf::BRANCHES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0},
        {"perf::BRANCH-MISSES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0},
        {"perf::TASK-CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0},
        {"perf::L1-DCACHE-LOAD-MISSES", PERF_TYPE_HW_CACHE, 0x10000, 0},
#if defined(__x86_64__)
        {"amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", PERF_TYPE_RAW, 0xc0, 0},
        {"amd64_fam19h_zen4::RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", PERF_TYPE_RAW, 0xc3, 0},
        {"amd64_fam19h_zen3::CYCLES_NOT_IN_HALT", PERF_TYPE_RAW, 0x76, 0},
        {"spr::INST_RETIRED:ANY", PERF_TYPE_RAW, 0x1c0, 0x100},
        {"spr::BR_MISP_RETIRED:ALL_BRANCHES", PERF_TYPE_RAW, 0xc5, 0},
        {"spr::BR_INST_RETIRED:ALL_BRANCHES", PERF_TYPE_RAW, 0xc4, 0},
#elif defined(__aarch64__)
        {"arm_n1::INST_RETIRED", PERF_TYPE_RAW, 0x8, 0},
        {"arm_n1::CPU_CYCLES", PERF_TYPE_RAW, 0x11, 0},
        {"arm_n1::BR_MIS_PRED_RETIRED", PERF_TYPE_RAW, 0x22, 0},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct perf_event_attr attr;
        struct dv_error error = {0};
        char encoding[160];
        if (pmu_names_encode(cases[i].name, &attr, encoding, sizeof encoding, &error) != 0)
            fail_msg("%s", error.message);
        assert_int_equal(attr.type, cases[i].type);
        if (!cases[i].config_since || attr.config != cases[i].config_since)
            assert_int_equal(attr.config, cases[i].config);
        assert_true(encoding[0] != '\0');
        assert_null(strpbrk(encoding, ",\"\n"));
    }
}

/* Every row that this library knows encodes; it knows all of its own architecture but the newest. */
static void test_all_rows_encode(void **state)
{
    (void)state;
    const struct counter_event *row;
    size_t n_encoded = 0;
    for (size_t i = 0; (row = counter_set_row(i)) != NULL; i++) {
        struct perf_event_attr attr;
        struct dv_error error = {0};
        char encoding[160];
        int code = pmu_names_encode(row->name, &attr, encoding, sizeof encoding, &error);
        n_encoded += code == 0;
        /* What it does not know is a PMU of another architecture or of later years, not a slip in the row. */
        if (code != 0 && !strstr(error.message, "event not found"))
            fail_msg("counter_sets.def: set %s: libpfm4 refuses %s: %s", row->set, row->name, error.message);
    }
    assert_true(n_encoded >= 15);
}

static void test_unknown_name(void **state)
{
    (void)state;
    struct perf_event_attr attr;
    struct dv_error error = {0};
    char encoding[160];
    assert_int_equal(pmu_names_encode("perf::NO-SUCH-EVENT", &attr, encoding, sizeof encoding, &error),
                     DV_ERROR_USAGE);
    assert_non_null(strstr(error.message, "perf::NO-SUCH-EVENT"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_set),    cmocka_unit_test(test_list_by_hand),
        cmocka_unit_test(test_set_and_names),  cmocka_unit_test(test_bad_lists),
        cmocka_unit_test(test_sets_are_whole),
    };
    const struct CMUnitTest encodings[] = {
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_all_rows_encode),
        cmocka_unit_test(test_unknown_name),
    };
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1); /* before libpfm4 starts: names of CPUs that are not here */
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    return pmu_names_built() ? n_failed + cmocka_run_group_tests(encodings, NULL, NULL) : n_failed;
}
