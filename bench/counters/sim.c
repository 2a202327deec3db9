/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "sim.h"
#include "sim_child.h"
#include "sim_files.h"

#define N_CHILDREN    2
#define CHILD_SECONDS 300.0
#define LIBC_SHARE_MAX                                                                                       \
    0.02 /* of the instructions, above which another variant of memset is other code than was timed */

enum counter_role sim_event_role(enum sim_event event)
{
    static const enum counter_role roles[N_SIM_EVENTS] = {ROLE_instructions, ROLE_branches,
                                                          ROLE_branch_misses};
    return roles[event];
}

const char *sim_event_name(enum sim_event event)
{
    static const char *const names[N_SIM_EVENTS] = {"Ir", "Bc+Bi", "Bcm+Bim"};
    return names[event];
}

static uint64_t event_of_dump(const struct sim_dump *dump, enum sim_event event)
{
    switch (event) {
    case SIM_BRANCHES:
        return dump->conditional_branches + dump->indirect_branches;
    case SIM_BRANCH_MISSES:
        return dump->conditional_misses + dump->indirect_misses;
    default:
        return dump->instructions;
    }
}

static int start(const struct sim *sim, struct child *child_out, const char *directory,
                 struct dv_error *error_out)
{
    char *argv[] = {
        (char *)sim->valgrind,
        "--tool=callgrind",
        "--instr-atstart=no",
        "--collect-atstart=no",
        "--branch-sim=yes",
        "--compress-pos=no",
        "--dump-line=no",
        "--vgdb=no",
        "--callgrind-out-file=dump",
        (char *)sim->program,
        "simulate",
        "job",
        NULL,
    };
    return child_start(child_out, argv, directory, &sim->cpus, error_out);
}

/* --- opening --- */

static int find_version(struct sim *sim, const struct sim_files *files, struct dv_error *error_out)
{
    struct child child;
    char *argv[] = {sim->valgrind, "--version", NULL};
    int status = child_start(&child, argv, files->directories[0], &sim->cpus, error_out);
    if (status != 0)
        return status;
    if (child_wait(&child, CHILD_SECONDS) != 0)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "%s --version fails", sim->valgrind);
    char *text = sim_files_read(files, 0, "stdout", error_out);
    if (!text)
        return DV_ERROR_IO;
    snprintf(sim->version, sizeof sim->version, "%.*s", (int)strcspn(text, "\r\n, \""), text);
    free(text);
    return 0;
}

static void read_child_lines(struct sim *sim, const struct sim_files *files)
{
    unsigned long offsets[3] = {0};
    char *text = sim_files_read(files, 0, "stdout", NULL);
    if (!text)
        return;
    if (sscanf(text, "isa %31s libc %lx %lx %lx", sim->isa, &offsets[0], &offsets[1], &offsets[2]) == 4)
        sim->libc_differs = offsets[0] != sim_libc_offset("memset") ||
                            offsets[1] != sim_libc_offset("memcpy") ||
                            offsets[2] != sim_libc_offset("memmove");
    free(text);
}

static void judge(struct sim *sim, const struct sim_dump dumps[PMU_CALIBRATION_STRETCHES])
{
    for (int event = 0; event < N_SIM_EVENTS; event++) {
        const struct pmu_calibration calibration = {
            .short_loop = (double)event_of_dump(&dumps[0], (enum sim_event)event),
            .long_loop = (double)event_of_dump(&dumps[1], (enum sim_event)event),
            .sorted = (double)event_of_dump(&dumps[2], (enum sim_event)event),
            .shuffled = (double)event_of_dump(&dumps[3], (enum sim_event)event),
        };
        sim->verdict[event] = pmu_judge(sim_event_role((enum sim_event)event), &calibration,
                                        &sim->expected[event], &sim->counted[event]);
    }
}

