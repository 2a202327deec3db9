/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_batch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dv_intervals.h"
#include "format_write.h"
#include "payload_writer.h"
#include "scan_table.h"
#include "scan_vector.h"

#define FOUND "dvbench_found" /* (file BIGINT, pos BIGINT) of the batch's rows */
#define PART  ".part"         /* what a file is called until it is whole */

double delete_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

struct work {
    struct delete_state *state;
    enum delete_way way;
    struct engine *engine;
    const char *condition;
    struct strings files; /* new ones, under the names that they get */
    uint64_t *n_found;    /* owned, rows of the batch per data file */
    int64_t *positions;   /* owned, of v3: all of them, by file and position */
    size_t n_positions;
};

/* --- find --- */

static int find_rows(struct work *work, struct dv_error *error_out)
{
    struct strings paths = {0};
    struct engine_answer answer = {0};
    int status = 0;
    for (size_t i = 0; status == 0 && i < work->state->n_files; i++)
        if (strings_add(&paths, work->state->files[i].path, strlen(work->state->files[i].path)) < 0)
            status = dv_no_memory(error_out);
    char *list = status == 0 ? scan_table_list(&paths) : NULL;
    work->n_found = calloc(work->state->n_files + 1, sizeof *work->n_found);
    if (status == 0 && !(list && work->n_found))
        status = dv_no_memory(error_out);
    if (status == 0)
        status = engine_query(work->engine, NULL, error_out,
                              "CREATE OR REPLACE TEMP TABLE " FOUND " AS SELECT file_index::BIGINT AS file, "
                              "file_row_number AS pos FROM read_parquet(%s) WHERE %s",
                              list, work->condition);
    if (status == 0)
        status = engine_query(work->engine, &answer, error_out,
                              "SELECT file, count(*) FROM " FOUND " GROUP BY file");
    for (size_t row = 0; status == 0 && row < answer.n_rows; row++) {
        const uint64_t file = strtoull(engine_value(&answer, row, 0), NULL, 10);
        if (file < work->state->n_files)
            work->n_found[file] = strtoull(engine_value(&answer, row, 1), NULL, 10);
    }
    engine_answer_free(&answer);
    strings_free(&paths);
    free(list);
    return status;
}

/* --- write --- */

/* "DIR/b00007-2.parquet"; owned by `files`. */
static const char *add_name(struct work *work, size_t file, const char *suffix)
{
    char *path = NULL;
    if (asprintf(&path, "%s/b%05" PRIu64 "-%zu.%s", work->state->dir, work->state->batch + 1, file, suffix) <
        0)
        return NULL;
    const int status = strings_add(&work->files, path, strlen(path));
    free(path);
    return status < 0 ? NULL : work->files.items[work->files.n_items - 1];
}

static int replace_text(char **text, const char *by, struct dv_error *error_out)
{
    free(*text);
    *text = strdup(by);
    return *text ? 0 : dv_no_memory(error_out);
}

static int rewrite_file(struct work *work, size_t i, struct dv_error *error_out)
{
    struct delete_file *file = &work->state->files[i];
    const char *path = add_name(work, i, "parquet");
    char *from = engine_quote(file->path, '\''), *to = path ? engine_quote(path, '\'') : NULL;
    int status = from && to ? engine_query(work->engine, NULL, error_out,
                                           "COPY (SELECT * FROM read_parquet(%s) WHERE NOT %s) TO %.*s" PART
                                           "' (FORMAT parquet)",
                                           from, work->condition, (int)strlen(to) - 1, to)
                            : dv_no_memory(error_out);
    if (status == 0)
        status = replace_text(&file->path, path, error_out);
    file->n_rows -= work->n_found[i];
    free(from);
    free(to);
    return status;
}

