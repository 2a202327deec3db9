/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a block, shared by the files that run its steps: block.c (open, close), block_rounds.c
 * (rounds), block_threads.c (several threads), block_costs.c (opening costs, counters). */
#ifndef DVBENCH_BLOCK_INTERNAL_H
#define DVBENCH_BLOCK_INTERNAL_H

#include "block.h"
#include "expected.h"
#include "guard.h"

/* What one line of samples.csv comes from: a cell, the twin of a cell, or the bound. */
struct block_entry {
    const struct block_cell *cell; /* NULL for the bound */
    char *label;                   /* owned: the column kernel */
    char *name;                    /* owned: Google Benchmark's name */
    char hash[CELL_HASH_CHARS + 1];
    kernel_fn *run;
    size_t n_targets; /* the block's, or fewer where the kernel's own state is what leaves the cache */
    struct kernel_state *states; /* owned: one a target */
    struct measure_target
        *targets;       /* owned: twice n_targets long in cold mode, so that a window never wraps */
    size_t next_target; /* where its next cold sample goes on, if n_targets is its own */
    int64_t n_passes;   /* of a sample; in cold mode the number of targets that one pass visits */
    double pass_ns;     /* as sized */
};

struct block {
    const struct block_context *context;
    const struct plan_block *plan;
    struct block_result *result;
    struct dv_source source;
    struct dv *dvs;   /* owned; n_targets; the first is the one that is checked */
    uint8_t **copies; /* owned: payloads of the further targets of cold mode */
    size_t n_targets;
    size_t next_target; /* where the next cold sample goes on: kernels share the bytes, so they share this */
    unsigned needs;     /* union over the cells that can run */
    struct batches batches;
    struct guard_buffer buffer;
    struct expected expected;    /* of the last batch */
    struct expected drawn;       /* of the batch that was drawn for a sample */
    uint64_t n_live;             /* rows of one pass, as the oracle counted */
    struct block_entry *entries; /* owned */
    size_t n_entries;
    uint32_t *bound_elements; /* owned: per batch, as the oracle counted */
};

/* Targets of `each_bytes` that exceed the last-level cache, but no more than `most`. */
size_t block_cold_targets(const struct block *block, uint64_t each_bytes, size_t most);

/* `reason` as a CSV cell takes it. */
void block_set_verdict(struct verdict *verdict, enum verdict_kind kind, const char *reason);

/* block_rounds.c */
int block_make_entries(struct block *block, struct dv_error *error_out);
int block_run_rounds(struct block *block, struct dv_error *error_out);
void block_free_entries(struct block *block);
/* What the entry's kernel keeps for one vector. The bound keeps its place. */
int block_open_state(const struct block *block, const struct block_entry *entry, const struct dv *dv,
                     struct kernel_state *state, struct dv_error *error_out);
void block_close_state(const struct block_entry *entry, struct kernel_state *state);
/* Whether a timed sample left what the oracle expects of its last batch, and nothing around `buffer`. */
bool block_is_output_right(const struct expected *expected, const struct batch *batch, uint32_t n_live,
                           const struct sink *sink, const struct guard_buffer *buffer, const char *which,
                           struct verdict *verdict_out);
/* The cell loses its samples. */
int block_mark_wrong(struct block *block, const struct block_entry *entry, const struct verdict *verdict,
                     struct dv_error *error_out);

/* block_threads.c */
int block_measure_threads(struct block *block, struct dv_error *error_out);

/* block_costs.c */
int block_measure_costs(struct block *block, struct dv_error *error_out);
int block_count(struct block *block, struct dv_error *error_out);

#endif
