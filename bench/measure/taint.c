/* SPDX-License-Identifier: Apache-2.0 */
#include "taint.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now_ns(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void read_clocks(struct taint_reading *reading)
{
    reading->clock_ns = now_ns(CLOCK_MONOTONIC);
    reading->raw_clock_ns = now_ns(CLOCK_MONOTONIC_RAW);
}

void taint_read_before(struct taint_reading *before_out)
{
    before_out->cpu = sched_getcpu();
    machine_ticks_read(&before_out->ticks, before_out->cpu);
    read_clocks(before_out);
    machine_usage_read(&before_out->usage);
}

void taint_read_after(struct taint_reading *after_out, const struct taint_reading *before)
{
    machine_usage_read(&after_out->usage);
    read_clocks(after_out);
    after_out->cpu = before->cpu;
    machine_ticks_read(&after_out->ticks, after_out->cpu);
}

/* By more than 1 % and 100 us: a service slews by 0.05 %, and an interrupt between two readings is shorter. */
static bool clocks_disagree(const struct taint_reading *before, const struct taint_reading *after)
{
    const int64_t passed = after->clock_ns - before->clock_ns,
                  raw_passed = after->raw_clock_ns - before->raw_clock_ns, apart = llabs(passed - raw_passed);
    return passed < 0 || raw_passed < 0 || (apart > 100000 && apart > raw_passed / 100);
}

void taint_between(const struct taint_reading *before, const struct taint_reading *after,
                   char text_out[TAINT_BYTES])
{
    const struct machine_usage during = machine_usage_since(&before->usage, &after->usage);
    const struct {
        bool applies;
        const char *word;
    } rows[] = {
        {during.cpu_migrations > 0, "migrated"},
        {during.forced_switches > 0, "switched"},
        {machine_steal_pct(&before->ticks, &after->ticks) > 0, "stolen"},
        {clocks_disagree(before, after), "clock"},
    };
    *text_out = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].applies)
            continue;
        if (*text_out)
            strcat(text_out, " ");
        strcat(text_out, rows[i].word);
    }
}
