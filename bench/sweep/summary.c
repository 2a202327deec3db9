/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_write.h"
#include "noise.h"
#include "run_dir.h"
#include "stats.h"
#include "store_bound.h"
#include "summary.h"

/* --- statistics of one cell --- */

struct cell_statistics {
    struct stats_summary time;
    struct stats_summary speedup; /* per_row over this kernel, paired by start and round */
    double mhz;                   /* median */
};

/* What a row of the file pays for opening the vector, where that is when the kernel does its work. */
static double opening_per_row(const struct block_result *result, const struct block_cell *cell)
{
    return cell->kernel->flags & KERNEL_WORKS_AT_OPEN ? cell->open_ns / (double)result->n_rows : 0;
}

/* The other cell's sample of the same round and start. */
static const struct sample_row *partner(const struct samples *samples, const char *cell, size_t of)
{
    size_t first, end;
    samples_stretch(samples, of, &first, &end);
    for (size_t i = first; i < end; i++)
        if (samples->rows[i].round == samples->rows[of].round && strcmp(samples->rows[i].cell, cell) == 0)
            return &samples->rows[i];
    return NULL;
}

/* `opening` in ns per row belongs to each sample where speeds are compared. */
static int cell_statistics(struct cell_statistics *statistics_out, const struct samples *samples,
                           const char *cell, const char *baseline_cell, double opening)
{
    const size_t n_rows = samples_count(samples, cell, -1);
    double *times = calloc(n_rows + 1, sizeof *times), *baseline = calloc(n_rows + 1, sizeof *baseline),
           *mhz = calloc(n_rows + 1, sizeof *mhz);
    size_t n = 0;
    int status = times && baseline && mhz ? 0 : DV_ERROR_MEMORY;
    for (size_t i = samples_last_of(samples, cell); status == 0 && i; i = samples->rows[i - 1].n_before) {
        const struct sample_row *other = partner(samples, baseline_cell, i - 1);
        times[n] = samples->rows[i - 1].sample.ns_per_row;
        mhz[n] = samples->rows[i - 1].sample.mhz;
        baseline[n++] = other ? other->sample.ns_per_row : NAN;
    }
    if (status == 0)
        status = stats_summarise(&statistics_out->time, times, n);
    if (status == 0)
        statistics_out->mhz = stats_median(mhz, n);
    for (size_t i = 0; i < n; i++)
        times[i] += opening;
    if (status == 0)
        status = stats_summarise_ratios(&statistics_out->speedup, baseline, times, n);
    free(times);
    free(baseline);
    free(mhz);
    return status;
}

/* --- doubts: times that cannot be --- */

/* More than any CPU of today retires in a cycle. */
#define MAX_IPC 10

#define DOUBT_RETIRED "more instructions per cycle than a CPU retires"

static bool retires_too_much(double instructions_per_row, double ns_per_row, double mhz)
{
    return instructions_per_row / (ns_per_row * mhz / 1000) > MAX_IPC; /* false where one is unknown */
}

/* A time below the bound by more than the noise, unless that is unknown. */
static void set_doubts(struct csv_writer *writer, bool retires_too_much, double pct_of_bound,
                       double noise_floor)
{
    const bool is_below = pct_of_bound > 100 + (isnan(noise_floor) ? 0 : noise_floor);
    char text[128];
    snprintf(text, sizeof text, "%s%s%s", is_below ? "below the store bound" : "",
             is_below && retires_too_much ? "; " : "", retires_too_much ? DOUBT_RETIRED : "");
    csv_set_text(writer, CSV_summary_doubts, text);
}

/* --- rows --- */

static void set_run_and_dv(struct csv_writer *writer, const struct summary_facts *facts,
                           const struct block_result *result)
{
    char digest[17];
    snprintf(digest, sizeof digest, "%016" PRIx64, result->digest);
    csv_set_text(writer, CSV_summary_run, facts->run);
    csv_set_text(writer, CSV_summary_machine, facts->machine);
    csv_set_text(writer, CSV_summary_cpu, facts->cpu);
    csv_set_text(writer, CSV_summary_croaring, dv_croaring_version());
    csv_set_text(writer, CSV_summary_compiler, facts->compiler);
    csv_set_text(writer, CSV_summary_dv, result->dv);
    csv_set_unsigned(writer, CSV_summary_dv_bytes, result->n_payload_bytes);
    csv_set_text(writer, CSV_summary_dv_digest, digest);
    csv_set_text(writer, CSV_summary_recipe, result->recipe);
    csv_set_text(writer, CSV_summary_axis, result->plan->axis);
    csv_set_text(writer, CSV_summary_axis_value, result->plan->axis_value);
    csv_set_unsigned(writer, CSV_summary_rows, result->n_rows);
    csv_set_real(writer, CSV_summary_rate,
                 result->n_rows ? (double)result->n_deleted / (double)result->n_rows : NAN);
    csv_set_unsigned(writer, CSV_summary_deleted, result->n_deleted);
    csv_set_unsigned(writer, CSV_summary_chunks, result->n_containers);
    csv_set_unsigned(writer, CSV_summary_array_containers, result->n_kind[DV_ARRAY]);
    csv_set_unsigned(writer, CSV_summary_bitset_containers, result->n_kind[DV_BITSET]);
    csv_set_unsigned(writer, CSV_summary_run_containers, result->n_kind[DV_RUN]);
    if (result->seed)
        csv_set_unsigned(writer, CSV_summary_seed, result->seed);
    csv_set_text(writer, CSV_summary_sink, sink_id(result->plan->sink));
    csv_set_unsigned(writer, CSV_summary_batch_rows, result->plan->batch_rows);
    csv_set_unsigned(writer, CSV_summary_batches, result->n_batches);
    csv_set_text(writer, CSV_summary_mode, mode_id(result->plan->mode));
}

