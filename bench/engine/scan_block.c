/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_block.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "stats.h"

/* --- competitors --- */

/* is_deleted is what the engine's column is made of; the rows of the registry that differ in the gap fill have only
 * row_ids. */
static enum sink_kind sink_of(const struct kernel *kernel)
{
    return kernel->sinks & (1u << SINK_is_deleted) ? SINK_is_deleted : SINK_row_ids;
}

/* The highest ISA of its technique that runs here. */
static bool is_best_of_technique(const struct kernel *kernel)
{
    if (kernel_unavailable(kernel, sink_of(kernel)))
        return false;
    for (size_t i = 0; i < kernels_count(); i++) {
        const struct kernel *other = kernel_at(i);
        if (strcmp(other->technique, kernel->technique) == 0 && other->isa > kernel->isa &&
            !kernel_unavailable(other, sink_of(other)))
            return false;
    }
    return true;
}

/* Without --kernel: what engines do, what was merged with the plain and the best fill, and what is possible. */
static bool is_usual(const struct kernel *kernel)
{
    static const char *const ids[] = {"per_row", "per_row_raw", "batch_iterator", "for_each_in_range"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(kernel->id, ids[i]) == 0)
            return true;
    return (strcmp(kernel->technique, "for_each_in_range") == 0 ||
            strcmp(kernel->technique, "direct") == 0) &&
           is_best_of_technique(kernel);
}

/* per_row is what gains are measured against. */
static bool is_chosen(const struct strings *patterns, const struct kernel *kernel)
{
    if (patterns->n_items == 0)
        return is_usual(kernel);
    for (size_t i = 0; i < patterns->n_items; i++)
        if (strcmp(patterns->items[i], "all") == 0 || fnmatch(patterns->items[i], kernel->id, 0) == 0)
            return true;
    return strcmp(kernel->id, "per_row") == 0;
}

static int add(struct scan_cell *cell, const char *id, enum scan_way way, const struct kernel *kernel,
               struct dv_error *error_out)
{
    if (cell->n_competitors == SCAN_MAX_COMPETITORS)
        return dv_fail(error_out, DV_ERROR_USAGE, "more than %d kernels in a scan", SCAN_MAX_COMPETITORS);
    struct scan_competitor *competitor = &cell->competitors[cell->n_competitors++];
    *competitor =
        (struct scan_competitor){.id = id,
                                 .kernel = kernel,
                                 .sink = kernel ? sink_of(kernel) : SINK_is_deleted,
                                 .deletes = way == SCAN_WAY_JOIN || kernel,
                                 .sql = scan_query_sql(&cell->query, way),
                                 .samples = calloc((size_t)cell->n_rounds, sizeof *competitor->samples)};
    const char *why_not = kernel ? kernel_unavailable(kernel, competitor->sink) : NULL;
    competitor->verdict = why_not ? VERDICT_UNAVAILABLE : VERDICT_OK;
    snprintf(competitor->reason, sizeof competitor->reason, "%s", why_not ? why_not : "");
    const uint64_t parts[2] = {cell->digest, digest_bytes(id, strlen(id))};
    snprintf(competitor->hash, sizeof competitor->hash, "%016" PRIx64, digest_bytes(parts, sizeof parts));
    return competitor->sql && competitor->samples ? 0 : dv_no_memory(error_out);
}

static int add_all(struct scan_cell *cell, struct dv_error *error_out)
{
    int status = add(cell, "none", SCAN_WAY_NONE, NULL, error_out);
    if (status == 0)
        status = add(cell, "function", SCAN_WAY_FUNCTION, NULL, error_out);
    for (size_t i = 0; status == 0 && i < kernels_count(); i++)
        if (is_chosen(&cell->run->options->kernels, kernel_at(i)))
            status = add(cell, kernel_at(i)->id, SCAN_WAY_FUNCTION, kernel_at(i), error_out);
    return status < 0 ? status : add(cell, "engine", SCAN_WAY_JOIN, NULL, error_out);
}

