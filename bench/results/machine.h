/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that was measured on: what it is, how it was set, and how to keep it still.
 *
 * Place in the data flow: /proc, /sys, cpuid -> struct machine -> run.json, the columns machine and cpu,
 * names under results/.
 *
 * What a machine does not say is "unknown", -1, 0 or NaN, as each field says: in a container most of it
 * is. No host name, serial number or address is ever read. */
#ifndef DVBENCH_MACHINE_H
#define DVBENCH_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu_kinds.h"
#include "dv.h"

#define MACHINE_UNKNOWN "unknown"

struct machine {
    /* What it is. */
    char cpu_model[128];     /* "AMD EPYC 9B14"; without comma, quote and line end, like every text here */
    char cpu_vendor[32];     /* "AuthenticAMD"; on ARM the implementer, "ARM" */
    char architecture[32];   /* "x86_64" */
    char microcode[32];      /* "0xa101154" */
    char virtualisation[32]; /* "none", "kvm", "xen", "hyperv", "vmware", "qemu", ... */
    char kernel[96];         /* "Linux 6.12.0-amd64" */
    int family;              /* -1 unknown; these three on x86 only */
    int model;
    int stepping;
    int n_cpus;          /* online; at least 1 */
    char cpu_kinds[224]; /* "cpu_core 0-15 | cpu_atom 16-23" where cores differ, else "" */
    int n_cpus_allowed;  /* this process may run on; 0 unknown */
    uint64_t l1d_bytes;  /* of one instance of the cache; 0 unknown */
    uint64_t l2_bytes;
    uint64_t l3_bytes;
    uint64_t memory_bytes; /* 0 unknown */

    /* How it is set. */
    char governor[32]; /* of CPU 0: "performance", "schedutil" */
    char turbo[16];    /* "on", "off" */
    char smt[24];      /* "on", "off", "forceoff", "notsupported", "notimplemented" */
    char aslr[24];     /* "full", "partial", "off"; "off for this process" under setarch -R */
    char thp[16];      /* transparent huge pages: "always", "madvise", "never" */

    /* What it was doing. */
    double load_1min; /* runnable tasks; NaN unknown */
};

/* Fills `machine_out`; cannot fail. */
void machine_read(struct machine *machine_out);

/* The same from the files below `root` ("" for the machine itself), without asking the CPU or the process:
 * for tests. */
void machine_read_below(struct machine *machine_out, const char *root);

/* The CSV column `machine`: "AMD EPYC 9B14; 2 vCPUs; kvm". Nothing in it needs quotes. */
void machine_id(const struct machine *machine, char *id_out, size_t id_bytes);

/* The same as the name of a folder, of letters, digits, '.', '-' and '_': "AMD-EPYC-9B14_2-vCPUs_kvm". */
void machine_folder(const struct machine *machine, char *folder_out, size_t folder_bytes);

/* One line per setting that makes times vary, as for the warnings in run.json: `warn` is called with each.
 * Returns how many. */
int machine_warnings(const struct machine *machine, void (*warn)(const char *text, void *user), void *user);

/* Whether the calling thread may run on `cpu`: 0, or the codes of machine_pin_cpu. */
int machine_check_cpu(int cpu, struct dv_error *error_out);

/* CPUs for `n` threads at the same time: `first` (-1: the default one) and others of its kind. Returns 0 or
 * DV_ERROR_UNAVAILABLE: this process may not use so many. To be asked before it stays on one of them. */
int machine_choose_workers(struct cpu_workers *workers_out, int first, size_t n, struct dv_error *error_out);

/* Keeps the calling thread on `cpu`. Returns 0, DV_ERROR_USAGE (no such CPU), DV_ERROR_UNAVAILABLE (not
 * allowed here). */
int machine_pin_cpu(int cpu, struct dv_error *error_out);

/* The CPU to measure on when none was asked for: the last one allowed, since CPU 0 takes most interrupts,
 * and of a hybrid CPU one of the fastest kind (cpu_kinds.h); -1 unknown. */
int machine_default_cpu(void);

/* Fixes what malloc adapts by itself while a program runs, so that a later block sees the same allocator as
 * the first one. Returns the trim threshold in bytes, 0 where the C library has none. */
uint64_t machine_fix_malloc(void);

/* Cumulative counters of the calling thread; difference two of them. -1: unknown here. */
struct machine_usage {
    int64_t page_faults;     /* minor and major */
    int64_t cpu_migrations;  /* from /proc/self/sched */
    int64_t forced_switches; /* another task took the CPU */
};

void machine_usage_read(struct machine_usage *usage_out);

/* after - before, field by field; -1 where either is. */
struct machine_usage machine_usage_since(const struct machine_usage *before,
                                         const struct machine_usage *after);

/* How often all cores were slowed down so far, for heat or power; -1 unknown (a virtual machine, AMD). `root`: as above. */
int64_t machine_throttles_below(const char *root);

/* Cumulative ticks of all CPUs, or of one. */
struct machine_ticks {
    uint64_t steal; /* time that the hypervisor gave to others */
    uint64_t total;
    bool is_known;
};

/* `cpu`: -1 for all. */
void machine_ticks_read(struct machine_ticks *ticks_out, int cpu);

/* Per cent of the time between two readings that was stolen, NaN where unknown or no time passed. */
double machine_steal_pct(const struct machine_ticks *before, const struct machine_ticks *after);

#endif
