/* SPDX-License-Identifier: Apache-2.0 */
/* One block while it is measured: its competitors, their samples, and the rows that they become.
 *
 * Place in the data flow: scan_run.c -> samples -> medians, intervals, paired ratios -> rows of scan.csv. */
#ifndef DVBENCH_SCAN_BLOCK_H
#define DVBENCH_SCAN_BLOCK_H

#include "scan_run.h"
#include "verify.h"

struct scan_sample {
    double wall_ns; /* of the query; 0 where not taken */
    double cpu_ns;
    struct scan_counts counts;
};

enum { SCAN_MAX_COMPETITORS = 64 };

/* "none", "function", a kernel's id, or "engine". */
struct scan_competitor {
    const char *id;
    const struct kernel *kernel; /* NULL where it is none */
    enum sink_kind sink;         /* of the kernel */
    bool deletes;                /* its answer lacks the deleted rows */
    enum verdict_kind verdict;
    char reason[200];
    char *sql;                   /* owned */
    struct scan_sample *samples; /* owned, one per round */
    char hash[17];               /* of the cell */
};

struct scan_cell {
    struct scan_run *run;
    const struct scan_block *block;
    const struct scan_table *table;
    const struct scan_vector *vectors;
    size_t n_vectors;
    struct scan_query query;
    struct scan_expected expected;         /* without the deleted rows */
    struct scan_expected expected_without; /* no row deleted */
    struct scan_competitor competitors[SCAN_MAX_COMPETITORS];
    size_t n_competitors;
    int n_rounds;
    struct scan_open_cost open_cost;
    uint64_t n_bytes; /* of the column chunks that the query reads */
    uint64_t digest;  /* of all that makes the block, the competitor left out */
};

int scan_block_open(struct scan_cell *cell_out, struct scan_run *run, const struct scan_block *block,
                    const struct scan_table *table, const struct scan_vector *vectors, size_t n_vectors,
                    struct dv_error *error_out);

/* All its rows are among those of the resumed run. A competitor that was wrong there stays wrong. */
bool scan_block_is_done(struct scan_cell *cell);

/* Statistics and rows, one per competitor. */
int scan_block_write(const struct scan_cell *cell, struct dv_error *error_out);

void scan_block_close(struct scan_cell *cell);

#endif
