/* SPDX-License-Identifier: Apache-2.0 */
/* Every expectation is a difference of two stretches, so that what the switches themselves cost cancels.
 *
 *   instructions    long loop - short loop = 2 x iterations; sorted - short loop as calibration.h states it
 *   branches        long loop - short loop = 1 x iterations
 *   branch misses   shuffled - sorted = half of the bits, whatever the predictor
 *   core cycles     long loop - short loop: no exact number, but at least 1/4 and at most 64 an iteration */
#include <math.h>
#include <stdlib.h>

#include "calibration.h"
#include "pmu_selftest.h"

#define EXTRA_ITERATIONS ((double)PMU_LONG_LOOP - PMU_SHORT_LOOP)

struct bits {
    uint8_t bytes[PMU_CALIBRATION_BITS];
};

void __attribute__((noinline)) pmu_selftest_short_loop(void *user)
{
    (void)user;
    calibration_loop(PMU_SHORT_LOOP);
}

static void __attribute__((noinline)) long_loop(void *user)
{
    (void)user;
    calibration_loop(PMU_LONG_LOOP);
}

static void __attribute__((noinline)) branches(void *user)
{
    const struct bits *bits = user;
    calibration_branches(bits->bytes, sizeof bits->bytes);
}

const char *pmu_verdict_id(enum pmu_verdict verdict)
{
    static const char *const ids[] = {"pass", "bias", "fail", "unverified", "not run"};
    return ids[verdict];
}

/* `scale` is what an error counts against. */
static enum pmu_verdict judge_exact(double counted, double expected, double scale)
{
    double off = fabs(counted - expected) / scale;
    return off <= 0.001 ? PMU_PASS : off <= 0.05 ? PMU_BIAS : PMU_FAIL;
}

static enum pmu_verdict judge_range(double counted, double pass_low, double pass_high, double low,
                                    double high)
{
    if (!(counted >= low && counted <= high))
        return PMU_FAIL;
    return counted >= pass_low && counted <= pass_high ? PMU_PASS : PMU_BIAS;
}

