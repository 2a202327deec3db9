/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "delete_batch.h"
#include "delete_read.h"
#include "machine.h"
#include "progress.h"
#include "run_dir.h"
#include "run_json.h"
#include "stats.h"
#include "table_folder.h"

enum { MAX_ROUNDS = 1000, READ_ALL_BATCHES = 20 };

struct job {
    struct engine_run *run;
    const struct delete_options *options;
    struct delete_reader reader;
    struct scan_table table;
    struct progress progress;
    struct csv_writer *writer;
    struct csv_table *done; /* rows of the run that is resumed, or NULL */
    char *data;             /* owned: where tables are kept */
    char *tables;           /* owned: below it, those of this run */
    const char *machine;
    /* of the pattern that is being run */
    enum delete_pattern pattern;
    struct scan_expected *expected;
    struct delete_state states[DELETE_N_WAYS];
};

/* --- rows --- */

static bool is_done(const struct job *job, enum delete_pattern pattern, enum delete_way way, uint64_t batch)
{
    for (size_t row = 0; job->done && row < csv_n_rows(job->done); row++) {
        uint64_t found = 0;
        if (strcmp(csv_text(job->done, row, CSV_deletes_pattern), delete_pattern_ids[pattern]) == 0 &&
            strcmp(csv_text(job->done, row, CSV_deletes_way), delete_way_ids[way]) == 0 &&
            csv_unsigned(job->done, row, CSV_deletes_batch, &found) && found == batch)
            return true;
    }
    return false;
}

static bool has_way(const struct job *job, int way)
{
    return job->options->ways >> way & 1;
}

static bool is_pattern_done(const struct job *job, enum delete_pattern pattern)
{
    for (int way = 0; way < DELETE_N_WAYS; way++)
        if (has_way(job, way) && !is_done(job, pattern, (enum delete_way)way, job->options->n_batches))
            return false;
    return true;
}

/* All of a few; of many 0, 1, 2, 5, 10, 20, 50 ... and the last. */
static bool is_read(const struct delete_options *options, uint64_t batch)
{
    uint64_t digits = batch;
    while (digits >= 10 && digits % 10 == 0)
        digits /= 10;
    return options->n_batches <= READ_ALL_BATCHES || batch == options->n_batches || digits <= 2 ||
           digits == 5;
}

static void set_run(struct job *job, enum delete_way way)
{
    const struct delete_options *options = job->options;
    struct csv_writer *writer = job->writer;
    char engine[80];
    snprintf(engine, sizeof engine, "%s %s", job->run->engine->name, job->run->engine->version);
    csv_set_text(writer, CSV_deletes_run, run_dir_name(job->run->dir));
    csv_set_text(writer, CSV_deletes_machine, job->machine);
    csv_set_text(writer, CSV_deletes_engine, engine);
    csv_set_unsigned(writer, CSV_deletes_threads, options->n_threads);
    csv_set_text(writer, CSV_deletes_table, job->table.name);
    csv_set_unsigned(writer, CSV_deletes_files, options->n_files);
    csv_set_unsigned(writer, CSV_deletes_rows, options->n_rows);
    csv_set_real(writer, CSV_deletes_rate, options->rate);
    csv_set_unsigned(writer, CSV_deletes_batches, options->n_batches);
    csv_set_text(writer, CSV_deletes_pattern, delete_pattern_ids[job->pattern]);
    csv_set_text(writer, CSV_deletes_way, delete_way_ids[way]);
    csv_set_text(writer, CSV_deletes_kernel, way == DELETE_COW ? NULL : options->kernel->id);
}

static void set_costs(struct csv_writer *writer, const struct delete_costs *costs)
{
    csv_set_real(writer, CSV_deletes_delete_ms,
                 costs->find_ms + costs->write_ms + costs->fsync_ms + costs->commit_ms);
    csv_set_real(writer, CSV_deletes_find_ms, costs->find_ms);
    csv_set_real(writer, CSV_deletes_write_ms, costs->write_ms);
    csv_set_real(writer, CSV_deletes_fsync_ms, costs->fsync_ms);
    csv_set_real(writer, CSV_deletes_commit_ms, costs->commit_ms);
    csv_set_unsigned(writer, CSV_deletes_bytes_written, costs->n_bytes);
}

