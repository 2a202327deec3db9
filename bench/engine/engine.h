/* SPDX-License-Identifier: Apache-2.0 */
/* An engine: something that runs SQL over Parquet files and calls a function of ours for each vector of rows.
 *
 * Place in the data flow: scan_table, scan_check, scan_run -> struct engine -> duckdb.c, or a fake of the tests.
 *
 * One query at a time per engine. Rows reach the function by (file, row): the index of the data file in the list
 * that the query reads, and the row's position in that file, from 0. */
#ifndef DVBENCH_ENGINE_H
#define DVBENCH_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"

/* The arguments of one call of the function; all arrays have n_rows items. */
struct engine_rows {
    const uint64_t *file;
    const int64_t *row;
    size_t n_rows;
};

/* Writes 1 to deleted_out[i] where row i is deleted, else 0. Called by several threads at once where the engine has
 * several. A negative code with `error_out` filled ends the query with that text. */
typedef int engine_function(void *user, const struct engine_rows *rows, uint8_t *deleted_out,
                            struct dv_error *error_out);

/* A small result, as text: NULL for SQL's NULL. */
struct engine_answer {
    char **values; /* owned: n_rows x n_columns, row by row */
    size_t n_rows;
    size_t n_columns;
};

/* One column of a part of a large result. Exactly one of the two is not NULL. */
struct engine_column {
    const int64_t *integers;
    const double *reals;
    const uint64_t *validity; /* a bit per row, 0 where NULL; NULL: none is */
};

/* A part of a large result, valid during the call. A negative code ends the query. */
typedef int engine_part_fn(void *user, const struct engine_column *columns, size_t n_columns, size_t n_rows,
                           struct dv_error *error_out);

struct engine {
    char name[24];      /* "duckdb" */
    char version[48];   /* as the library says it, "v1.5.6" */
    char library[1024]; /* the file that was loaded, or its name */
    int (*query)(struct engine *engine, const char *sql, struct engine_answer *answer_out,
                 struct dv_error *error_out);
    int (*stream)(struct engine *engine, const char *sql, engine_part_fn *part, void *user,
                  struct dv_error *error_out);
    int (*add_function)(struct engine *engine, const char *name, engine_function *function, void *user,
                        struct dv_error *error_out);
    void (*interrupt)(struct engine *engine);
    void (*close)(struct engine *engine);
};

/* Runs one statement and keeps all values as text; `answer_out` may be NULL. Free by engine_answer_free. Returns 0 or
 * DV_ERROR_IO with the engine's own words, DV_ERROR_MEMORY. */
int engine_query(struct engine *engine, struct engine_answer *answer_out, struct dv_error *error_out,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* NULL where the value is NULL or there is no such place. */
const char *engine_value(const struct engine_answer *answer, size_t row, size_t column);
void engine_answer_free(struct engine_answer *answer);

/* `text` as SQL writes a string, or a name: in single or double quotes, those inside doubled. malloc'ed, NULL without
 * memory. */
char *engine_quote(const char *text, char quote);

/* NULL is fine. */
void engine_close(struct engine *engine);

#endif
