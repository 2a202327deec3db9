/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_name.h"
#include "file_write.h"
#include "run_dir.h"
#include "samples.h"

/* --- rows by cell: a hash table of the last row of each, and in each row the one before --- */

static size_t *slot_of(const struct samples *samples, const char *cell)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = cell; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    size_t slot = hash & (samples->n_slots - 1);
    while (samples->slots[slot] && strcmp(samples->rows[samples->slots[slot] - 1].cell, cell) != 0)
        slot = (slot + 1) & (samples->n_slots - 1);
    return &samples->slots[slot];
}

static void link_row(struct samples *samples, size_t row)
{
    size_t *slot = slot_of(samples, samples->rows[row].cell);
    samples->rows[row].n_before = *slot;
    *slot = row + 1;
}

/* Twice as many slots as rows can be, a power of two. */
static int link_all(struct samples *samples, struct dv_error *error_out)
{
    size_t n_slots = 2048;
    while (n_slots < 2 * samples->capacity)
        n_slots *= 2;
    size_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return dv_no_memory(error_out);
    free(samples->slots);
    samples->slots = slots;
    samples->n_slots = n_slots;
    for (size_t i = 0; i < samples->n_rows; i++)
        link_row(samples, i);
    return 0;
}

size_t samples_last_of(const struct samples *samples, const char *cell)
{
    return samples->n_slots ? *slot_of(samples, cell) : 0;
}

/* --- rows in memory and in the file --- */

static int remember(struct samples *samples, const struct sample_row *row, struct dv_error *error_out)
{
    if (samples->n_rows == samples->capacity) {
        const size_t capacity = samples->capacity ? 2 * samples->capacity : 1024;
        struct sample_row *grown = realloc(samples->rows, capacity * sizeof *grown);
        if (!grown)
            return dv_no_memory(error_out);
        samples->rows = grown;
        samples->capacity = capacity;
        if (link_all(samples, error_out) < 0)
            return DV_ERROR_MEMORY;
    }
    struct sample_row *copy = &samples->rows[samples->n_rows];
    *copy = *row;
    copy->dv = strdup(row->dv);
    copy->kernel = strdup(row->kernel);
    if (!copy->dv || !copy->kernel) {
        free(copy->dv);
        free(copy->kernel);
        return dv_no_memory(error_out);
    }
    link_row(samples, samples->n_rows++);
    return 0;
}

/* A sample is known by start, round, cell and kernel: of two, as a process leaves them that was killed while it measured
 * a block again, the later one counts. */
static struct sample_row *find_same(const struct samples *samples, const struct sample_row *row)
{
    for (size_t i = samples_last_of(samples, row->cell); i; i = samples->rows[i - 1].n_before) {
        struct sample_row *other = &samples->rows[i - 1];
        if (other->start == row->start && other->round == row->round &&
            strcmp(other->kernel, row->kernel) == 0)
            return other;
    }
    return NULL;
}

/* -1 where the cell is empty. */
static int64_t integer_at(const struct csv_table *table, size_t row, enum csv_column column)
{
    uint64_t value;
    return csv_unsigned(table, row, column, &value) && value <= INT64_MAX ? (int64_t)value : -1;
}

static int load_row(struct samples *samples, const struct csv_table *table, size_t i,
                    struct dv_error *error_out)
{
    const int sink = sink_find(csv_text(table, i, CSV_samples_sink)),
              mode = mode_find(csv_text(table, i, CSV_samples_mode));
    if (sink < 0 || mode < 0)
        return dv_fail(error_out, DV_ERROR_INPUT, "%s: row %zu: unknown sink or mode", samples->path, i + 1);
    struct sample_row row = {.dv = (char *)csv_text(table, i, CSV_samples_dv), /* copied by remember */
                             .kernel = (char *)csv_text(table, i, CSV_samples_kernel),
                             .sink = sink,
                             .mode = mode,
                             .batch_rows = (uint32_t)integer_at(table, i, CSV_samples_batch_rows),
                             .start = (int)integer_at(table, i, CSV_samples_start),
                             .round = (int)integer_at(table, i, CSV_samples_round),
                             .order = (int)integer_at(table, i, CSV_samples_order)};
    snprintf(row.cell, sizeof row.cell, "%s", csv_text(table, i, CSV_samples_cell));
    row.sample = (struct measure_sample){.ns_per_row = csv_real(table, i, CSV_samples_ns_per_row),
                                         .n_iterations = integer_at(table, i, CSV_samples_iterations),
                                         .n_page_faults = integer_at(table, i, CSV_samples_page_faults),
                                         .n_cpu_migrations = integer_at(table, i, CSV_samples_cpu_migrations),
                                         .mhz = csv_real(table, i, CSV_samples_mhz)};
    snprintf(row.sample.taint, sizeof row.sample.taint, "%s", csv_text(table, i, CSV_samples_taint));
    struct sample_row *same = find_same(samples, &row);
    if (!same)
        return remember(samples, &row, error_out);
    same->order = row.order;
    same->sample = row.sample;
    return 0;
}

