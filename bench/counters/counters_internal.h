/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the counters share: counters.c opens, counters_pmu.c and counters_sim.c count.
 *
 * Place in the data flow: below counters.h; only this room includes it. */
#ifndef DVBENCH_COUNTERS_INTERNAL_H
#define DVBENCH_COUNTERS_INTERNAL_H

#include "counter_sets.h"
#include "counter_status.h"
#include "counters.h"
#include "pmu_session.h"
#include "sim.h"

struct counters {
    enum counters_mode source;  /* not COUNTERS_AUTO; COUNTERS_STEP is never asked for */
    enum counter_status status; /* of a source that is none or step: why no other */
    struct counter_events events;
    struct pmu_session pmu;
    struct pmu_penalty penalty;
    struct sim sim;
    enum counter_status step_status; /* whether what the simulator cannot run may be stepped */
    char reason[512];
    char encodings[4096];
};

/* As counters_open, over another operating system: for the tests. */
int counters_open_on(struct counters **counters_out, const struct counters_options *options,
                     const struct pmu_system *system, struct dv_error *error_out);

/* The columns of one result, then its status. */
void counters_result_fill(struct counters_result *result, const double per_row[N_ROLES],
                          const enum counter_status statuses[N_ROLES]);

int counters_measure_pmu(const struct counters *counters, const struct counters_job *job,
                         struct counters_result *results_out, struct dv_error *error_out);
/* Over the simulator, or where there is none only by steps. */
int counters_measure_sim(const struct counters *counters, const struct counters_job *job,
                         struct counters_result *results_out, struct dv_error *error_out);

#endif