/* `reason` of a right cell says that its passes visit a part of the file; of the others, why they have no
 * time. */
static void set_cell(struct csv_writer *writer, const struct block_result *result,
                     const struct block_cell *cell)
{
    csv_set_text(writer, CSV_summary_cell, cell->hash);
    csv_set_text(writer, CSV_summary_kernel, cell->kernel->id);
    csv_set_text(writer, CSV_summary_isa, isa_id(cell->kernel->isa));
    csv_set_text(writer, CSV_summary_technique, cell->kernel->technique);
    csv_set_unsigned(writer, CSV_summary_works_at_open, (cell->kernel->flags & KERNEL_WORKS_AT_OPEN) != 0);
    csv_set_text(writer, CSV_summary_verdict, verdict_id(cell->verdict.kind));
    csv_set_text(writer, CSV_summary_reason, cell->verdict.reason);
    if (cell->verdict.kind == VERDICT_OK && result->is_sample && result->plan->mode != MODE_replay)
        csv_set_text(writer, CSV_summary_reason, "sampled batches");
}

static void set_times(struct csv_writer *writer, const struct block_result *result,
                      const struct block_cell *cell, const struct cell_statistics *statistics,
                      double bound_ns)
{
    const double ns = statistics->time.median;
    const uint64_t batch_rows =
        result->n_rows < result->plan->batch_rows ? result->n_rows : result->plan->batch_rows;
    csv_set_unsigned(writer, CSV_summary_samples, statistics->time.n_samples);
    csv_set_real(writer, CSV_summary_ns_per_row, ns);
    csv_set_real(writer, CSV_summary_ns_per_row_mad, statistics->time.mad);
    csv_set_real(writer, CSV_summary_ns_per_row_low, statistics->time.interval.low);
    csv_set_real(writer, CSV_summary_ns_per_row_high, statistics->time.interval.high);
    csv_set_real(writer, CSV_summary_us_per_batch, ns * (double)batch_rows / 1000);
    csv_set_real(writer, CSV_summary_speedup_vs_per_row, statistics->speedup.median);
    csv_set_real(writer, CSV_summary_speedup_low, statistics->speedup.interval.low);
    csv_set_real(writer, CSV_summary_speedup_high, statistics->speedup.interval.high);
    csv_set_real(writer, CSV_summary_bound_ns_per_row, bound_ns);
    csv_set_real(writer, CSV_summary_pct_of_bound, 100 * bound_ns / ns);
    csv_set_real(writer, CSV_summary_open_ns, cell->open_ns);
    csv_set_real(writer, CSV_summary_validate_ns, result->validate_ns);
    csv_set_real(writer, CSV_summary_crc_ns, result->crc_ns);
    csv_set_unsigned(writer, CSV_summary_state_bytes, cell->state_bytes);
    csv_set_real(writer, CSV_summary_total_ns_per_row, ns + cell->open_ns / (double)result->n_rows);
}

static void set_counters(struct csv_writer *writer, const struct block_cell *cell)
{
    const struct counters_result *counters = &cell->counters;
    if (!counters->source) {
        csv_set_text(writer, CSV_summary_counter_source, "none");
        csv_set_text(writer, CSV_summary_counter_status, "not-asked");
        return;
    }
    csv_set_text(writer, CSV_summary_counter_source, counters->source);
    csv_set_text(writer, CSV_summary_counter_status, counters->status);
    csv_set_real(writer, CSV_summary_instructions_per_row, counters->instructions_per_row);
    csv_set_real(writer, CSV_summary_branches_per_row, counters->branches_per_row);
    csv_set_real(writer, CSV_summary_branch_misses_per_row, counters->branch_misses_per_row);
    csv_set_real(writer, CSV_summary_core_cycles_per_row, counters->core_cycles_per_row);
    csv_set_real(writer, CSV_summary_ipc, counters->ipc);
}

