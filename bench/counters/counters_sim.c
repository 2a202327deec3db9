/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters_internal.h"
#include "step.h"

/* What the simulator cannot run is stepped natively, only for its instructions: the other cells keep the
 * simulator's word. */
static void fill_stepped(struct counter_value *value, const struct step_counts *stepped, double *per_row,
                         enum counter_status *status)
{
    *status = stepped->status;
    *per_row = stepped->n_rows ? (double)stepped->n_instructions / (double)stepped->n_rows : NAN;
    snprintf(value->encoding, sizeof value->encoding, "single steps: batches=%zu rows=%llu",
             stepped->n_batches, (unsigned long long)stepped->n_rows);
    value->source = "step";
}

/* Events that were asked for and have no simulated counterpart: a row each that says so. */
static void add_not_simulated(struct counters_result *result, const struct counters *counters)
{
    const struct counter_events *events = &counters->events;
    for (size_t i = 0; i < events->n_items; i++) {
        if (events->items[i].role != ROLE_other)
            continue;
        struct counter_value *value = &result->values[result->n_values++];
        snprintf(value->event, sizeof value->event, "%s", events->items[i].name);
        value->source = counters_source(counters);
        value->value_per_row = NAN;
        value->status = counter_status_word(COUNTER_CANNOT_SIMULATE);
    }
}

/* stepped: NULL where the simulator counted. */
static int fill(struct counters_result *result, const struct counters *counters,
                const struct sim_counts *counts, const struct step_counts *stepped,
                struct dv_error *error_out)
{
    const struct sim *sim = &counters->sim;
    double per_row[N_ROLES] = {0};
    enum counter_status statuses[N_ROLES];
    result->values = calloc(N_SIM_EVENTS + counters->events.n_items, sizeof *result->values);
    if (!result->values)
        return dv_no_memory(error_out);
    result->n_values = N_SIM_EVENTS;
    for (int role = 0; role < N_ROLES; role++)
        statuses[role] = COUNTER_CANNOT_SIMULATE; /* cycles are not simulated here */
    for (int event = 0; event < N_SIM_EVENTS; event++) {
        enum counter_role role = sim_event_role((enum sim_event)event);
        struct counter_value *value = &result->values[event];
        /* A predictor that fails its self-test says nothing about branches, simulated or not. */
        statuses[role] = counts->status == COUNTER_OK && sim->verdict[event] == PMU_FAIL
                             ? COUNTER_SELF_TEST_FAILED
                             : counts->status;
        per_row[role] = (double)counts->values[event] / (double)counts->n_rows;
        snprintf(value->event, sizeof value->event, "%s", counter_role_id(role));
        if (counters->source == COUNTERS_SIM)
            snprintf(value->encoding, sizeof value->encoding, "callgrind:%s@%s",
                     sim_event_name((enum sim_event)event), sim->isa);
        value->source = counters_source(counters);
        if (stepped && role == ROLE_instructions)
            fill_stepped(value, stepped, &per_row[role], &statuses[role]);
        value->value_per_row = statuses[role] == COUNTER_OK ? per_row[role] : NAN;
        value->status = counter_status_word(statuses[role]);
    }
    add_not_simulated(result, counters);
    if (counts->status != COUNTER_OK)
        statuses[ROLE_core_cycles] = counts->status; /* one reason for the whole cell */
    if (stepped && stepped->status == COUNTER_OK)
        result->source = "step";
    counters_result_fill(result, per_row, statuses);
    return 0;
}

static int measure_one(const struct counters *counters, const struct counters_job *job, size_t index,
                       const struct sim_counts *counts, struct counters_result *result_out,
                       struct dv_error *error_out)
{
    struct step_counts stepped = {.status = counters->step_status};
    int code = 0;
    const bool is_skipped = counters->source == COUNTERS_STEP && counts->status == COUNTER_NOT_ASKED;
    if (is_skipped || (counters->source == COUNTERS_SIM && counts->status != COUNTER_CANNOT_SIMULATE &&
                       counts->status != COUNTER_SIM_ISA_DIFFERS))
        return fill(result_out, counters, counts, NULL, error_out);
    if (stepped.status == COUNTER_OK)
        code = step_measure(job, job->kernels[index], &stepped, error_out);
    return code != 0 ? code : fill(result_out, counters, counts, &stepped, error_out);
}

/* Without a simulator every kernel that runs here is stepped, and the other events keep the reason why. */
static void simulate_none(const struct counters *counters, const struct counters_job *job,
                          struct sim_counts *counts_out)
{
    for (size_t i = 0; i < job->n_kernels; i++)
        counts_out[i].status =
            kernel_unavailable(job->kernels[i], job->sink) ? COUNTER_NOT_ASKED : counters->status;
}

int counters_measure_sim(const struct counters *counters, const struct counters_job *job,
                         struct counters_result *results_out, struct dv_error *error_out)
{
    if (job->n_kernels == 0 || job->batches->n_items == 0)
        return 0;
    struct sim_counts *counts = calloc(job->n_kernels, sizeof *counts);
    if (!counts)
        return dv_no_memory(error_out);
    int status = 0;
    if (counters->source == COUNTERS_SIM)
        status = sim_measure(&counters->sim, job, counts, error_out);
    else
        simulate_none(counters, job, counts);
    for (size_t i = 0; i < job->n_kernels && status == 0; i++)
        status = measure_one(counters, job, i, &counts[i], &results_out[i], error_out);
    free(counts);
    return status;
}