static void set_sizes(struct csv_writer *writer, const struct delete_state *state)
{
    const struct delete_sizes sizes = delete_state_sizes(state);
    csv_set_unsigned(writer, CSV_deletes_table_files, sizes.n_files);
    csv_set_unsigned(writer, CSV_deletes_data_bytes, sizes.data_bytes);
    csv_set_unsigned(writer, CSV_deletes_delete_bytes, sizes.delete_bytes);
}

/* --- one way, one batch --- */

/* Fills the columns of one kind of read with the medians; a wrong answer ends it with its reason. */
static int read_one(struct job *job, const struct delete_state *state, size_t kind, struct delete_read *read,
                    struct dv_error *error_out)
{
    static const enum csv_column columns[DELETE_N_READS] = {CSV_deletes_count_ms, CSV_deletes_scan1_ms,
                                                            CSV_deletes_scan3_ms, CSV_deletes_scan9_ms};
    double walls[MAX_ROUNDS], loads[MAX_ROUNDS];
    for (uint64_t round = 0; round < job->options->rounds; round++) {
        const int status = delete_read(&job->reader, state, delete_read_columns[kind],
                                       &job->expected[state->batch], read, error_out);
        if (status < 0 || !read->is_right)
            return status;
        walls[round] = read->wall_ms;
        loads[round] = read->load_ms;
    }
    csv_set_real(job->writer, columns[kind], stats_median(walls, job->options->rounds));
    if (kind == 0 && loads[0] > 0)
        csv_set_real(job->writer, CSV_deletes_load_ms, stats_median(loads, job->options->rounds));
    return 0;
}

static int read_all(struct job *job, const struct delete_state *state, struct dv_error *error_out)
{
    struct delete_read read = {.is_right = true};
    int status = 0;
    for (size_t kind = 0; status == 0 && read.is_right && kind < DELETE_N_READS; kind++)
        status = read_one(job, state, kind, &read, error_out);
    csv_set_text(job->writer, CSV_deletes_verdict, read.is_right ? "ok" : "wrong");
    csv_set_text(job->writer, CSV_deletes_reason, read.is_right ? NULL : read.reason);
    csv_set_unsigned(job->writer, CSV_deletes_rounds, job->options->rounds);
    job->run->n_wrong_out += !read.is_right;
    return status;
}

/* A batch that is not timed is counted all the same: what is wrong is found where it began. */
static int count_only(struct job *job, const struct delete_state *state, struct dv_error *error_out)
{
    struct delete_read read;
    const int status = delete_read(&job->reader, state, 0, &job->expected[state->batch], &read, error_out);
    csv_set_text(job->writer, CSV_deletes_verdict, read.is_right ? "ok" : "wrong");
    csv_set_text(job->writer, CSV_deletes_reason, read.is_right ? NULL : read.reason);
    job->run->n_wrong_out += status == 0 && !read.is_right;
    return status;
}

/* The state is that of `batch` already where a run was killed between the commit and its row. */
static int run_batch(struct job *job, enum delete_way way, uint64_t batch, struct dv_error *error_out)
{
    struct delete_state *state = &job->states[way];
    struct delete_costs costs;
    const bool deletes = state->batch < batch;
    char *condition = deletes ? delete_batch_sql(job->options, job->pattern, batch - 1) : NULL;
    int status = deletes && !condition ? dv_no_memory(error_out) : 0;
    if (status == 0 && deletes)
        status = delete_batch(state, way, job->run->engine, condition, &costs, error_out);
    free(condition);
    if (status < 0)
        return status;
    set_run(job, way);
    csv_set_unsigned(job->writer, CSV_deletes_batch, batch);
    csv_set_unsigned(job->writer, CSV_deletes_deleted, job->expected[0].n_rows - job->expected[batch].n_rows);
    if (deletes)
        set_costs(job->writer, &costs);
    set_sizes(job->writer, state);
    status =
        is_read(job->options, batch) ? read_all(job, state, error_out) : count_only(job, state, error_out);
    return status < 0 ? status : csv_end_row(job->writer, error_out);
}

/* --- one pattern --- */

static char *state_dir(const struct job *job, enum delete_pattern pattern, int way)
{
    char *dir = NULL;
    return asprintf(&dir, "%s/%s-%s", job->tables, delete_pattern_ids[pattern], delete_way_ids[way]) < 0
               ? NULL
               : dir;
}

