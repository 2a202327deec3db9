/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_write.h"
#include "run_dir.h"
#include "store_bound.h"
#include "summary.h"
#include "summary_rows.h"

static struct block_cell *find_cell(const struct block_result *result, const char *hash)
{
    for (size_t i = 0; i < result->n_cells; i++)
        if (strcmp(result->cells[i].hash, hash) == 0)
            return &result->cells[i];
    return NULL;
}

/* The cells whose old rows give way to what was measured now, false where their counts stay; NULL without memory. */
static json_t *cells_of(const struct summary_block *blocks, size_t n_blocks)
{
    json_t *cells = json_object();
    int status = cells ? 0 : -1;
    for (size_t b = 0; b < n_blocks; b++) {
        for (size_t i = 0; status == 0 && i < blocks[b].replaced.n_items; i++)
            status = json_object_set_new_nocheck(cells, blocks[b].replaced.items[i], json_true());
        for (size_t i = 0; status == 0 && i < blocks[b].result.n_cells; i++)
            status = json_object_set_new_nocheck(cells, blocks[b].result.cells[i].hash,
                                                 json_boolean(!blocks[b].result.cells[i].is_counted));
    }
    if (status == 0)
        return cells;
    json_decref(cells);
    return NULL;
}

static int keep_rows(struct csv_writer *writer, const struct csv_table *table, const json_t *measured,
                     const struct noise *noise, struct dv_error *error_out)
{
    for (size_t i = 0; table && i < csv_n_rows(table); i++) {
        if (json_object_get(measured, csv_text(table, i, CSV_summary_cell)))
            continue;
        int status = summary_copy_row(writer, table, i, noise, error_out);
        if (status < 0)
            return status;
    }
    return 0;
}

/* Opens NAME.part to write, and the old file to copy from. */
static int begin_rewrite(const char *dir, const char *name, enum csv_file file, char **path_out,
                         struct csv_table **old_out, struct csv_writer **writer_out,
                         struct dv_error *error_out)
{
    char *part = NULL;
    *old_out = NULL;
    *writer_out = NULL;
    if (asprintf(path_out, "%s/%s", dir, name) < 0) {
        *path_out = NULL;
        return dv_no_memory(error_out);
    }
    int status = csv_load_begun(old_out, *path_out, file, error_out);
    if (status == 0 && asprintf(&part, "%s.part", *path_out) < 0)
        status = dv_no_memory(error_out);
    if (status == 0) {
        status = csv_create(writer_out, part, file, error_out);
        free(part);
    }
    return status;
}

/* Closes what begin_rewrite opened and, if all went well, puts the new file in the old one's place. */
static int end_rewrite(char *path, struct csv_table *old, struct csv_writer *writer, int status,
                       struct dv_error *error_out)
{
    char *part = NULL;
    int closed = csv_close(writer, status == 0 ? error_out : NULL);
    if (status == 0)
        status = closed;
    if (path && asprintf(&part, "%s.part", path) < 0) {
        part = NULL;
        status = status < 0 ? status : dv_no_memory(error_out);
    }
    if (status == 0)
        status = file_replace(path, part, error_out);
    if (status < 0 && part)
        unlink(part); /* of a full disk it would keep the last bytes */
    free(part);
    free(path);
    csv_free(old);
    return status;
}

static int update_rows(const struct summary_facts *facts, const struct summary_block *blocks, size_t n_blocks,
                       const json_t *measured, const struct samples *samples, struct dv_error *error_out)
{
    char *path;
    struct csv_table *old;
    struct csv_writer *writer;
    struct noise noise = {0};
    int status = begin_rewrite(facts->dir, "summary.csv", CSV_FILE_summary, &path, &old, &writer, error_out);
    if (status == 0)
        status = noise_measure(&noise, samples, error_out);
    if (status == 0)
        status = keep_rows(writer, old, measured, &noise, error_out);
    for (size_t b = 0; status == 0 && b < n_blocks; b++)
        status = summary_write_block(writer, facts, &blocks[b].result, samples, &noise, error_out);
    noise_free(&noise);
    return end_rewrite(path, old, writer, status, error_out);
}

