/* SPDX-License-Identifier: Apache-2.0 */
/* Parses in place: quotes are taken out of the copied bytes and each cell gets a NUL, so that a cell is a
 * pointer. */
#include "csv.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv_schema.h"
#include "file_read.h"

static const struct csv_column_info columns[] = {
#define COLUMN(file, name, kind, meaning)       {CSV_FILE_##file, CSV_KIND_##kind, #name, false},
#define LATER_COLUMN(file, name, kind, meaning) {CSV_FILE_##file, CSV_KIND_##kind, #name, true},
#include "columns.def"
#undef COLUMN
};

struct csv_table {
    enum csv_file file;
    bool takes_cut;      /* a last line without line end is left out, as a file without header has no rows */
    char *bytes;         /* owned */
    const char **cells;  /* owned; n_rows x n_places, into bytes */
    size_t n_cells;      /* used */
    size_t n_cells_held; /* allocated */
    size_t n_places;     /* cells in a row, as the header has them */
    size_t n_rows;       /* without the header */
    size_t n_lines;      /* read so far */
    locale_t c_locale;
    size_t place[CSV_N_COLUMNS]; /* of the column in a row */
};

const struct csv_column_info *csv_column_info(enum csv_column column)
{
    assert((unsigned)column < CSV_N_COLUMNS);
    return &columns[column];
}

enum csv_column csv_schema_column(enum csv_file file)
{
    switch (file) {
    case CSV_FILE_samples:
        return CSV_samples_schema;
    case CSV_FILE_counters:
        return CSV_counters_schema;
    case CSV_FILE_explain:
        return CSV_explain_schema;
    case CSV_FILE_claims:
        return CSV_claims_schema;
    case CSV_FILE_versions:
        return CSV_versions_schema;
    case CSV_FILE_threads:
        return CSV_threads_schema;
    case CSV_FILE_deletes:
        return CSV_deletes_schema;
    case CSV_FILE_scan:
        return CSV_scan_schema;
    case CSV_FILE_summary:
        break;
    }
    return CSV_summary_schema;
}

static int add_cell(struct csv_table *table, const char *cell, struct dv_error *error_out)
{
    if (table->n_cells == table->n_cells_held) {
        const size_t n = table->n_cells_held ? table->n_cells_held * 2 : 1024;
        const char **cells = realloc(table->cells, n * sizeof *cells);
        if (!cells)
            return dv_no_memory(error_out);
        table->cells = cells;
        table->n_cells_held = n;
    }
    table->cells[table->n_cells++] = cell;
    return 0;
}

/* One cell of the bytes [at, end): ends it with a NUL and returns its start; NULL where the bytes end
 * within it. The separator that the NUL may replace and the place after it come out. */
static char *take_cell(char *at, char *end, char *separator_out, char **next_out)
{
    char *const start = at, *to = at;
    if (at < end && *at == '"') {
        for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++) {
            at += *at == '"';
            *to++ = *at;
        }
        at += at < end;
    }
    while (at < end && *at != ',' && *at != '\n' && !(*at == '\r' && at + 1 < end && at[1] == '\n'))
        *to++ = *at++;
    at += at < end && *at == '\r';
    if (at == end)
        return NULL;
    *separator_out = *at;
    *next_out = at + 1;
    *to = 0;
    return start;
}

/* Adds the cells of one line; 1 where there was one, 0 where the bytes end within it, negative without
 * memory. */
static int take_line(struct csv_table *table, char **at, char *end, struct dv_error *error_out)
{
    char separator = ',';
    while (separator == ',') {
        const char *cell = take_cell(*at, end, &separator, at);
        if (!cell)
            return 0;
        const int status = add_cell(table, cell, error_out);
        if (status < 0)
            return status;
    }
    return 1;
}

