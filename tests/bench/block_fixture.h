/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of samples, summaries and blocks share: a folder, and rows and results made by hand.
 *
 * Place in the data flow: a test's numbers -> struct sample_row, struct block_result -> what is tested. */
#ifndef DVBENCH_BLOCK_FIXTURE_H
#define DVBENCH_BLOCK_FIXTURE_H

#include "block.h"
#include "summary.h"

/* A new folder below the temporary ones, its path owned by the caller until fixture_folder_remove.
 * Asserts. */
char *fixture_folder(void);
void fixture_folder_remove(char *folder);

/* The whole of a file of the folder; the caller frees. */
char *fixture_text(const char *folder, const char *name);
size_t fixture_count(const char *text, const char *part);

/* A file of the folder as a table; the caller frees. */
struct csv_table *fixture_table(const char *folder, const char *name, enum csv_file file);

/* The row of summary.csv with this kernel, asserted to be one. */
size_t fixture_row_of(const struct csv_table *summary, const char *kernel);

/* Adds a sample of DV `dv`, row_ids, batches of 5000 in stream. */
void fixture_add(struct samples *samples, const char *dv, const char *kernel, const char *cell, int start,
                 int round, double ns_per_row);

#endif
