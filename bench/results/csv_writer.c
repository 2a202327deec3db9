/* SPDX-License-Identifier: Apache-2.0 */
#include "csv.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv_schema.h"
#include "file_read.h"

struct csv_writer {
    int fd;
    char *path;        /* owned: for messages */
    locale_t c_locale; /* numbers take a point whatever setlocale said */
    enum csv_file file;
    bool is_out_of_memory;      /* since the row began */
    char *cells[CSV_N_COLUMNS]; /* owned; NULL: empty. Those of other files stay NULL */
};

/* A text that grows; `bytes` is NULL after an allocation failed. */
struct line {
    char *bytes;
    size_t n_bytes;
};

static FILE *line_open(struct line *line)
{
    *line = (struct line){NULL, 0};
    return open_memstream(&line->bytes, &line->n_bytes);
}

static void put_cell(FILE *stream, const char *text)
{
    if (!text)
        return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static int write_all(int fd, const char *bytes, size_t n_bytes, struct dv_error *error_out)
{
    while (n_bytes > 0) {
        const ssize_t n = write(fd, bytes, n_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return dv_fail(error_out, DV_ERROR_IO, "cannot write a CSV row: %s",
                           n < 0 ? strerror(errno) : "nothing was taken");
        bytes += n;
        n_bytes -= (size_t)n;
    }
    return 0;
}

/* Writes one line: the names where `cells` is NULL. */
static int write_line(const struct csv_writer *writer, char *const *cells, struct dv_error *error_out)
{
    struct line line;
    bool is_first = true;
    FILE *stream = line_open(&line);
    if (!stream)
        return dv_no_memory(error_out);
    for (int c = 0; c < CSV_N_COLUMNS; c++) {
        const struct csv_column_info *info = csv_column_info((enum csv_column)c);
        if (info->file != writer->file)
            continue;
        if (!is_first)
            fputc(',', stream);
        put_cell(stream, cells ? cells[c] : info->name);
        is_first = false;
    }
    fputc('\n', stream);
    const bool has_failed = ferror(stream);
    int status = 0;
    if (fclose(stream) != 0 || has_failed)
        status = dv_no_memory(error_out);
    else
        status = write_all(writer->fd, line.bytes, line.n_bytes, error_out);
    free(line.bytes);
    return status;
}

static int writer_open(struct csv_writer **writer_out, const char *path, int flags, enum csv_file file,
                       struct dv_error *error_out)
{
    struct csv_writer *writer = calloc(1, sizeof *writer);
    *writer_out = NULL;
    if (!writer)
        return dv_no_memory(error_out);
    writer->file = file;
    writer->path = strdup(path);
    writer->fd = open(path, flags | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const int open_errno = errno;
    writer->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *writer_out = writer;
    if (writer->fd >= 0 && writer->c_locale && writer->path)
        return 0;
    (void)csv_close(writer, NULL);
    *writer_out = NULL;
    return dv_fail(error_out, DV_ERROR_IO, "%s: cannot open: %s", path, strerror(open_errno));
}

int csv_create(struct csv_writer **writer_out, const char *path, enum csv_file file,
               struct dv_error *error_out)
{
    int status = writer_open(writer_out, path, O_WRONLY | O_TRUNC, file, error_out);
    if (status == 0)
        status = write_line(*writer_out, NULL, error_out);
    if (status < 0) {
        (void)dv_error_set_where(error_out, path);
        (void)csv_close(*writer_out, NULL);
        *writer_out = NULL;
    }
    return status;
}

/* Refuses a header that is not this build's: cells are written by place. */
static int check_header(const char *bytes, size_t n_bytes, enum csv_file file, struct dv_error *error_out)
{
    size_t at = 0;
    for (int c = 0; c < CSV_N_COLUMNS; c++) {
        const struct csv_column_info *info = csv_column_info((enum csv_column)c);
        if (info->file != file)
            continue;
        const size_t n = strlen(info->name);
        if (at + n >= n_bytes || memcmp(bytes + at, info->name, n) != 0 || !strchr(",\r\n", bytes[at + n]))
            return dv_fail_at(error_out, DV_ERROR_INPUT, at, "column %s expected here; rows cannot be added",
                              info->name);
        at += n + (bytes[at + n] == '\r') + 1;
    }
    if (bytes[at - 1] != '\n')
        return dv_fail_at(error_out, DV_ERROR_INPUT, at,
                          "more columns than this build writes; rows cannot be added");
    return 0;
}

/* Cuts a half line off; returns the bytes that are left, or a negative code. */
static int64_t prepare_append(int fd, const char *path, enum csv_file file, struct dv_error *error_out)
{
    uint8_t *content = NULL;
    size_t n_bytes = 0;
    struct csv_table *table = NULL;
    int status = file_read(path, FILE_READ_MOST, &content, &n_bytes, error_out);
    if (status < 0)
        return status;
    const char *bytes = (const char *)content;
    const size_t n_whole = n_bytes;
    while (n_bytes > 0 && bytes[n_bytes - 1] != '\n')
        n_bytes--;
    if (n_bytes > 0)
        status = check_header(bytes, n_bytes, file, error_out);
    if (status == 0 && n_bytes > 0)
        status = csv_parse(&table, bytes, n_bytes, file, error_out);
    if (status == 0 && n_bytes < n_whole && ftruncate(fd, (off_t)n_bytes) != 0)
        status =
            dv_fail_at(error_out, DV_ERROR_IO, n_bytes, "cannot cut off a half line: %s", strerror(errno));
    csv_free(table);
    free(content);
    if (status < 0)
        (void)dv_error_set_where(error_out, path);
    return status < 0 ? status : (int64_t)n_bytes;
}

int csv_append(struct csv_writer **writer_out, const char *path, enum csv_file file,
               struct dv_error *error_out)
{
    int64_t code = writer_open(writer_out, path, O_WRONLY, file, error_out);
    if (code == 0)
        code = prepare_append((*writer_out)->fd, path, file, error_out);
    else
        return (int)code;
    if (code == 0)
        code = write_line(*writer_out, NULL, error_out);
    if (code >= 0)
        return 0;
    (void)csv_close(*writer_out, NULL);
    *writer_out = NULL;
    return (int)code;
}

/* Takes over `text`, which may be NULL where an allocation failed. */
static void put(struct csv_writer *writer, enum csv_column column, char *text)
{
    assert(csv_column_info(column)->file == writer->file);
    writer->is_out_of_memory |= !text;
    free(writer->cells[column]);
    writer->cells[column] = text;
}

static void clear(struct csv_writer *writer, enum csv_column column)
{
    assert(csv_column_info(column)->file == writer->file);
    free(writer->cells[column]);
    writer->cells[column] = NULL;
}

void csv_set_text(struct csv_writer *writer, enum csv_column column, const char *text)
{
    assert(csv_column_info(column)->kind == CSV_KIND_text);
    if (text)
        put(writer, column, strdup(text));
    else
        clear(writer, column);
}

void csv_set_integer(struct csv_writer *writer, enum csv_column column, int64_t value)
{
    char text[32];
    assert(csv_column_info(column)->kind == CSV_KIND_integer);
    snprintf(text, sizeof text, "%" PRId64, value);
    put(writer, column, strdup(text));
}

void csv_set_unsigned(struct csv_writer *writer, enum csv_column column, uint64_t value)
{
    char text[32];
    assert(csv_column_info(column)->kind == CSV_KIND_integer);
    snprintf(text, sizeof text, "%" PRIu64, value);
    put(writer, column, strdup(text));
}

void csv_set_real(struct csv_writer *writer, enum csv_column column, double value)
{
    char text[64];
    assert(csv_column_info(column)->kind == CSV_KIND_real);
    if (!isfinite(value)) {
        clear(writer, column);
        return;
    }
    const locale_t old = uselocale(writer->c_locale);
    snprintf(text, sizeof text, "%.9g", value == 0 ? 0.0 : value); /* no "-0" */
    uselocale(old);
    put(writer, column, strdup(text));
}

void csv_copy_row(struct csv_writer *writer, const struct csv_table *table, size_t row)
{
    for (int c = 0; c < CSV_N_COLUMNS; c++)
        if (csv_column_info((enum csv_column)c)->file == writer->file)
            put(writer, (enum csv_column)c, strdup(csv_text(table, row, (enum csv_column)c)));
}

static void empty_row(struct csv_writer *writer)
{
    writer->is_out_of_memory = false;
    for (int c = 0; c < CSV_N_COLUMNS; c++) {
        free(writer->cells[c]);
        writer->cells[c] = NULL;
    }
}

int csv_end_row(struct csv_writer *writer, struct dv_error *error_out)
{
    int status = 0;
    put(writer, csv_schema_column(writer->file), strdup(COLUMNS_SCHEMA));
    if (writer->is_out_of_memory)
        status = dv_no_memory(error_out);
    else
        status = write_line(writer, writer->cells, error_out);
    if (status < 0)
        (void)dv_error_set_where(error_out, writer->path);
    empty_row(writer);
    return status;
}

int csv_close(struct csv_writer *writer, struct dv_error *error_out)
{
    int status = 0;
    if (!writer)
        return 0;
    empty_row(writer);
    if (writer->fd >= 0 && close(writer->fd) != 0)
        status = dv_fail(error_out, DV_ERROR_IO, "cannot close a CSV file: %s", strerror(errno));
    if (writer->c_locale)
        freelocale(writer->c_locale);
    free(writer->path);
    free(writer);
    return status;
}