static int write_event(struct csv_writer *writer, const struct summary_facts *facts, const char *cell,
                       const struct counter_value *value, struct dv_error *error_out)
{
    csv_set_text(writer, CSV_counters_run, facts->run);
    csv_set_text(writer, CSV_counters_cell, cell);
    csv_set_text(writer, CSV_counters_event, value->event);
    csv_set_text(writer, CSV_counters_encoding, value->encoding);
    csv_set_text(writer, CSV_counters_source, value->source);
    csv_set_integer(writer, CSV_counters_pass, value->pass);
    csv_set_real(writer, CSV_counters_value_per_row, value->value_per_row);
    csv_set_text(writer, CSV_counters_status, value->status);
    return csv_end_row(writer, error_out);
}

static int write_events(struct csv_writer *writer, const struct summary_facts *facts,
                        const struct block_result *result, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < result->n_cells; i++)
        for (size_t e = 0; status == 0 && e < result->cells[i].counters.n_values; e++)
            status = write_event(writer, facts, result->cells[i].hash, &result->cells[i].counters.values[e],
                                 error_out);
    return status;
}

static int update_events(const struct summary_facts *facts, const struct summary_block *blocks,
                         size_t n_blocks, const json_t *measured, const struct counters *counters,
                         struct dv_error *error_out)
{
    char *path;
    struct csv_table *old;
    struct csv_writer *writer;
    struct counter_value calibration[COUNTERS_CALIBRATION_VALUES];
    size_t n_calibration = counters_calibration(counters, calibration);
    int status =
        begin_rewrite(facts->dir, "counters.csv", CSV_FILE_counters, &path, &old, &writer, error_out);
    for (size_t i = 0; status == 0 && i < n_calibration; i++)
        status = write_event(writer, facts, COUNTERS_CALIBRATION_CELL, &calibration[i], error_out);
    for (size_t i = 0; status == 0 && old && i < csv_n_rows(old); i++) {
        const char *cell = csv_text(old, i, CSV_counters_cell);
        if (json_is_true(json_object_get(measured, cell)) || strcmp(cell, COUNTERS_CALIBRATION_CELL) == 0)
            continue;
        csv_copy_row(writer, old, i);
        status = csv_end_row(writer, error_out);
    }
    for (size_t b = 0; status == 0 && b < n_blocks; b++)
        status = write_events(writer, facts, &blocks[b].result, error_out);
    return end_rewrite(path, old, writer, status, error_out);
}

static int write_threads(struct csv_writer *writer, const struct summary_facts *facts,
                         const struct block_result *result, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < result->n_threads; i++) {
        const struct threads_row *row = &result->threads[i];
        csv_set_text(writer, CSV_threads_run, facts->run);
        csv_set_text(writer, CSV_threads_cell, row->cell ? row->cell->hash : result->bound_hash);
        csv_set_text(writer, CSV_threads_dv, result->dv);
        csv_set_text(writer, CSV_threads_kernel, row->cell ? row->cell->kernel->id : SAMPLES_BOUND);
        csv_set_text(writer, CSV_threads_sink, sink_id(result->plan->sink));
        csv_set_unsigned(writer, CSV_threads_batch_rows, result->plan->batch_rows);
        csv_set_text(writer, CSV_threads_mode, mode_id(result->plan->mode));
        csv_set_text(writer, CSV_threads_vectors, row->is_shared ? "shared" : "own");
        csv_set_integer(writer, CSV_threads_threads, row->n_threads);
        csv_set_unsigned(writer, CSV_threads_cores, row->n_cores);
        csv_set_text(writer, CSV_threads_verdict, verdict_id(row->verdict.kind));
        csv_set_text(writer, CSV_threads_reason, row->verdict.reason);
        csv_set_unsigned(writer, CSV_threads_samples, row->rows_per_s.n_samples);
        csv_set_unsigned(writer, CSV_threads_tainted_samples, row->n_tainted);
        csv_set_real(writer, CSV_threads_rows_per_s, row->rows_per_s.median);
        csv_set_real(writer, CSV_threads_rows_per_s_low, row->rows_per_s.interval.low);
        csv_set_real(writer, CSV_threads_rows_per_s_high, row->rows_per_s.interval.high);
        csv_set_real(writer, CSV_threads_thread_ns_per_row, row->thread_ns_per_row);
        csv_set_real(writer, CSV_threads_scaling, row->scaling.median);
        csv_set_real(writer, CSV_threads_scaling_low, row->scaling.interval.low);
        csv_set_real(writer, CSV_threads_scaling_high, row->scaling.interval.high);
        csv_set_real(writer, CSV_threads_pct_of_bound, row->pct_of_bound);
        status = csv_end_row(writer, error_out);
    }
    return status;
}