static int resolve_columns(struct csv_table *table, struct dv_error *error_out)
{
    for (int c = 0; c < CSV_N_COLUMNS; c++) {
        const struct csv_column_info *info = csv_column_info((enum csv_column)c);
        if (info->file != table->file)
            continue;
        size_t place = 0;
        while (place < table->n_places && strcmp(table->cells[place], info->name) != 0)
            place++;
        if (place == table->n_places && !info->is_later)
            return dv_fail_at(error_out, DV_ERROR_INPUT, 0, "no column %s in the header", info->name);
        table->place[c] = place;
    }
    return 0;
}

/* Counters may be differences of two counts, all else is a time, a size, a ratio or a count. */
static bool is_number(const struct csv_table *table, const char *text, enum csv_kind kind)
{
    char *end = NULL;
    const double value = strtod_l(text, &end, table->c_locale);
    const bool has_digit =
        strpbrk(text, "0123456789") != NULL && strspn(text, "+-.0123456789eE") == strlen(text);
    if (!has_digit || *end != 0 || !isfinite(value) || (kind == CSV_KIND_integer && strpbrk(text, "+.eE")))
        return false;
    return table->file == CSV_FILE_counters || table->file == CSV_FILE_explain || !signbit(value);
}

/* Of the last row: what is not a number must not become a missing one, or a fast one. */
static int check_numbers(const struct csv_table *table, struct dv_error *error_out)
{
    for (int c = 0; c < CSV_N_COLUMNS; c++) {
        const struct csv_column_info *info = &columns[c];
        if (info->file != table->file || info->kind == CSV_KIND_text)
            continue;
        const char *text = csv_text(table, table->n_rows - 1, (enum csv_column)c);
        if (*text && !is_number(table, text, info->kind))
            return dv_fail(error_out, DV_ERROR_INPUT, "line %zu, column %s: '%.40s' is not %s",
                           table->n_lines, info->name, text,
                           info->kind == CSV_KIND_integer ? "a count" : "a number of 0 or more");
    }
    return 0;
}

/* Judges the line that take_line just added after `n_before` cells; it began at `offset_bytes`. */
static int judge_line(struct csv_table *table, size_t n_before, size_t offset_bytes,
                      struct dv_error *error_out)
{
    const size_t n_cells = table->n_cells - n_before;
    if (n_before == 0) {
        table->n_places = n_cells;
        return resolve_columns(table, error_out);
    }
    if (n_cells == 1 && *table->cells[n_before] == 0) { /* an empty line */
        table->n_cells = n_before;
        return 0;
    }
    if (n_cells != table->n_places)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset_bytes, "a row of %zu cells under a header of %zu",
                          n_cells, table->n_places);
    const char *schema = table->cells[n_before + table->place[csv_schema_column(table->file)]];
    if (strcmp(schema, COLUMNS_SCHEMA) != 0)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset_bytes,
                          "a row of schema '%s'; this build reads schema " COLUMNS_SCHEMA, schema);
    table->n_rows++;
    return check_numbers(table, error_out);
}

static int parse_lines(struct csv_table *table, size_t n_bytes, struct dv_error *error_out)
{
    char *at = table->bytes, *const end = table->bytes + n_bytes;
    if (n_bytes >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0)
        at += 3;
    if (memchr(at, 0, (size_t)(end - at)))
        return dv_fail_at(error_out, DV_ERROR_INPUT, strlen(table->bytes), "a zero byte: this is not CSV");
    while (at < end) {
        const size_t n_before = table->n_cells, offset_bytes = (size_t)(at - table->bytes);
        int status = take_line(table, &at, end, error_out);
        table->n_lines++;
        if (status > 0)
            status = judge_line(table, n_before, offset_bytes, error_out);
        else if (status == 0 && table->takes_cut) {
            table->n_cells = n_before;
            return 0;
        } else if (status == 0)
            return dv_fail(error_out, DV_ERROR_INPUT,
                           "line %zu has no line end: the file was cut off; sweep --resume completes a run",
                           table->n_lines);
        if (status < 0)
            return status;
    }
    if (table->n_places == 0 && !table->takes_cut)
        return dv_fail_at(error_out, DV_ERROR_INPUT, 0, "no header line");
    return 0;
}