enum pmu_verdict pmu_judge(enum counter_role role, const struct pmu_calibration *calibration,
                           double *expected_out, double *counted_out)
{
    const double bits = PMU_CALIBRATION_BITS;
    double looped = calibration->long_loop - calibration->short_loop;
    *expected_out = *counted_out = 0;
    switch (role) {
    case ROLE_instructions: {
        *expected_out = CALIBRATION_LOOP_INSTRUCTIONS * EXTRA_ITERATIONS;
        *counted_out = looped;
        double branchy_known = (CALIBRATION_BRANCH_INSTRUCTIONS + 0.5) * bits;
        double short_known = CALIBRATION_LOOP_INSTRUCTIONS * (double)PMU_SHORT_LOOP;
        enum pmu_verdict loop = judge_exact(looped, *expected_out, *expected_out);
        enum pmu_verdict branchy = judge_exact(calibration->sorted - calibration->short_loop,
                                               branchy_known - short_known, branchy_known);
        return loop > branchy ? loop : branchy;
    }
    case ROLE_branches:
        *expected_out = EXTRA_ITERATIONS;
        *counted_out = looped;
        return judge_exact(looped, *expected_out, *expected_out);
    case ROLE_branch_misses:
        *expected_out = bits / 2;
        *counted_out = calibration->shuffled - calibration->sorted;
        return judge_range(*counted_out, 0.4 * bits, 0.6 * bits, 0.25 * bits, 0.75 * bits);
    case ROLE_core_cycles:
        *expected_out = EXTRA_ITERATIONS;
        *counted_out = looped;
        return judge_range(looped, 0.25 * EXTRA_ITERATIONS, 64 * EXTRA_ITERATIONS, 0.25 * EXTRA_ITERATIONS,
                           64 * EXTRA_ITERATIONS);
    default:
        return PMU_UNVERIFIED;
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Not inlined, nor are the stretches: every one is reached by the same call, so that all but its loop
 * cancels. */
static enum counter_status __attribute__((noinline))
count(struct pmu_group *group, void (*stretch)(void *user), void *user, double *value_out)
{
    uint64_t value[PMU_GROUP_MAX];
    enum counter_status status = pmu_group_begin(group);
    if (status != COUNTER_OK)
        return status;
    stretch(user);
    status = pmu_group_end(group, value);
    if (status == COUNTER_OK)
        *value_out = (double)value[0];
    return status;
}

/* Interrupts only add: the smallest of the repeats is the loop's own count. */
static enum counter_status calibrate(struct pmu_group *group, struct bits *bits,
                                     struct pmu_calibration *calibration_out)
{
    double shuffled[PMU_CALIBRATION_REPEATS];
    struct pmu_calibration least = {INFINITY, INFINITY, INFINITY, 0};
    for (int i = 0; i < PMU_CALIBRATION_REPEATS; i++) {
        double value = 0;
        enum counter_status status = count(group, pmu_selftest_short_loop, NULL, &value);
        least.short_loop = fmin(least.short_loop, value);
        if (status == COUNTER_OK)
            status = count(group, long_loop, NULL, &value);
        least.long_loop = fmin(least.long_loop, value);
        calibration_fill_sorted(bits->bytes, sizeof bits->bytes);
        if (status == COUNTER_OK)
            status = count(group, branches, bits, &value);
        least.sorted = fmin(least.sorted, value);
        calibration_fill_shuffled(bits->bytes, sizeof bits->bytes, (uint64_t)i + 1);
        if (status == COUNTER_OK)
            status = count(group, branches, bits, &shuffled[i]);
        if (status != COUNTER_OK)
            return status;
    }
    qsort(shuffled, PMU_CALIBRATION_REPEATS, sizeof shuffled[0], compare_doubles);
    least.shuffled = shuffled[PMU_CALIBRATION_REPEATS / 2];
    *calibration_out = least;
    return COUNTER_OK;
}

void pmu_selftest_event(struct pmu_event *event, const struct pmu_system *system)
{
    struct bits bits;
    struct pmu_group group;
    struct pmu_calibration calibration = {0};
    event->status = pmu_group_open(&group, system, &event->attr, 1, NULL);
    if (event->status != COUNTER_OK)
        return;
    event->status = calibrate(&group, &bits, &calibration);
    pmu_group_close(&group);
    if (event->status != COUNTER_OK)
        return;
    event->verdict = pmu_judge(event->event.role, &calibration, &event->expected, &event->counted);
    if (event->event.role != ROLE_other && !calibration_is_known())
        event->verdict = PMU_FAIL; /* nothing is known to compare with */
    if (event->verdict == PMU_FAIL)
        event->status = COUNTER_SELF_TEST_FAILED;
}

struct penalty_repeat {
    const struct pmu_session *session;
    struct bits *bits;
};

static void penalty_stretch(void *user)
{
    const struct penalty_repeat *repeat = user;
    calibration_branches(repeat->bits->bytes, sizeof repeat->bits->bytes);
}

/* Where an event stands among the groups; it is one that may be used. */
struct place {
    size_t group;
    size_t index;
};

static struct place place_of(const struct pmu_session *session, enum counter_role role)
{
    size_t wanted = (size_t)pmu_session_find(session, role);
    for (size_t group = 0; group < session->n_groups; group++)
        for (size_t i = 0; i < session->group_size[group]; i++)
            if (session->group_events[group][i] == wanted)
                return (struct place){group, i};
    return (struct place){0, 0};
}

/* Cycles and misses of one run of the branches, of two where they do not fit into one group: a predictor may
 * have learnt something by the second. */
static enum counter_status count_branches(struct penalty_repeat *repeat, double *core_cycles_out,
                                          double *misses_out)
{
    uint64_t values[PMU_GROUP_MAX];
    struct place cycles = place_of(repeat->session, ROLE_core_cycles);
    struct place misses = place_of(repeat->session, ROLE_branch_misses);
    enum counter_status status =
        pmu_session_count(repeat->session, cycles.group, penalty_stretch, NULL, repeat, values);
    if (status != COUNTER_OK)
        return status;
    *core_cycles_out = (double)values[cycles.index];
    if (misses.group != cycles.group)
        status = pmu_session_count(repeat->session, misses.group, penalty_stretch, NULL, repeat, values);
    if (status == COUNTER_OK)
        *misses_out = (double)values[misses.index];
    return status;
}

static enum counter_status penalty_once(struct penalty_repeat *repeat, uint64_t seed, double *penalty_out)
{
    double cycles[2] = {0};
    double misses[2] = {0};
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        if (shuffled)
            calibration_fill_shuffled(repeat->bits->bytes, sizeof repeat->bits->bytes, seed);
        else
            calibration_fill_sorted(repeat->bits->bytes, sizeof repeat->bits->bytes);
        enum counter_status status = count_branches(repeat, &cycles[shuffled], &misses[shuffled]);
        if (status != COUNTER_OK)
            return status;
    }
    if (misses[1] - misses[0] < 0.25 * PMU_CALIBRATION_BITS)
        return COUNTER_SELF_TEST_FAILED;
    *penalty_out = (cycles[1] - cycles[0]) / (misses[1] - misses[0]);
    return COUNTER_OK;
}

static enum counter_status status_of_role(const struct pmu_session *session, enum counter_role role)
{
    for (size_t i = 0; i < session->n_events; i++)
        if (session->events[i].event.role == role)
            return session->events[i].status;
    return COUNTER_NOT_ASKED;
}

void pmu_session_penalty(const struct pmu_session *session, struct pmu_penalty *penalty_out)
{
    double penalties[9]; /* of 9, the second and the eighth enclose the median with 96.1 % */
    struct bits bits;
    struct penalty_repeat repeat = {session, &bits};
    *penalty_out = (struct pmu_penalty){NAN, NAN, NAN, COUNTER_OK};
    penalty_out->status = status_of_role(session, ROLE_core_cycles);
    if (penalty_out->status == COUNTER_OK)
        penalty_out->status = status_of_role(session, ROLE_branch_misses);
    for (size_t i = 0; i < 9 && penalty_out->status == COUNTER_OK; i++)
        penalty_out->status = penalty_once(&repeat, 100 + i, &penalties[i]);
    if (penalty_out->status != COUNTER_OK)
        return;
    qsort(penalties, 9, sizeof penalties[0], compare_doubles);
    penalty_out->core_cycles = penalties[4];
    penalty_out->core_cycles_low = penalties[1];
    penalty_out->core_cycles_high = penalties[7];
}
