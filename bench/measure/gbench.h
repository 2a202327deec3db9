/* SPDX-License-Identifier: Apache-2.0 */
/* Google Benchmark from C: run one function with a fixed number of iterations, and report it as the library would.
 *
 * Place in the data flow: measure.c -> one run each -> its time, and a line of the JSON file that compare.py reads.
 * Not thread-safe, as the library's own registry is not. */
#ifndef GBENCH_H
#define GBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gbench_state; /* one run, on the stack of that run */
struct gbench_json;  /* a JSON file that stays open over many runs */

/* The function that is measured. It has to run a keep-running loop to its end:
 *
 *     while (gbench_keep_running_batch(state, n))
 *         ... n iterations ... */
typedef void gbench_fn(struct gbench_state *state, void *user);

struct gbench_result {
    double cpu_ns; /* CPU time of the thread per iteration */
    int64_t n_iterations;
};

/* Version of libbenchmark that this was built with, "1.7.1". Static. */
const char *gbench_library_version(void);

/* Sets what `--benchmark_filter` sets. Returns 0, or -1 where `filter` is not a POSIX extended regular expression. */
int gbench_set_filter(const char *filter);

/* Whether `name` passes that filter, as the library would decide: found anywhere in it, a leading '-' negates, "" and
 * "all" pass everything. */
bool gbench_filter_matches(const char *name);

/* Adds a key to the context of JSON files opened afterwards; a key that is there is left as it is. Returns 0, or -1
 * without memory. */
int gbench_add_context(const char *key, const char *value);

/* Runs `fn` as `name` with exactly `n_iterations` (> 0), once, and adds it to `json` (may be NULL) under its plain
 * name, so that compare.py pairs the runs of two files. Returns 0, or -1 with `message_out` (of n_message bytes)
 * filled: an error that `fn` reported, a loop that was left early, or no memory. */
int gbench_run(const char *name, gbench_fn *fn, void *user, int64_t n_iterations, struct gbench_json *json,
               struct gbench_result *result_out, char *message_out, size_t n_message);

/* True while the caller is to do `n` (> 0) more iterations. The first call starts the clock, the one that returns
 * false stops it. About 0.3 ns per call for n = 1,000; 1 ns for n = 1. */
bool gbench_keep_running_batch(struct gbench_state *state, int64_t n);
bool gbench_keep_running(struct gbench_state *state); /* n = 1 */

/* Ends the run as failed; the loop's next call returns false. The first message counts. */
void gbench_skip_with_error(struct gbench_state *state, const char *message);

/* Opens (truncates) a file in the library's JSON format. It is whole after every run: a killed process leaves valid
 * JSON (in a pipe only after the close). NULL with errno set where it cannot be opened. */
struct gbench_json *gbench_json_open(const char *path);

/* Closes and frees; NULL is fine. Returns 0, or -1 where any write failed. */
int gbench_json_close(struct gbench_json *json);

#ifdef __cplusplus
}
#endif

#endif