/* How many batches of the way have rows; a resumed run's table must be there, or one batch further. */
static int check_state(const struct job *job, int way, struct dv_error *error_out)
{
    const struct delete_state *state = &job->states[way];
    uint64_t next = 0;
    while (next <= job->options->n_batches && is_done(job, job->pattern, (enum delete_way)way, next))
        next++;
    if (state->batch == next || state->batch + 1 == next)
        return 0;
    return dv_fail(error_out, DV_ERROR_INPUT,
                   "%s is at batch %" PRIu64 ", deletes.csv has %" PRIu64
                   " rows of it: this is not the table of this run; start a new run",
                   state->dir, state->batch, next);
}

static int open_state(struct job *job, int way, struct dv_error *error_out)
{
    char *dir = state_dir(job, job->pattern, way);
    int status = dir ? delete_state_read(&job->states[way], dir, error_out) : dv_no_memory(error_out);
    if (status == 1) {
        delete_state_free(&job->states[way]);
        status = delete_state_create(&job->states[way], dir, &job->table.files, job->table.n_rows, error_out);
    }
    if (status == 0)
        status = delete_state_clean(&job->states[way], error_out);
    free(dir);
    return status < 0 ? status : check_state(job, way, error_out);
}

static void close_states(struct job *job, bool removes)
{
    for (int way = 0; way < DELETE_N_WAYS; way++) {
        if (removes && job->states[way].dir)
            table_folder_remove(job->states[way].dir);
        delete_state_free(&job->states[way]);
    }
    free(job->expected);
    job->expected = NULL;
}

/* The ways take turns within a batch, so that what changes on the machine meets all of them. */
static int run_pattern(struct job *job, struct dv_error *error_out)
{
    const volatile sig_atomic_t *interrupted = job->run->interrupted;
    char title[160];
    int status =
        delete_expect(&job->expected, job->run->engine, &job->table, job->options, job->pattern, error_out);
    for (int way = 0; status == 0 && way < DELETE_N_WAYS; way++)
        if (has_way(job, way))
            status = open_state(job, way, error_out);
    for (uint64_t batch = 0; status == 0 && batch <= job->options->n_batches; batch++)
        for (int way = 0; status == 0 && way < DELETE_N_WAYS && !*interrupted; way++) {
            if (!has_way(job, way))
                continue;
            const bool was_done = is_done(job, job->pattern, (enum delete_way)way, batch);
            snprintf(title, sizeof title, "%s, batch %" PRIu64 ", %s", delete_pattern_ids[job->pattern],
                     batch, delete_way_ids[way]);
            progress_block(&job->progress, title);
            if (!was_done)
                status = run_batch(job, (enum delete_way)way, batch, error_out);
            progress_block_done(&job->progress, !was_done);
        }
    close_states(job, status == 0 && !*interrupted && !job->options->keep);
    return status;
}

/* --- the run --- */

static int make_folders(struct job *job, struct dv_error *error_out)
{
    const char *results = getenv("DVBENCH_RESULTS");
    results = results && *results ? results : "results";
    if (!job->options->data_dir)
        (void)mkdir(results, 0777); /* where it cannot be made, the next one says why */
    job->data = job->options->data_dir ? strdup(job->options->data_dir) : run_dir_file(results, "scan-data");
    if (!job->data || asprintf(&job->tables, "%s/deletes-%s", job->data, run_dir_name(job->run->dir)) < 0)
        return dv_no_memory(error_out);
    if (mkdir(job->data, 0777) != 0 && errno != EEXIST)
        return dv_fail(error_out, DV_ERROR_IO, "cannot make %s: %s", job->data, strerror(errno));
    if (mkdir(job->tables, 0777) != 0 && errno != EEXIST)
        return dv_fail(error_out, DV_ERROR_IO, "cannot make %s: %s", job->tables, strerror(errno));
    return 0;
}

