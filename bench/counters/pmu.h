/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of counters: events that count the same stretch of code together, through perf_event_open.
 *
 * Place in the data flow: encoded events -> group -> counts of one stretch -> counters.h divides them by
 * rows.
 *
 * A group is enabled and disabled only through its leader, values are matched by id, and a stretch in which
 * a counter did not run all the time is "not scheduled", never a number: nothing here scales. Only user mode
 * of the calling thread is counted. */
#ifndef DVBENCH_PMU_H
#define DVBENCH_PMU_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/perf_event.h>

#include "counter_status.h"
#include "cpu_kinds.h"

/* The operating system, or what a test puts in its place. Each returns -errno where it fails. */
struct pmu_system {
    int (*open)(void *user, struct perf_event_attr *attr, int group_fd); /* a descriptor */
    int (*control)(void *user, int fd, unsigned long request);           /* ioctl with the argument 0 */
    int (*id)(void *user, int fd, uint64_t *id_out);
    ssize_t (*read)(void *user, int fd, void *buffer, size_t n_bytes);
    void (*close)(void *user, int fd);
    int (*paranoid_level)(void *user); /* of perf_event_paranoid, INT_MIN where unknown */
    void (*kinds)(void *user, struct cpu_kinds *kinds_out);
    void *user;
};

/* The kernel itself. */
const struct pmu_system *pmu_system_kernel(void);

#define PMU_GROUP_MAX 8

struct pmu_group {
    const struct pmu_system *system;
    size_t n_events;
    int fds[PMU_GROUP_MAX];
    uint64_t ids[PMU_GROUP_MAX];
    uint64_t before[PMU_GROUP_MAX]; /* values at the start of the stretch */
    uint64_t enabled_before;
    uint64_t running_before;
};

/* Opens the events as one group; attrs hold type and config. On failure everything is closed again and the
 * status says why; *refused_out (may be NULL) is 1 where the kernel said EINVAL: a smaller group may open.
 * n_events is 1 .. PMU_GROUP_MAX. */
enum counter_status pmu_group_open(struct pmu_group *group_out, const struct pmu_system *system,
                                   const struct perf_event_attr *attrs, size_t n_events, int *refused_out);

/* Start and end of a stretch. The end fills values_out[0 .. n_events) with what was counted in between.
 * Anything but COUNTER_OK leaves values_out untouched. */
enum counter_status pmu_group_begin(struct pmu_group *group);
enum counter_status pmu_group_end(struct pmu_group *group, uint64_t *values_out);

void pmu_group_close(struct pmu_group *group);

#endif
