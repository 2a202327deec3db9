/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping the machine still, and watching whether it was. */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cpu_kinds.h"

/* Freed memory up to this much stays mapped, so that using it again faults in no pages. */
#define TRIM_THRESHOLD_BYTES (256 << 20)
/* Where glibc's own adapting ends after large blocks were freed; setting it stops the adapting. */
#define MMAP_THRESHOLD_BYTES (32 << 20)

int machine_check_cpu(int cpu, struct dv_error *error_out)
{
    cpu_set_t set;
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return dv_fail(error_out, DV_ERROR_USAGE, "there is no CPU %d: name one from 0 to %d", cpu,
                       CPU_SETSIZE - 1);
    if (cpu >= sysconf(_SC_NPROCESSORS_CONF))
        return dv_fail(error_out, DV_ERROR_USAGE, "there is no CPU %d: this machine has 0 to %ld", cpu,
                       sysconf(_SC_NPROCESSORS_CONF) - 1);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && !CPU_ISSET(cpu, &set))
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                       "CPU %d is not allowed for this process: see taskset or the container's cpuset", cpu);
    return 0;
}

int machine_pin_cpu(int cpu, struct dv_error *error_out)
{
    cpu_set_t set;
    const int status = machine_check_cpu(cpu, error_out);
    if (status < 0)
        return status;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) == 0)
        return 0;
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "cannot stay on CPU %d: %s", cpu, strerror(errno));
}

int machine_default_cpu(void)
{
    cpu_set_t allowed;
    struct cpu_kinds kinds;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    cpu_kinds_read_below(&kinds, "");
    return cpu_kinds_choose(&kinds, &allowed);
}

int machine_choose_workers(struct cpu_workers *workers_out, int first, size_t n, struct dv_error *error_out)
{
    cpu_set_t allowed;
    struct cpu_kinds kinds;
    cpu_kinds_read_below(&kinds, "");
    if (first < 0)
        first = machine_default_cpu();
    if (first < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "--threads: the CPUs of this process are not known");
    cpu_kinds_workers(workers_out, &kinds, &allowed, first, "");
    const struct cpu_kind *kind = cpu_kinds_find(&kinds, first);
    if (n > workers_out->n_items)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                       "--threads %zu: each needs a CPU of its own, and this process may use %zu%s%s", n,
                       workers_out->n_items, kind ? " of the kind " : "", kind ? kind->pmu : "");
    return 0;
}

uint64_t machine_fix_malloc(void)
{
#if defined(M_TRIM_THRESHOLD) && defined(M_MMAP_THRESHOLD)
    if (mallopt(M_TRIM_THRESHOLD, TRIM_THRESHOLD_BYTES) && mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES))
        return TRIM_THRESHOLD_BYTES;
#endif
    return 0;
}

/* se.nr_migrations of the calling thread, -1 where the kernel was built without scheduler statistics. Without
 * stdio, whose buffer would be among the page faults that are counted around this. */
static int64_t read_migrations(void)
{
    char text[2048]; /* the line is among the first ten */
    int64_t n_migrations;
    const int fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *line = strstr(text, "\nse.nr_migrations");
    const char *colon = line ? strchr(line, ':') : NULL;
    return colon && sscanf(colon + 1, "%" SCNd64, &n_migrations) == 1 ? n_migrations : -1;
}

void machine_usage_read(struct machine_usage *usage_out)
{
    struct rusage usage;
    *usage_out = (struct machine_usage){-1, -1, -1};
    usage_out->cpu_migrations = read_migrations(); /* first: reading it may fault */
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return;
    usage_out->page_faults = (int64_t)usage.ru_minflt + usage.ru_majflt;
    usage_out->forced_switches = usage.ru_nivcsw;
}

static int64_t since(int64_t before, int64_t after)
{
    return before < 0 || after < before ? -1 : after - before;
}

struct machine_usage machine_usage_since(const struct machine_usage *before,
                                         const struct machine_usage *after)
{
    return (struct machine_usage){
        .page_faults = since(before->page_faults, after->page_faults),
        .cpu_migrations = since(before->cpu_migrations, after->cpu_migrations),
        .forced_switches = since(before->forced_switches, after->forced_switches),
    };
}

void machine_ticks_read(struct machine_ticks *ticks_out, int cpu)
{
    char line[1024], name[32];
    /* user nice system idle iowait irq softirq steal; guest times are part of user's and nice's */
    uint64_t n[8] = {0};
    *ticks_out = (struct machine_ticks){0};
    snprintf(name, sizeof name, cpu < 0 ? "cpu " : "cpu%d ", cpu);
    FILE *stream = fopen("/proc/stat", "re");
    while (stream && !ticks_out->is_known && fgets(line, sizeof line, stream)) {
        if (strncmp(line, name, strlen(name)) != 0)
            continue;
        ticks_out->is_known = sscanf(line + strlen(name),
                                     "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                                     " %" SCNu64 " %" SCNu64,
                                     &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7]) == 8;
    }
    if (stream)
        fclose(stream);
    for (size_t i = 0; i < 8 && ticks_out->is_known; i++)
        ticks_out->total += n[i];
    ticks_out->steal = n[7];
}

double machine_steal_pct(const struct machine_ticks *before, const struct machine_ticks *after)
{
    if (!before->is_known || !after->is_known || after->total <= before->total ||
        after->steal < before->steal)
        return NAN;
    return 100 * (double)(after->steal - before->steal) / (double)(after->total - before->total);
}

int machine_warnings(const struct machine *machine, void (*warn)(const char *text, void *user), void *user)
{
    char text[320];
    int n_warnings = 0;
    const double load_limit = 0.5 * machine->n_cpus;
    const struct {
        bool applies;
        const char *text;
    } rows[] = {
        {strcmp(machine->virtualisation, "none") != 0 &&
             strcmp(machine->virtualisation, MACHINE_UNKNOWN) != 0,
         "virtual machine: neighbours share caches and clock; see the noise floor"},
        {strcmp(machine->governor, "performance") != 0 && strcmp(machine->governor, MACHINE_UNKNOWN) != 0,
         "the frequency governor is not performance: cpupower frequency-set -g performance"},
        {strcmp(machine->turbo, "on") == 0,
         "turbo is on: the clock follows temperature and neighbours; see the column mhz"},
        {machine->n_cpus == 1, "a single CPU: everything else that runs takes its time from the measurement"},
        {strcmp(machine->thp, "always") == 0,
         "transparent huge pages are always: heap layout may differ from run to run"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].applies)
            continue;
        warn(rows[i].text, user);
        n_warnings++;
    }
    if (machine->cpu_kinds[0]) {
        snprintf(text, sizeof text,
                 "hybrid CPU (%s): times are of the kind that the column cpu belongs to; --cpu chooses",
                 machine->cpu_kinds);
        warn(text, user);
        n_warnings++;
    }
    if (machine->load_1min > load_limit) {
        snprintf(text, sizeof text, "load average %.2f on %d CPUs when the run began", machine->load_1min,
                 machine->n_cpus);
        warn(text, user);
        n_warnings++;
    }
    return n_warnings;
}
