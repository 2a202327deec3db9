/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test: an event counts loops whose counts are known before it is believed.
 *
 * Place in the data flow: an encoded event -> status, verdict and the two numbers compared. */
#ifndef DVBENCH_PMU_SELFTEST_H
#define DVBENCH_PMU_SELFTEST_H

#include "pmu_session.h"

/* Opens only the event and counts the calibration loops; sets status, verdict, expected and counted. */
void pmu_selftest_event(struct pmu_event *event, const struct pmu_system *system);

/* calibration_loop of PMU_SHORT_LOOP iterations, as a stretch; takes no user pointer. */
void pmu_selftest_short_loop(void *user);

#endif
