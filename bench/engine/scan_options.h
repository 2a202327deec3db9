/* SPDX-License-Identifier: Apache-2.0 */
/* What `scan` is asked to do: its flags, and the blocks that follow from them and from scan_studies.def.
 *
 * Place in the data flow: argv -> struct scan_options -> struct scan_block, one per table, vectors, projection and kind
 * of query -> scan_run. */
#ifndef DVBENCH_SCAN_OPTIONS_H
#define DVBENCH_SCAN_OPTIONS_H

#include "scan_query.h"
#include "scan_table.h"
#include "string_list.h"

enum scan_axis {
    SCAN_AXIS_COLUMNS,
    SCAN_AXIS_RATE,
    SCAN_AXIS_VECTOR,
    SCAN_AXIS_FILES,
    SCAN_AXIS_QUERY,
    SCAN_AXIS_SIZE
};

struct scan_study {
    const char *id;
    const char *vectors; /* lists, items separated by blanks */
    const char *columns;
    const char *files;
    const char *kinds;
    enum scan_axis axis;
    const char *table; /* a projection that the table has room for, whatever is read of it; "" for no more */
    const char *question;
    const char *caption;
};

size_t scan_studies_count(void);
const struct scan_study *scan_study_at(size_t index);
const struct scan_study *scan_study_find(const char *id); /* NULL where unknown */
/* "columns", "rate", "vector", "files", "query", "size". Static. */
const char *scan_axis_id(enum scan_axis axis);

/* One unit of measuring: all competitors in the same rounds. */
struct scan_block {
    const char *study; /* static, "custom" where options choose */
    enum scan_axis axis;
    const char *room; /* static: `table` of its study */
    char *vector;     /* owned: a recipe's spec without rows; "" of given files */
    char *columns;    /* owned: a projection as scan_query_parse takes it */
    enum scan_kind kind;
    struct scan_table_spec
        table; /* where one is generated: what the blocks of its study read, and the room */
};

struct scan_options {
    struct strings studies;
    struct strings recipes;
    struct strings rates; /* of the recipe, or of uniform */
    struct strings columns;
    struct strings types;
    struct strings files; /* numbers */
    struct strings queries;
    struct strings kernels; /* ids or patterns; empty: the usual ones */
    struct strings parquet; /* the user's data files */
    struct strings dvs;     /* the user's vectors */
    const char *duckdb;     /* borrowed from argv, like all texts below; NULL where not given */
    const char *data_dir;
    const char *out_dir;
    const char *resume_dir;
    const char *figures; /* svg, png or pdf */
    uint64_t n_rows;
    uint64_t seed;
    int rounds;
    int n_threads;
    int cpu; /* as in struct sweep_options */
    bool plots;
    bool quiet;
    bool help;
    struct scan_block *blocks; /* owned */
    size_t n_blocks;
};

extern const char scan_options_help[];

/* argv[0] is the command; texts are borrowed from argv. Returns 0 or DV_ERROR_USAGE, DV_ERROR_MEMORY. */
int scan_options_parse(struct scan_options *options_out, int argc, char **argv, struct dv_error *error_out);
void scan_options_free(struct scan_options *options);

#endif
