/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of your own: the table that a shared object exports for `dvbench COMMAND --plugin FILE`.
 *
 * Place in the data flow: your shared object -> the registry of kernels -> oracle, clock, counters and figures, as a
 * built-in kernel. Installed as <dv_plugin.h> with pkg-config name dvkernels; C and C++.
 *
 * Compile: cc -shared -fPIC -O2 mine.c -o mine.so $(pkg-config --cflags dvkernels) */
#ifndef DVBENCH_DV_PLUGIN_H
#define DVBENCH_DV_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "dv_sink.h"

#define DV_PLUGIN_ABI    1
#define DV_PLUGIN_SYMBOL "dvbench_plugin"

struct dv_plugin {
    uint32_t abi;            /* DV_PLUGIN_ABI */
    uint32_t sinks;          /* mask of 1 << enum sink_kind; at least one */
    const char *id;          /* CSV key, [a-z][a-z0-9_]*, at most 63 bytes, of no other kernel */
    const char *description; /* one line */
    const char *isa; /* "generic", "bmi2", "avx2", "avx512", "avx512_vbmi2", "neon": what the CPU must have */
    /* Called once per vector. `bytes` are its payload, 64-bit portable Roaring, validated, valid until close, at any
     * alignment. `sweep --threads` calls all three from several threads at once, each with a state of its own. Returns 0 and sets *state_out, or another number: the kernel is then unavailable for this vector. */
    int (*open)(const uint8_t *bytes, size_t n_bytes, void **state_out);
    /* Which of the rows [start, start + n_rows) are deleted: fills sink->out as dv_sink.h says, sets sink->n_out,
     * returns the number of live rows. Any order of batches, with gaps. */
    uint32_t (*run)(void *state, enum sink_kind kind, uint64_t start, uint32_t n_rows, struct sink *sink);
    void (*close)(void *state);
};

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)
extern const struct dv_plugin dvbench_plugin; /* the plugin defines it */
#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