static int self_test(struct sim *sim, const struct sim_files *files, struct dv_error *error_out)
{
    static const char *const labels[PMU_CALIBRATION_STRETCHES] = {"short", "long", "sorted", "shuffled"};
    struct sim_dump dumps[PMU_CALIBRATION_STRETCHES];
    struct child child;
    int status = sim_files_write_calibration(files, error_out);
    if (status == 0)
        status = start(sim, &child, files->directories[0], error_out);
    if (status != 0)
        return status;
    child_wait(&child, CHILD_SECONDS);
    for (int i = 0; i < PMU_CALIBRATION_STRETCHES; i++)
        if (sim_files_find_dump(files, 0, labels[i], &dumps[i]) != 0)
            return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                           "%s cannot run this program (a sanitizer's build?): exit status %d", sim->version,
                           child.exit_code);
    read_child_lines(sim, files);
    judge(sim, dumps);
    if (sim->verdict[SIM_INSTRUCTIONS] != PMU_PASS || sim->verdict[SIM_BRANCHES] != PMU_PASS)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                       "%s counts %.0f instructions where %.0f run: its counts cannot be used", sim->version,
                       sim->counted[SIM_INSTRUCTIONS], sim->expected[SIM_INSTRUCTIONS]);
    return 0;
}

static int find_program(struct sim *sim, const char *program, struct dv_error *error_out)
{
    if (program) {
        if (!realpath(program, sim->program))
            return dv_fail(error_out, DV_ERROR_IO, "%s: %s", program, strerror(errno));
        return 0;
    }
    ssize_t n_bytes = readlink("/proc/self/exe", sim->program, sizeof sim->program - 1);
    if (n_bytes < 0)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "/proc/self/exe: %s", strerror(errno));
    sim->program[n_bytes] = '\0';
    return 0;
}

int sim_open(struct sim *sim_out, const char *program, enum counter_status *status_out,
             struct dv_error *error_out)
{
    struct sim_files files;
    *sim_out = (struct sim){.isa = ""};
    sched_getaffinity(0, sizeof sim_out->cpus, &sim_out->cpus);
    *status_out = COUNTER_NO_VALGRIND;
    if (!sim_child_built())
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                       "built without valgrind's headers; install valgrind and build again");
    if (child_find(sim_out->valgrind, sizeof sim_out->valgrind, "valgrind", NULL) != 0)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "no valgrind in PATH; install valgrind");
    *status_out = COUNTER_CANNOT_SIMULATE;
    int status = find_program(sim_out, program, error_out);
    if (status == 0)
        status = sim_files_open(&files, 1, error_out);
    if (status != 0)
        return status;
    status = find_version(sim_out, &files, error_out);
    if (status == 0)
        status = self_test(sim_out, &files, error_out);
    sim_files_close(&files);
    if (status == 0)
        *status_out = COUNTER_OK;
    return status;
}

/* --- counting --- */

/* What is still to be counted: the kernels of one child, by their index in the job. */
struct share {
    size_t *kernels;
    size_t n_kernels;
    struct child child;
};

static void subtract(struct sim_counts *counts, const struct sim *sim, const struct sim_dump *dump,
                     const struct sim_dump *empty)
{
    for (int event = 0; event < N_SIM_EVENTS; event++) {
        uint64_t own = event_of_dump(dump, (enum sim_event)event);
        uint64_t loop = event_of_dump(empty, (enum sim_event)event);
        counts->values[event] = own > loop ? own - loop : 0;
    }
    counts->libc_share = (double)dump->libc_instructions / (double)dump->instructions;
    counts->status =
        sim->libc_differs && counts->libc_share > LIBC_SHARE_MAX ? COUNTER_SIM_ISA_DIFFERS : COUNTER_OK;
}

/* By whoever stops the run, or for taking too long: nothing is started again. */
static bool is_stopped(const struct child *child)
{
    return child->exit_code == -SIGINT || child->exit_code == -SIGTERM || child->exit_code == CHILD_TOO_LONG;
}

/* Takes what a child left. Of one that died, the first kernel without a dump is the one that killed it, and
 * those after it stay in the share for another start; returns how many. */
