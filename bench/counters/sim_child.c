/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DVBENCH_HAVE_CALLGRIND
#include <valgrind/callgrind.h>
#endif

#include "calibration.h"
#include "child.h"
#include "counters_pass.h"
#include "cpu.h"
#include "file_read.h"
#include "pmu_session.h"
#include "sim_child.h"

#ifndef DVBENCH_HAVE_CALLGRIND
#define CALLGRIND_START_INSTRUMENTATION ((void)0)
#define CALLGRIND_ZERO_STATS            ((void)0)
#define CALLGRIND_TOGGLE_COLLECT        ((void)0)
#define CALLGRIND_DUMP_STATS_AT(label)  ((void)(label))
#endif

struct child_job {
    bool is_calibration;
    int sink;
    bool replay;
    size_t n_visits;
    char payload[256];
    struct batches batches;
    struct batches before; /* of each */
    char (*kernels)[64];
    size_t n_kernels;
};

int sim_child_built(void)
{
#ifdef DVBENCH_HAVE_CALLGRIND
    return 1;
#else
    return 0;
#endif
}

unsigned long sim_libc_offset(const char *function)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, function); /* the variant that the CPU's features choose */
    if (!address || dladdr(address, &info) == 0)
        return 0;
    return (unsigned long)((const char *)address - (const char *)info.dli_fbase);
}

/* The highest ISA that kernels may use here, as an id. */
static const char *highest_isa(void)
{
    enum isa best = ISA_GENERIC;
    for (int isa = ISA_GENERIC + 1; isa < N_ISAS; isa++)
        if (cpu_has((enum isa)isa))
            best = (enum isa)isa;
    return isa_id(best);
}

/* --- the job file --- */

static int job_grow(struct child_job *job, size_t n_lines, struct dv_error *error_out)
{
    job->batches.items = calloc(n_lines, sizeof *job->batches.items);
    job->before.items = calloc(n_lines, sizeof *job->before.items);
    job->kernels = calloc(n_lines, sizeof *job->kernels);
    if (!job->batches.items || !job->before.items || !job->kernels)
        return dv_no_memory(error_out);
    return 0;
}

static int job_line(struct child_job *job, const char *line)
{
    char text[256];
    unsigned long long start, before_start;
    unsigned n_rows, n_before_rows;
    int flag;
    if (sscanf(line, "kind %255s", text) == 1)
        job->is_calibration = strcmp(text, "calibration") == 0;
    else if (sscanf(line, "sink %255s", text) == 1)
        job->sink = sink_find(text);
    else if (sscanf(line, "replay %d", &flag) == 1)
        job->replay = flag != 0;
    else if (sscanf(line, "batch %llu %u before %llu %u", &start, &n_rows, &before_start, &n_before_rows) ==
             4) {
        job->before.items[job->before.n_items++] = (struct batch){before_start, n_before_rows};
        job->batches.items[job->batches.n_items++] = (struct batch){start, n_rows};
    } else if (sscanf(line, "kernel %63s", job->kernels[job->n_kernels]) == 1)
        job->n_kernels++;
    else
        return sscanf(line, "visits %zu", &job->n_visits) == 1 ||
               sscanf(line, "payload %255s", job->payload) == 1;
    return 1;
}

static void job_free(struct child_job *job)
{
    free(job->batches.items);
    free(job->before.items);
    free(job->kernels);
}

static int job_read(struct child_job *job_out, const char *path, struct dv_error *error_out)
{
    *job_out = (struct child_job){.sink = -1};
    char *text = file_read_text(path, FILE_READ_MOST, error_out);
    if (!text)
        return DV_ERROR_INPUT;
    size_t n_lines = 1;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        n_lines++;
    int status = job_grow(job_out, n_lines, error_out);
    for (char *line = strtok(text, "\n"); line && status == 0; line = strtok(NULL, "\n"))
        if (!job_line(job_out, line))
            status = dv_fail(error_out, DV_ERROR_USAGE, "simulate: '%s' is not a line of a job", line);
    if (status == 0 && !job_out->is_calibration &&
        (job_out->sink < 0 || job_out->n_visits == 0 || job_out->batches.n_items == 0 ||
         (!job_out->replay && job_out->n_visits > job_out->batches.n_items)))
        status = dv_fail(error_out, DV_ERROR_USAGE, "simulate: the job lacks a sink or batches");
    free(text);
    return status;
}

