/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

const char *const delete_pattern_ids[] = {"random", "range", "hot", NULL};
const char *const delete_way_ids[] = {"cow", "v2", "v2_compact", "v3", NULL};

const char delete_options_help[] =
    "usage: dvbench deletes [options]\n"
    "Deletes rows of a Parquet table in batches, in four ways, and reads the table after each: what deleting "
    "and\n"
    "reading cost, on real files that are flushed to the disk. Every count and sum is checked.\n\n"
    "  --pattern LIST     random keys, range (the oldest rows), hot (random keys of one file); default all\n"
    "  --way LIST         cow (copy-on-write), v2 (position deletes), v2_compact (the same, one file of them "
    "per\n"
    "                     data file), v3 (deletion vectors); default all\n"
    "  --rows N           rows of the table, all files together (default 10000000)\n"
    "  --files N          number of data files (default 4)\n"
    "  --batches N        number of batches of deletes (default 10); above 20 the table is read only after "
    "0, "
    "1, 2,\n"
    "                     5, 10, 20, 50 ... and the last\n"
    "  --rate R           share of the rows that all batches delete together: 0.1 (default) or 10%\n"
    "  --kernel ID        applies the deletes of v2 and v3 (default for_each_in_range)\n"
    "  --rounds N         how often each read is timed; the median is kept (default 1)\n"
    "  --threads N        threads of the engine (default 1)\n"
    "  --seed N           seed of the table and of the random keys (default 1)\n"
    "  --duckdb PATH      libduckdb, or the folder that holds it\n"
    "  --data DIR         where tables are kept (default results/scan-data)\n"
    "  --keep             keep the tables in that folder after the last batch\n"
    "  --out DIR, --figures svg|png|pdf, --no-plots, --quiet   as in sweep; --resume DIR continues that "
    "run\n";

enum option_value {
    OPTION_OUT = 'o',
    OPTION_ROWS = 256,
    OPTION_FILES,
    OPTION_BATCHES,
    OPTION_ROUNDS,
    OPTION_THREADS,
    OPTION_SEED,
    OPTION_PATTERN,
    OPTION_WAY,
    OPTION_RATE,
    OPTION_KERNEL,
    OPTION_DUCKDB,
    OPTION_DATA,
    OPTION_RESUME,
    OPTION_FIGURES,
    OPTION_NO_PLOTS,
    OPTION_KEEP,
    OPTION_QUIET,
};

static const struct option long_options[] = {{"out", required_argument, NULL, OPTION_OUT},
                                             {"rows", required_argument, NULL, OPTION_ROWS},
                                             {"files", required_argument, NULL, OPTION_FILES},
                                             {"batches", required_argument, NULL, OPTION_BATCHES},
                                             {"rounds", required_argument, NULL, OPTION_ROUNDS},
                                             {"threads", required_argument, NULL, OPTION_THREADS},
                                             {"seed", required_argument, NULL, OPTION_SEED},
                                             {"pattern", required_argument, NULL, OPTION_PATTERN},
                                             {"way", required_argument, NULL, OPTION_WAY},
                                             {"rate", required_argument, NULL, OPTION_RATE},
                                             {"kernel", required_argument, NULL, OPTION_KERNEL},
                                             {"duckdb", required_argument, NULL, OPTION_DUCKDB},
                                             {"data", required_argument, NULL, OPTION_DATA},
                                             {"resume", required_argument, NULL, OPTION_RESUME},
                                             {"figures", required_argument, NULL, OPTION_FIGURES},
                                             {"no-plots", no_argument, NULL, OPTION_NO_PLOTS},
                                             {"keep", no_argument, NULL, OPTION_KEEP},
                                             {"quiet", no_argument, NULL, OPTION_QUIET},
                                             OPTIONS_END};

static int take_rate(struct delete_options *options, const char *text, struct dv_error *error_out)
{
    char *end = NULL;
    options->rate = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        options->rate /= 100;
        end++;
    }
    if (end != text && *end == '\0' && options->rate > 0 && options->rate <= 1)
        return 0;
    return dv_fail(error_out, DV_ERROR_USAGE, "--rate %s: above 0, at most 1 or 100%% is expected", text);
}

static int take_kernel(struct delete_options *options, const char *id, struct dv_error *error_out)
{
    options->kernel = kernel_find(id);
    if (!options->kernel)
        return dv_fail(error_out, DV_ERROR_USAGE, "--kernel %s: no such kernel; `list kernels` lists them",
                       id);
    const bool answers = options->kernel->sinks & (1u << SINK_is_deleted);
    const char *reason = kernel_unavailable(options->kernel, answers ? SINK_is_deleted : SINK_row_ids);
    return reason ? dv_fail(error_out, DV_ERROR_UNAVAILABLE, "--kernel %s: %s", id, reason) : 0;
}

static int take_number(struct delete_options *options, int value, const char *argument,
                       struct dv_error *error_out)
{
    static const uint64_t limits[] = {UINT64_C(1) << 32, 1000, 10000, 1000, 256, UINT32_MAX};
    uint64_t *const numbers[] = {&options->n_rows, &options->n_files,   &options->n_batches,
                                 &options->rounds, &options->n_threads, &options->seed};
    const int i = value - OPTION_ROWS;
    return option_number(options_name(long_options, value), argument, value == OPTION_SEED ? 0 : 1, limits[i],
                         numbers[i], error_out);
}

