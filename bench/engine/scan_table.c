/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "file_write.h"
#include "digest.h"
#include "run_dir.h"
#include "table_folder.h"

/* A change in the SQL below is another table. */
#define TABLE_VERSION "1"
#define MARKER        "complete"

/* id, letter of its columns, bytes of a row on disk at most, types of SQL that it stands for */
static const struct type_row {
    const char *id;
    char letter;
    unsigned row_bytes;
    const char *sql_types;
} types[SCAN_N_TYPES + 1] = {
    [SCAN_INT] = {"int", 'i', 8, " TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER "},
    [SCAN_DOUBLE] = {"double", 'd', 8, " FLOAT DOUBLE "},
    [SCAN_TIMESTAMP] = {"timestamp", 't', 8, " TIMESTAMP DATE "},
    [SCAN_TEXT] = {"md5", 's', 40, " VARCHAR "},
    [SCAN_MIXED] = {"mixed", 0, 0, ""},
};

const char *scan_type_id(enum scan_type type)
{
    return types[type].id;
}

int scan_type_find(const char *id, size_t n_id)
{
    for (int type = 0; type <= SCAN_MIXED; type++)
        if (strlen(types[type].id) == n_id && memcmp(types[type].id, id, n_id) == 0)
            return type;
    return -1;
}

const struct scan_column *scan_table_column(const struct scan_table *table, const char *name, size_t n_name)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (strlen(table->columns[i].name) == n_name && memcmp(table->columns[i].name, name, n_name) == 0)
            return &table->columns[i];
    return NULL;
}

void scan_table_free(struct scan_table *table)
{
    for (size_t i = 0; i < table->n_columns; i++)
        free(table->columns[i].name);
    free(table->columns);
    free(table->n_rows);
    free(table->name);
    free(table->dir);
    strings_free(&table->files);
    *table = (struct scan_table){0};
}

/* --- what both kinds of table need --- */

char *scan_table_list(const struct strings *files)
{
    char *list = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&list, &n);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < files->n_items; i++) {
        char *quoted = engine_quote(files->items[i], '\'');
        fprintf(stream, "%s%s", i ? "," : "[", quoted ? quoted : "");
        free(quoted);
    }
    fputc(']', stream);
    if (fclose(stream) == 0)
        return list;
    free(list);
    return NULL;
}

static int keep_columns(struct scan_table *table, const struct engine_answer *described,
                        struct dv_error *error_out)
{
    table->columns = calloc(described->n_rows + 1, sizeof *table->columns);
    if (!table->columns)
        return dv_no_memory(error_out);
    for (size_t row = 0; row < described->n_rows; row++) {
        const char *name = engine_value(described, row, 0), *sql_type = engine_value(described, row, 1);
        char word[64];
        snprintf(word, sizeof word, " %s ", sql_type ? sql_type : "");
        if (!name || strcmp(name, "file_index") == 0 || strcmp(name, "file_row_number") == 0)
            continue;
        for (int type = 0; type < SCAN_N_TYPES; type++)
            if (strstr(types[type].sql_types, word)) {
                table->columns[table->n_columns].type = (enum scan_type)type;
                table->columns[table->n_columns].name = strdup(name);
                if (!table->columns[table->n_columns].name)
                    return dv_no_memory(error_out);
                table->n_columns++;
            }
    }
    return 0;
}

static int keep_sizes(struct scan_table *table, struct engine *engine, struct dv_error *error_out)
{
    table->n_rows = calloc(table->files.n_items + 1, sizeof *table->n_rows);
    if (!table->n_rows)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < table->files.n_items; i++) {
        struct engine_answer answer;
        struct stat facts;
        char *quoted = engine_quote(table->files.items[i], '\'');
        int status = quoted ? engine_query(engine, &answer, error_out,
                                           "SELECT num_rows FROM parquet_file_metadata(%s)", quoted)
                            : dv_no_memory(error_out);
        free(quoted);
        if (status < 0) {
            if (error_out && status == DV_ERROR_IO)
                error_out->code = status = DV_ERROR_INPUT;
            (void)dv_error_set_where(error_out, table->files.items[i]);
            return status;
        }
        const char *n_rows = engine_value(&answer, 0, 0);
        table->n_rows[i] = n_rows ? strtoull(n_rows, NULL, 10) : 0;
        table->n_rows_all += table->n_rows[i];
        table->n_bytes += stat(table->files.items[i], &facts) == 0 ? (uint64_t)facts.st_size : 0;
        engine_answer_free(&answer);
    }
    return 0;
}

