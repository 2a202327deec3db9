/* SPDX-License-Identifier: Apache-2.0 */
/* summary.csv and counters.csv: one row per cell, from the samples of all rounds and process starts.
 *
 * Place in the data flow: struct block_result + samples -> summary.csv, written anew after every block. */
#ifndef DVBENCH_SUMMARY_H
#define DVBENCH_SUMMARY_H

#include "block.h"

/* What is the same in all rows of a run. Borrowed. */
struct summary_facts {
    const char *dir;
    const char *run;
    const char *machine;
    const char *cpu;
    const char *compiler;
};

/* A block and what it takes the place of. */
struct summary_block {
    struct block_result result;
    /* Owned: rows of the block that are none of its cells: another program's, machine's, setting's or choice of
     * kernels; they go when the block is measured. */
    struct strings replaced;
};

void summary_block_free(struct summary_block *block);

/* A summary whose rows are found by their block. */
struct summary_found {
    struct csv_table *table;   /* owned; NULL: there is none */
    size_t *rows;              /* owned: all rows, those of a block next to each other */
    struct csv_table *threads; /* owned: threads.csv; NULL: there is none */
};

/* DIR/summary.csv as it is when a run begins. */
int summary_load(struct summary_found *found_out, const char *dir, struct dv_error *error_out);
void summary_found_free(struct summary_found *found);

/* Looks the block up in a summary. *is_done_out: every cell, the bound and the twins have all
 * samples of this start, and its costs, or cannot have them. A cell that is there as wrong is marked so in
 * `block->result`: it stays wrong. Fills `block->replaced`. */
int summary_find_block(struct summary_block *block, bool *is_done_out, const struct summary_found *found,
                       const struct samples *samples, int start, const struct sweep_options *options,
                       struct dv_error *error_out);

/* Whether every cell, the bound and the twins have all samples of this start, as a process leaves them that was killed
 * before it wrote the summary. */
bool summary_has_samples(const struct block_result *result, const struct samples *samples, int start,
                         size_t n_rounds);

/* Writes DIR/summary.csv anew, next to it and renamed: the rows that it has of other cells but those `replaced`, the rows of
 * these blocks, and in all of them the noise floor as the samples give it now. Likewise, unless `counters` is NULL,
 * DIR/counters.csv with the cell "calibration": what a branch miss costs here; and DIR/threads.csv where these blocks have rows of it. */
int summary_update(const struct summary_facts *facts, const struct summary_block *blocks, size_t n_blocks,
                   const struct samples *samples, const struct counters *counters,
                   struct dv_error *error_out);

/* Rows of DIR/summary.csv; 0 where there is no such file. */
size_t summary_count(const char *dir);

/* Rows of DIR/summary.csv with that verdict; 0 where there is no such file. */
size_t summary_count_verdict(const char *dir, const char *verdict);

#endif
