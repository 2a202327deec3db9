/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run_dir.h"
#include "utf8.h"

const char *run_dir_name(const char *dir)
{
    const char *slash = strrchr(dir, '/');
    return slash && slash[1] ? slash + 1 : dir;
}

char *run_dir_file(const char *dir, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

const char *run_dir_csv_name(enum csv_file file)
{
    static const char *const names[] = {
        [CSV_FILE_summary] = "summary.csv",   [CSV_FILE_samples] = "samples.csv",
        [CSV_FILE_counters] = "counters.csv", [CSV_FILE_scan] = "scan.csv",
        [CSV_FILE_deletes] = "deletes.csv",   [CSV_FILE_explain] = "explain.csv",
        [CSV_FILE_claims] = "claims.csv",     [CSV_FILE_versions] = "versions.csv",
        [CSV_FILE_threads] = "threads.csv"};
    return names[file];
}

int run_dir_load(struct csv_table **table_out, const char *dir, enum csv_file file,
                 struct dv_error *error_out)
{
    char *path = run_dir_file(dir, run_dir_csv_name(file));
    *table_out = NULL;
    if (!path)
        return dv_no_memory(error_out);
    int status = csv_load(table_out, path, file, error_out);
    free(path);
    return status;
}

bool run_dir_has(const char *dir, enum csv_file file)
{
    char *path = run_dir_file(dir, run_dir_csv_name(file));
    const bool is_there = path && access(path, R_OK) == 0;
    free(path);
    return is_there;
}

int run_dir_load_if_there(struct csv_table **table_out, const char *dir, enum csv_file file,
                          struct dv_error *error_out)
{
    *table_out = NULL;
    return run_dir_has(dir, file) ? run_dir_load(table_out, dir, file, error_out) : 0;
}

int run_dir_create_csv(struct csv_writer **writer_out, const char *dir, enum csv_file file,
                       struct dv_error *error_out)
{
    char *path = run_dir_file(dir, run_dir_csv_name(file));
    *writer_out = NULL;
    int status = path ? csv_create(writer_out, path, file, error_out) : dv_no_memory(error_out);
    free(path);
    return status;
}

int run_dir_lock(int *fd_out, const char *dir, struct dv_error *error_out)
{
    *fd_out = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd_out < 0)
        return dv_fail(error_out, DV_ERROR_INPUT, "%s: cannot open the folder: %s", dir, strerror(errno));
    if (flock(*fd_out, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return 0; /* a file system without locks has none */
    close(*fd_out);
    *fd_out = -1;
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                   "%s: another process is writing this run: wait for its end", dir);
}

/* mkdir -p. */
static int make_path(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
        *slash = '/';
        if (failed)
            return -1;
    }
    return mkdir(path, 0777) != 0 && errno != EEXIST ? -1 : 0;
}

static char *default_dir(const char *plan_name)
{
    char stamp[32], *dir = NULL;
    const char *results = getenv("DVBENCH_RESULTS"), *base = run_dir_name(plan_name);
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y-%m-%d-%H%M%S", &utc);
    if (asprintf(&dir, "%s/%s-%.40s", results && *results ? results : "results", stamp, base) < 0)
        return NULL;
    for (char *c = strrchr(dir, '/') + 1; *c; c++) /* the run's name is a CSV cell */
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '-';
    return dir;
}

/* It is a cell of each CSV row. */
static bool is_name_of_run(const char *name)
{
    char *visible = utf8_visible(name);
    bool is_fit = visible && strcmp(visible, name) == 0 && !strpbrk(name, ",\"");
    free(visible);
    return is_fit;
}

int run_dir_check_out(const char *path, struct dv_error *error_out)
{
    struct stat root, found;
    if (stat("/", &root) != 0 || stat(path, &found) != 0 || found.st_dev != root.st_dev ||
        found.st_ino != root.st_ino)
        return 0;
    return dv_fail(error_out, DV_ERROR_USAGE,
                   "--out %s: that is /; results need a folder of their own: name one", path);
}

int run_dir_create(char **dir_out, const char *out_dir, const char *plan_name, struct dv_error *error_out)
{
    char *dir = out_dir ? strdup(out_dir) : default_dir(plan_name);
    *dir_out = NULL;
    if (!dir || !*dir) {
        free(dir);
        return dv_fail(error_out, DV_ERROR_USAGE, "--out: the name of a folder is expected");
    }
    for (size_t n = strlen(dir); n > 1 && dir[n - 1] == '/'; n--)
        dir[n - 1] = '\0';
    int status = run_dir_check_out(dir, error_out);
    if (status == 0 && !is_name_of_run(run_dir_name(dir)))
        status = dv_fail(error_out, DV_ERROR_USAGE,
                         "--out %s: a run's name is UTF-8 without comma, quote and control characters", dir);
    if (status == 0 && make_path(dir) != 0)
        status = dv_fail(error_out, DV_ERROR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
    static const char *const files[] = {"samples.csv", "summary.csv", "run.json"};
    for (size_t i = 0; status == 0 && i < sizeof files / sizeof files[0]; i++) {
        char *path = run_dir_file(dir, files[i]);
        if (path && access(path, F_OK) == 0)
            status = dv_fail(error_out, DV_ERROR_USAGE, "%s holds a run already: --resume %s continues it",
                             dir, dir);
        free(path);
    }
    if (status < 0)
        free(dir);
    else
        *dir_out = dir;
    return status;
}