/* Whether a block that has new rows, or none that still holds, had this one. */
static bool is_threads_row_replaced(const struct summary_block *blocks, size_t n_blocks, const char *cell)
{
    for (size_t b = 0; b < n_blocks; b++) {
        const struct block_result *result = &blocks[b].result;
        for (size_t i = 0; i < blocks[b].replaced.n_items; i++)
            if (strcmp(blocks[b].replaced.items[i], cell) == 0)
                return true;
        if (result->n_threads == 0)
            continue;
        if (strcmp(result->bound_hash, cell) == 0)
            return true;
        for (size_t i = 0; i < result->n_cells; i++)
            if (strcmp(result->cells[i].hash, cell) == 0)
                return true;
    }
    return false;
}

static int update_threads(const struct summary_facts *facts, const struct summary_block *blocks,
                          size_t n_blocks, struct dv_error *error_out)
{
    char *path;
    struct csv_table *old;
    struct csv_writer *writer;
    int status = begin_rewrite(facts->dir, run_dir_csv_name(CSV_FILE_threads), CSV_FILE_threads, &path, &old,
                               &writer, error_out);
    for (size_t i = 0; status == 0 && old && i < csv_n_rows(old); i++) {
        if (is_threads_row_replaced(blocks, n_blocks, csv_text(old, i, CSV_threads_cell)))
            continue;
        csv_copy_row(writer, old, i);
        status = csv_end_row(writer, error_out);
    }
    for (size_t b = 0; status == 0 && b < n_blocks; b++)
        status = write_threads(writer, facts, &blocks[b].result, error_out);
    return end_rewrite(path, old, writer, status, error_out);
}

static bool have_threads(const struct summary_block *blocks, size_t n_blocks)
{
    for (size_t b = 0; b < n_blocks; b++)
        if (blocks[b].result.n_threads)
            return true;
    return false;
}

int summary_update(const struct summary_facts *facts, const struct summary_block *blocks, size_t n_blocks,
                   const struct samples *samples, const struct counters *counters, struct dv_error *error_out)
{
    json_t *measured = cells_of(blocks, n_blocks);
    int status = measured ? update_rows(facts, blocks, n_blocks, measured, samples, error_out)
                          : dv_no_memory(error_out);
    if (status == 0 && counters)
        status = update_events(facts, blocks, n_blocks, measured, counters, error_out);
    if (status == 0 && (run_dir_has(facts->dir, CSV_FILE_threads) || have_threads(blocks, n_blocks)))
        status = update_threads(facts, blocks, n_blocks, error_out);
    json_decref(measured);
    return status;
}

void summary_block_free(struct summary_block *block)
{
    block_result_free(&block->result);
    strings_free(&block->replaced);
}

/* --- questions to a summary --- */

static int load_table(struct csv_table **table_out, const char *dir, enum csv_file file,
                      struct dv_error *error_out)
{
    char *path = run_dir_file(dir, run_dir_csv_name(file));
    *table_out = NULL;
    if (!path)
        return dv_no_memory(error_out);
    int status = csv_load_begun(table_out, path, file, error_out);
    free(path);
    return status;
}

/* What makes a block: of a row or of what is looked for. */
struct block_key {
    const char *dv, *sink, *mode;
    uint64_t batch_rows;
};

static struct block_key key_of_row(const struct csv_table *table, size_t row)
{
    struct block_key key = {.dv = csv_text(table, row, CSV_summary_dv),
                            .sink = csv_text(table, row, CSV_summary_sink),
                            .mode = csv_text(table, row, CSV_summary_mode)};
    csv_unsigned(table, row, CSV_summary_batch_rows, &key.batch_rows);
    return key;
}