/* Copy-on-write holds its own copy of the table, and during a batch the files that it replaces too. */
static int check_space(const struct job *job, struct dv_error *error_out)
{
    struct statvfs facts;
    double n_copies = job->options->keep ? 1 : 2;
    for (int pattern = 0; job->options->keep && pattern < DELETE_N_PATTERNS; pattern++)
        n_copies += job->options->patterns >> pattern & 1;
    const double n_needed = 1.1 * n_copies * (double)job->table.n_bytes +
                            40.0 * (double)job->options->n_rows * job->options->rate;
    if (statvfs(job->tables, &facts) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "%s: %s", job->tables, strerror(errno));
    const double n_free = (double)facts.f_bavail * (double)facts.f_frsize;
    if (n_needed <= n_free)
        return 0;
    return dv_fail(
        error_out, DV_ERROR_IO,
        "%s has %.0f MB free, the run may take %.0f MB: give --data another folder, or fewer --rows",
        job->tables, n_free / 1e6, n_needed / 1e6);
}

static int open_csv(struct job *job, struct dv_error *error_out)
{
    char *path = run_dir_file(job->run->dir, run_dir_csv_name(CSV_FILE_deletes));
    int status = path ? 0 : dv_no_memory(error_out);
    if (status == 0 && job->run->is_resumed)
        status = csv_load_begun(&job->done, path, CSV_FILE_deletes, error_out);
    if (status == 0)
        status = csv_append(&job->writer, path, CSV_FILE_deletes, error_out);
    free(path);
    for (size_t row = 0; job->done && row < csv_n_rows(job->done); row++)
        job->run->n_wrong_out += strcmp(csv_text(job->done, row, CSV_deletes_verdict), "wrong") == 0;
    return status;
}

static int run_all(struct job *job, struct dv_error *error_out)
{
    const struct scan_table_spec spec = {.n_rows = job->options->n_rows,
                                         .n_files = job->options->n_files,
                                         .n_columns = {[SCAN_INT] = 9},
                                         .seed = job->options->seed};
    struct engine *engine = job->run->engine;
    progress_step(&job->progress, "writes the table", 0);
    int status = scan_table_make(&job->table, engine, &spec, job->data, error_out);
    if (status == 0)
        status = check_space(job, error_out);
    if (status == 0)
        status = engine_query(engine, NULL, error_out, "SET threads=%" PRIu64, job->options->n_threads);
    if (status == 0)
        status = engine_query(engine, NULL, error_out, DELETE_CUBE_SQL);
    if (status == 0)
        status = scan_function_new(&job->reader.function, engine, job->options->n_threads, error_out);
    job->reader.table = &job->table;
    for (int pattern = 0; status == 0 && pattern < DELETE_N_PATTERNS && !*job->run->interrupted; pattern++) {
        job->pattern = (enum delete_pattern)pattern;
        if (job->options->patterns >> pattern & 1 && !is_pattern_done(job, job->pattern))
            status = run_pattern(job, error_out);
    }
    return *job->run->interrupted ? 0 : status;
}

int delete_run(struct engine_run *run, const struct delete_options *options, struct dv_error *error_out)
{
    struct engine_record *record = calloc(1, sizeof *record);
    struct job job = {
        .run = run, .options = options, .reader = {.engine = run->engine, .kernel = options->kernel}};
    if (!record)
        return dv_no_memory(error_out);
    engine_record_fill(
        record, run, "deletes",
        &(struct engine_run_numbers){options->n_threads, options->rounds, options->n_rows, options->seed});
    job.machine = record->machine_text;
    const size_t n_ways = (size_t)__builtin_popcount(options->ways),
                 n_patterns = (size_t)__builtin_popcount(options->patterns);
    progress_begin(&job.progress, n_ways * n_patterns * (options->n_batches + 1), options->quiet);
    int status = make_folders(&job, error_out);
    if (status == 0)
        status = open_csv(&job, error_out);
    if (status == 0)
        status = run_json_write(run->dir, &record->info, error_out);
    if (status == 0)
        status = run_all(&job, error_out);
    progress_end(&job.progress);
    record->info.ended = time(NULL);
    record->info.status = *run->interrupted ? "interrupted" : "complete";
    const int closed = csv_close(job.writer, status == 0 ? error_out : NULL);
    status = status < 0 ? status : closed;
    if (status == 0)
        status = run_json_write(run->dir, &record->info, error_out);
    if (job.tables)
        rmdir(job.tables); /* stays where tables are kept */
    csv_free(job.done);
    scan_function_free(job.reader.function);
    scan_table_free(&job.table);
    free(job.data);
    free(job.tables);
    free(record);
    return status;
}
