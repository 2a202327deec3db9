/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_dir.h"
#include "run_json.h"
#include "run_record.h"
#include "scan_run.h"

/* What the steps below share. */
struct scan {
    struct engine_run *run;
    const struct scan_options *options;
};

/* --- tables --- */

/* Where tables are kept: --data, else below the folder of results. */
static char *data_dir(const struct scan_options *options)
{
    const char *results = getenv("DVBENCH_RESULTS");
    if (options->data_dir)
        return strdup(options->data_dir);
    results = results && *results ? results : "results";
    (void)mkdir(results, 0777); /* where it cannot be made, the next one says why */
    return run_dir_file(results, "scan-data");
}

static int open_table(const struct scan *scan, const struct scan_block *block, const char *data,
                      struct scan_table *table_out, struct dv_error *error_out)
{
    if (scan->options->parquet.n_items)
        return scan_table_open(table_out, scan->run->engine, &scan->options->parquet, error_out);
    return scan_table_make(table_out, scan->run->engine, &block->table, data, error_out);
}

static bool is_same_table(const struct scan_block *a, const struct scan_block *b)
{
    return memcmp(&a->table, &b->table, sizeof a->table) == 0;
}

/* --- vectors --- */

enum { NO_VECTOR = 1 };

/* The vector that names `path` as its data file: as it is written, else by the last part of both, since tables move.
 * NO_VECTOR where none does: a table's Puffin file names only the data files that have deletes. */
static int choose_by_data_file(const struct format_file *file, const char *path, uint64_t *index_out,
                               struct dv_error *error_out)
{
    size_t n_alike = 0;
    for (size_t i = 0; i < file->n_vectors; i++) {
        const char *data_file = file->vectors[i].data_file ? file->vectors[i].data_file : "";
        const bool is_same = strcmp(data_file, path) == 0;
        if (!is_same && strcmp(run_dir_name(data_file), run_dir_name(path)) != 0)
            continue;
        *index_out = file->vectors[i].index;
        if (is_same)
            return 0;
        n_alike++;
    }
    if (n_alike == 1)
        return 0;
    return n_alike
               ? dv_fail(error_out, DV_ERROR_INPUT,
                         "%zu of its %zu vectors are of a data file called %s: give --parquet the whole path "
                         "that the vector names",
                         n_alike, file->n_vectors, run_dir_name(path))
               : NO_VECTOR;
}

/* A file with one vector for one data file leaves nothing to choose, whatever it names. */
static int read_by_data_file(const char *dv_path, const struct scan_table *table, size_t number,
                             struct scan_vector *vector_out, struct dv_error *error_out)
{
    struct format_file file;
    const struct format_options options = {0};
    const struct strings *files = &table->files;
    uint64_t index = 0;
    int status = format_open(&file, dv_path, &options, error_out);
    if (status < 0)
        return dv_error_set_where(error_out, dv_path);
    if (files->n_items > 1 || file.n_vectors > 1)
        status = choose_by_data_file(&file, files->items[number], &index, error_out);
    format_close(&file);
    if (status < 0)
        return dv_error_set_where(error_out, dv_path);
    return status == NO_VECTOR ? scan_vector_none(vector_out, table->n_rows[number], error_out)
                               : scan_vector_read(vector_out, dv_path, index, table->n_rows[number],
                                                  files->items[number], error_out);
}

static int read_each(const struct strings *dvs, const struct scan_table *table, struct scan_vector *vectors,
                     struct dv_error *error_out)
{
    int status = 0;
    for (size_t file = 0; status == 0 && file < table->files.n_items; file++)
        status = scan_vector_read(&vectors[file], dvs->items[file], 0, table->n_rows[file],
                                  table->files.items[file], error_out);
    return status;
}