static int compare_keys(struct block_key a, struct block_key b)
{
    const int by_dv = strcmp(a.dv, b.dv), by_sink = strcmp(a.sink, b.sink), by_mode = strcmp(a.mode, b.mode);
    return by_dv     ? by_dv
           : by_sink ? by_sink
           : by_mode ? by_mode
                     : (a.batch_rows > b.batch_rows) - (a.batch_rows < b.batch_rows);
}

/* Rows of a block stay in the order of the file. */
static int compare_rows(const void *a, const void *b, void *table)
{
    const size_t one = *(const size_t *)a, other = *(const size_t *)b;
    const int by_block = compare_keys(key_of_row(table, one), key_of_row(table, other));
    return by_block ? by_block : (one > other) - (one < other);
}

int summary_load(struct summary_found *found_out, const char *dir, struct dv_error *error_out)
{
    *found_out = (struct summary_found){0};
    int status = load_table(&found_out->table, dir, CSV_FILE_summary, error_out);
    if (status == 0)
        status = load_table(&found_out->threads, dir, CSV_FILE_threads, error_out);
    if (status < 0)
        summary_found_free(found_out);
    const size_t n_rows = status == 0 && found_out->table ? csv_n_rows(found_out->table) : 0;
    if (n_rows == 0)
        return status;
    if (!(found_out->rows = calloc(n_rows, sizeof *found_out->rows))) {
        summary_found_free(found_out);
        return dv_no_memory(error_out);
    }
    for (size_t i = 0; i < n_rows; i++)
        found_out->rows[i] = i;
    qsort_r(found_out->rows, n_rows, sizeof *found_out->rows, compare_rows, found_out->table);
    return 0;
}

void summary_found_free(struct summary_found *found)
{
    csv_free(found->table);
    csv_free(found->threads);
    free(found->rows);
    *found = (struct summary_found){0};
}

