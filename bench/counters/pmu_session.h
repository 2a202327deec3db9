/* SPDX-License-Identifier: Apache-2.0 */
/* A PMU session: the events of a set that this machine really counts, in as few groups as it has counters
 * for.
 *
 * Place in the data flow: struct counter_events -> open, self-test and grouping -> counts of a stretch of
 * code.
 *
 * Opening an event proves nothing: a CPU that does not implement it counts 0 for ever without an error. So
 * every event counts the loops of calibration.h first, and one that is wrong there is not used. */
#ifndef DVBENCH_PMU_SESSION_H
#define DVBENCH_PMU_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counter_sets.h"
#include "counter_status.h"
#include "dv.h"
#include "pmu.h"

/* What the calibration loops counted, one event. */
struct pmu_calibration {
    double short_loop; /* calibration_loop of PMU_SHORT_LOOP iterations, smallest of the repeats */
    double long_loop;  /* of PMU_LONG_LOOP */
    double sorted;     /* calibration_branches over PMU_CALIBRATION_BITS sorted bits */
    double shuffled;   /* over shuffled ones, fresh for every repeat; median of the repeats */
};

#define PMU_SHORT_LOOP          100000u
#define PMU_LONG_LOOP           300000u
#define PMU_CALIBRATION_BITS    32768u
#define PMU_CALIBRATION_REPEATS 5
#define PMU_CALIBRATION_STRETCHES                                                                            \
    4 /* short loop, long loop, sorted, shuffled: in this order within a repeat */

enum pmu_verdict {
    PMU_PASS,       /* exact except for what interrupts add: within 0.1 % */
    PMU_BIAS,       /* off by a known amount, within 5 %; mispredicts within 25 to 75 % of the bits */
    PMU_FAIL,       /* wrong: not used */
    PMU_UNVERIFIED, /* no known count for such an event; it ran */
    PMU_NOT_RUN,    /* it did not open or did not run: see the status */
};

const char *pmu_verdict_id(enum pmu_verdict verdict); /* "pass", "bias", "fail", "unverified", "not run" */

/* Judges an event by its calibration. *expected_out and *counted_out are the two numbers compared (0 and 0
 * for `other`). */
enum pmu_verdict pmu_judge(enum counter_role role, const struct pmu_calibration *calibration,
                           double *expected_out, double *counted_out);

struct pmu_event {
    struct counter_event event;
    struct perf_event_attr attr;
    char encoding[160];
    enum counter_status status; /* COUNTER_OK: may be used */
    enum pmu_verdict verdict;
    double expected; /* what the self-test knew, in events */
    double counted;  /* what the event said */
};

struct pmu_session {
    const struct pmu_system *system;
    size_t n_events;
    struct pmu_event events[COUNTER_EVENTS_MAX];
    size_t n_groups;
    size_t group_size[COUNTER_EVENTS_MAX];
    size_t group_events[COUNTER_EVENTS_MAX][PMU_GROUP_MAX]; /* indices into events */
};

/* Encodes, opens, self-tests and groups the events, for the CPU `cpu` (-1: any), on which the caller runs: of
 * a hybrid CPU's PMUs the one that counts there takes the generic events, and an event of another is
 * COUNTER_OTHER_PMU, or DV_ERROR_USAGE as below. Only a name that libpfm4 does not know although the user
 * gave it fails (DV_ERROR_USAGE), and only where `strict`; everything else is a status of its event. Nothing
 * stays open. About 5 ms. */
int pmu_session_open(struct pmu_session *session_out, const struct pmu_system *system,
                     const struct counter_events *events, int cpu, bool strict, struct dv_error *error_out);

/* The first event of that role that may be used, or -1. */
int pmu_session_find(const struct pmu_session *session, enum counter_role role);

/* The status that stands for the session: COUNTER_OK where instructions count, else why not. */
enum counter_status pmu_session_status(const struct pmu_session *session);

/* Runs `stretch` between the switches of a group, again where something else took the counters, and gives the
 * counts in the order of group_events. `again` (may be NULL) is called before each attempt, outside the
 * switches. */
enum counter_status pmu_session_count(const struct pmu_session *session, size_t group,
                                      void (*stretch)(void *user), int (*again)(void *user), void *user,
                                      uint64_t *values_out);

/* Cycles of a mispredicted branch on this CPU: what shuffled bits take more than sorted ones, by their extra
 * misses. */
struct pmu_penalty {
    double core_cycles;     /* median of the repeats; NAN where not measured */
    double core_cycles_low; /* order-statistic interval of 95 % */
    double core_cycles_high;
    enum counter_status status; /* COUNTER_OK, or why there is none */
};

void pmu_session_penalty(const struct pmu_session *session, struct pmu_penalty *penalty_out);

#endif