static void set_count(struct csv_writer *writer, enum csv_column column, int64_t count)
{
    if (count >= 0) /* else unknown */
        csv_set_integer(writer, column, count);
}

static int write_row(struct csv_writer *writer, const char *run, const struct sample_row *row,
                     struct dv_error *error_out)
{
    csv_set_text(writer, CSV_samples_run, run);
    csv_set_text(writer, CSV_samples_cell, row->cell);
    csv_set_text(writer, CSV_samples_dv, row->dv);
    csv_set_text(writer, CSV_samples_kernel, row->kernel);
    csv_set_text(writer, CSV_samples_sink, sink_id(row->sink));
    csv_set_unsigned(writer, CSV_samples_batch_rows, row->batch_rows);
    csv_set_text(writer, CSV_samples_mode, mode_id(row->mode));
    csv_set_integer(writer, CSV_samples_start, row->start);
    csv_set_integer(writer, CSV_samples_round, row->round);
    csv_set_integer(writer, CSV_samples_order, row->order);
    csv_set_integer(writer, CSV_samples_iterations, row->sample.n_iterations);
    csv_set_real(writer, CSV_samples_ns_per_row, row->sample.ns_per_row);
    set_count(writer, CSV_samples_page_faults, row->sample.n_page_faults);
    set_count(writer, CSV_samples_cpu_migrations, row->sample.n_cpu_migrations);
    csv_set_real(writer, CSV_samples_mhz, row->sample.mhz);
    if (*row->sample.taint)
        csv_set_text(writer, CSV_samples_taint, row->sample.taint);
    return csv_end_row(writer, error_out);
}

/* Writes what is in memory to a file next to it, and puts that in the file's place. */
static int rewrite(struct samples *samples, struct dv_error *error_out)
{
    char *part = NULL;
    if (asprintf(&part, "%s.part", samples->path) < 0)
        return dv_no_memory(error_out);
    struct csv_writer *writer = NULL;
    int status = csv_create(&writer, part, CSV_FILE_samples, error_out);
    for (size_t i = 0; status == 0 && i < samples->n_rows; i++)
        status = write_row(writer, samples->run, &samples->rows[i], error_out);
    int closed = csv_close(writer, status == 0 ? error_out : NULL);
    if (status == 0)
        status = closed;
    if (status == 0)
        status = csv_close(samples->writer, error_out);
    if (status == 0) {
        samples->writer = NULL;
        status = file_replace(samples->path, part, error_out);
    }
    if (status == 0)
        status = csv_append(&samples->writer, samples->path, CSV_FILE_samples, error_out);
    if (status < 0)
        unlink(part); /* of a full disk it would keep the last bytes */
    samples->is_stale = status < 0;
    free(part);
    return status;
}

/* Rows of one DV, sink, batch size and mode. */
static bool is_same_block(const struct sample_row *a, const struct sample_row *b)
{
    return a->sink == b->sink && a->batch_rows == b->batch_rows && a->mode == b->mode &&
           strcmp(a->dv, b->dv) == 0;
}

/* The name of a block's cells without the kernel; NULL without memory. */
static char *block_name(const char *dv, enum sink_kind sink, uint32_t batch_rows, enum sweep_mode mode)
{
    char batch[16];
    snprintf(batch, sizeof batch, "%u", (unsigned)batch_rows);
    return cell_name_format("", sink_id(sink), dv, batch, mode_id(mode));
}

/* So that a block of which nothing was measured yet, as are most, need not be looked for among all rows. */
static int note_loaded(struct samples *samples, struct dv_error *error_out)
{
    samples->loaded = json_object();
    samples->n_loaded = samples->n_rows;
    for (size_t i = 0; i < samples->n_rows; i++) {
        const struct sample_row *row = &samples->rows[i];
        if (i > 0 && is_same_block(row, &row[-1]))
            continue;
        char *name = block_name(row->dv, row->sink, row->batch_rows, row->mode);
        const int status = name ? json_object_set_new_nocheck(samples->loaded, name, json_true()) : -1;
        free(name);
        if (status < 0)
            return dv_no_memory(error_out);
    }
    return 0;
}

int samples_open(struct samples *samples_out, const char *dir, const char *run, struct dv_error *error_out)
{
    *samples_out = (struct samples){.run = run};
    if (!(samples_out->path = run_dir_file(dir, "samples.csv")))
        return dv_no_memory(error_out);
    struct csv_table *table = NULL;
    int status = csv_load_begun(&table, samples_out->path, CSV_FILE_samples, error_out);
    for (size_t i = 0; status == 0 && table && i < csv_n_rows(table); i++)
        status = load_row(samples_out, table, i, error_out);
    /* Rows of this build must not follow a header that lacks a column. */
    const bool must_rewrite = status == 0 && table &&
                              (samples_out->n_rows < csv_n_rows(table) || !csv_has(table, CSV_samples_taint));
    csv_free(table);
    if (status == 0)
        status = note_loaded(samples_out, error_out);
    if (status < 0)
        return status;
    return must_rewrite ? rewrite(samples_out, error_out)
                        : csv_append(&samples_out->writer, samples_out->path, CSV_FILE_samples, error_out);
}

