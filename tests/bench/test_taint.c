/* SPDX-License-Identifier: Apache-2.0 */
/* taint: made-up readings around a sample, each with what disturbed it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "taint.h"

static const struct taint_reading before = {
    .usage = {.page_faults = 5, .cpu_migrations = 2, .forced_switches = 9},
    .ticks = {.steal = 10, .total = 1000, .is_known = true},
    .clock_ns = 1000,
    .raw_clock_ns = 2000,
};

static struct taint_reading after_10_ms(void)
{
    struct taint_reading after = before;
    after.usage.page_faults += 3;
    after.ticks.total += 1;
    after.clock_ns += 10000000;
    after.raw_clock_ns += 10000000;
    return after;
}

static void expect(const struct taint_reading *from, const struct taint_reading *to, const char *expected)
{
    char text[TAINT_BYTES];
    taint_between(from, to, text);
    assert_string_equal(text, expected);
}

static void each_disturbance_has_its_word(void **state)
{
    (void)state;
    struct taint_reading all = after_10_ms(), one = all;
    expect(&before, &one, "");
    one.usage.cpu_migrations = all.usage.cpu_migrations = 3;
    expect(&before, &one, "migrated");
    one = after_10_ms();
    one.usage.forced_switches = all.usage.forced_switches = 10;
    expect(&before, &one, "switched");
    one = after_10_ms();
    one.ticks.steal = all.ticks.steal = 11;
    expect(&before, &one, "stolen");
    one = after_10_ms();
    one.clock_ns = all.clock_ns = before.clock_ns + 11000000;
    expect(&before, &one, "clock");
    expect(&before, &all, "migrated switched stolen clock");
}

static void clocks_may_differ_a_little_but_not_go_back(void **state)
{
    (void)state;
    struct taint_reading after = after_10_ms();
    after.clock_ns += 90000; /* short of 100 us */
    expect(&before, &after, "");
    after = after_10_ms();
    after.clock_ns += INT64_C(100000000000) + 50000000; /* 0.05 % of 100 s: a slewed clock */
    after.raw_clock_ns += INT64_C(100000000000);
    expect(&before, &after, "");
    after = after_10_ms();
    after.raw_clock_ns = before.raw_clock_ns - 1;
    expect(&before, &after, "clock");
}

static void what_is_unknown_taints_nothing(void **state)
{
    (void)state;
    struct taint_reading from = before, to = after_10_ms();
    from.usage = (struct machine_usage){-1, -1, -1};
    from.ticks.is_known = false;
    to.usage.cpu_migrations = to.usage.forced_switches = 1000;
    to.ticks.steal = 1000;
    expect(&from, &to, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_disturbance_has_its_word),
        cmocka_unit_test(clocks_may_differ_a_little_but_not_go_back),
        cmocka_unit_test(what_is_unknown_taints_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
