/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delete_batch.h"
#include "payload_writer.h"

const unsigned delete_read_columns[DELETE_N_READS] = {0, 1, 3, 9};

/* --- what must be left --- */

enum { N_SUMS = 9 };

struct adding {
    const struct delete_options *options;
    enum delete_pattern pattern;
    struct scan_expected *batches; /* what each one deletes; the last item is what stays */
};

static int add_part(void *user, const struct engine_column *columns, size_t n_columns, size_t n_rows,
                    struct dv_error *error_out)
{
    struct adding *adding = user;
    (void)error_out;
    for (size_t row = 0; row < n_rows; row++) {
        const uint64_t key = (uint64_t)columns[0].integers[row];
        struct scan_expected *batch =
            &adding->batches[delete_batch_of(adding->options, adding->pattern, key)];
        batch->n_rows++;
        for (size_t i = 1; i < n_columns; i++)
            batch->integers[i - 1] += columns[i].integers[row];
    }
    return 0;
}

int delete_expect(struct scan_expected **expected_out, struct engine *engine, const struct scan_table *table,
                  const struct delete_options *options, enum delete_pattern pattern,
                  struct dv_error *error_out)
{
    struct scan_expected *expected = *expected_out = calloc(options->n_batches + 1, sizeof *expected);
    struct adding adding = {options, pattern, expected};
    char *list = scan_table_list(&table->files), *sql = NULL;
    int status = expected && list &&
                         asprintf(&sql,
                                  "SELECT key, i1::BIGINT, i2::BIGINT, i3::BIGINT, i4::BIGINT, i5::BIGINT, "
                                  "i6::BIGINT, i7::BIGINT, i8::BIGINT, i9::BIGINT FROM read_parquet(%s)",
                                  list) >= 0
                     ? engine->stream(engine, sql, add_part, &adding, error_out)
                     : dv_no_memory(error_out);
    /* From what each deletes to what is left: the sum of all later ones. */
    for (size_t batch = options->n_batches; status == 0 && batch-- > 0;) {
        expected[batch].n_rows += expected[batch + 1].n_rows;
        for (size_t i = 0; i < N_SUMS; i++)
            expected[batch].integers[i] += expected[batch + 1].integers[i];
    }
    for (size_t batch = 0; status == 0 && batch <= options->n_batches; batch++)
        for (size_t i = 0; i < N_SUMS; i++)
            expected[batch].n_values[i] = expected[batch].n_rows;
    free(list);
    free(sql);
    return status;
}

/* --- the index of V2 --- */

struct index {
    uint64_t *bits;
    uint64_t n_rows;
};

static int take_positions(void *user, const struct engine_column *columns, size_t n_columns, size_t n_rows,
                          struct dv_error *error_out)
{
    struct index *index = user;
    (void)n_columns;
    for (size_t i = 0; i < n_rows; i++) {
        const uint64_t position = (uint64_t)columns[0].integers[i];
        if (position >= index->n_rows)
            return dv_fail(error_out, DV_ERROR_INPUT, "a deleted position is past the end of its data file");
        index->bits[position / 64] |= UINT64_C(1) << (position % 64);
    }
    return 0;
}

/* What is set becomes ranges, a word at a time. */
static int write_payload(const struct index *index, uint8_t **payload_out, size_t *n_bytes_out,
                         struct dv_error *error_out)
{
    struct payload_writer writer;
    int status = 0;
    payload_writer_init(&writer, 0);
    for (uint64_t word = 0; status == 0 && word < (index->n_rows + 63) / 64; word++)
        for (uint64_t bits = index->bits[word]; status == 0 && bits; bits &= bits - 1) {
            const uint64_t position = word * 64 + (uint64_t)__builtin_ctzll(bits);
            status = payload_writer_add_range(&writer, position, position + 1, error_out);
        }
    if (status == 0)
        status = payload_writer_finish(&writer, payload_out, n_bytes_out, error_out);
    payload_writer_free(&writer);
    return status;
}

static int load_positions(struct engine *engine, const struct delete_file *file, uint8_t **payload_out,
                          size_t *n_bytes_out, struct dv_error *error_out)
{
    struct index index = {calloc(file->n_rows / 64 + 1, sizeof *index.bits), file->n_rows};
    char *list = scan_table_list(&file->deletes), *path = engine_quote(file->path, '\''), *sql = NULL;
    int status =
        index.bits && list && path &&
                asprintf(&sql, "SELECT pos FROM read_parquet(%s) WHERE file_path = %s", list, path) >= 0
            ? engine->stream(engine, sql, take_positions, &index, error_out)
            : dv_no_memory(error_out);
    if (status == 0)
        status = write_payload(&index, payload_out, n_bytes_out, error_out);
    free(index.bits);
    free(list);
    free(path);
    free(sql);
    return status;
}