static int make_view(struct scan_table *table, struct engine *engine, struct dv_error *error_out)
{
    struct engine_answer described = {0};
    char *list = scan_table_list(&table->files);
    int status = list ? keep_sizes(table, engine, error_out) : dv_no_memory(error_out);
    if (status == 0)
        status =
            engine_query(engine, NULL, error_out,
                         "CREATE OR REPLACE VIEW " SCAN_VIEW " AS SELECT *, file_index, file_row_number FROM "
                         "read_parquet(%s)",
                         list);
    if (status == 0)
        status = engine_query(engine, &described, error_out, "DESCRIBE " SCAN_VIEW);
    if (status == 0)
        status = keep_columns(table, &described, error_out);
    engine_answer_free(&described);
    free(list);
    return status;
}

int scan_table_open(struct scan_table *table_out, struct engine *engine, const struct strings *files,
                    struct dv_error *error_out)
{
    *table_out = (struct scan_table){.name = strdup("parquet")};
    int status = table_out->name ? 0 : dv_no_memory(error_out);
    for (size_t i = 0; status == 0 && i < files->n_items; i++)
        if (access(files->items[i], R_OK) != 0) {
            status = dv_fail(error_out, DV_ERROR_INPUT, "%s", strerror(errno));
            (void)dv_error_set_where(error_out, files->items[i]);
        } else if (strings_add(&table_out->files, files->items[i], strlen(files->items[i])) < 0)
            status = dv_no_memory(error_out);
    if (status == 0)
        status = make_view(table_out, engine, error_out);
    if (status == DV_ERROR_IO &&
        error_out) /* what the engine says of the user's files is about these files */
        error_out->code = status = DV_ERROR_INPUT;
    return status;
}

/* --- making one --- */

/* Integers take turns: 64 bits with a dictionary (100,000 values), 32 bits with one (1,000), 64 and 32 bits without. */
static void write_column(FILE *sql, enum scan_type type, size_t number, uint64_t seed)
{
    char random[96];
    snprintf(random, sizeof random, "hash(i * 64 + %zu, %" PRIu64 ")", (size_t)type * 1000 + number, seed);
    if (type == SCAN_INT) {
        static const char *const forms[] = {"(%s >> 33)::INTEGER", "(%s %% 100000)::BIGINT",
                                            "(%s %% 1000)::INTEGER", "(%s >> 1)::BIGINT"};
        fprintf(sql, forms[number % 4], random);
    } else if (type == SCAN_DOUBLE)
        fprintf(sql, "(%s %% 1000000) / 4", random); /* sums are exact, whatever the order */
    else if (type == SCAN_TIMESTAMP)
        fprintf(sql, "make_timestamp((%s %% 1000000000000000)::BIGINT)", random);
    else
        fprintf(sql, "md5(%s::VARCHAR)", random);
    fprintf(sql, " AS %c%zu, ", types[type].letter, number);
}

static int write_part(struct engine *engine, const struct scan_table_spec *spec, size_t file,
                      const char *path, struct dv_error *error_out)
{
    const uint64_t begin = spec->n_rows * file / spec->n_files,
                   end = spec->n_rows * (file + 1) / spec->n_files;
    char *select = NULL, *quoted = engine_quote(path, '\'');
    size_t n = 0;
    FILE *sql = open_memstream(&select, &n);
    int status = sql && quoted ? 0 : dv_no_memory(error_out);
    for (int type = 0; sql && type < SCAN_N_TYPES; type++)
        for (size_t number = 1; number <= spec->n_columns[type]; number++)
            write_column(sql, (enum scan_type)type, number, spec->seed);
    if (sql && fclose(sql) != 0 && status == 0)
        status = dv_no_memory(error_out);
    if (status == 0)
        status = engine_query(engine, NULL, error_out,
                              "COPY (SELECT %si AS key FROM range(%" PRIu64 ", %" PRIu64
                              ") r(i)) TO %s (FORMAT parquet)",
                              select, begin, end, quoted);
    free(select);
    free(quoted);
    return status;
}

/* COPY leaves the bytes to the system, which a marker must not run ahead of. One call for all: 13,000 fsyncs take
 * minutes. */
static int flush(const char *dir, struct dv_error *error_out)
{
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_flushed = fd >= 0 && syncfs(fd) == 0;
    if (fd >= 0)
        close(fd);
    return is_flushed ? 0 : dv_fail(error_out, DV_ERROR_IO, "cannot flush %s: %s", dir, strerror(errno));
}

static int check_space(const struct scan_table_spec *spec, const char *dir, struct dv_error *error_out)
{
    struct statvfs facts;
    uint64_t row_bytes = 8;
    for (int type = 0; type < SCAN_N_TYPES; type++)
        row_bytes += (uint64_t)types[type].row_bytes * spec->n_columns[type];
    if (statvfs(dir, &facts) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "%s: %s", dir, strerror(errno));
    const double n_needed = 1.1 * (double)row_bytes * (double)spec->n_rows;
    const double n_free = (double)facts.f_bavail * (double)facts.f_frsize;
    if (n_needed <= n_free)
        return 0;
    return dv_fail(
        error_out, DV_ERROR_IO,
        "%s has %.0f MB free, the table may take %.0f MB: give --data another folder, or fewer --rows", dir,
        n_free / 1e6, n_needed / 1e6);
}

