/* SPDX-License-Identifier: Apache-2.0 */
/* summary.csv and counters.csv: one row a cell, from the samples of all rounds and process starts.
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

/* What a resumed run finds of a block. */
struct summary_found {
    bool is_done; /* every cell has all samples of this start and its costs, or cannot have them */
    struct strings
        replaced; /* owned: rows of the block that are none of its cells: another program's, machine's,
                   * setting's or choice of kernels; they go when the block is measured */
};

/* Looks the block up in DIR/summary.csv. A cell that stands there as wrong is marked so in `result`: it stays
 * wrong. */
int summary_find_block(struct summary_found *found_out, struct block_result *result, const char *dir,
                       const struct samples *samples, int start, size_t n_rounds, struct dv_error *error_out);

/* Writes DIR/summary.csv anew, beside and renamed: the rows that it has of other cells but those `replaced`,
 * the rows of this block, and in all of them the noise floor as the samples give it now. */
int summary_update(const struct summary_facts *facts, const struct block_result *result,
                   const struct strings *replaced, const struct samples *samples, struct dv_error *error_out);

/* Replaces the block's rows in DIR/counters.csv likewise, and those of the cell "calibration": what a branch
 * miss costs here. */
int summary_update_counters(const struct summary_facts *facts, const struct block_result *result,
                            const struct strings *replaced, const struct counters *counters,
                            struct dv_error *error_out);

/* Rows of DIR/summary.csv; 0 where there is no such file. */
size_t summary_count(const char *dir);

/* Rows of DIR/summary.csv with verdict `wrong`; 0 where there is no such file. */
size_t summary_count_wrong(const char *dir);

#endif