static double noise_of(const struct noise *noise, const struct block_result *result, double ns_per_row)
{
    return noise_floor_pct(noise, result->dv, sink_id(result->plan->sink), result->plan->batch_rows,
                           mode_id(result->plan->mode), ns_per_row);
}

static const char *baseline_cell(const struct block_result *result)
{
    for (size_t i = 0; i < result->n_cells; i++)
        if (strcmp(result->cells[i].kernel->id, "per_row") == 0 &&
            result->cells[i].verdict.kind == VERDICT_OK)
            return result->cells[i].hash;
    return "";
}

static int write_block(struct csv_writer *writer, const struct summary_facts *facts,
                       const struct block_result *result, const struct samples *samples,
                       const struct noise *noise, struct dv_error *error_out)
{
    struct cell_statistics bound;
    if (cell_statistics(&bound, samples, result->bound_hash, "", 0))
        return dv_no_memory(error_out);
    for (size_t i = 0; i < result->n_cells; i++) {
        const struct block_cell *cell = &result->cells[i];
        struct cell_statistics statistics;
        if (cell_statistics(&statistics, samples, cell->hash, baseline_cell(result),
                            opening_per_row(result, cell)))
            return dv_no_memory(error_out);
        set_run_and_dv(writer, facts, result);
        set_cell(writer, result, cell);
        if (cell->verdict.kind == VERDICT_OK) {
            set_times(writer, result, cell, &statistics, bound.time.median);
            const double ns = statistics.time.median, floor_pct = noise_of(noise, result, ns);
            csv_set_real(writer, CSV_summary_noise_floor_pct, floor_pct);
            const double instructions = cell->counters.source ? cell->counters.instructions_per_row : NAN;
            set_doubts(writer, retires_too_much(instructions, ns, statistics.mhz),
                       100 * bound.time.median / ns, floor_pct);
        }
        set_counters(writer, cell);
        int status = csv_end_row(writer, error_out);
        if (status < 0)
            return status;
    }
    return 0;
}

/* --- files --- */

static struct block_cell *find_cell(const struct block_result *result, const char *hash)
{
    for (size_t i = 0; i < result->n_cells; i++)
        if (strcmp(result->cells[i].hash, hash) == 0)
            return &result->cells[i];
    return NULL;
}

/* Whether the row gives way to what was measured now. */
static bool gives_way(const struct summary_block *blocks, size_t n_blocks, const char *hash)
{
    for (size_t b = 0; b < n_blocks; b++) {
        for (size_t i = 0; i < blocks[b].replaced.n_items; i++)
            if (strcmp(blocks[b].replaced.items[i], hash) == 0)
                return true;
        if (find_cell(&blocks[b].result, hash))
            return true;
    }
    return false;
}

static int keep_rows(struct csv_writer *writer, const struct csv_table *table,
                     const struct summary_block *blocks, size_t n_blocks, const struct noise *noise,
                     struct dv_error *error_out)
{
    for (size_t i = 0; table && i < csv_n_rows(table); i++) {
        if (gives_way(blocks, n_blocks, csv_text(table, i, CSV_summary_cell)))
            continue;
        uint64_t batch_rows;
        csv_unsigned(table, i, CSV_summary_batch_rows, &batch_rows);
        const double floor_pct =
            noise_floor_pct(noise, csv_text(table, i, CSV_summary_dv), csv_text(table, i, CSV_summary_sink),
                            (uint32_t)batch_rows, csv_text(table, i, CSV_summary_mode),
                            csv_real(table, i, CSV_summary_ns_per_row));
        csv_copy_row(writer, table, i);
        csv_set_real(writer, CSV_summary_noise_floor_pct, floor_pct);
        set_doubts(writer, strstr(csv_text(table, i, CSV_summary_doubts), DOUBT_RETIRED) != NULL,
                   csv_real(table, i, CSV_summary_pct_of_bound), floor_pct);
        int status = csv_end_row(writer, error_out);
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
    if (status == 0 && asprintf(&part, "%s.part", path) < 0) {
        part = NULL;
        status = dv_no_memory(error_out);
    }
    if (status == 0)
        status = file_replace(path, part, error_out);
    free(part);
    free(path);
    csv_free(old);
    return status;
}

static int update_rows(const struct summary_facts *facts, const struct summary_block *blocks, size_t n_blocks,
                       const struct samples *samples, struct dv_error *error_out)
{
    char *path;
    struct csv_table *old;
    struct csv_writer *writer;
    struct noise noise = {0};
    int status = begin_rewrite(facts->dir, "summary.csv", CSV_FILE_summary, &path, &old, &writer, error_out);
    if (status == 0)
        status = noise_measure(&noise, samples, error_out);
    if (status == 0)
        status = keep_rows(writer, old, blocks, n_blocks, &noise, error_out);
    for (size_t b = 0; status == 0 && b < n_blocks; b++)
        status = write_block(writer, facts, &blocks[b].result, samples, &noise, error_out);
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
                         size_t n_blocks, const struct counters *counters, struct dv_error *error_out)
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
        if (gives_way(blocks, n_blocks, cell) || strcmp(cell, COUNTERS_CALIBRATION_CELL) == 0)
            continue;
        csv_copy_row(writer, old, i);
        status = csv_end_row(writer, error_out);
    }
    for (size_t b = 0; status == 0 && b < n_blocks; b++)
        status = write_events(writer, facts, &blocks[b].result, error_out);
    return end_rewrite(path, old, writer, status, error_out);
}

