/* SPDX-License-Identifier: Apache-2.0 */
/* From one always-inline body to the compiled instances of a kernel: one function per sink, and per ISA of
 * its gap fill.
 *
 * Place in the data flow: only the kernels' own files include this; the registry finds the instances by their
 * names.
 *
 * A kernel `x` is a function `x_into(struct kernel_call call, enum sink_kind kind, sink_fill_fn *fill)`,
 * always inlined, then KERNEL_INSTANCES(x), then a row in kernels.def. The prototypes below come from
 * kernels.def only: a kernel without a row, or with another signature, does not compile; a row without a
 * kernel does not link. */
#ifndef DVBENCH_KERNEL_INSTANCE_H
#define DVBENCH_KERNEL_INSTANCE_H

#include <assert.h>

#include "bytes.h"
#include "cpu.h"
#include "kernel.h"
#include "sink_fill.h"

/* The arguments of kernel_fn, bundled. */
struct kernel_call {
    const struct dv *dv;
    struct kernel_state *state;
    uint64_t start;
    uint32_t n_rows;
    struct sink *sink;
};

typedef int kernel_open_fn(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out);
typedef void kernel_close_fn(struct kernel_state *state);

/* The sink sets of kernels.def: expands X(id, sink, ...) for each sink of the set. */
#define KERNEL_SINKS_all(X, id)     FOR_EACH_SINK(X, id)
#define KERNEL_SINKS_row_ids(X, id) X(id, row_ids, )

#define KERNEL_PROTOTYPE(id, sink, ...) kernel_fn id##_##sink;
#define KERNEL(id, technique, build, isa, needs, sinks, flags, hooks, stands_for, description)               \
    KERNEL_SINKS_##sinks(KERNEL_PROTOTYPE, id) kernel_open_fn hooks##_open;                                  \
    kernel_close_fn hooks##_close;
#include "kernels.def"
#undef KERNEL

/* One instance: `body` gets the call, the sink's kind and the further arguments. */
#define KERNEL_INSTANCE(id, sink_, target, body, ...)                                                        \
    target uint32_t id##_##sink_(const struct dv *dv, struct kernel_state *state, uint64_t start,            \
                                 uint32_t n_rows, struct sink *sink)                                         \
    {                                                                                                        \
        assert(n_rows <= INT32_MAX && start <= ((uint64_t)1 << 63) - n_rows);                                \
        struct kernel_call call = {dv, state, start, n_rows, sink};                                          \
        return body(call, SINK_##sink_, __VA_ARGS__);                                                        \
    }

/* All sinks, with the plain gap fill. */
#define KERNEL_GENERIC_INSTANCE(id, sink, ...)                                                               \
    KERNEL_INSTANCE(id, sink, TARGET_GENERIC, id##_into, fill_generic)
#define KERNEL_INSTANCES(id) FOR_EACH_SINK(KERNEL_GENERIC_INSTANCE, id)

/* The row_ids sink once more per gap fill that the architecture has; X(id, suffix of the row and fill,
 * TARGET_ suffix). */
#if defined(__x86_64__)
#define FOR_EACH_FILL(X, id) X(id, avx2, AVX2) X(id, avx512, AVX512)
#elif defined(__aarch64__)
#define FOR_EACH_FILL(X, id) X(id, neon, NEON)
#else
#define FOR_EACH_FILL(X, id)
#endif
#define KERNEL_FILL_INSTANCE(id, fill, target)                                                               \
    KERNEL_INSTANCE(id##_##fill, row_ids, TARGET_##target, id##_into, fill_##fill)
#define KERNEL_FILL_INSTANCES(id) FOR_EACH_FILL(KERNEL_FILL_INSTANCE, id)

#endif
