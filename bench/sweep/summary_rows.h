/* SPDX-License-Identifier: Apache-2.0 */
/* What a block was measured to cost, as rows of summary.csv.
 *
 * Place in the data flow: struct block_result + its samples + the noise floor -> rows -> summary.c's file. */
#ifndef DVBENCH_SUMMARY_ROWS_H
#define DVBENCH_SUMMARY_ROWS_H

#include "csv.h"
#include "noise.h"
#include "summary.h"

/* One row per cell of the block. Returns 0, the code of csv_end_row, or DV_ERROR_MEMORY. */
int summary_write_block(struct csv_writer *writer, const struct summary_facts *facts,
                        const struct block_result *result, const struct samples *samples,
                        const struct noise *noise, struct dv_error *error_out);

/* A row of the file as it was, with the noise floor, and the doubts that rest on it, as the samples give it now. */
int summary_copy_row(struct csv_writer *writer, const struct csv_table *table, size_t row,
                     const struct noise *noise, struct dv_error *error_out);

#endif