int summary_update(const struct summary_facts *facts, const struct summary_block *blocks, size_t n_blocks,
                   const struct samples *samples, const struct counters *counters, struct dv_error *error_out)
{
    int status = update_rows(facts, blocks, n_blocks, samples, error_out);
    if (status == 0 && counters)
        status = update_events(facts, blocks, n_blocks, counters, error_out);
    return status;
}

void summary_block_free(struct summary_block *block)
{
    block_result_free(&block->result);
    strings_free(&block->replaced);
}

/* --- questions to a summary --- */

int summary_load(struct csv_table **table_out, const char *dir, struct dv_error *error_out)
{
    char *path = run_dir_file(dir, run_dir_csv_name(CSV_FILE_summary));
    *table_out = NULL;
    if (!path)
        return dv_no_memory(error_out);
    int status = csv_load_begun(table_out, path, CSV_FILE_summary, error_out);
    free(path);
    return status;
}

static bool is_row_of_block(const struct csv_table *table, size_t row, const struct block_result *result)
{
    uint64_t batch_rows;
    return strcmp(csv_text(table, row, CSV_summary_dv), result->dv) == 0 &&
           strcmp(csv_text(table, row, CSV_summary_sink), sink_id(result->plan->sink)) == 0 &&
           strcmp(csv_text(table, row, CSV_summary_mode), mode_id(result->plan->mode)) == 0 &&
           csv_unsigned(table, row, CSV_summary_batch_rows, &batch_rows) &&
           batch_rows == result->plan->batch_rows;
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
    size_t n_twins = 0;
    bool is_measured = false;
    for (size_t i = 0; i < result->n_cells; i++) {
        char hash[CELL_HASH_CHARS + 1];
        is_measured |= samples_count(samples, result->cells[i].hash, start) > 0;
        n_twins += samples_count(samples, samples_twin_hash(result->cells[i].hash, hash), start);
    }
    return !is_measured || (n_twins > 0 && n_twins % n_rounds == 0 &&
                            (!store_bound(result->plan->sink) ||
                             samples_count(samples, result->bound_hash, start) >= n_rounds));
}

int summary_find_block(struct summary_block *block, bool *is_done_out, const struct csv_table *table,
                       const struct samples *samples, int start, size_t n_rounds, struct dv_error *error_out)
{
    size_t n_done = 0;
    for (size_t i = 0; table && i < csv_n_rows(table); i++) {
        if (!is_row_of_block(table, i, &block->result))
            continue;
        const char *hash = csv_text(table, i, CSV_summary_cell);
        struct block_cell *cell = find_cell(&block->result, hash);
        if (!cell && strings_add(&block->replaced, hash, strlen(hash)))
            return dv_no_memory(error_out);
        if (!cell)
            continue;
        n_done += is_row_done(table, i, samples, start, n_rounds);
        if (strcmp(csv_text(table, i, CSV_summary_verdict), "wrong") == 0) {
            cell->verdict.kind = VERDICT_WRONG;
            snprintf(cell->verdict.reason, sizeof cell->verdict.reason, "%s",
                     csv_text(table, i, CSV_summary_reason));
        }
    }
    *is_done_out =
        n_done == block->result.n_cells && has_bound_and_twins(&block->result, samples, start, n_rounds);
    return 0;
}

size_t summary_count(const char *dir)
{
    struct csv_table *table;
    const size_t n = summary_load(&table, dir, NULL) == 0 && table ? csv_n_rows(table) : 0;
    csv_free(table);
    return n;
}

size_t summary_count_wrong(const char *dir)
{
    struct csv_table *table;
    size_t n = 0;
    const int status = summary_load(&table, dir, NULL);
    for (size_t i = 0; status == 0 && table && i < csv_n_rows(table); i++)
        n += strcmp(csv_text(table, i, CSV_summary_verdict), "wrong") == 0;
    csv_free(table);
    return n;
}
