/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "delete_rounds.h"
#include "machine.h"
#include "run_dir.h"
#include "run_json.h"

struct folders {
    char *data;   /* owned: where tables are kept */
    char *tables; /* owned: below it, those of this run */
};

static int make_folders(struct folders *folders, const struct delete_job *job, struct dv_error *error_out)
{
    const char *results = getenv("DVBENCH_RESULTS");
    results = results && *results ? results : "results";
    if (!job->options->data_dir)
        (void)mkdir(results, 0777); /* where it cannot be made, the next one says why */
    folders->data =
        job->options->data_dir ? strdup(job->options->data_dir) : run_dir_file(results, "scan-data");
    if (!folders->data ||
        asprintf(&folders->tables, "%s/deletes-%s", folders->data, run_dir_name(job->run->dir)) < 0)
        return dv_no_memory(error_out);
    if (mkdir(folders->data, 0777) != 0 && errno != EEXIST)
        return dv_fail(error_out, DV_ERROR_IO, "cannot make %s: %s", folders->data, strerror(errno));
    if (mkdir(folders->tables, 0777) != 0 && errno != EEXIST)
        return dv_fail(error_out, DV_ERROR_IO, "cannot make %s: %s", folders->tables, strerror(errno));
    return 0;
}

/* Copy-on-write holds its own copy of the table, and during a batch the files that it replaces too. */
static int check_space(const struct delete_job *job, struct dv_error *error_out)
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

static int open_csv(struct delete_job *job, struct dv_error *error_out)
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

static int run_table(struct delete_job *job, const char *data, struct dv_error *error_out)
{
    const struct scan_table_spec spec = {.n_rows = job->options->n_rows,
                                         .n_files = job->options->n_files,
                                         .n_columns = {[SCAN_INT] = 9},
                                         .seed = job->options->seed};
    progress_step(job->progress, "writes the table", 0);
    int status = scan_table_make(&job->table, job->run->engine, &spec, data, error_out);
    if (status == 0)
        status = check_space(job, error_out);
    job->reader.table = &job->table;
    for (int pattern = 0; status == 0 && pattern < DELETE_N_PATTERNS; pattern++)
        if (job->options->patterns >> pattern & 1)
            status = delete_rounds_run(job, (enum delete_pattern)pattern, error_out);
    scan_table_free(&job->table);
    return status;
}

/* One table after the other; options of each differ in its rows only. */
static int run_tables(struct delete_job *job, const char *data, struct dv_error *error_out)
{
    const struct delete_options *all = job->options;
    uint64_t rows[DELETE_MAX_TABLES];
    const size_t n_tables = delete_table_rows(all, rows);
    int status = 0;
    for (size_t i = 0; status == 0 && i < n_tables && !*job->run->interrupted; i++) {
        struct delete_options options = *all;
        options.n_rows = rows[i];
        job->options = &options;
        status = run_table(job, data, error_out);
    }
    job->options = all;
    return *job->run->interrupted ? 0 : status;
}

static int measure(struct delete_job *job, const char *data, struct run_info *info,
                   struct dv_error *error_out)
{
    struct engine *engine = job->run->engine;
    int status = engine_query(engine, NULL, error_out, "SET threads=%" PRIu64, job->options->n_threads);
    if (status == 0)
        status = engine_run_pin(job->options->cpu, job->options->n_threads, info, error_out);
    if (status == 0)
        status = engine_query(engine, NULL, error_out, DELETE_CUBE_SQL);
    if (status == 0)
        status = scan_function_new(&job->reader.function, engine, job->options->n_threads, error_out);
    if (status == 0) /* first, so that a run that is killed before its first row can be continued */
        status = run_json_write(job->run->dir, info, error_out);
    if (status == 0)
        status = open_csv(job, error_out);
    return status < 0 ? status : run_tables(job, data, error_out);
}

static size_t n_steps(const struct delete_options *options)
{
    uint64_t rows[DELETE_MAX_TABLES];
    return delete_table_rows(options, rows) * (size_t)__builtin_popcount(options->ways) *
           (size_t)__builtin_popcount(options->patterns) * options->rounds * (options->n_batches + 1);
}

static int finish(struct delete_job *job, struct run_info *info, int status, struct dv_error *error_out)
{
    progress_end(job->progress);
    info->ended = time(NULL);
    info->status = *job->run->interrupted ? "interrupted" : "complete";
    const int closed = csv_close(job->writer, status == 0 ? error_out : NULL);
    status = status < 0 ? status : closed;
    if (status == 0)
        status = run_json_write(job->run->dir, info, error_out);
    csv_free(job->done);
    scan_function_free(job->reader.function);
    return status;
}

int delete_run(struct engine_run *run, const struct delete_options *options, struct dv_error *error_out)
{
    struct engine_record *record = calloc(1, sizeof *record);
    struct progress progress;
    struct folders folders = {0};
    struct delete_job job = {.run = run,
                             .options = options,
                             .reader = {.engine = run->engine, .kernel = options->kernel},
                             .progress = &progress};
    if (!record)
        return dv_no_memory(error_out);
    engine_record_fill(
        record, run, "deletes",
        &(struct engine_run_numbers){options->n_threads, options->rounds, options->n_rows, options->seed});
    job.machine = record->machine_text;
    progress_begin(&progress, n_steps(options), options->quiet);
    int status = make_folders(&folders, &job, error_out);
    job.tables = folders.tables;
    if (status == 0)
        status = measure(&job, folders.data, &record->info, error_out);
    status = finish(&job, &record->info, status, error_out);
    if (folders.tables)
        rmdir(folders.tables); /* stays where tables are kept */
    free(folders.data);
    free(folders.tables);
    free(record);
    return status;
}