/* The first place in `rows` whose block is not before `key`. */
static size_t first_of_block(const struct summary_found *found, struct block_key key)
{
    size_t low = 0, high = found->table ? csv_n_rows(found->table) : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_keys(key_of_row(found->table, found->rows[middle]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the row needs nothing more from this start. */
static bool is_row_done(const struct csv_table *table, size_t row, const struct samples *samples, int start,
                        size_t n_rounds)
{
    return strcmp(csv_text(table, row, CSV_summary_verdict), "ok") != 0 ||
           (samples_count(samples, csv_text(table, row, CSV_summary_cell), start) >= n_rounds &&
            !isnan(csv_real(table, row, CSV_summary_open_ns)));
}

/* A cut may have taken samples of the bound and of the twins only. */
static bool has_bound_and_twins(const struct block_result *result, const struct samples *samples, int start,
                                size_t n_rounds)
{
    bool is_measured = false, has_twins = false, is_cut = false;
    for (size_t i = 0; i < result->n_cells; i++) {
        char hash[CELL_HASH_CHARS + 1];
        is_measured |= samples_count(samples, result->cells[i].hash, start) > 0;
        const size_t n = samples_count(samples, samples_twin_hash(result->cells[i].hash, hash), start);
        has_twins |= n > 0;
        is_cut |= n > 0 && n < n_rounds; /* more is fine: the run may have been asked for more before */
    }
    return !is_measured || (has_twins && !is_cut &&
                            (!store_bound(result->plan->sink) ||
                             samples_count(samples, result->bound_hash, start) >= n_rounds));
}

bool summary_has_samples(const struct block_result *result, const struct samples *samples, int start,
                         size_t n_rounds)
{
    for (size_t i = 0; i < result->n_cells; i++)
        if (result->cells[i].verdict.kind == VERDICT_OK &&
            samples_count(samples, result->cells[i].hash, start) < n_rounds)
            return false;
    return has_bound_and_twins(result, samples, start, n_rounds);
}

/* Simulated and stepped instructions are the same in every process of a program: they are counted once. */
static void take_counts(struct block_cell *cell, const struct csv_table *table, size_t row)
{
    static const char *const exact[] = {"sim", "step"};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        struct counters_result *counters = &cell->counters;
        if (strcmp(csv_text(table, row, CSV_summary_counter_source), exact[i]) != 0 ||
            isnan(csv_real(table, row, CSV_summary_instructions_per_row)))
            continue;
        *counters = (struct counters_result){
            .instructions_per_row = csv_real(table, row, CSV_summary_instructions_per_row),
            .branches_per_row = csv_real(table, row, CSV_summary_branches_per_row),
            .branch_misses_per_row = csv_real(table, row, CSV_summary_branch_misses_per_row),
            .core_cycles_per_row = csv_real(table, row, CSV_summary_core_cycles_per_row),
            .ipc = csv_real(table, row, CSV_summary_ipc),
            .source = exact[i]};
        snprintf(counters->status, sizeof counters->status, "%s",
                 csv_text(table, row, CSV_summary_counter_status));
        cell->is_counted = true;
    }
}

/* Whether threads.csv has a row of every count and every cell that can have one. */
static bool has_threads(const struct block_result *result, const struct csv_table *table,
                        const struct sweep_options *options)
{
    const bool is_shared = block_shares_dv(result->plan, options);
    for (size_t i = 0; i < result->n_cells; i++) {
        size_t n_found = 0;
        if (result->cells[i].verdict.kind != VERDICT_OK)
            continue;
        for (size_t row = 0; table && row < csv_n_rows(table); row++)
            for (size_t t = 0; t < options->n_threads; t++)
                n_found += strcmp(csv_text(table, row, CSV_threads_cell), result->cells[i].hash) == 0 &&
                           csv_real(table, row, CSV_threads_threads) == options->threads[t] &&
                           (strcmp(csv_text(table, row, CSV_threads_vectors), "shared") == 0) == is_shared;
        if (n_found < options->n_threads)
            return false;
    }
    return true;
}

int summary_find_block(struct summary_block *block, bool *is_done_out, const struct summary_found *found,
                       const struct samples *samples, int start, const struct sweep_options *options,
                       struct dv_error *error_out)
{
    const size_t n_rounds = (size_t)options->rounds;
    const struct csv_table *table = found->table;
    const struct plan_block *plan = block->result.plan;
    const struct block_key key = {block->result.dv, sink_id(plan->sink), mode_id(plan->mode),
                                  plan->batch_rows};
    size_t n_done = 0;
    for (size_t place = first_of_block(found, key);
         table && place < csv_n_rows(table) && compare_keys(key_of_row(table, found->rows[place]), key) == 0;
         place++) {
        const size_t i = found->rows[place];
        const char *hash = csv_text(table, i, CSV_summary_cell);
        struct block_cell *cell = find_cell(&block->result, hash);
        if (!cell && strings_add(&block->replaced, hash, strlen(hash)))
            return dv_no_memory(error_out);
        if (!cell)
            continue;
        n_done += is_row_done(table, i, samples, start, n_rounds);
        take_counts(cell, table, i);
        if (strcmp(csv_text(table, i, CSV_summary_verdict), "wrong") == 0) {
            cell->verdict.kind = VERDICT_WRONG;
            snprintf(cell->verdict.reason, sizeof cell->verdict.reason, "%s",
                     csv_text(table, i, CSV_summary_reason));
        }
    }
    block->result.has_threads = has_threads(&block->result, found->threads, options);
    *is_done_out = n_done == block->result.n_cells &&
                   has_bound_and_twins(&block->result, samples, start, n_rounds) &&
                   (options->n_threads == 0 || block->result.has_threads);
    return 0;
}

size_t summary_count(const char *dir)
{
    struct csv_table *table;
    const size_t n = load_table(&table, dir, CSV_FILE_summary, NULL) == 0 && table ? csv_n_rows(table) : 0;
    csv_free(table);
    return n;
}

size_t summary_count_verdict(const char *dir, const char *verdict)
{
    struct csv_table *table;
    size_t n = 0;
    const int status = load_table(&table, dir, CSV_FILE_summary, NULL);
    for (size_t i = 0; status == 0 && table && i < csv_n_rows(table); i++)
        n += strcmp(csv_text(table, i, CSV_summary_verdict), verdict) == 0;
    csv_free(table);
    return n;
}