static int digest_of(struct scan_cell *cell, struct dv_error *error_out)
{
    const struct scan_run *run = cell->run;
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (!stream)
        return dv_no_memory(error_out);
    fprintf(stream, "%s %s %s %s %" PRIu64 " %" PRIu64 " %s %s %s %d %d %" PRIx64, run->engine->version,
            run->machine, cell->block->study, cell->table->name, cell->table->n_rows_all,
            cell->table->n_bytes, scan_kind_id(cell->query.kind), cell->query.name, cell->block->vector,
            run->options->n_threads, cell->n_rounds, run->program_digest);
    for (size_t i = 0; i < cell->n_vectors; i++)
        fprintf(stream, " %" PRIx64, cell->vectors[i].digest);
    const bool is_written = fclose(stream) == 0;
    cell->digest = is_written ? digest_bytes(text, n) : 0;
    free(text);
    return is_written ? 0 : dv_no_memory(error_out);
}

int scan_block_open(struct scan_cell *cell_out, struct scan_run *run, const struct scan_block *block,
                    const struct scan_table *table, const struct scan_vector *vectors, size_t n_vectors,
                    struct dv_error *error_out)
{
    *cell_out = (struct scan_cell){.run = run,
                                   .block = block,
                                   .table = table,
                                   .vectors = vectors,
                                   .n_vectors = n_vectors,
                                   .n_rounds = run->options->rounds};
    int status = scan_query_parse(&cell_out->query, table, block->kind, block->columns, error_out);
    if (status == 0)
        status = digest_of(cell_out, error_out);
    return status < 0 ? status : add_all(cell_out, error_out);
}

void scan_block_close(struct scan_cell *cell)
{
    for (size_t i = 0; i < cell->n_competitors; i++) {
        free(cell->competitors[i].sql);
        free(cell->competitors[i].samples);
    }
    cell->n_competitors = 0;
}

bool scan_block_is_done(struct scan_cell *cell)
{
    const struct csv_table *done = cell->run->done;
    size_t n_found = 0;
    for (size_t row = 0; done && row < csv_n_rows(done); row++)
        for (size_t i = 0; i < cell->n_competitors; i++) {
            if (strcmp(csv_text(done, row, CSV_scan_cell), cell->competitors[i].hash) != 0)
                continue;
            n_found++;
            if (strcmp(csv_text(done, row, CSV_scan_verdict), verdict_id(VERDICT_WRONG)) == 0)
                cell->competitors[i].verdict = VERDICT_WRONG;
        }
    return n_found >= cell->n_competitors;
}

/* --- numbers --- */

/* The places of a number among the samples of a competitor. */
enum number {
    NUMBER_WALL,
    NUMBER_CPU,
    NUMBER_APPLY,
    NUMBER_OPEN,
    NUMBER_CLOCK,
    NUMBER_OPEN_FILE,
    NUMBER_SHARE
};

/* With one thread the share is one of the wall clock, which both sides are measured by; with several the function runs
 * in all of them at once, and both sides are CPU time. */
static double number_of(const struct scan_cell *cell, const struct scan_sample *sample, enum number number)
{
    const struct scan_counts *counts = &sample->counts;
    const double n_rows = (double)cell->table->n_rows_all;
    const double whole_ns = cell->run->options->n_threads == 1 ? sample->wall_ns : sample->cpu_ns;
    switch (number) {
    case NUMBER_WALL:
        return sample->wall_ns / n_rows;
    case NUMBER_CPU:
        return sample->cpu_ns / n_rows;
    case NUMBER_APPLY:
        return counts->apply_ns / n_rows;
    case NUMBER_OPEN:
        return counts->open_ns / n_rows;
    case NUMBER_CLOCK:
        return counts->clock_ns / n_rows;
    case NUMBER_OPEN_FILE:
        return counts->n_opened ? counts->open_ns / (double)counts->n_opened / 1e3 : NAN;
    default:
        return 100 * (counts->apply_ns + counts->open_ns) / whole_ns;
    }
}

static struct stats_summary summarise(const struct scan_cell *cell, const struct scan_competitor *competitor,
                                      enum number number)
{
    double values[1000];
    struct stats_summary summary;
    for (int round = 0; round < cell->n_rounds; round++)
        values[round] = number_of(cell, &competitor->samples[round], number);
    (void)stats_summarise(&summary, values, (size_t)cell->n_rounds);
    return summary;
}

static const struct scan_competitor *find(const struct scan_cell *cell, const char *id)
{
    for (size_t i = 0; i < cell->n_competitors; i++)
        if (strcmp(cell->competitors[i].id, id) == 0 && cell->competitors[i].verdict == VERDICT_OK)
            return &cell->competitors[i];
    return NULL;
}