/* --- between the switches --- */

typedef void stretch_fn(void *user);

static void __attribute__((noinline)) simulate(stretch_fn *stretch, void *user, const char *label)
{
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    stretch(user);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(label);
}

static void loop_stretch(void *user)
{
    calibration_loop(*(const uint64_t *)user);
}

static void branches_stretch(void *user)
{
    calibration_branches(user, PMU_CALIBRATION_BITS);
}

/* The collecting is on while a pass runs: each call turns it over. */
static void set_counting(bool is_on)
{
    (void)is_on;
    CALLGRIND_TOGGLE_COLLECT;
}

static void pass_stretch(void *user)
{
    counters_pass_run(user);
}

static int run_calibration(struct dv_error *error_out)
{
    uint64_t n_short = PMU_SHORT_LOOP;
    uint64_t n_long = PMU_LONG_LOOP;
    uint8_t *bits = malloc(PMU_CALIBRATION_BITS);
    if (!bits)
        return dv_no_memory(error_out);
    CALLGRIND_START_INSTRUMENTATION;
    simulate(loop_stretch, &n_short, "short");
    simulate(loop_stretch, &n_long, "long");
    calibration_fill_sorted(bits, PMU_CALIBRATION_BITS);
    simulate(branches_stretch, bits, "sorted");
    calibration_fill_shuffled(bits, PMU_CALIBRATION_BITS, 1);
    simulate(branches_stretch, bits, "shuffled");
    free(bits);
    return 0;
}

static int run_kernel(const struct child_job *job, const struct dv *dv, const struct kernel *kernel,
                      const char *label, struct dv_error *error_out)
{
    struct counters_pass pass;
    const struct counters_visits visits = {.batches = &job->batches,
                                           .before = job->replay ? NULL : &job->before,
                                           .set_counting = set_counting,
                                           .n_visits = job->n_visits,
                                           .replay = job->replay};
    int status = counters_pass_open(&pass, dv, &visits, kernel, (enum sink_kind)job->sink, error_out);
    if (status != 0)
        return status;
    simulate(pass_stretch, &pass, label);
    counters_pass_close(&pass);
    return 0;
}

static unsigned needs_of(const struct child_job *job)
{
    unsigned needs = DV_NEEDS_VIEW;
    for (size_t i = 0; i < job->n_kernels; i++) {
        const struct kernel *kernel = kernel_find(job->kernels[i]);
        if (kernel && !kernel_unavailable(kernel, (enum sink_kind)job->sink))
            needs |= kernel->needs;
    }
    return needs;
}

static int run_kernels(const struct child_job *job, struct dv_error *error_out)
{
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    struct dv dv = {0};
    int status = file_read(job->payload, FILE_READ_MOST, &bytes, &n_bytes, error_out);
    if (status == 0)
        status = dv_open(&dv, bytes, n_bytes, needs_of(job), error_out);
    if (status != 0)
        goto out;
    CALLGRIND_START_INSTRUMENTATION;
    status = run_kernel(job, &dv, NULL, "empty", error_out);
    for (size_t i = 0; i < job->n_kernels && status == 0; i++) {
        char label[32];
        const struct kernel *kernel = kernel_find(job->kernels[i]);
        const char *reason = kernel ? kernel_unavailable(kernel, (enum sink_kind)job->sink) : "unknown";
        snprintf(label, sizeof label, "k%zu", i);
        if (!reason && run_kernel(job, &dv, kernel, label, error_out) != 0)
            reason = "its state could not be opened";
        printf("kernel %zu %s\n", i, reason ? reason : "ok");
        fflush(stdout);
    }
    dv_close(&dv);
out:
    free(bytes);
    return status;
}

int sim_child_run(const char *job_path, struct dv_error *error_out)
{
    struct child_job job;
    int status = job_read(&job, job_path, error_out);
    printf("isa %s\n", highest_isa());
    printf("libc %lx %lx %lx\n", sim_libc_offset("memset"), sim_libc_offset("memcpy"),
           sim_libc_offset("memmove"));
    fflush(stdout);
    if (status == 0)
        status = job.is_calibration ? run_calibration(error_out) : run_kernels(&job, error_out);
    job_free(&job);
    return status;
}
