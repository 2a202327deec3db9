/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: the registry of traversals. kernels.def has a row for each; prototypes, table, `list`, CSV and
 * tests follow.
 *
 * Place in the data flow: bench/ picks a kernel here, opens its state for a DV, and calls run[sink] once per
 * batch. */
#ifndef DVBENCH_KERNEL_H
#define DVBENCH_KERNEL_H

#include "dv.h"
#include "sink.h"

/* What a kernel keeps between batches of one DV; zero-initialised before open. */
struct kernel_state {
    void *data;
    size_t n_bytes; /* heap bytes held, for the column state_bytes */
};

/* One kernel x sink instance. Finds which of the rows [start, start + n_rows) of `dv` are deleted: writes
 * sink->out, sets sink->n_out, returns the number of live rows. n_rows < 2^31; start + n_rows <= 2^63. Cannot
 * fail, never allocates. Batches may leave gaps and come in any order. */
typedef uint32_t kernel_fn(const struct dv *dv, struct kernel_state *state, uint64_t start, uint32_t n_rows,
                           struct sink *sink);

/* In ascending order within a vendor; `best` means the highest that this CPU runs. */
enum isa { ISA_GENERIC, ISA_BMI2, ISA_AVX2, ISA_AVX512, ISA_AVX512_VBMI2, ISA_NEON, N_ISAS };

enum kernel_flag {
    KERNEL_WORKS_AT_OPEN = 1 << 0, /* open reads the whole vector: its cost belongs to the rows */
    KERNEL_IS_FOREIGN = 1 << 1,    /* a plugin's: checked in a child process, which it may ruin */
};

struct kernel {
    const char *id;          /* CSV key, [a-z][a-z0-9_]* */
    const char *technique;   /* what kernels share that differ only in instruction set or gap fill */
    const char *stands_for;  /* which engine or library does this */
    const char *description; /* one line */
    enum isa isa;            /* of the kernel's own code or of its gap fill */
    unsigned needs;          /* mask of enum dv_need */
    unsigned sinks;          /* mask of 1 << enum sink_kind */
    unsigned flags;          /* mask of enum kernel_flag */
    /* NULL where the kernel keeps nothing. open fills `state` for this DV: 0 or a negative code. */
    int (*open)(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out);
    void (*close)(struct kernel_state *state);
    kernel_fn *run[N_SINKS]; /* NULL where not built or not offered */
    const char *missing;     /* why this build lacks it, NULL where built */
};

/* The built-in ones, then what was added. */
size_t kernels_count(void);
const struct kernel *kernel_at(size_t index);
const struct kernel *kernel_find(const char *id); /* NULL where unknown */

/* NULL where this build on this CPU (as DVBENCH_CPU_MASK leaves it) runs the kernel into that sink; else the
 * reason, static. */
const char *kernel_unavailable(const struct kernel *kernel, enum sink_kind sink);

/* Registers a kernel that lives as long as the process. Returns 0, or -1 where the registry is full. */
enum { KERNELS_ADDED_MOST = 8 };
int kernel_add(const struct kernel *kernel);

const char *isa_id(enum isa isa); /* "generic", "bmi2", "avx2", "avx512", "avx512_vbmi2", "neon" */

#endif