/* above's time over below's, round by round. */
static void set_ratio(const struct scan_cell *cell, const struct scan_competitor *above,
                      const struct scan_competitor *below, enum csv_column median, enum csv_column low,
                      enum csv_column high)
{
    double numerators[1000], denominators[1000];
    struct stats_summary summary;
    if (!above || !below)
        return;
    for (int round = 0; round < cell->n_rounds; round++) {
        numerators[round] = above->samples[round].wall_ns;
        denominators[round] = below->samples[round].wall_ns;
    }
    (void)stats_summarise_ratios(&summary, numerators, denominators, (size_t)cell->n_rounds);
    csv_set_real(cell->run->writer, median, summary.median);
    csv_set_real(cell->run->writer, low, summary.interval.low);
    csv_set_real(cell->run->writer, high, summary.interval.high);
}

/* --- rows --- */

static void set_vectors(const struct scan_cell *cell)
{
    struct csv_writer *writer = cell->run->writer;
    uint64_t n_deleted = 0, n_bytes = 0, n_kind[DV_N_KINDS] = {0};
    for (size_t i = 0; i < cell->n_vectors; i++) {
        n_deleted += cell->vectors[i].cardinality;
        n_bytes += cell->vectors[i].n_bytes;
        for (int kind = 0; kind < DV_N_KINDS; kind++)
            n_kind[kind] += cell->vectors[i].n_kind[kind];
    }
    const bool is_given = strcmp(cell->block->vector, "given") == 0;
    size_t first = 0; /* of those that were given */
    while (first + 1 < cell->n_vectors && !cell->vectors[first].path)
        first++;
    csv_set_text(writer, CSV_scan_dv,
                 is_given && cell->n_vectors ? cell->vectors[first].spec : cell->block->vector);
    csv_set_real(writer, CSV_scan_rate, (double)n_deleted / (double)cell->table->n_rows_all);
    csv_set_unsigned(writer, CSV_scan_deleted, n_deleted);
    csv_set_unsigned(writer, CSV_scan_dv_bytes, n_bytes);
    csv_set_unsigned(writer, CSV_scan_array_containers, n_kind[DV_ARRAY]);
    csv_set_unsigned(writer, CSV_scan_bitset_containers, n_kind[DV_BITSET]);
    csv_set_unsigned(writer, CSV_scan_run_containers, n_kind[DV_RUN]);
}

static void set_axis(const struct scan_cell *cell)
{
    struct csv_writer *writer = cell->run->writer;
    char n_files[24], size[24];
    snprintf(n_files, sizeof n_files, "%zu", cell->table->files.n_items);
    const double file_bytes = (double)cell->table->n_bytes / (double)cell->table->files.n_items;
    snprintf(size, sizeof size, file_bytes < 1e6 ? "%.0fKB" : "%.0fMB",
             file_bytes / (file_bytes < 1e6 ? 1e3 : 1e6));
    const char *rate = strstr(cell->block->vector, "rate=");
    char rate_text[32];
    snprintf(rate_text, sizeof rate_text, "%.*s", rate ? (int)strcspn(rate + 5, ":") : 0,
             rate ? rate + 5 : "");
    const char *const values[] = {
        cell->query.name, rate_text, cell->block->vector, n_files, scan_kind_id(cell->query.kind), size};
    csv_set_text(writer, CSV_scan_axis, scan_axis_id(cell->block->axis));
    csv_set_text(writer, CSV_scan_axis_value, values[cell->block->axis]);
}

static void set_block(const struct scan_cell *cell)
{
    const struct scan_run *run = cell->run;
    struct csv_writer *writer = run->writer;
    char engine[80];
    snprintf(engine, sizeof engine, "%s %s", run->engine->name, run->engine->version);
    csv_set_text(writer, CSV_scan_run, run->run);
    csv_set_text(writer, CSV_scan_machine, run->machine);
    csv_set_text(writer, CSV_scan_croaring, dv_croaring_version());
    csv_set_text(writer, CSV_scan_engine, engine);
    csv_set_integer(writer, CSV_scan_threads, run->options->n_threads);
    csv_set_text(writer, CSV_scan_study, cell->block->study);
    csv_set_text(writer, CSV_scan_query, scan_kind_id(cell->query.kind));
    csv_set_text(writer, CSV_scan_columns, cell->query.name);
    csv_set_unsigned(writer, CSV_scan_n_columns, cell->query.n_columns);
    csv_set_text(writer, CSV_scan_table, cell->table->name);
    csv_set_unsigned(writer, CSV_scan_files, cell->table->files.n_items);
    csv_set_unsigned(writer, CSV_scan_rows, cell->table->n_rows_all);
    csv_set_unsigned(writer, CSV_scan_table_bytes, cell->table->n_bytes);
    set_axis(cell);
    set_vectors(cell);
}

