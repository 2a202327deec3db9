/* SPDX-License-Identifier: Apache-2.0 */
/* What `deletes` is asked to do, and which rows each of its batches deletes.
 *
 * Place in the data flow: argv -> struct delete_options -> delete_run; a key -> its batch, in C and SQL. */
#ifndef DVBENCH_DELETE_OPTIONS_H
#define DVBENCH_DELETE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "dv.h"
#include "kernel.h"

enum delete_study { DELETE_STUDY_WAYS, DELETE_STUDY_BATCHES, DELETE_STUDY_SIZES, DELETE_N_STUDIES };
enum delete_pattern { DELETE_UNIFORM, DELETE_PREFIX, DELETE_HOT, DELETE_N_PATTERNS };
enum delete_way { DELETE_COW, DELETE_V2, DELETE_V2_COMPACT, DELETE_V3, DELETE_N_WAYS };

/* "ways", "batches", "sizes"; "uniform", "prefix" (as the recipes that give such vectors), "hot"; "cow",
 * "v2", "v2_compact", "v3". Static; NULL ends each list. */
extern const char *const delete_study_ids[];
extern const char *const delete_pattern_ids[];
extern const char *const delete_way_ids[];

struct delete_options {
    enum delete_study study;
    unsigned patterns; /* masks of the two enums */
    unsigned ways;
    const struct kernel *kernel; /* of v3, and of the index that v2 merges */
    const char *duckdb;          /* borrowed from argv, like all texts; NULL where not given */
    const char *data_dir;
    const char *out_dir;
    const char *resume_dir;
    double rate;     /* of all rows, by all batches together */
    uint64_t n_rows; /* of the study of sizes: of its largest table */
    uint64_t n_files;
    uint64_t n_batches;
    uint64_t rounds;
    uint64_t n_threads;
    uint64_t seed;
    int cpu;             /* or SWEEP_CPU_DEFAULT, SWEEP_CPU_NONE */
    const char *figures; /* svg, png or pdf */
    bool plots;
    bool keep;
    bool quiet;
    bool help;
};

extern const char delete_options_help[];

/* argv[0] is the command. Returns 0 or DV_ERROR_USAGE, DV_ERROR_UNAVAILABLE (the kernel). */
int delete_options_parse(struct delete_options *options_out, int argc, char **argv,
                         struct dv_error *error_out);

/* Rows of the tables that the study is run on, one after the other. */
enum { DELETE_MAX_TABLES = 6 };
size_t delete_table_rows(const struct delete_options *options, uint64_t rows_out[DELETE_MAX_TABLES]);

/* Which batch, from 0, deletes the row of this key; n_batches where none does. */
uint64_t delete_batch_of(const struct delete_options *options, enum delete_pattern pattern, uint64_t key);

/* What the condition below calls, as a format of engine_query; to be run once per engine. */
#define DELETE_CUBE_NAME "dvbench_cube"
#define DELETE_CUBE_SQL  "CREATE OR REPLACE TEMP MACRO " DELETE_CUBE_NAME "(x) AS (x * x %% 2147483647) * x"

/* The same as a condition of SQL over the column `key`: true for the rows of `batch`. malloc'ed, NULL without
 * memory. */
char *delete_batch_sql(const struct delete_options *options, enum delete_pattern pattern, uint64_t batch);

#endif