int samples_add(struct samples *samples, const struct sample_row *row, struct dv_error *error_out)
{
    int status = remember(samples, row, error_out);
    return status < 0 ? status : write_row(samples->writer, samples->run, row, error_out);
}

size_t samples_count(const struct samples *samples, const char *cell, int start)
{
    size_t n = 0;
    for (size_t i = samples_last_of(samples, cell); i; i = samples->rows[i - 1].n_before)
        n += start < 0 || samples->rows[i - 1].start == start;
    return n;
}

const char *samples_twin_hash(const char *cell, char twin_out[CELL_HASH_CHARS + 1])
{
    snprintf(twin_out, CELL_HASH_CHARS + 1, "%s", cell);
    twin_out[0] = twin_out[0] == 'a' ? 'b' : 'a';
    return twin_out;
}

bool samples_is_twin(const struct sample_row *row)
{
    const size_t n = strlen(row->kernel), n_suffix = strlen(SAMPLES_TWIN_SUFFIX);
    return n > n_suffix && strcmp(row->kernel + n - n_suffix, SAMPLES_TWIN_SUFFIX) == 0;
}

void samples_stretch(const struct samples *samples, size_t row, size_t *first_out, size_t *end_out)
{
    const struct sample_row *rows = samples->rows, *of = &rows[row];
    size_t first = row, end = row + 1;
    while (first > 0 && rows[first - 1].start == of->start && is_same_block(&rows[first - 1], of))
        first--;
    while (end < samples->n_rows && rows[end].start == of->start && is_same_block(&rows[end], of))
        end++;
    *first_out = first;
    *end_out = end;
}

/* Keeps the rows for which `drop` is not set. */
static int compact(struct samples *samples, const bool *drop, struct dv_error *error_out)
{
    size_t n_kept = 0;
    const size_t n_rows = samples->n_rows;
    for (size_t i = 0; i < n_rows; i++) {
        if (drop[i]) {
            free(samples->rows[i].dv);
            free(samples->rows[i].kernel);
        } else {
            samples->rows[n_kept++] = samples->rows[i];
        }
    }
    samples->n_rows = n_kept;
    if (n_kept == n_rows)
        return 0;
    samples->n_loaded = n_kept; /* those of now may be among what is looked through: there are few */
    samples->is_stale = true;
    return link_all(samples, error_out);
}

int samples_tidy(struct samples *samples, struct dv_error *error_out)
{
    return samples->is_stale ? rewrite(samples, error_out) : 0;
}

int samples_drop_block(struct samples *samples, const char *dv, const struct plan_block *block, int start,
                       struct dv_error *error_out)
{
    const struct sample_row like = {.dv = (char *)(uintptr_t)dv, /* only read */
                                    .sink = block->sink,
                                    .batch_rows = block->batch_rows,
                                    .mode = block->mode};
    char *name = block_name(dv, block->sink, block->batch_rows, block->mode);
    const bool is_there = name && json_object_get(samples->loaded, name);
    bool *drop = is_there ? calloc(samples->n_rows + 1, sizeof *drop) : NULL;
    free(name);
    if (!name || (is_there && !drop))
        return dv_no_memory(error_out);
    if (!is_there)
        return 0;
    /* What this process measured it does not measure again. */
    for (size_t i = 0; i < samples->n_loaded; i++)
        drop[i] = is_same_block(&samples->rows[i], &like) && (start < 0 || samples->rows[i].start == start);
    int status = compact(samples, drop, error_out);
    free(drop);
    return status < 0 || start < 0 ? status : samples_tidy(samples, error_out);
}

/* A twin's hash differs from its cell's in the first digit. */
static bool is_of_cell(const struct sample_row *row, const char *cell)
{
    return strcmp(row->cell, cell) == 0 || (samples_is_twin(row) && strcmp(row->cell + 1, cell + 1) == 0);
}

int samples_drop_cell(struct samples *samples, const char *cell, struct dv_error *error_out)
{
    bool *drop = calloc(samples->n_rows + 1, sizeof *drop);
    if (!drop)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < samples->n_rows; i++)
        drop[i] = is_of_cell(&samples->rows[i], cell);
    int status = compact(samples, drop, error_out);
    free(drop);
    return status < 0 ? status : samples_tidy(samples, error_out);
}

int samples_close(struct samples *samples, struct dv_error *error_out)
{
    int status = samples_tidy(samples, error_out);
    const int closed = csv_close(samples->writer, status == 0 ? error_out : NULL);
    for (size_t i = 0; i < samples->n_rows; i++) {
        free(samples->rows[i].dv);
        free(samples->rows[i].kernel);
    }
    free(samples->rows);
    free(samples->slots);
    free(samples->path);
    json_decref(samples->loaded);
    *samples = (struct samples){0};
    return status < 0 ? status : closed;
}