static void set_counts(const struct scan_cell *cell, const struct scan_competitor *competitor)
{
    struct csv_writer *writer = cell->run->writer;
    const struct scan_counts *counts = &competitor->samples[0].counts;
    if (counts->n_vectors == 0)
        return;
    csv_set_unsigned(writer, CSV_scan_vectors, counts->n_vectors);
    csv_set_unsigned(writer, CSV_scan_rows_asked, counts->n_rows);
    const struct stats_summary share = summarise(cell, competitor, NUMBER_SHARE);
    csv_set_real(writer, CSV_scan_apply_ns_per_row, summarise(cell, competitor, NUMBER_APPLY).median);
    csv_set_real(writer, CSV_scan_clock_ns_per_row, summarise(cell, competitor, NUMBER_CLOCK).median);
    csv_set_real(writer, CSV_scan_dv_share_pct, share.median);
    csv_set_real(writer, CSV_scan_dv_share_low, share.interval.low);
    csv_set_real(writer, CSV_scan_dv_share_high, share.interval.high);
    if (!competitor->kernel)
        return;
    csv_set_unsigned(writer, CSV_scan_pieces, counts->n_pieces);
    csv_set_real(writer, CSV_scan_open_ns_per_row, summarise(cell, competitor, NUMBER_OPEN).median);
    csv_set_real(writer, CSV_scan_open_us_per_file, summarise(cell, competitor, NUMBER_OPEN_FILE).median);
    csv_set_real(writer, CSV_scan_read_us_per_file, cell->open_cost.read_us);
    csv_set_real(writer, CSV_scan_checksum_us_per_file, cell->open_cost.checksum_us);
    csv_set_real(writer, CSV_scan_index_us_per_file, cell->open_cost.index_us);
}

static void set_times(const struct scan_cell *cell, const struct scan_competitor *competitor)
{
    struct csv_writer *writer = cell->run->writer;
    const struct stats_summary wall = summarise(cell, competitor, NUMBER_WALL);
    const bool deletes = competitor->deletes;
    csv_set_unsigned(writer, CSV_scan_samples, wall.n_samples);
    csv_set_real(writer, CSV_scan_ns_per_row, wall.median);
    csv_set_real(writer, CSV_scan_ns_per_row_mad, wall.mad);
    csv_set_real(writer, CSV_scan_ns_per_row_low, wall.interval.low);
    csv_set_real(writer, CSV_scan_ns_per_row_high, wall.interval.high);
    csv_set_real(writer, CSV_scan_cpu_ns_per_row, summarise(cell, competitor, NUMBER_CPU).median);
    csv_set_unsigned(writer, CSV_scan_bytes_read, cell->n_bytes);
    set_counts(cell, competitor);
    set_ratio(cell, deletes ? find(cell, "per_row") : NULL, competitor, CSV_scan_gain_vs_per_row,
              CSV_scan_gain_low, CSV_scan_gain_high);
    set_ratio(cell, competitor, find(cell, "none"), CSV_scan_slowdown_vs_none, CSV_scan_slowdown_low,
              CSV_scan_slowdown_high);
}

int scan_block_write(const struct scan_cell *cell, struct dv_error *error_out)
{
    struct csv_writer *writer = cell->run->writer;
    int status = 0;
    for (size_t i = 0; status == 0 && i < cell->n_competitors; i++) {
        const struct scan_competitor *competitor = &cell->competitors[i];
        set_block(cell);
        csv_set_text(writer, CSV_scan_cell, competitor->hash);
        csv_set_text(writer, CSV_scan_kernel, competitor->id);
        csv_set_text(writer, CSV_scan_sink, competitor->kernel ? sink_id(competitor->sink) : NULL);
        csv_set_text(writer, CSV_scan_verdict, verdict_id(competitor->verdict));
        csv_set_text(writer, CSV_scan_reason, competitor->reason);
        if (competitor->verdict == VERDICT_OK)
            set_times(cell, competitor);
        status = csv_end_row(writer, error_out);
    }
    return status;
}