static char *part_path(const char *dir, size_t file)
{
    char *path = NULL;
    return asprintf(&path, "%s/part-%05zu.parquet", dir, file) < 0 ? NULL : path;
}

static int write_parts(struct engine *engine, const struct scan_table_spec *spec, const char *dir,
                       const char *text, struct dv_error *error_out)
{
    int status = 0;
    for (size_t file = 0; status == 0 && file < spec->n_files; file++) {
        char *path = part_path(dir, file);
        status = path ? write_part(engine, spec, file, path, error_out) : dv_no_memory(error_out);
        free(path);
    }
    if (status == 0)
        status = flush(dir, error_out);
    char *marker = run_dir_file(dir, MARKER);
    if (status == 0)
        status = marker ? file_write(marker, text, strlen(text), error_out) : dv_no_memory(error_out);
    free(marker);
    return status;
}

/* All parameters on one line, which the marker holds too. */
static char *text_of(const struct scan_table_spec *spec, const struct engine *engine)
{
    char *text = NULL;
    if (asprintf(&text,
                 "version=" TABLE_VERSION " engine=%s-%s rows=%" PRIu64 " files=%zu int=%zu double=%zu "
                 "timestamp=%zu md5=%zu seed=%" PRIu64 "\n",
                 engine->name, engine->version, spec->n_rows, spec->n_files, spec->n_columns[SCAN_INT],
                 spec->n_columns[SCAN_DOUBLE], spec->n_columns[SCAN_TIMESTAMP], spec->n_columns[SCAN_TEXT],
                 spec->seed) < 0)
        return NULL;
    return text;
}

static bool is_complete(const char *dir, const char *text)
{
    char found[512] = "", *marker = run_dir_file(dir, MARKER);
    FILE *file = marker ? fopen(marker, "re") : NULL;
    const size_t n = file ? fread(found, 1, sizeof found - 1, file) : 0;
    if (file)
        fclose(file);
    free(marker);
    found[n] = '\0';
    return strcmp(found, text) == 0;
}

static int make_dir(const char *dir, struct dv_error *error_out)
{
    if (mkdir(dir, 0777) == 0 || errno == EEXIST)
        return 0;
    return dv_fail(error_out, DV_ERROR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
}

/* Other processes may make the same table: each in a folder of its own, the first to end gives its name. */
static int make_table(struct scan_table *table, struct engine *engine, const struct scan_table_spec *spec,
                      const char *data_dir, const char *text, struct dv_error *error_out)
{
    struct table_folder part = {.lock = -1};
    int status = check_space(spec, data_dir, error_out);
    if (status == 0)
        status = table_folder_make(&part, table->dir, error_out);
    if (status == 0)
        status = write_parts(engine, spec, part.path, text, error_out);
    if (status == 0 && rename(part.path, table->dir) != 0 && !is_complete(table->dir, text)) {
        table_folder_remove(table->dir); /* without its marker it is nobody's */
        if (rename(part.path, table->dir) != 0)
            status = dv_fail(error_out, DV_ERROR_IO, "cannot rename %s to %s: %s", part.path, table->dir,
                             strerror(errno));
    }
    table_folder_close(&part);
    table->was_made = status == 0;
    return status;
}

int scan_table_make(struct scan_table *table_out, struct engine *engine, const struct scan_table_spec *spec,
                    const char *data_dir, struct dv_error *error_out)
{
    *table_out = (struct scan_table){0};
    char *text = text_of(spec, engine);
    int status = text ? make_dir(data_dir, error_out) : dv_no_memory(error_out);
    table_folder_remove_left(data_dir);
    if (status == 0 &&
        (asprintf(&table_out->name, "table-%016" PRIx64, digest_bytes(text, strlen(text))) < 0 ||
         !(table_out->dir = run_dir_file(data_dir, table_out->name))))
        status = dv_no_memory(error_out);
    if (status == 0 && !is_complete(table_out->dir, text))
        status = make_table(table_out, engine, spec, data_dir, text, error_out);
    for (size_t file = 0; status == 0 && file < spec->n_files; file++) {
        char *path = part_path(table_out->dir, file);
        if (!path || strings_add(&table_out->files, path, strlen(path)) < 0)
            status = dv_no_memory(error_out);
        free(path);
    }
    if (status == 0)
        status = make_view(table_out, engine, error_out);
    free(text);
    return status;
}
