/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu_kinds.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "/sys/bus/event_source/devices"

/* First word of a file below `root`; false where there is none. */
__attribute__((format(printf, 4, 5))) static bool read_word(char *word_out, size_t n_word, const char *root,
                                                            const char *format, ...)
{
    char name[400], path[640], line[256] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s%s", root, name);
    FILE *file = fopen(path, "re");
    const bool is_read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    line[strcspn(line, " \r\n")] = 0;
    snprintf(word_out, n_word, "%s", line);
    return is_read && *line;
}

static void parse_list(const char *list, cpu_set_t *cpus_out)
{
    char *at = (char *)list;
    CPU_ZERO(cpus_out);
    while (*at >= '0' && *at <= '9') {
        const long first = strtol(at, &at, 10);
        const long last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_SET(cpu, cpus_out);
        at += *at == ',';
    }
}

/* Capacity speaks for the core itself; where only the clock is known a kind's boosted core stands for it. */
static uint64_t speed_of(const struct cpu_kind *kind, const char *root)
{
    char word[32];
    uint64_t fastest = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &kind->cpus))
            continue;
        if (!read_word(word, sizeof word, root, "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu) &&
            !read_word(word, sizeof word, root, "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq",
                       cpu))
            continue;
        const uint64_t speed = strtoull(word, NULL, 10);
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest;
}

/* A core PMU has a file `cpus`; those of the uncore have `cpumask`, and a PMU that is the only one of its
 * machine has neither on x86. */
static bool read_kind(struct cpu_kind *kind_out, const char *root, const char *pmu)
{
    char type[32];
    snprintf(kind_out->pmu, sizeof kind_out->pmu, "%.31s", pmu);
    if (!read_word(kind_out->list, sizeof kind_out->list, root, DEVICES "/%s/cpus", pmu) ||
        !read_word(type, sizeof type, root, DEVICES "/%s/type", pmu))
        return false;
    kind_out->perf_type = (uint32_t)strtoul(type, NULL, 10);
    parse_list(kind_out->list, &kind_out->cpus);
    kind_out->speed = speed_of(kind_out, root);
    return CPU_COUNT(&kind_out->cpus) > 0;
}

/* Fastest first; where the speeds say nothing, Intel's name for the performance cores does. */
static int compare(const void *a, const void *b)
{
    const struct cpu_kind *left = a, *right = b;
    if (left->speed != right->speed)
        return left->speed < right->speed ? 1 : -1;
    const int is_core = (strcmp(right->pmu, "cpu_core") == 0) - (strcmp(left->pmu, "cpu_core") == 0);
    return is_core ? is_core : strcmp(left->pmu, right->pmu);
}

void cpu_kinds_read_below(struct cpu_kinds *kinds_out, const char *root)
{
    char path[512];
    *kinds_out = (struct cpu_kinds){0};
    snprintf(path, sizeof path, "%s" DEVICES, root);
    DIR *devices = opendir(path);
    if (!devices)
        return;
    for (const struct dirent *entry; (entry = readdir(devices)) && kinds_out->n_items < CPU_KINDS_MAX;)
        if (entry->d_name[0] != '.')
            kinds_out->n_items += read_kind(&kinds_out->items[kinds_out->n_items], root, entry->d_name);
    closedir(devices);
    if (kinds_out->n_items < 2)
        kinds_out->n_items = 0;
    qsort(kinds_out->items, kinds_out->n_items, sizeof *kinds_out->items, compare);
}

const struct cpu_kind *cpu_kinds_find(const struct cpu_kinds *kinds, int cpu)
{
    for (size_t i = 0; i < kinds->n_items && cpu >= 0 && cpu < CPU_SETSIZE; i++)
        if (CPU_ISSET(cpu, &kinds->items[i].cpus))
            return &kinds->items[i];
    return NULL;
}

static int last_of(const cpu_set_t *cpus)
{
    int cpu = CPU_SETSIZE - 1;
    while (cpu >= 0 && !CPU_ISSET(cpu, cpus))
        cpu--;
    return cpu;
}

int cpu_kinds_choose(const struct cpu_kinds *kinds, const cpu_set_t *allowed)
{
    for (size_t i = 0; i < kinds->n_items; i++) {
        cpu_set_t both;
        CPU_AND(&both, allowed, &kinds->items[i].cpus);
        if (CPU_COUNT(&both) > 0)
            return last_of(&both);
    }
    return last_of(allowed);
}

static bool is_core_taken(const char *root, const char *core, const int *cpus, size_t n)
{
    char other[64];
    for (size_t i = 0; i < n; i++)
        if (read_word(other, sizeof other, root,
                      "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpus[i]) &&
            strcmp(other, core) == 0)
            return true;
    return false;
}

void cpu_kinds_workers(struct cpu_workers *workers_out, const struct cpu_kinds *kinds,
                       const cpu_set_t *allowed, int first, const char *root)
{
    const struct cpu_kind *kind = cpu_kinds_find(kinds, first);
    cpu_set_t left = *allowed;
    if (kind)
        CPU_AND(&left, &left, &kind->cpus);
    *workers_out = (struct cpu_workers){.cpus = {first}, .n_items = 1, .n_cores = 1};
    for (int is_shared = 0; is_shared < 2; is_shared++)
        for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
            char core[64];
            if (cpu == first || !CPU_ISSET(cpu, &left))
                continue;
            if (!is_shared &&
                read_word(core, sizeof core, root,
                          "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu) &&
                is_core_taken(root, core, workers_out->cpus, workers_out->n_items))
                continue;
            CPU_CLR(cpu, &left);
            workers_out->cpus[workers_out->n_items++] = cpu;
            workers_out->n_cores += !is_shared;
        }
}

void cpu_kinds_text(const struct cpu_kinds *kinds, char *text_out, size_t n_text)
{
    snprintf(text_out, n_text, "%s", "");
    for (size_t i = 0; i < kinds->n_items; i++) {
        const size_t n = strlen(text_out);
        snprintf(text_out + n, n_text - n, "%s%s %s", i ? " | " : "", kinds->items[i].pmu,
                 kinds->items[i].list);
    }
}
