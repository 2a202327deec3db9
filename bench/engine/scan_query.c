/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_query.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan_function.h"

static const struct kind_row {
    const char *id;
    const char *group;
    const char *predicate;
} kinds[SCAN_N_KINDS] = {
#define SCAN_QUERY(id, group, predicate, meaning) {#id, group, predicate},
#include "scan_queries.def"
#undef SCAN_QUERY
};

const char *scan_kind_id(enum scan_kind kind)
{
    return kinds[kind].id;
}

int scan_kind_find(const char *id, size_t n_id)
{
    for (int kind = 0; kind < SCAN_N_KINDS; kind++)
        if (strlen(kinds[kind].id) == n_id && memcmp(kinds[kind].id, id, n_id) == 0)
            return kind;
    return -1;
}

/* --- projections --- */

static int lacks(const struct scan_table *table, const char *word, size_t n_word, struct dv_error *error_out)
{
    char list[300] = "";
    for (size_t i = 0, n = 0; i < table->n_columns && n < sizeof list - 1; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %s", i ? ", " : "", table->columns[i].name,
                              scan_type_id(table->columns[i].type));
    return dv_fail(error_out, DV_ERROR_INPUT, "the table does not have the columns of %.*s; it has: %s",
                   (int)n_word, word, list);
}

static int add_column(struct scan_query *query, const struct scan_column *column, struct dv_error *error_out)
{
    if (query->n_columns == SCAN_MAX_COLUMNS)
        return dv_fail(error_out, DV_ERROR_USAGE, "--columns: at most %d in a query", SCAN_MAX_COLUMNS);
    query->columns[query->n_columns++] = column;
    return 0;
}

/* The one of that type with so many of its type before it; NULL where there are fewer. */
static const struct scan_column *column_of_type(const struct scan_table *table, enum scan_type type,
                                                size_t n_before)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].type == type && n_before-- == 0)
            return &table->columns[i];
    return NULL;
}

/* One part between '+': "3int" or a name. A column of that very name goes first. */
static int add_part(struct scan_query *query, const struct scan_table *table, const char *part, size_t n_part,
                    struct dv_error *error_out)
{
    const struct scan_column *named = scan_table_column(table, part, n_part);
    if (named)
        return add_column(query, named, error_out);
    size_t n_digits = 0, n_wanted = 0;
    while (n_digits < n_part && isdigit((unsigned char)part[n_digits]) && n_wanted < 1000)
        n_wanted = 10 * n_wanted + (size_t)(part[n_digits++] - '0');
    const int type = n_digits ? scan_type_find(part + n_digits, n_part - n_digits) : -1;
    if (type < 0)
        return lacks(table, part, n_part, error_out);
    for (size_t i = 0; i < n_wanted; i++) {
        const struct scan_column *column = type == SCAN_MIXED
                                               ? column_of_type(table, i % SCAN_N_TYPES, i / SCAN_N_TYPES)
                                               : column_of_type(table, (enum scan_type)type, i);
        const int status =
            column ? add_column(query, column, error_out) : lacks(table, part, n_part, error_out);
        if (status < 0)
            return status;
    }
    return 0;
}

int scan_query_parse(struct scan_query *query_out, const struct scan_table *table, enum scan_kind kind,
                     const char *text, struct dv_error *error_out)
{
    *query_out = (struct scan_query){.kind = kind};
    int status = 0;
    const bool is_count = strcmp(text, "0") == 0 || strcmp(text, "count") == 0;
    snprintf(query_out->name, sizeof query_out->name, "%s", is_count ? "count" : text);
    for (const char *part = text; !is_count && status == 0 && part;) {
        const size_t n_part = strcspn(part, "+");
        status = add_part(query_out, table, part, n_part, error_out);
        part = part[n_part] ? part + n_part + 1 : NULL;
    }
    if (status == 0 && query_out->n_columns == 0 && (kinds[kind].group || kinds[kind].predicate))
        status = dv_fail(error_out, DV_ERROR_USAGE, "a query of kind %s needs a column", kinds[kind].id);
    return status;
}

/* --- SQL --- */

/* Of a column, what is summed: BIGINT or DOUBLE where it is `read`, else in the type that the engine sums fastest. */
static void write_element(FILE *sql, const struct scan_column *column, bool is_read)
{
    static const char *const read[] = {"%s::BIGINT", "%s::DOUBLE", "epoch_us(%s)", "unicode(%s)::BIGINT"};
    static const char *const summed[] = {"%s", "%s::DOUBLE", "epoch_us(%s)", "unicode(%s)"};
    char *name = engine_quote(column->name, '"');
    if (name)
        fprintf(sql, is_read ? read[column->type] : summed[column->type], name);
    free(name);
}