/* One file with the vectors of all data files. `progress` is told of those without one, unless it is NULL. */
static int read_one(const char *path, const struct scan_table *table, struct progress *progress,
                    struct scan_vector *vectors, struct dv_error *error_out)
{
    const size_t n_files = table->files.n_items;
    size_t n_without = 0, last = 0;
    for (size_t file = 0; file < n_files; file++) {
        const int status = read_by_data_file(path, table, file, &vectors[file], error_out);
        if (status < 0)
            return status;
        if (!vectors[file].path) {
            n_without++;
            last = file;
        }
    }
    if (n_without == n_files) {
        dv_fail(error_out, DV_ERROR_INPUT, "none of its vectors is of the data file %s",
                table->files.items[0]);
        return dv_error_set_where(error_out, path);
    }
    if (n_without && progress)
        progress_note(
            progress,
            "warning: %s: no vector for %zu of %zu data files, which are read as without deletes: %s%s", path,
            n_without, n_files, table->files.items[last], n_without > 1 ? " and others" : "");
    return 0;
}

static int make_each(const struct scan_block *block, const struct scan_table *table, const char *data,
                     struct scan_vector *vectors, size_t n_vectors, struct dv_error *error_out)
{
    char *dir = run_dir_file(data, "vectors");
    int status = dir ? 0 : dv_no_memory(error_out);
    if (status == 0) { /* where one fails the first file says why */
        (void)mkdir(data, 0777);
        (void)mkdir(dir, 0777);
    }
    for (size_t file = 0; status == 0 && file < n_vectors; file++)
        status = scan_vector_make(&vectors[file], block->vector, file, table->n_rows[file],
                                  run_dir_name(table->files.items[file]), dir, error_out);
    free(dir);
    return status;
}

static void free_vectors(struct scan_vector *vectors, size_t n_vectors)
{
    for (size_t i = 0; vectors && i < n_vectors; i++)
        scan_vector_free(&vectors[i]);
    free(vectors);
}

/* Of the first `n_vectors` data files; of all where they are given. */
static int open_vectors(const struct scan *scan, struct progress *progress, const struct scan_block *block,
                        const struct scan_table *table, const char *data, size_t n_vectors,
                        struct scan_vector **vectors_out, struct dv_error *error_out)
{
    const struct strings *dvs = &scan->options->dvs;
    struct scan_vector *vectors = *vectors_out = calloc(n_vectors, sizeof *vectors);
    if (!vectors)
        return dv_no_memory(error_out);
    if (dvs->n_items == 0)
        return make_each(block, table, data, vectors, n_vectors, error_out);
    if (dvs->n_items > 1)
        return read_each(dvs, table, vectors, error_out);
    return read_one(dvs->items[0], table, progress, vectors, error_out);
}

/* --- before the run's folder holds anything --- */

/* A column that the table lacks, a vector that is of another file: in whichever block. Of generated vectors one says
 * whether the recipe is right. */
static int check_blocks(const struct scan *scan, struct progress *progress, const struct scan_block *first,
                        const struct scan_table *table, const char *data, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < scan->options->n_blocks; i++) {
        const struct scan_block *block = &scan->options->blocks[i];
        struct scan_vector *vectors = NULL;
        struct scan_query query;
        if (!is_same_table(block, first))
            continue;
        status = scan_query_parse(&query, table, block->kind, block->columns, error_out);
        const bool is_given = scan->options->dvs.n_items > 0;
        const size_t n_vectors = is_given ? table->files.n_items : 1;
        if (status == 0 && (i == 0 || !is_given))
            status = open_vectors(scan, progress, block, table, data, n_vectors, &vectors, error_out);
        free_vectors(vectors, n_vectors);
    }
    return status;
}

/* All of them before anything is timed: with all threads, and before memory is as full as it gets. */
static int make_tables(const struct scan *scan, const char *data, struct progress *progress,
                       struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < scan->options->n_blocks && !*scan->run->interrupted; i++) {
        const struct scan_block *block = &scan->options->blocks[i];
        struct scan_table table = {0};
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = !is_same_table(&scan->options->blocks[j], block);
        if (!is_new)
            continue;
        progress_step(progress, "writes the table", 0);
        status = open_table(scan, block, data, &table, error_out);
        if (status == 0 && table.was_made && !scan->options->quiet)
            progress_note(progress, "wrote %s: %zu files, %.0f MB", table.dir, table.files.n_items,
                          (double)table.n_bytes / 1e6);
        if (status == 0)
            status = check_blocks(scan, progress, block, &table, data, error_out);
        scan_table_free(&table);
    }
    return status;
}

/* --- the run --- */

