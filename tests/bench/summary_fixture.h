/* SPDX-License-Identifier: Apache-2.0 */
/* Small runs on disk for the tests of figures and comparisons.
 *
 * Place in the data flow: a test's rows -> a folder with summary.csv and samples.csv -> what is tested. */
#ifndef DVBENCH_SUMMARY_FIXTURE_H
#define DVBENCH_SUMMARY_FIXTURE_H

#include "csv.h"

struct fixture_row {
    const char *dv;
    const char *axis;
    const char *axis_value;
    double rate;
    const char *kernel;
    const char *technique; /* NULL: the kernel */
    const char *isa;       /* NULL: generic */
    const char *sink;      /* NULL: row_ids */
    const char *verdict;   /* NULL: ok */
    const char *digest;    /* NULL: "d" */
    int rows;              /* of the file; 0: 1,000,000 */
    int batches;           /* 0: 200 */
    double ns_per_row;     /* of the summary, and of every sample but for a scatter of 0.1 per cent */
    double noise_pct;      /* NaN: unknown */
    int n_samples;
};

/* A new folder below the temporary ones, with the rows; the caller frees the path after fixture_remove.
 * Asserts on failure. */
char *fixture_make(const struct fixture_row *rows, size_t n_rows);
void fixture_remove(char *folder);

/* summary.csv of the folder. */
struct csv_table *fixture_load(const char *folder);

#endif
