/* SPDX-License-Identifier: Apache-2.0 */
/* run.json: everything about a run that is not a row: machine, program, versions, plan, counters, warnings.
 *
 * Place in the data flow: the sweep -> results/RUN/run.json -> report, compare, doubting readers. */
#ifndef DVBENCH_RUN_JSON_H
#define DVBENCH_RUN_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "dv.h"
#include "machine.h"

struct run_pair {
    const char *key;
    const char *value; /* NULL is written as null */
};

/* What the sweep knows. All pointers are borrowed; NULL texts, NaN and a time of 0 are written as null.
 * Versions of the program, CRoaring, libbenchmark, valgrind and gnuplot are found out by the writer. */
struct run_info {
    const char *run;    /* name of the run: its folder */
    const char *status; /* "running", "complete", "interrupted" */
    const char *plan;
    const char *program;          /* digest, hex: rows of another one are not comparable */
    const char *const *arguments; /* of the command line */
    size_t n_arguments;
    int start;      /* number of this process start, from 0 */
    time_t started; /* of this process start: seconds since 1970; written as ISO 8601, UTC */
    time_t ended;
    const struct machine *machine;
    int pinned_cpu;   /* -1: not pinned */
    double steal_pct; /* of the time of this process start */
    uint64_t malloc_trim_threshold_bytes;
    const char *benchmark_version; /* of Google Benchmark */
    const char *pfm_version;       /* NULL: built without */
    const char *counter_source;    /* "pmu", "sim", "none"; a sim run's cells may say "step" */
    const char *counter_status;    /* why not a better one */
    const struct run_pair *events; /* name asked for -> as encoded */
    size_t n_events;
    const struct run_pair *settings; /* rounds, min_time, seed and what else was chosen */
    size_t n_settings;
    const char *const *warnings;
    size_t n_warnings;
};

/* Writes DIR/run.json, which appears whole or not at all. A file that is there is replaced, except for its `started`,
 * where it is of the same program, and its list `starts`, {start, status, started, ended, steal_pct} of each other process start. Bytes that are not UTF-8 become
 * %XX. Returns 0, DV_ERROR_IO or DV_ERROR_MEMORY. */
int run_json_write(const char *dir, const struct run_info *info, struct dv_error *error_out);

/* A text of any bytes as JSON: NULL gives null, and what is not UTF-8 (a path may be so) is percent-encoded. NULL
 * without memory. */
json_t *run_json_text(const char *text);

/* The same for an object that the caller made: of merged runs. NULL is DV_ERROR_MEMORY. */
int run_json_save(const char *dir, const json_t *root, struct dv_error *error_out);

/* Reads DIR/run.json, to be released by json_decref. Returns 0, DV_ERROR_MEMORY or DV_ERROR_INPUT (cannot be read,
 * not a JSON object, or of another schema), then `root_out` is NULL. */
int run_json_load(json_t **root_out, const char *dir, struct dv_error *error_out);

/* The runs that a run consists of: those of its list `runs` where it was merged, else itself. `root` may be NULL: 0.
 * A part is borrowed from the root. */
size_t run_json_n_parts(const json_t *root);
const json_t *run_json_part(const json_t *root, size_t index);

/* The first line that `command --version` prints, "valgrind-3.19.0", or "" where it is missing or fails; in
 * `line_out`, which is returned. `command` is a word found on the PATH; it is not quoted. Starts a child process. */
const char *run_json_tool_version(const char *command, char *line_out, size_t line_bytes);

/* Names of the files that a child process has to load as well, one per line. */
#define PLUGIN_ENVIRONMENT "DVBENCH_PLUGINS"

/* These files: what --resume loads again. Owned; NULL without memory. */
json_t *run_json_plugins(void);

#endif