static size_t collect(const struct sim *sim, const struct sim_files *files, size_t index, struct share *share,
                      struct sim_counts *counts_out)
{
    struct sim_dump empty;
    struct sim_dump dump;
    bool has_empty = sim_files_find_dump(files, index, "empty", &empty) == 0;
    bool is_killed = has_empty && share->child.exit_code != 0 && !is_stopped(&share->child);
    size_t n_kernels = share->n_kernels;
    share->n_kernels = 0;
    for (size_t i = 0; i < n_kernels; i++) {
        char label[32];
        struct sim_counts *counts = &counts_out[share->kernels[i]];
        snprintf(label, sizeof label, "k%zu", i);
        if (has_empty && sim_files_find_dump(files, index, label, &dump) == 0) {
            subtract(counts, sim, &dump, &empty);
            continue;
        }
        counts->status = COUNTER_CANNOT_SIMULATE;
        if (is_killed) {
            share->n_kernels = n_kernels - i - 1;
            memmove(share->kernels, share->kernels + i + 1, share->n_kernels * sizeof *share->kernels);
            break;
        }
    }
    return share->n_kernels;
}

static int run_shares(const struct sim *sim, const struct counters_job *job, const struct batches *batches,
                      const struct batches *before, const struct sim_files *files, struct share *shares,
                      struct sim_counts *counts_out, struct dv_error *error_out)
{
    size_t n_left = 1;
    int status = 0;
    while (n_left != 0 && status == 0) {
        n_left = 0;
        for (size_t i = 0; i < N_CHILDREN; i++) {
            shares[i].child.pid = -1;
            if (shares[i].n_kernels == 0 || status != 0)
                continue;
            status = sim_files_write_job(files, i, job, batches, before, shares[i].kernels,
                                         shares[i].n_kernels, error_out);
            if (status == 0)
                status = start(sim, &shares[i].child, files->directories[i], error_out);
        }
        for (size_t i = 0; i < N_CHILDREN; i++) {
            if (shares[i].child.pid < 0)
                continue;
            child_wait(&shares[i].child, CHILD_SECONDS);
            n_left += collect(sim, files, i, &shares[i], counts_out);
        }
    }
    return status;
}

static uint64_t rows_of(const struct counters_job *job, const struct batches *batches)
{
    return job->replay ? (uint64_t)COUNTERS_SIM_BATCHES * batches->items[0].n_rows : batches->n_rows;
}

int sim_measure(const struct sim *sim, const struct counters_job *job, struct sim_counts *counts_out,
                struct dv_error *error_out)
{
    struct sim_files files = {0};
    struct batches batches = {0}, before = {0};
    struct share shares[N_CHILDREN] = {0};
    size_t *indices = calloc(job->n_kernels ? N_CHILDREN * job->n_kernels : 1, sizeof *indices);
    int code = indices ? batches_spread(&batches, &before, job->batches,
                                        job->replay ? 1 : COUNTERS_SIM_BATCHES, error_out)
                       : dv_no_memory(error_out);
    if (code != 0 || batches.n_items == 0)
        goto out;
    for (size_t i = 0; i < job->n_kernels; i++) {
        struct share *share = &shares[i % N_CHILDREN];
        share->kernels = indices + i % N_CHILDREN * job->n_kernels;
        counts_out[i] = (struct sim_counts){.status = COUNTER_NOT_ASKED, .n_rows = rows_of(job, &batches)};
        if (!kernel_unavailable(job->kernels[i], job->sink))
            share->kernels[share->n_kernels++] = i;
    }
    code = sim_files_open(&files, N_CHILDREN, error_out);
    if (code == 0)
        code = sim_files_write_payload(&files, job->dv, error_out);
    if (code == 0)
        code = run_shares(sim, job, &batches, &before, &files, shares, counts_out, error_out);
    sim_files_close(&files);
out:
    batches_free(&batches);
    batches_free(&before);
    free(indices);
    return code;
}