/* The specification wants them sorted by path and position. Of a compacted file also those that are there. */
static int write_positions(struct work *work, size_t i, struct dv_error *error_out)
{
    struct delete_file *file = &work->state->files[i];
    const bool compacts = work->way == DELETE_V2_COMPACT && file->deletes.n_items > 0;
    const char *path = add_name(work, i, "positions.parquet");
    char *data = engine_quote(file->path, '\''), *to = path ? engine_quote(path, '\'') : NULL,
         *old = scan_table_list(&file->deletes);
    int status = data && to && old ? 0 : dv_no_memory(error_out);
    if (status == 0)
        status =
            engine_query(work->engine, NULL, error_out,
                         "COPY (SELECT %s AS file_path, pos FROM " FOUND " WHERE file = %zu%s%s%s ORDER BY "
                         "file_path, pos) TO %.*s" PART "' (FORMAT parquet)",
                         data, i, compacts ? " UNION ALL SELECT file_path, pos FROM read_parquet(" : "",
                         compacts ? old : "", compacts ? ")" : "", (int)strlen(to) - 1, to);
    if (compacts)
        strings_free(&file->deletes);
    if (status == 0 && strings_add(&file->deletes, path, strlen(path)) < 0)
        status = dv_no_memory(error_out);
    free(data);
    free(to);
    free(old);
    return status;
}

static int take_positions(void *user, const struct engine_column *columns, size_t n_columns, size_t n_rows,
                          struct dv_error *error_out)
{
    struct work *work = user;
    int64_t *longer = realloc(work->positions, (work->n_positions + n_rows + 1) * sizeof *longer);
    (void)n_columns;
    if (!longer)
        return dv_no_memory(error_out);
    work->positions = longer;
    memcpy(longer + work->n_positions, columns[0].integers, n_rows * sizeof *longer);
    work->n_positions += n_rows;
    return 0;
}

/* The old intervals and the new positions, both ascending and apart from each other. */
static int merge(struct payload_writer *writer, const struct dv_intervals *old, const int64_t *positions,
                 size_t n_positions, struct dv_error *error_out)
{
    size_t i = 0;
    int status = 0;
    for (size_t j = 0; status == 0 && (i < old->n_items || j < n_positions);) {
        const bool is_old =
            i < old->n_items && (j == n_positions || old->items[i].start < (uint64_t)positions[j]);
        if (is_old) {
            status = payload_writer_add_range(writer, old->items[i].start, old->items[i].end, error_out);
            i++;
        } else {
            const uint64_t position = (uint64_t)positions[j++];
            status = payload_writer_add_range(writer, position, position + 1, error_out);
        }
    }
    return status;
}

static int make_vector(const struct delete_file *file, const int64_t *positions, size_t n_positions,
                       struct format_output *output_out, uint8_t **payload_out, struct dv_error *error_out)
{
    struct scan_vector old = {0};
    struct payload_writer writer;
    size_t n_bytes = 0;
    int status = file->vector ? scan_vector_read(&old, file->vector, file->vector_index, file->n_rows,
                                                 file->path, error_out)
                              : 0;
    payload_writer_init(&writer, PAYLOAD_OPTIMIZE | PAYLOAD_DENSE_KEYS);
    if (status == 0)
        status = merge(&writer, &old.intervals, positions, n_positions, error_out);
    if (status == 0)
        status = payload_writer_finish(&writer, payload_out, &n_bytes, error_out);
    payload_writer_free(&writer);
    *output_out = (struct format_output){*payload_out, n_bytes, old.cardinality + n_positions, file->path};
    scan_vector_free(&old);
    return status;
}

