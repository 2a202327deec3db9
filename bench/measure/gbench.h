/* SPDX-License-Identifier: Apache-2.0 */
/* Google Benchmark in C: register, loop, count, report, without a line of C++ in the caller.
 *
 * Place in the data flow: functions of the caller -> Google Benchmark -> plain C structs in callbacks of
 * the caller.
 *
 * gbench.h and gbench.cc stand alone: take the two files into another project, compile gbench.cc as C++17
 * and link libbenchmark (1.7.1 or later; what differs between versions is detected by the compiler, not by
 * number). The library keeps its registry and flags in one process-wide place, and so does this binding:
 * call everything but the gbench_state functions from one thread.
 *
 *     static void sum(struct gbench_state *state, void *user)
 *     {
 *         while (gbench_keep_running_batch(state, 100))
 *             for (int i = 0; i < 100; i++)
 *                 work(user);
 *     }
 *     gbench_set_iterations(gbench_register("sum", sum, &input), 1000);
 *     gbench_run(&reporter, NULL, NULL);
 *     gbench_clear();
 *
 * No C++ exception leaves these functions. Strings handed in are copied; strings handed out say how long
 * they live. */
#ifndef GBENCH_H
#define GBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gbench_state;     /* one run of one benchmark, on the stack of that run */
struct gbench_benchmark; /* one registered benchmark; valid until gbench_clear */
struct gbench_json;      /* a JSON file that stays open over many gbench_run */

/* The function that is measured. `user` is what gbench_register was given. It has to run a keep-running
 * loop to its end, or to call gbench_skip_with_error; returning in the middle of the loop is reported as an
 * error of the run. */
typedef void gbench_fn(struct gbench_state *state, void *user);

enum gbench_unit { GBENCH_NS, GBENCH_US, GBENCH_MS, GBENCH_S };

/* How a counter is presented; flags may be combined. */
enum gbench_counter_flags {
    GBENCH_COUNTER_PLAIN = 0,
    GBENCH_COUNTER_RATE = 1 << 0,                /* divided by the seconds of the run */
    GBENCH_COUNTER_AVG_THREADS = 1 << 1,         /* divided by the threads */
    GBENCH_COUNTER_ITERATION_INVARIANT = 1 << 2, /* multiplied by the iterations */
    GBENCH_COUNTER_AVG_ITERATIONS = 1 << 3,      /* divided by the iterations */
    GBENCH_COUNTER_INVERT = 1 << 4,              /* 1 / value, after all others */
};

enum gbench_one_k { GBENCH_1000, GBENCH_1024 }; /* what a printed "k" means */

/* --- start --- */

/* Hands the library's own flags (`--benchmark_...=`, `--v=`) to it and removes them from argv; argv[0] must
 * outlive the process's use of the library. Three are left where they are, for the caller: `--help` (the
 * library would exit), `--benchmark_out` and `--benchmark_out_format` (it would truncate the file at each
 * gbench_run: use gbench_json_open). Environment variables that would do the same (BENCHMARK_OUT,
 * BENCHMARK_FORMAT, BENCHMARK_MIN_TIME, ...) are ignored. `--benchmark_min_time` may be written `0.5` or
 * `0.5s` with every version. Returns 0, or -1 with one line in `message_out` (may be NULL): a flag that
 * this version does not know, a value it would have exited for, a filter that is no regular expression. */
int gbench_initialize(int *argc, char **argv, char *message_out, size_t message_bytes);

/* Version of libbenchmark that this was built with, "1.7.1"; "unknown" where it did not say. Static. */
const char *gbench_library_version(void);

/* Whether the undecorated `name` passes `--benchmark_filter`, as the library would decide: a POSIX extended
 * expression found anywhere in the name, negated by a leading '-'; "" and "all" pass everything. */
bool gbench_filter_matches(const char *name);

/* Sets what `--benchmark_filter` sets. Returns 0, or -1 where `filter` is no regular expression; then the
 * old one stays. */
int gbench_set_filter(const char *filter);

/* Adds a key to the context of JSON files opened afterwards. A key that is there is left as it is. Returns
 * 0, -1 without memory. */
int gbench_add_context(const char *key, const char *value);

/* --- registering --- */

/* Registers `fn` as `name`. Names may repeat. `user` is borrowed until gbench_clear. NULL without memory;
 * all the functions that follow take NULL and then do nothing. */
struct gbench_benchmark *gbench_register(const char *name, gbench_fn *fn, void *user);

/* Adds one run with these arguments, read by gbench_range; every call on one benchmark must give the same
 * count, others are ignored. Returns 0 or -1. */
int gbench_add_args(struct gbench_benchmark *benchmark, const int64_t *args, size_t n_args);

/* Exactly so many iterations (> 0) and no search for their number; excludes gbench_set_min_time. Values out
 * of range are ignored, here and below. */
void gbench_set_iterations(struct gbench_benchmark *benchmark, int64_t n_iterations);
void gbench_set_min_time(struct gbench_benchmark *benchmark, double seconds);       /* > 0, finite */
void gbench_set_repetitions(struct gbench_benchmark *benchmark, int n_repetitions); /* > 0 */
void gbench_set_threads(struct gbench_benchmark *benchmark,
                        int n_threads); /* > 0; may be called again for more runs */
void gbench_set_unit(struct gbench_benchmark *benchmark,
                     enum gbench_unit unit); /* of reported times; nanoseconds by default */
