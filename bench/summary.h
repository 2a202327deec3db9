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

/* True where every cell of the block has a row in DIR/summary.csv, and, if its verdict is ok, n_samples
 * samples. */
bool summary_has_block(const struct block_result *result, const char *dir, size_t n_samples);

/* Writes DIR/summary.csv anew, beside and renamed: the rows that it has of other cells, the rows of this
 * block (`result` may be NULL), and in all of them the noise floor as the samples give it now. */
int summary_update(const struct summary_facts *facts, const struct block_result *result,
                   const struct samples *samples, struct dv_error *error_out);

/* Replaces the block's rows in DIR/counters.csv, and those of the cell "calibration": what a branch miss
 * costs here. */
int summary_update_counters(const struct summary_facts *facts, const struct block_result *result,
                            const struct counters *counters, struct dv_error *error_out);

/* Rows of DIR/summary.csv with verdict `wrong`; 0 where there is no such file. */
size_t summary_count_wrong(const char *dir);

#endif