static int open_csv(const struct scan *scan, struct scan_run *run, struct dv_error *error_out)
{
    char *path = run_dir_file(scan->run->dir, run_dir_csv_name(CSV_FILE_scan));
    int status = path ? 0 : dv_no_memory(error_out);
    if (status == 0 && scan->run->is_resumed && access(path, F_OK) == 0)
        status = csv_load(&run->done, path, CSV_FILE_scan, error_out);
    if (status == 0)
        status = csv_append(&run->writer, path, CSV_FILE_scan, error_out);
    free(path);
    return status;
}

/* The table of the block before is kept where it is the same. */
static int run_blocks(const struct scan *scan, struct scan_run *run, const char *data,
                      struct dv_error *error_out)
{
    struct scan_table table = {0};
    const struct scan_block *before = NULL;
    int status = 0;
    for (size_t i = 0; status == 0 && i < scan->options->n_blocks && !*scan->run->interrupted; i++) {
        const struct scan_block *block = &scan->options->blocks[i];
        struct scan_vector *vectors = NULL;
        if (!before || !is_same_table(block, before)) {
            scan_table_free(&table);
            status = open_table(scan, block, data, &table, error_out);
            before = block;
        }
        if (status == 0)
            status = open_vectors(scan, NULL, block, &table, data, table.files.n_items, &vectors, error_out);
        if (status == 0)
            status = scan_run_block(run, block, &table, vectors, table.files.n_items, error_out);
        free_vectors(vectors, table.files.n_items);
    }
    scan_table_free(&table);
    return *scan->run->interrupted ? 0 : status;
}

static int measure(const struct scan *scan, struct scan_run *run, const char *data, struct run_info *info,
                   struct dv_error *error_out)
{
    const int cpu = scan->options->cpu;
    int status = cpu >= 0 ? machine_check_cpu(cpu, error_out) : 0; /* before minutes of tables */
    if (status == 0)
        status = make_tables(scan, data, run->progress, error_out);
    if (*scan->run->interrupted)
        return 0;
    progress_begin(run->progress, scan->options->n_blocks, scan->options->quiet); /* what is left is blocks */
    if (status == 0)
        status = engine_query(scan->run->engine, NULL, error_out, "SET threads=%d", scan->options->n_threads);
    if (status == 0)
        status = engine_run_pin(scan->options->cpu, (uint64_t)scan->options->n_threads, info, error_out);
    if (status == 0)
        status = scan_function_new(&run->function, scan->run->engine, (uint64_t)scan->options->n_threads,
                                   error_out);
    if (status == 0)
        status = program_digest(&run->program_digest, error_out);
    if (status == 0) /* first, since what is killed goes on by it */
        status = run_json_write(scan->run->dir, info, error_out);
    if (status == 0)
        status = open_csv(scan, run, error_out);
    return status < 0 ? status : run_blocks(scan, run, data, error_out);
}

int scan_run(struct engine_run *engine_run, const struct scan_options *options, struct dv_error *error_out)
{
    const struct scan scan_whole = {engine_run, options}, *scan = &scan_whole;
    struct engine_record *record = calloc(1, sizeof *record);
    struct progress progress;
    char *data = data_dir(options);
    if (!record || !data) {
        free(record);
        free(data);
        return dv_no_memory(error_out);
    }
    engine_record_fill(record, engine_run, "scan",
                       &(struct engine_run_numbers){(uint64_t)options->n_threads, (uint64_t)options->rounds,
                                                    options->n_rows, options->seed});
    struct scan_run run = {.engine = scan->run->engine,
                           .options = scan->options,
                           .progress = &progress,
                           .interrupted = scan->run->interrupted,
                           .run = record->info.run,
                           .machine = record->machine_text};
    progress_begin(&progress, scan->options->n_blocks, scan->options->quiet);
    int status = measure(scan, &run, data, &record->info, error_out);
    progress_end(&progress);
    record->info.ended = time(NULL);
    record->info.status = *scan->run->interrupted ? "interrupted" : "complete";
    const int closed = csv_close(run.writer, status == 0 ? error_out : NULL);
    status = status < 0 ? status : closed;
    if (status == 0)
        status = run_json_write(scan->run->dir, &record->info, error_out);
    scan->run->n_wrong_out = run.n_wrong_out;
    csv_free(run.done);
    scan_function_free(run.function);
    free(record);
    free(data);
    return status;
}