/* Takes over `bytes`. */
static int parse(struct csv_table **table_out, char *bytes, size_t n_bytes, enum csv_file file,
                 bool takes_cut, struct dv_error *error_out)
{
    struct csv_table *table = calloc(1, sizeof *table);
    *table_out = NULL;
    if (!table) {
        free(bytes);
        return dv_no_memory(error_out);
    }
    table->file = file;
    table->takes_cut = takes_cut;
    table->bytes = bytes;
    table->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const int status = table->c_locale ? parse_lines(table, n_bytes, error_out) : dv_no_memory(error_out);
    if (status < 0)
        csv_free(table);
    else
        *table_out = table;
    return status;
}

int csv_parse(struct csv_table **table_out, const char *bytes, size_t n_bytes, enum csv_file file,
              struct dv_error *error_out)
{
    char *copy = malloc(n_bytes + 1);
    *table_out = NULL;
    if (!copy)
        return dv_no_memory(error_out);
    memcpy(copy, bytes, n_bytes);
    copy[n_bytes] = 0;
    return parse(table_out, copy, n_bytes, file, false, error_out);
}

static int load(struct csv_table **table_out, const char *path, enum csv_file file, bool takes_cut,
                struct dv_error *error_out)
{
    uint8_t *bytes;
    size_t n_bytes;
    *table_out = NULL;
    int status = file_read(path, FILE_READ_MOST, &bytes, &n_bytes, error_out);
    if (status == 0 && (status = parse(table_out, (char *)bytes, n_bytes, file, takes_cut, error_out)) < 0)
        (void)dv_error_set_where(error_out, path);
    return status;
}

int csv_load(struct csv_table **table_out, const char *path, enum csv_file file, struct dv_error *error_out)
{
    return load(table_out, path, file, false, error_out);
}

int csv_load_begun(struct csv_table **table_out, const char *path, enum csv_file file,
                   struct dv_error *error_out)
{
    *table_out = NULL;
    return access(path, F_OK) == 0 ? load(table_out, path, file, true, error_out) : 0;
}

size_t csv_n_rows(const struct csv_table *table)
{
    return table->n_rows;
}

void csv_keep(struct csv_table *table,
              bool (*keep)(const struct csv_table *, size_t row, const void *context), const void *context)
{
    const size_t n_bytes = table->n_places * sizeof *table->cells;
    size_t n_kept = 0;
    for (size_t row = 0; row < table->n_rows; row++)
        if (keep(table, row, context))
            memmove(&table->cells[++n_kept * table->n_places], &table->cells[(row + 1) * table->n_places],
                    n_bytes);
    table->n_rows = n_kept;
    table->n_cells = (n_kept + 1) * table->n_places;
}

bool csv_has(const struct csv_table *table, enum csv_column column)
{
    return table->place[column] < table->n_places;
}

const char *csv_text(const struct csv_table *table, size_t row, enum csv_column column)
{
    assert(row < table->n_rows && csv_column_info(column)->file == table->file);
    if (!csv_has(table, column))
        return "";
    return table->cells[(row + 1) * table->n_places + table->place[column]];
}

double csv_real(const struct csv_table *table, size_t row, enum csv_column column)
{
    const char *text = csv_text(table, row, column);
    char *end;
    const double value = strtod_l(text, &end, table->c_locale);
    return end == text ? NAN : value;
}

bool csv_unsigned(const struct csv_table *table, size_t row, enum csv_column column, uint64_t *value_out)
{
    const char *text = csv_text(table, row, column);
    char *end;
    *value_out = 0;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end != 0 || errno != 0)
        return false;
    *value_out = value;
    return true;
}

void csv_free(struct csv_table *table)
{
    if (!table)
        return;
    if (table->c_locale)
        freelocale(table->c_locale);
    free(table->cells);
    free(table->bytes);
    free(table);
}