/* `form` with %s as the first column; the engine's own % stays. */
static void write_form(FILE *sql, const char *form, const struct scan_query *query)
{
    char *name = engine_quote(query->columns[0]->name, '"');
    const char *place = strstr(form, "%s");
    if (name && place)
        fprintf(sql, "%.*s%s%s", (int)(place - form), form, name, place + 2);
    free(name);
}

static void write_source(FILE *sql, const struct scan_query *query, enum scan_way way)
{
    const struct kind_row *kind = &kinds[query->kind];
    fputs(" FROM " SCAN_VIEW " t", sql);
    if (way == SCAN_WAY_JOIN)
        fputs(" ANTI JOIN " SCAN_POSITIONS " p ON t.file_index = p.file AND t.file_row_number = p.pos", sql);
    if (way == SCAN_WAY_FUNCTION)
        fputs(" WHERE NOT " SCAN_FUNCTION_NAME "(t.file_index, t.file_row_number)", sql);
    if (kind->predicate) {
        fputs(way == SCAN_WAY_FUNCTION ? " AND " : " WHERE ", sql);
        write_form(sql, kind->predicate, query);
    }
}

static void write_sums(FILE *sql, const struct scan_query *query)
{
    fputs("count(*) AS n", sql);
    for (size_t i = 0; i < query->n_columns; i++) {
        fputs(", sum(", sql);
        write_element(sql, query->columns[i], false);
        fprintf(sql, ") AS s%zu", i);
    }
}

char *scan_query_sql(const struct scan_query *query, enum scan_way way)
{
    char *text = NULL;
    size_t n = 0;
    FILE *sql = open_memstream(&text, &n);
    if (!sql)
        return NULL;
    const char *group = kinds[query->kind].group;
    fputs("SELECT ", sql);
    if (group) {
        fputs("sum(n)", sql);
        for (size_t i = 0; i < query->n_columns; i++)
            fprintf(sql, ", sum(s%zu)", i);
        fputs(" FROM (SELECT ", sql);
    }
    write_sums(sql, query);
    write_source(sql, query, way);
    if (group) {
        fputs(" GROUP BY ", sql);
        write_form(sql, group, query);
        fputc(')', sql);
    }
    if (fclose(sql) == 0)
        return text;
    free(text);
    return NULL;
}

/* --- what it must answer --- */

struct adding {
    struct scan_expected *expected;
    const struct scan_table *table;
    const struct scan_vector *vectors;
    size_t n_vectors;
    size_t n_sums;
    uint64_t n_seen;
    uint64_t next_row; /* of the file being read */
    uint64_t file;
    size_t interval; /* the first one that ends after next_row */
};

static bool is_valid(const struct engine_column *column, size_t row)
{
    return !column->validity || (column->validity[row / 64] >> (row % 64) & 1);
}

/* Rows come in the order of files and rows, which the intervals are walked along with; any other order is found. */
static bool is_deleted(struct adding *adding, uint64_t file, uint64_t row)
{
    if (file >= adding->n_vectors)
        return false;
    const struct dv_intervals *intervals = &adding->vectors[file].intervals;
    if (file != adding->file || row != adding->next_row) {
        size_t low = 0, high = intervals->n_items;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (intervals->items[middle].end <= row)
                low = middle + 1;
            else
                high = middle;
        }
        adding->interval = low;
        adding->file = file;
    }
    adding->next_row = row + 1;
    while (adding->interval < intervals->n_items && intervals->items[adding->interval].end <= row)
        adding->interval++;
    return adding->interval < intervals->n_items && intervals->items[adding->interval].start <= row;
}

static void add_value(struct scan_expected *expected, size_t i, const struct engine_column *column,
                      size_t row)
{
    if (!is_valid(column, row))
        return;
    expected->n_values[i]++;
    if (column->integers)
        expected->integers[i] += column->integers[row];
    else {
        expected->reals[i] += column->reals[row];
        expected->sizes[i] += column->reals[row] < 0 ? -column->reals[row] : column->reals[row];
    }
}

