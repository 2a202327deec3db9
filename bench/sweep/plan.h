/* SPDX-License-Identifier: Apache-2.0 */
/* Expansion of a plan to its blocks: one (DV, sink, batch size, mode) each, with the kernels that are to be
 * compared.
 *
 * Place in the data flow: struct sweep_options -> list of struct plan_block -> block.h runs them one by
 * one. */
#ifndef DVBENCH_PLAN_H
#define DVBENCH_PLAN_H

#include "kernel.h"
#include "sweep_options.h"

struct plan_block {
    char *dv;   /* owned: canonical spec or path#N, as vector_options_load takes it */
    char *axis; /* owned: what the plan varies: rate, length, percent, rows, batch_rows, ...; "" where nothing
                 */
    char *axis_value; /* owned: "" where nothing */
    enum sink_kind sink;
    uint32_t batch_rows;
    enum sweep_mode mode;
    const struct kernel **kernels; /* owned list; per_row is always in it, as the one that ratios refer to */
    size_t n_kernels;
};

struct plan {
    struct plan_block *blocks; /* owned */
    size_t n_blocks;
};

/* Blocks in the order of the plan, --shard applied. Specs are checked and made canonical, files are opened to
 * count their vectors; nothing is generated. `passes` (may be NULL) says whether a kernel's cell name passes
 * --benchmark_filter. */
int plan_expand(struct plan *plan_out, struct sweep_options *options, bool (*passes)(const char *name),
                struct dv_error *error_out);

/* Keeps the blocks of options->shard, I/N: a split into N parts of about the same time, the same on every
 * machine, each in the order of the plan. plan_expand calls it. DV_ERROR_USAGE where part I has no block. */
int plan_take_shard(struct plan *plan, const struct sweep_options *options, struct dv_error *error_out);

void plan_block_free(struct plan_block *block);
void plan_free(struct plan *plan);

/* --kernel: ids, fnmatch patterns, `all`, or `best` (what an empty list means): whether a kernel is asked for, and
 * DV_ERROR_USAGE where a pattern matches no kernel. */
bool plan_takes_kernel(const struct strings *patterns, const struct kernel *kernel, enum sink_kind sink);
int plan_check_kernels(const struct strings *patterns, struct dv_error *error_out);

/* The name of a cell on the command line and in Google Benchmark: KERNEL/SINK@DV,batch=N,mode=M. Owned by the
 * caller; NULL without memory. */
char *plan_cell_name(const struct plan_block *block, const char *kernel_id);

#endif
