/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <time.h>

#include "clock_chain.h"
#include "measure.h"

/* Each long enough to time by the monotonic clock (about 10 us), all short compared with a sample of 10 ms. The
 * fastest of them: one during which another process ran says nothing of the clock. */
enum { CLOCK_CHAIN_ADDS = 40000, CLOCK_CHAINS = 3 };

static double chain_mhz(void)
{
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    clock_chain_run(CLOCK_CHAIN_ADDS);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double ns = (double)(after.tv_sec - before.tv_sec) * 1e9 + (double)(after.tv_nsec - before.tv_nsec);
    return ns > 0 ? CLOCK_CHAIN_ADDS * 1e3 / ns : NAN;
}

static double effective_mhz(void)
{
    double mhz = NAN;
    for (int i = 0; i < CLOCK_CHAINS; i++)
        mhz = fmax(mhz, chain_mhz());
    return mhz;
}

struct loop {
    const struct measure_job *job;
    struct measure_sample *sample;
};

static void loop_over_batches(struct gbench_state *state, void *user)
{
    struct loop *loop = user;
    const struct measure_job *job = loop->job;
    const struct batch *const batches = job->batches->items;
    const size_t n_batches = job->batches->n_items;
    uint64_t n_live = 0;

    loop->sample->mhz = effective_mhz();
    struct taint_reading before, after;
    taint_read_before(&before);
    while (gbench_keep_running_batch(state, (int64_t)(n_batches * job->n_targets)))
        for (size_t t = 0; t < job->n_targets; t++)
            for (size_t b = 0; b < n_batches; b++)
                n_live += job->run(job->targets[t].dv, job->targets[t].state, batches[b].start,
                                   batches[b].n_rows, job->sink);
    taint_read_after(&after, &before);
    const struct machine_usage during = machine_usage_since(&before.usage, &after.usage);
    loop->sample->n_page_faults = during.page_faults;
    loop->sample->n_cpu_migrations = during.cpu_migrations;
    taint_between(&before, &after, loop->sample->taint);
    loop->sample->n_live = n_live;
}

static int run_once(const char *name, gbench_fn *fn, void *user, int64_t n_iterations,
                    struct gbench_json *json, struct gbench_result *result_out, struct dv_error *error_out)
{
    char message[128];
    if (gbench_run(name, fn, user, n_iterations, json, result_out, message, sizeof message) < 0)
        return dv_fail(error_out, DV_ERROR_IO, "%s: %s", name, message);
    return 0;
}

int measure_kernel(const struct measure_job *job, const char *name, int64_t n_passes,
                   struct gbench_json *json, struct measure_sample *sample_out, struct dv_error *error_out)
{
    const int64_t n_per_pass = (int64_t)(job->batches->n_items * job->n_targets);
    const double n_rows_per_pass = (double)job->batches->n_rows * (double)job->n_targets;
    struct loop loop = {.job = job, .sample = sample_out};
    struct gbench_result result = {0};
    *sample_out = (struct measure_sample){0};
    int status = run_once(name, loop_over_batches, &loop, n_passes * n_per_pass, json, &result, error_out);
    if (status < 0)
        return status;
    sample_out->n_iterations = result.n_iterations;
    sample_out->ns_per_row = result.cpu_ns * (double)n_per_pass / n_rows_per_pass;
    return 0;
}

struct step_loop {
    measure_step *step;
    void *user;
};

static void loop_over_calls(struct gbench_state *state, void *user)
{
    const struct step_loop *loop = user;
    while (gbench_keep_running(state))
        if (loop->step(loop->user))
            gbench_skip_with_error(state, "the step failed");
}

int measure_step_ns(measure_step *step, void *user, const char *name, int64_t n_calls, double *ns_out,
                    struct dv_error *error_out)
{
    struct step_loop loop = {step, user};
    struct gbench_result result = {0};
    int status = run_once(name, loop_over_calls, &loop, n_calls, NULL, &result, error_out);
    *ns_out = status < 0 ? NAN : result.cpu_ns;
    return status;
}