/* Columns: file, row, predicate, then what is summed. */
static int add_part_of_rows(void *user, const struct engine_column *columns, size_t n_columns, size_t n_rows,
                            struct dv_error *error_out)
{
    struct adding *adding = user;
    if (n_columns != 3 + adding->n_sums)
        return dv_fail(error_out, DV_ERROR_IO, "the engine returned %zu columns, expected %zu", n_columns,
                       3 + adding->n_sums);
    adding->n_seen += n_rows;
    for (size_t row = 0; row < n_rows; row++) {
        const uint64_t file = (uint64_t)columns[0].integers[row], at = (uint64_t)columns[1].integers[row];
        const bool is_deleted_row = is_deleted(adding, file, at);
        if (is_deleted_row || !is_valid(&columns[2], row) || !columns[2].integers[row])
            continue;
        adding->expected->n_rows++;
        for (size_t i = 0; i < adding->n_sums; i++)
            add_value(adding->expected, i, &columns[3 + i], row);
    }
    return 0;
}

int scan_expect(struct scan_expected *expected_out, struct engine *engine, const struct scan_table *table,
                const struct scan_query *query, const struct scan_vector *vectors, size_t n_vectors,
                struct dv_error *error_out)
{
    char *text = NULL;
    size_t n = 0;
    FILE *sql = open_memstream(&text, &n);
    *expected_out = (struct scan_expected){0};
    if (!sql)
        return dv_no_memory(error_out);
    struct adding adding = {.expected = expected_out,
                            .table = table,
                            .vectors = vectors,
                            .n_vectors = n_vectors,
                            .n_sums = query->n_columns,
                            .file = UINT64_MAX};
    fputs("SELECT file_index::BIGINT, file_row_number, (", sql);
    if (kinds[query->kind].predicate)
        write_form(sql, kinds[query->kind].predicate, query);
    else
        fputc('1', sql);
    fputs(")::BIGINT", sql);
    for (size_t i = 0; i < query->n_columns; i++) {
        fputs(", ", sql);
        write_element(sql, query->columns[i], true);
    }
    fputs(" FROM " SCAN_VIEW, sql);
    int status = fclose(sql) == 0 ? engine->stream(engine, text, add_part_of_rows, &adding, error_out)
                                  : dv_no_memory(error_out);
    free(text);
    if (status == 0 && adding.n_seen != table->n_rows_all)
        status = dv_fail(error_out, DV_ERROR_IO, "the engine read %llu rows of a table of %llu",
                         (unsigned long long)adding.n_seen, (unsigned long long)table->n_rows_all);
    return status;
}

/* Decimal digits of a signed 128-bit number. */
static const char *text_of_int128(__int128 value, char text[48])
{
    char *at = text + 47;
    const bool is_negative = value < 0;
    unsigned __int128 rest = is_negative ? -(unsigned __int128)value : (unsigned __int128)value;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest);
    if (is_negative)
        *--at = '-';
    return at;
}

/* Sums of doubles depend on their order: by one part in 10^12 of what was added up at most. */
static bool is_near(const char *answer, long double expected, long double size)
{
    const long double value = strtold(answer, NULL),
                      distance = value > expected ? value - expected : expected - value;
    return distance <= 1e-12L * size;
}

static bool sum_is_right(const struct scan_query *query, const struct scan_expected *expected, size_t i,
                         const char *answer)
{
    char text[48];
    if (expected->n_values[i] == 0 || !answer)
        return expected->n_values[i] == 0 && !answer;
    if (query->columns[i]->type == SCAN_DOUBLE)
        return is_near(answer, expected->reals[i], expected->sizes[i]);
    return strcmp(text_of_int128(expected->integers[i], text), answer) == 0;
}

bool scan_answer_is_right(const struct scan_query *query, const struct scan_expected *expected,
                          const struct engine_answer *answer, char *reason_out, size_t n_reason)
{
    char text[48];
    const char *count = engine_value(answer, 0, 0),
               *wanted = text_of_int128((__int128)expected->n_rows, text);
    if (!count)
        count = "0"; /* no group at all */
    if (strcmp(count, wanted) != 0) {
        snprintf(reason_out, n_reason, "count is %s and should be %s", count, wanted);
        return false;
    }
    for (size_t i = 0; i < query->n_columns; i++) {
        const char *sum = engine_value(answer, 0, 1 + i);
        if (sum_is_right(query, expected, i, sum))
            continue;
        snprintf(reason_out, n_reason, "the sum of %s is %s and should be %s", query->columns[i]->name,
                 sum ? sum : "NULL",
                 query->columns[i]->type == SCAN_DOUBLE ? "another"
                                                        : text_of_int128(expected->integers[i], text));
        return false;
    }
    return true;
}
