/* SPDX-License-Identifier: Apache-2.0 */
/* A pass per group of events and kernel, over the very batches that are timed. Before each counted pass the
 * kernel runs once, so that caches and predictors are as in the middle of a timed sample; what the
 * loop and the switches cost is counted with a kernel that does nothing and subtracted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters_pass.h"
#include "counters_internal.h"

/* Rows that a pass visits at least: a stretch of a few microseconds would be noise. In replay they are visits
 * of one batch. */
#define ROWS_MIN 200000u

struct counted {
    enum counter_status statuses[COUNTER_EVENTS_MAX];
    double values[COUNTER_EVENTS_MAX];
    int passes[COUNTER_EVENTS_MAX];
};

static void stretch(void *user)
{
    counters_pass_run(user);
}

/* Warm. */
static int again(void *user)
{
    counters_pass_run(user);
    return 0;
}

static size_t n_visits_of(const struct counters_job *job)
{
    uint32_t n_rows = job->batches->items[0].n_rows;
    return job->replay ? ROWS_MIN / (n_rows ? n_rows : 1) + 1 : job->batches->n_items;
}

static int count_kernel(const struct counters *counters, const struct counters_job *job,
                        const struct kernel *kernel, struct counted *counted_out, uint64_t *n_rows_out,
                        struct dv_error *error_out)
{
    const struct pmu_session *session = &counters->pmu;
    struct counters_pass pass;
    const struct counters_visits visits = {
        .batches = job->batches, .n_visits = n_visits_of(job), .replay = job->replay};
    int code = counters_pass_open(&pass, job->dv, &visits, kernel, job->sink, error_out);
    if (code != 0)
        return code;
    *n_rows_out = counters_pass_rows(&pass);
    for (size_t i = 0; i < session->n_events; i++)
        counted_out->statuses[i] = session->events[i].status;
    for (size_t group = 0; group < session->n_groups; group++) {
        uint64_t values[PMU_GROUP_MAX];
        enum counter_status status = pmu_session_count(session, group, stretch, again, &pass, values);
        for (size_t i = 0; i < session->group_size[group]; i++) {
            size_t event = session->group_events[group][i];
            counted_out->statuses[event] = status;
            counted_out->passes[event] = (int)group;
            counted_out->values[event] = status == COUNTER_OK ? (double)values[i] : NAN;
        }
    }
    counters_pass_close(&pass);
    return 0;
}

/* A difference below 0 is the noise of the two passes around a kernel that has no such event. */
static double less(double kernel, double loop)
{
    return kernel > loop ? kernel - loop : kernel <= loop ? 0 : NAN;
}

static int fill(struct counters_result *result, const struct pmu_session *session,
                const struct counted *kernel, const struct counted *loop, uint64_t n_rows,
                struct dv_error *error_out)
{
    double per_row[N_ROLES] = {0};
    enum counter_status statuses[N_ROLES];
    for (int role = 0; role < N_ROLES; role++)
        statuses[role] = COUNTER_NOT_ASKED;
    result->values = calloc(session->n_events, sizeof *result->values);
    if (!result->values)
        return dv_no_memory(error_out);
    result->n_values = session->n_events;
    for (size_t i = 0; i < session->n_events; i++) {
        struct counter_value *value = &result->values[i];
        enum counter_role role = session->events[i].event.role;
        enum counter_status status =
            kernel->statuses[i] != COUNTER_OK ? kernel->statuses[i] : loop->statuses[i];
        snprintf(value->event, sizeof value->event, "%s", session->events[i].event.name);
        snprintf(value->encoding, sizeof value->encoding, "%s", session->events[i].encoding);
        value->source = "pmu";
        value->pass = kernel->passes[i];
        value->value_per_row =
            status == COUNTER_OK ? less(kernel->values[i], loop->values[i]) / (double)n_rows : NAN;
        value->status = counter_status_word(status);
        if (statuses[role] != COUNTER_OK) { /* the first event of a role that counted is the column's */
            statuses[role] = status;
            per_row[role] = value->value_per_row;
        }
    }
    counters_result_fill(result, per_row, statuses);
    return 0;
}

int counters_measure_pmu(const struct counters *counters, const struct counters_job *job,
                         struct counters_result *results_out, struct dv_error *error_out)
{
    struct counted loop = {0};
    uint64_t n_rows = 0;
    if (job->n_kernels == 0 || job->batches->n_items == 0)
        return 0;
    int status = count_kernel(counters, job, NULL, &loop, &n_rows, error_out);
    for (size_t i = 0; i < job->n_kernels && status == 0; i++) {
        struct counted kernel = {0};
        if (kernel_unavailable(job->kernels[i], job->sink))
            continue;
        status = count_kernel(counters, job, job->kernels[i], &kernel, &n_rows, error_out);
        if (status == 0)
            status = fill(&results_out[i], &counters->pmu, &kernel, &loop, n_rows, error_out);
    }
    return status;
}