void gbench_use_real_time(
    struct gbench_benchmark *benchmark); /* wall instead of CPU time for rates and min time; excludes: */
void gbench_use_manual_time(
    struct gbench_benchmark *benchmark); /* gbench_set_iteration_time in every iteration */

/* Forgets all registered benchmarks and frees what they held. Registering and running may then begin again,
 * any number of times. */
void gbench_clear(void);

/* --- inside a benchmark function --- */

/* True while the caller is to do `n` (> 0) more iterations. The first call starts the clock, the one that
 * returns false stops it. The cost is one C call per n iterations: about 1 ns per call, so 0.27 ns per
 * iteration at n = 1000 becomes nothing at longer work. The last batch overshoots where the iterations are
 * no multiple of n; they are counted. */
bool gbench_keep_running_batch(struct gbench_state *state, int64_t n);
bool gbench_keep_running(struct gbench_state *state); /* n = 1 */

/* Stop and start the clock within the loop, in pairs inside one turn. A pair costs about 0.4 us: prefer
 * batches. Out of order they make the run an error. */
void gbench_pause_timing(struct gbench_state *state);
void gbench_resume_timing(struct gbench_state *state);

int64_t gbench_iterations(const struct gbench_state *state);     /* done so far, overshoot included */
int64_t gbench_max_iterations(const struct gbench_state *state); /* asked for in this run */
int gbench_threads(const struct gbench_state *state);
int gbench_thread_index(const struct gbench_state *state); /* 0 .. threads - 1 */
size_t gbench_n_args(const struct gbench_state *state);
int64_t gbench_range(const struct gbench_state *state,
                     size_t index); /* argument `index`; 0 past gbench_n_args */

void gbench_set_iteration_time(struct gbench_state *state, double seconds); /* with gbench_use_manual_time */

/* Ends the run as failed; the loop's next call returns false. The first message counts. */
void gbench_skip_with_error(struct gbench_state *state, const char *message);

/* After the loop. `flags`: enum gbench_counter_flags. */
void gbench_set_counter(struct gbench_state *state, const char *name, double value, unsigned flags,
                        enum gbench_one_k one_k);
void gbench_set_label(struct gbench_state *state, const char *label);
void gbench_set_items_processed(struct gbench_state *state,
                                int64_t n_items); /* gives the counter items_per_second */
void gbench_set_bytes_processed(struct gbench_state *state,
                                int64_t n_bytes); /* gives the counter bytes_per_second */

/* --- results --- */

struct gbench_counter {
    const char *name;
    double value;   /* as presented: flags are already applied */
    unsigned flags; /* enum gbench_counter_flags */
    enum gbench_one_k one_k;
};

/* One run or one aggregate over the repetitions. All pointers live until the callback returns. */
struct gbench_result {
    const char *name; /* function and arguments (threads too where asked for), no other decoration */
    const char *decorated_name; /* the library's own: /iterations:N/real_time and so on */
    const char *aggregate_name; /* "mean", "median", "stddev", "cv"; NULL for a run */
    bool aggregate_is_ratio;    /* times are then a fraction, not in `unit` */
    const char *label;          /* "" where none was set */
    bool has_error;             /* then the times mean nothing */
    const char *error;          /* "" without error */
    int64_t n_iterations;       /* of an aggregate: the number of repetitions */
    int64_t n_threads;
    int64_t n_repetitions;
    int64_t repetition_index; /* from 0; -1 for an aggregate */
    double real_time;         /* per iteration, in `unit`; with manual time: the manual one */
    double cpu_time;          /* per iteration, in `unit` */
    enum gbench_unit unit;
    const struct gbench_counter *counters; /* sorted by name */
    size_t n_counters;
};

/* What the library knows about the machine. */
struct gbench_context {
    int n_cpus;
    double cpu_hz;     /* nominal, as the kernel states it */
    int scaling;       /* 1 a frequency governor other than performance, 0 none, -1 unknown */
    size_t name_width; /* characters of the longest decorated name */
};

/* Callbacks of one gbench_run; each may be NULL. */
struct gbench_reporter {
    bool (*context)(const struct gbench_context *context, void *user); /* once, first; false: run nothing */
    void (*runs)(const struct gbench_result *results, size_t n_results,
                 void *user);     /* per instance: all repetitions, then aggregates */
    void (*finalize)(void *user); /* once, last */
    void *user;
};

/* Runs what is registered and passes `filter` (NULL: what `--benchmark_filter` says; ".": all). The library
 * matches against decorated names: who filtered by gbench_filter_matches passes ".". `reporter` and `json`
 * may be NULL. Prints nothing, but for `--benchmark_list_tests`, which prints names to standard output and
 * runs nothing. Returns the number of matching instances, 0 where none matched, -1 where memory ran out. */
int64_t gbench_run(const struct gbench_reporter *reporter, struct gbench_json *json, const char *filter);

/* Opens (truncates) a file in the library's JSON format, to be passed to any number of gbench_run. Runs of
 * the same name become repetitions of one benchmark, names carry no decoration, so that compare.py pairs
 * two files; the file is complete JSON after every run, so that a killed process leaves a valid one. Call
 * after gbench_initialize and gbench_add_context. The library writes the host's name into it. Returns NULL
 * with errno set. */
struct gbench_json *gbench_json_open(const char *path);

/* Closes and frees; NULL is fine. Returns 0, or -1 where any write failed: the file is then not to be
 * trusted. */
int gbench_json_close(struct gbench_json *json);

#ifdef __cplusplus
}
#endif

#endif
