/* SPDX-License-Identifier: Apache-2.0 */
/* What a query asks, as SQL for each way to apply deletes, and what it must answer.
 *
 * Place in the data flow: projection and kind -> SQL -> engine -> answer; the same columns without any delete applied
 * by the engine -> sums over the rows outside the oracle's intervals -> struct scan_expected -> verdict.
 *
 * Every query answers count(*) and a sum per column: integers and microseconds exactly, doubles, and of a text the code
 * of its first character. */
#ifndef DVBENCH_SCAN_QUERY_H
#define DVBENCH_SCAN_QUERY_H

#include "scan_table.h"
#include "scan_vector.h"

enum scan_kind {
#define SCAN_QUERY(id, group, predicate, meaning) SCAN_KIND_##id,
#include "scan_queries.def"
#undef SCAN_QUERY
    SCAN_N_KINDS
};

/* "scan", "small", ... static. */
const char *scan_kind_id(enum scan_kind kind);
/* -1 where unknown. */
int scan_kind_find(const char *id, size_t n_id);

#define SCAN_MAX_COLUMNS 64

struct scan_query {
    enum scan_kind kind;
    const struct scan_column *columns[SCAN_MAX_COLUMNS]; /* borrowed from the table */
    size_t n_columns;
    char name[64]; /* "count", "3int", "key+s1" */
};

/* How deletes are applied. */
enum scan_way {
    SCAN_WAY_NONE,     /* not at all */
    SCAN_WAY_FUNCTION, /* by SCAN_FUNCTION_NAME */
    SCAN_WAY_JOIN,     /* anti join with SCAN_POSITIONS */
};

#define SCAN_POSITIONS "dvbench_positions" /* (file UBIGINT, pos BIGINT) of all deleted rows */

/* Reads a projection of `table`: "count" or "0"; a number and a type, "3int", which means the first three ("8mixed":
 * the first two of each type); names; any of them joined by '+'. DV_ERROR_USAGE where it is none of these, DV_ERROR_INPUT where the table lacks a column. */
int scan_query_parse(struct scan_query *query_out, const struct scan_table *table, enum scan_kind kind,
                     const char *text, struct dv_error *error_out);

/* malloc'ed; NULL without memory. */
char *scan_query_sql(const struct scan_query *query, enum scan_way way);

/* What the query must answer. */
struct scan_expected {
    uint64_t n_rows;                     /* count(*) */
    __int128 integers[SCAN_MAX_COLUMNS]; /* sums, of columns that are not doubles */
    long double reals[SCAN_MAX_COLUMNS]; /* sums of doubles */
    long double sizes[SCAN_MAX_COLUMNS]; /* sums of their absolute values: what rounding is measured by */
    uint64_t n_values[SCAN_MAX_COLUMNS]; /* that are not NULL */
};

/* Reads the columns through the engine, which applies no delete, and adds up the rows that no interval of `vectors`
 * holds (all rows where n_vectors is 0). Every row must come exactly once. */
int scan_expect(struct scan_expected *expected_out, struct engine *engine, const struct scan_table *table,
                const struct scan_query *query, const struct scan_vector *vectors, size_t n_vectors,
                struct dv_error *error_out);

/* True where the answer is the expected one; else `reason_out` says where it differs. */
bool scan_answer_is_right(const struct scan_query *query, const struct scan_expected *expected,
                          const struct engine_answer *answer, char *reason_out, size_t n_reason);

#endif
