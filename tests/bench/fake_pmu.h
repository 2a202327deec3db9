/* SPDX-License-Identifier: Apache-2.0 */
/* An operating system with a PMU of our making, for the tests of pmu.h and above.
 *
 * Place in the data flow: struct fake_pmu -> struct pmu_system -> pmu_group_open and everything on top of it.
 *
 * Every descriptor counts a source named by the event's type and config; what a source counts in a stretch is
 * a function of the test's. Faults are fields: an errno at the n-th open, short reads, times that say "not
 * scheduled". */
#ifndef DVBENCH_FAKE_PMU_H
#define DVBENCH_FAKE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu.h"

#define FAKE_FDS 64

struct fake_fd {
    bool is_open;
    uint32_t type;
    uint64_t config;
    int leader; /* its own index for a leader */
    uint64_t id;
    uint64_t value;
};

struct fake_pmu;

/* What event `config` of `type` counts in the n-th stretch. */
typedef uint64_t fake_pmu_count(const struct fake_pmu *fake, uint32_t type, uint64_t config, size_t stretch);

struct fake_pmu {
    struct fake_fd fds[FAKE_FDS];
    uint64_t next_id;
    uint64_t enabled_ns;
    uint64_t running_ns;
    size_t n_opened;
    size_t n_closed;
    size_t n_stretches; /* leaders disabled so far */
    bool is_enabled;

    /* What the test sets. */
    size_t n_counters;          /* a larger group opens and never runs; 0: no limit */
    size_t n_counters_refused;  /* a larger group is refused with EINVAL; 0: no limit */
    int open_errno;             /* of every open, 0 for none */
    uint64_t open_errno_config; /* only of this config, where not 0 */
    int open_errno_at;          /* 1 + index of the open that fails with open_errno; 0: as above */
    int id_errno;
    int read_errno;
    long read_bytes;        /* -1: as many as asked for */
    uint64_t running_pct;   /* 100: all the time; 0: never */
    uint64_t switch_ns;     /* that a group is enabled before it runs */
    struct cpu_kinds kinds; /* of a hybrid CPU */
    int level;              /* of perf_event_paranoid */
    bool is_reversed;       /* siblings are read in another order than opened */
    uint64_t start_value;   /* of every counter, such as just below a wrap */
    fake_pmu_count *count;
};

/* Counts 1000 x config in every stretch, no faults, level 2. */
void fake_pmu_init(struct fake_pmu *fake_out);
struct pmu_system fake_pmu_system(struct fake_pmu *fake);

#endif
