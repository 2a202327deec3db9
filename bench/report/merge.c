/* SPDX-License-Identifier: Apache-2.0 */
#include "merge.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csv.h"
#include "run_dir.h"
#include "run_json.h"

static int make_empty_folder(const char *path, struct dv_error *error_out)
{
    if (mkdir(path, 0777) == 0)
        return 0;
    DIR *folder = errno == EEXIST ? opendir(path) : NULL;
    if (!folder)
        return dv_fail(error_out, DV_ERROR_IO, "cannot make the folder %s: %s", path, strerror(errno));
    bool is_empty = true;
    for (const struct dirent *entry; (entry = readdir(folder));)
        is_empty = is_empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    closedir(folder);
    if (!is_empty)
        return dv_fail(error_out, DV_ERROR_USAGE, "%s is not empty: give a new folder", path);
    return 0;
}

struct merged_cell {
    const char *cell; /* borrowed */
    size_t run;
};

static int compare_cells(const void *left, const void *right)
{
    const struct merged_cell *a = left, *b = right;
    int order = strcmp(a->cell, b->cell);
    return order ? order : (a->run > b->run) - (a->run < b->run);
}

/* A cell's hash has the program and the machine in it, so that only the very same measurement made twice is
 * refused. */
static int check_disjoint(struct csv_table *const *tables, const char *const *run_dirs, size_t n_runs,
                          struct dv_error *error_out)
{
    size_t n = 0;
    for (size_t i = 0; i < n_runs; i++)
        n += csv_n_rows(tables[i]);
    struct merged_cell *cells = malloc((n + 1) * sizeof *cells);
    if (!cells)
        return dv_no_memory(error_out);
    n = 0;
    for (size_t i = 0; i < n_runs; i++)
        for (size_t row = 0; row < csv_n_rows(tables[i]); row++)
            cells[n++] = (struct merged_cell){csv_text(tables[i], row, CSV_summary_cell), i};
    qsort(cells, n, sizeof *cells, compare_cells);
    int status = 0;
    for (size_t i = 1; i < n && status == 0; i++)
        if (strcmp(cells[i].cell, cells[i - 1].cell) == 0 && cells[i].run != cells[i - 1].run)
            status = dv_fail(error_out, DV_ERROR_USAGE, "cell %s is in %s and in %s: compare them instead",
                             cells[i].cell, run_dirs[cells[i - 1].run], run_dirs[cells[i].run]);
    free(cells);
    return status;
}

static int load_all(struct csv_table **tables, enum csv_file file, const char *const *run_dirs, size_t n_runs,
                    struct dv_error *error_out)
{
    for (size_t i = 0; i < n_runs; i++) {
        char *path = run_dir_file(run_dirs[i], run_dir_csv_name(file));
        if (!path)
            return dv_no_memory(error_out);
        bool is_left_out = file != CSV_FILE_summary && access(path, F_OK) != 0;
        free(path);
        int status = is_left_out ? 0 : run_dir_load(&tables[i], run_dirs[i], file, error_out);
        if (status < 0)
            return status;
    }
    return 0;
}

static int write_all(const char *out_dir, enum csv_file file, struct csv_table *const *tables, size_t n_runs,
                     struct dv_error *error_out)
{
    struct csv_writer *writer = NULL;
    int status = run_dir_create_csv(&writer, out_dir, file, error_out);
    for (size_t i = 0; i < n_runs; i++)
        for (size_t row = 0; status == 0 && tables[i] && row < csv_n_rows(tables[i]); row++) {
            csv_copy_row(writer, tables[i], row);
            status = csv_end_row(writer, error_out);
        }
    int closed = csv_close(writer, status < 0 ? NULL : error_out);
    return status < 0 ? status : closed;
}

static int merge_file(const char *out_dir, enum csv_file file, const char *const *run_dirs, size_t n_runs,
                      struct dv_error *error_out)
{
    struct csv_table **tables = calloc(n_runs, sizeof *tables);
    if (!tables)
        return dv_no_memory(error_out);
    int status = load_all(tables, file, run_dirs, n_runs, error_out);
    if (status == 0 && file == CSV_FILE_summary)
        status = check_disjoint(tables, run_dirs, n_runs, error_out);
    /* Not before all is known to be fine, so that a refusal leaves no half of a run. */
    if (status == 0 && file == CSV_FILE_summary)
        status = make_empty_folder(out_dir, error_out);
    if (status == 0)
        status = write_all(out_dir, file, tables, n_runs, error_out);
    for (size_t i = 0; i < n_runs; i++)
        csv_free(tables[i]);
    free(tables);
    return status;
}

static void add_warnings(json_t *warnings, const char *run_name, const json_t *run)
{
    const json_t *warning;
    size_t i;
    json_array_foreach(json_object_get(run, "warnings"), i, warning)
    {
        if (json_is_string(warning))
            json_array_append_new(warnings, json_sprintf("%s: %s", run_name, json_string_value(warning)));
    }
}

/* What each run said of itself, under `runs`; the warnings of all of them, each with its run's name. A run
 * without run.json is a warning. */
static int merge_run_json(const char *out_dir, const char *const *run_dirs, size_t n_runs,
                          struct dv_error *error_out)
{
    json_t *runs = json_array(), *warnings = json_array();
    for (size_t i = 0; i < n_runs; i++) {
        json_t *run;
        if (run_json_load(&run, run_dirs[i], NULL) < 0)
            json_array_append_new(
                warnings, json_sprintf("%s: no run.json that can be read", run_dir_name(run_dirs[i])));
        else
            add_warnings(warnings, run_dir_name(run_dirs[i]), run);
        if (run)
            json_array_append_new(runs, run);
    }
    json_t *merged = json_pack("{s:s, s:s, s:s, s:o, s:o}", "schema", COLUMNS_SCHEMA, "run",
                               run_dir_name(out_dir), "status", "merged", "warnings", warnings, "runs", runs);
    const int status = run_json_save(out_dir, merged, error_out);
    json_decref(merged);
    return status;
}

/* The folder was new or empty, so that all in it is this merge's own. */
static void remove_half(const char *out_dir)
{
    static const enum csv_file files[] = {CSV_FILE_summary, CSV_FILE_samples, CSV_FILE_counters,
                                          CSV_FILE_threads};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = run_dir_file(out_dir, run_dir_csv_name(files[i]));
        if (path)
            (void)unlink(path);
        free(path);
    }
    (void)rmdir(out_dir);
}

static bool is_in_one(enum csv_file file, const char *const *run_dirs, size_t n_runs)
{
    for (size_t i = 0; i < n_runs; i++)
        if (run_dir_has(run_dirs[i], file))
            return true;
    return false;
}

int merge_runs(const char *out_dir, const char *const *run_dirs, size_t n_runs, struct dv_error *error_out)
{
    int status = merge_file(out_dir, CSV_FILE_summary, run_dirs, n_runs, error_out);
    if (status < 0)
        return status;
    status = merge_file(out_dir, CSV_FILE_samples, run_dirs, n_runs, error_out);
    if (status == 0)
        status = merge_file(out_dir, CSV_FILE_counters, run_dirs, n_runs, error_out);
    if (status == 0 && is_in_one(CSV_FILE_threads, run_dirs, n_runs))
        status = merge_file(out_dir, CSV_FILE_threads, run_dirs, n_runs, error_out);
    if (status == 0)
        status = merge_run_json(out_dir, run_dirs, n_runs, error_out);
    if (status < 0)
        remove_half(out_dir);
    return status;
}