/* --- reading --- */

struct vectors {
    struct scan_vector *items; /* owned; their paths are borrowed from the state */
    uint8_t **payloads;        /* owned */
    size_t n_items;
    bool has_deletes;
};

static const uint8_t no_deletes[8]; /* the payload of the empty set */

static int load(struct vectors *vectors, const struct delete_reader *reader, const struct delete_state *state,
                struct dv_error *error_out)
{
    *vectors = (struct vectors){calloc(state->n_files + 1, sizeof *vectors->items),
                                calloc(state->n_files + 1, sizeof *vectors->payloads), state->n_files, false};
    int status = vectors->items && vectors->payloads ? 0 : dv_no_memory(error_out);
    for (size_t i = 0; status == 0 && i < state->n_files; i++) {
        const struct delete_file *file = &state->files[i];
        struct scan_vector *vector = &vectors->items[i];
        *vector = (struct scan_vector){.n_rows = file->n_rows};
        vectors->has_deletes |= file->vector || file->deletes.n_items;
        if (file->vector) {
            vector->path = file->vector;
            vector->index = file->vector_index;
        } else if (file->deletes.n_items) {
            size_t n_bytes = 0;
            status = load_positions(reader->engine, file, &vectors->payloads[i], &n_bytes, error_out);
            vector->n_bytes = n_bytes;
            vector->payload = vectors->payloads[i];
        } else {
            vector->payload = no_deletes;
            vector->n_bytes = sizeof no_deletes;
        }
    }
    return status;
}

static void unload(struct vectors *vectors)
{
    for (size_t i = 0; vectors->payloads && i < vectors->n_items; i++)
        free(vectors->payloads[i]);
    free(vectors->payloads);
    free(vectors->items);
}

static int make_view(struct engine *engine, const struct delete_state *state, struct dv_error *error_out)
{
    struct strings paths = {0};
    int status = 0;
    for (size_t i = 0; status == 0 && i < state->n_files; i++)
        if (strings_add(&paths, state->files[i].path, strlen(state->files[i].path)) < 0)
            status = dv_no_memory(error_out);
    char *list = scan_table_list(&paths);
    if (status == 0)
        status = list ? engine_query(engine, NULL, error_out,
                                     "CREATE OR REPLACE VIEW " SCAN_VIEW
                                     " AS SELECT *, file_index, file_row_number FROM read_parquet(%s)",
                                     list)
                      : dv_no_memory(error_out);
    strings_free(&paths);
    free(list);
    return status;
}

static int ask(const struct delete_reader *reader, const struct scan_query *query,
               const struct vectors *vectors, struct engine_answer *answer_out, struct dv_error *error_out)
{
    char *sql = scan_query_sql(query, vectors->has_deletes ? SCAN_WAY_FUNCTION : SCAN_WAY_NONE);
    const bool answers = reader->kernel->sinks & (1u << SINK_is_deleted);
    if (!sql)
        return dv_no_memory(error_out);
    scan_function_begin(reader->function, vectors->items, vectors->n_items, reader->kernel,
                        answers ? SINK_is_deleted : SINK_row_ids);
    const int status = reader->engine->query(reader->engine, sql, answer_out, error_out);
    (void)scan_function_end(reader->function);
    free(sql);
    return status;
}

int delete_read(const struct delete_reader *reader, const struct delete_state *state, unsigned n_columns,
                const struct scan_expected *expected, struct delete_read *read_out,
                struct dv_error *error_out)
{
    struct scan_query query;
    struct vectors vectors = {0};
    struct engine_answer answer = {0};
    char projection[16];
    snprintf(projection, sizeof projection, n_columns ? "%uint" : "count", n_columns);
    *read_out = (struct delete_read){0};
    int status = scan_query_parse(&query, reader->table, SCAN_KIND_scan, projection, error_out);
    if (status == 0)
        status = make_view(reader->engine, state, error_out);
    const double begin = delete_now_ms();
    if (status == 0)
        status = load(&vectors, reader, state, error_out);
    const double loaded = delete_now_ms();
    if (status == 0)
        status = ask(reader, &query, &vectors, &answer, error_out);
    read_out->wall_ms = delete_now_ms() - begin;
    for (size_t i = 0; i < state->n_files; i++)
        if (state->files[i].deletes.n_items)
            read_out->load_ms = loaded - begin;
    if (status == 0)
        read_out->is_right =
            scan_answer_is_right(&query, expected, &answer, read_out->reason, sizeof read_out->reason);
    engine_answer_free(&answer);
    unload(&vectors);
    return status;
}
