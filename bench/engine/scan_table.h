/* SPDX-License-Identifier: Apache-2.0 */
/* The table that is scanned: Parquet files that the engine writes from seeded SQL, or the user's own.
 *
 * Place in the data flow: parameters -> DIR/table-HASH/part-N.parquet, or --parquet -> a view of the engine with one
 * row number per file -> queries. */
#ifndef DVBENCH_SCAN_TABLE_H
#define DVBENCH_SCAN_TABLE_H

#include "engine.h"
#include "string_list.h"

/* The view that queries read: all columns, `file_index` and `file_row_number`. */
#define SCAN_VIEW "dvbench_table"

enum scan_type {
    SCAN_INT,
    SCAN_DOUBLE,
    SCAN_TIMESTAMP,
    SCAN_TEXT,
    SCAN_N_TYPES,
    SCAN_MIXED = SCAN_N_TYPES /* of no column: columns that take turns, one of each type */
};

/* "int", "double", "timestamp", "md5", "mixed": what --types takes. Static. */
const char *scan_type_id(enum scan_type type);
/* -1 where unknown. */
int scan_type_find(const char *id, size_t n_id);

struct scan_column {
    char *name; /* owned; as the file has it, without quotes */
    enum scan_type type;
};

/* What a generated table is made from; a folder is known by the hash of all of it. */
struct scan_table_spec {
    uint64_t n_rows; /* in all files, which get equal shares; times n_files below 2^64 */
    size_t n_files;
    size_t n_columns[SCAN_N_TYPES]; /* besides the key, which comes last */
    uint64_t seed;
};

struct scan_table {
    char *name;           /* owned: "table-HASH", or "parquet" of the user's files */
    char *dir;            /* owned: of a generated table; NULL of the user's files */
    struct strings files; /* paths */
    uint64_t *n_rows;     /* owned, of each file */
    uint64_t n_rows_all;
    uint64_t n_bytes;            /* of the files */
    struct scan_column *columns; /* owned: those of a known type, in the order of the table */
    size_t n_columns;
    bool was_made; /* now, not found */
};

/* Finds the table below `data_dir` or makes it: free space is checked, files are written and flushed in a folder of
 * another name, which is renamed when the marker that says "complete" is in it. What killed processes left of other
 * tables there is removed. Then makes SCAN_VIEW. Returns 0,
 * DV_ERROR_IO (no space; the engine failed), DV_ERROR_MEMORY. Free on failure too. */
int scan_table_make(struct scan_table *table_out, struct engine *engine, const struct scan_table_spec *spec,
                    const char *data_dir, struct dv_error *error_out);

/* The user's files as one table. DV_ERROR_INPUT where one is not a Parquet file or their columns differ. */
int scan_table_open(struct scan_table *table_out, struct engine *engine, const struct strings *files,
                    struct dv_error *error_out);

/* The one of that name; NULL where there is none of a known type. */
const struct scan_column *scan_table_column(const struct scan_table *table, const char *name, size_t n_name);

/* The files as a list of SQL, ['a','b']; malloc'ed, NULL without memory. */
char *scan_table_list(const struct strings *files);

void scan_table_free(struct scan_table *table);

#endif