static int write_bytes(const char *path, const uint8_t *bytes, size_t n_bytes, struct dv_error *error_out)
{
    FILE *file = fopen(path, "we");
    bool is_whole = file && fwrite(bytes, 1, n_bytes, file) == n_bytes;
    is_whole = file && fclose(file) == 0 && is_whole;
    return is_whole ? 0 : dv_fail(error_out, DV_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
}

static int write_puffin(struct work *work, const struct format_output *outputs, size_t n_outputs,
                        struct dv_error *error_out)
{
    const struct format_write_options options = {.format = FORMAT_PUFFIN};
    const char *path = add_name(work, 0, "puffin");
    uint8_t *bytes = NULL;
    char *part = NULL;
    size_t n_bytes = 0, n_written = 0;
    int status = path ? format_encode(outputs, n_outputs, &options, &bytes, &n_bytes, error_out)
                      : dv_no_memory(error_out);
    if (status == 0)
        status = asprintf(&part, "%s" PART, path) < 0 ? dv_no_memory(error_out)
                                                      : write_bytes(part, bytes, n_bytes, error_out);
    for (size_t i = 0; status == 0 && i < work->state->n_files; i++)
        if (work->n_found[i]) {
            status = replace_text(&work->state->files[i].vector, path, error_out);
            work->state->files[i].vector_index = n_written++;
        }
    free(bytes);
    free(part);
    return status;
}

static int write_vectors(struct work *work, struct dv_error *error_out)
{
    const size_t n_files = work->state->n_files;
    struct format_output *outputs = calloc(n_files + 1, sizeof *outputs);
    uint8_t **payloads = calloc(n_files + 1, sizeof *payloads);
    size_t n_outputs = 0, n_used = 0;
    int status = outputs && payloads
                     ? work->engine->stream(work->engine, "SELECT pos FROM " FOUND " ORDER BY file, pos",
                                            take_positions, work, error_out)
                     : dv_no_memory(error_out);
    for (size_t i = 0; status == 0 && i < n_files; i++)
        if (work->n_found[i]) {
            status = make_vector(&work->state->files[i], work->positions + n_used, work->n_found[i],
                                 &outputs[n_outputs], &payloads[n_outputs], error_out);
            n_outputs++;
            n_used += work->n_found[i];
        }
    if (status == 0 && n_outputs > 0)
        status = write_puffin(work, outputs, n_outputs, error_out);
    for (size_t i = 0; payloads && i < n_outputs; i++)
        free(payloads[i]);
    free(payloads);
    free(outputs);
    return status;
}

static int write_files(struct work *work, struct dv_error *error_out)
{
    int status = 0;
    if (work->way == DELETE_V3)
        return write_vectors(work, error_out);
    for (size_t i = 0; status == 0 && i < work->state->n_files; i++)
        if (work->n_found[i])
            status = work->way == DELETE_COW ? rewrite_file(work, i, error_out)
                                             : write_positions(work, i, error_out);
    return status;
}

/* --- flush and commit --- */

/* Calls fsync, then or not renames: in two passes, whose times are kept apart. */
static int settle(const struct work *work, bool renames, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < work->files.n_items; i++) {
        char *part = NULL;
        if (asprintf(&part, "%s" PART, work->files.items[i]) < 0)
            return dv_no_memory(error_out);
        const int fd = renames ? -1 : open(part, O_RDONLY | O_CLOEXEC);
        const bool is_done = renames ? rename(part, work->files.items[i]) == 0 : fd >= 0 && fsync(fd) == 0;
        if (!is_done)
            status = dv_fail(error_out, DV_ERROR_IO, "cannot %s %s: %s", renames ? "rename" : "flush", part,
                             strerror(errno));
        if (fd >= 0)
            close(fd);
        free(part);
    }
    return status;
}

/* The names must be on the disk before the manifest that uses them. */
static int commit(struct work *work, struct dv_error *error_out)
{
    int status = settle(work, true, error_out);
    const int folder = open(work->state->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (status == 0 && (folder < 0 || fsync(folder) != 0))
        status = dv_fail(error_out, DV_ERROR_IO, "cannot flush %s: %s", work->state->dir, strerror(errno));
    if (folder >= 0)
        close(folder);
    work->state->batch++;
    return status < 0 ? status : delete_state_commit(work->state, error_out);
}

int delete_batch(struct delete_state *state, enum delete_way way, struct engine *engine,
                 const char *condition, struct delete_costs *costs_out, struct dv_error *error_out)
{
    struct work work = {.state = state, .way = way, .engine = engine, .condition = condition};
    double times[5] = {delete_now_ms()};
    int status = find_rows(&work, error_out);
    times[1] = delete_now_ms();
    if (status == 0)
        status = write_files(&work, error_out);
    times[2] = delete_now_ms();
    if (status == 0)
        status = settle(&work, false, error_out);
    times[3] = delete_now_ms();
    if (status == 0)
        status = commit(&work, error_out);
    times[4] = delete_now_ms();
    *costs_out = (struct delete_costs){times[1] - times[0], times[2] - times[1], times[3] - times[2],
                                       times[4] - times[3], 0};
    for (size_t i = 0; i < work.files.n_items; i++)
        costs_out->n_bytes += delete_file_bytes(work.files.items[i]);
    if (status == 0)
        status = delete_state_clean(state, error_out);
    strings_free(&work.files);
    free(work.n_found);
    free(work.positions);
    return status;
}