static int take(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct delete_options *options = context;
    static const char *const formats[] = {"svg", "png", "pdf", NULL};
    const char **const texts[] = {&options->duckdb, &options->data_dir, &options->resume_dir};
    if (value == OPTION_PATTERN || value == OPTION_WAY) {
        const bool is_way = value == OPTION_WAY;
        return option_mask(options_name(long_options, value), argument,
                           is_way ? delete_way_ids : delete_pattern_ids,
                           is_way ? &options->ways : &options->patterns, error_out);
    }
    if (value == OPTION_RATE)
        return take_rate(options, argument, error_out);
    if (value == OPTION_KERNEL)
        return take_kernel(options, argument, error_out);
    if (value >= OPTION_ROWS && value <= OPTION_SEED)
        return take_number(options, value, argument, error_out);
    if (value == OPTION_FIGURES) {
        options->figures = argument;
        return option_choice("figures", argument, formats, error_out);
    }
    if (value == OPTION_OUT)
        options->out_dir = argument;
    else if (value >= OPTION_DUCKDB && value <= OPTION_RESUME)
        *texts[value - OPTION_DUCKDB] = argument;
    else if (value == OPTION_NO_PLOTS)
        options->plots = false;
    else
        *(value == OPTION_KEEP ? &options->keep : &options->quiet) = true;
    return 0;
}

static int check_together(const struct delete_options *options, struct dv_error *error_out)
{
    if (options->n_files > options->n_rows)
        return dv_fail(error_out, DV_ERROR_USAGE, "--files %" PRIu64 ": more files than rows",
                       options->n_files);
    if (options->patterns & (1u << DELETE_HOT) && options->rate * (double)options->n_files > 1)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--rate %g of all rows is more than one of %" PRIu64
                       " files holds: fewer --files, a lower --rate, or --pattern random,range",
                       options->rate, options->n_files);
    if (options->out_dir && options->resume_dir)
        return dv_fail(error_out, DV_ERROR_USAGE, "--resume names the folder: leave out --out");
    return 0;
}

int delete_options_parse(struct delete_options *options_out, int argc, char **argv,
                         struct dv_error *error_out)
{
    *options_out = (struct delete_options){.kernel = kernel_find("for_each_in_range"),
                                           .rate = 0.1,
                                           .n_rows = 10000000,
                                           .n_files = 4,
                                           .n_batches = 10,
                                           .rounds = 1,
                                           .n_threads = 1,
                                           .seed = 1,
                                           .figures = "svg",
                                           .plots = true};
    const int first = options_read(argc, argv, long_options, take, options_out, error_out);
    options_out->help = first == 0;
    if (first <= 0)
        return first;
    if (first < argc)
        return dv_fail(error_out, DV_ERROR_USAGE, "deletes: found operand %s, expected options only",
                       argv[first]);
    if (!options_out->patterns)
        options_out->patterns = (1u << DELETE_N_PATTERNS) - 1;
    if (!options_out->ways)
        options_out->ways = (1u << DELETE_N_WAYS) - 1;
    return check_together(options_out, error_out);
}

/* --- which rows --- */

/* A Lehmer step, cubed, modulo a prime: all stays below 2^63, so that SQL has the same with plain BIGINT. */
#define PRIME  UINT64_C(2147483647)
#define FACTOR UINT64_C(1103515245)

static uint64_t spread(uint64_t key, uint64_t seed)
{
    const uint64_t x = (key % PRIME * FACTOR + seed) % PRIME;
    return (x * x % PRIME * x + key) % PRIME;
}

/* Values below it are deleted. */
static uint64_t limit_of(const struct delete_options *options, enum delete_pattern pattern)
{
    if (pattern == DELETE_RANGE)
        return (uint64_t)(options->rate * (double)options->n_rows);
    return (uint64_t)(options->rate * (pattern == DELETE_HOT ? (double)options->n_files : 1) * (double)PRIME);
}

static uint64_t bound_of(uint64_t limit, uint64_t batch, uint64_t n_batches)
{
    return (uint64_t)((unsigned __int128)limit * batch / n_batches);
}

uint64_t delete_batch_of(const struct delete_options *options, enum delete_pattern pattern, uint64_t key)
{
    const uint64_t limit = limit_of(options, pattern), n_batches = options->n_batches;
    const uint64_t value = pattern == DELETE_RANGE ? key : spread(key, options->seed);
    if (value >= limit || (pattern == DELETE_HOT && key >= options->n_rows / options->n_files))
        return n_batches;
    uint64_t batch = (uint64_t)((unsigned __int128)value * n_batches / limit);
    while (bound_of(limit, batch, n_batches) > value)
        batch--;
    while (bound_of(limit, batch + 1, n_batches) <= value)
        batch++;
    return batch;
}

char *delete_batch_sql(const struct delete_options *options, enum delete_pattern pattern, uint64_t batch)
{
    const uint64_t limit = limit_of(options, pattern), begin = bound_of(limit, batch, options->n_batches),
                   end = bound_of(limit, batch + 1, options->n_batches),
                   n_keys = pattern == DELETE_HOT ? options->n_rows / options->n_files : options->n_rows;
    char *sql = NULL;
    const int n = pattern == DELETE_RANGE
                      ? asprintf(&sql, "(key >= %" PRIu64 " AND key < %" PRIu64 ")", begin, end)
                      : asprintf(&sql,
                                 "(key < %" PRIu64 " AND (" DELETE_CUBE_NAME
                                 "((key %% 2147483647 * 1103515245 + %" PRIu64
                                 ") %% 2147483647) + key) %% 2147483647 BETWEEN %" PRIu64 " AND %" PRId64 ")",
                                 n_keys, options->seed, begin, (int64_t)end - 1);
    return n < 0 ? NULL : sql;
}
