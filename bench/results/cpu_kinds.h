/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of cores of a hybrid CPU, as the kernel's PMUs list them.
 *
 * Place in the data flow: /sys/bus/event_source/devices -> struct cpu_kinds -> the CPU to measure on
 * (machine.h), the PMU that its events go to (pmu_session.h), a warning of the run. */
#ifndef DVBENCH_CPU_KINDS_H
#define DVBENCH_CPU_KINDS_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_KINDS_MAX 4

struct cpu_kind {
    char pmu[32];       /* "cpu_core", "armv8_cortex_a53" */
    char list[64];      /* its CPUs as the kernel writes them, "0-15" */
    cpu_set_t cpus;     /* the same */
    uint32_t perf_type; /* of perf_event_open */
    uint64_t speed; /* of its fastest CPU: capacity, else kHz; comparable among the kinds of one machine */
};

/* n_items is 0, or 2 and more: where all cores are of one kind there is nothing to choose. */
struct cpu_kinds {
    size_t n_items;
    struct cpu_kind items[CPU_KINDS_MAX]; /* fastest first */
};

/* From the files below `root`, "" for the machine itself; cannot fail. */
void cpu_kinds_read_below(struct cpu_kinds *kinds_out, const char *root);

/* The kind of a CPU; NULL where there is one kind only, or none lists it. */
const struct cpu_kind *cpu_kinds_find(const struct cpu_kinds *kinds, int cpu);

/* The last CPU of `allowed` that is of the fastest kind which has one there; -1 if `allowed` is empty. Without
 * kinds the last one of all: CPU 0 takes most interrupts. */
int cpu_kinds_choose(const struct cpu_kinds *kinds, const cpu_set_t *allowed);

/* CPUs for threads that work at the same time. */
struct cpu_workers {
    int cpus[CPU_SETSIZE]; /* one of each core first */
    size_t n_items;
    size_t n_cores; /* so many of the first ones share no core */
};

/* `first`, then the others of `allowed` that are of its kind, from the last one down. `root` as above. */
void cpu_kinds_workers(struct cpu_workers *workers_out, const struct cpu_kinds *kinds,
                       const cpu_set_t *allowed, int first, const char *root);

/* "cpu_core 0-15 | cpu_atom 16-23"; "" where there is one kind. */
void cpu_kinds_text(const struct cpu_kinds *kinds, char *text_out, size_t n_text);

#endif
