/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "sweep_options.h"

const char *const delete_study_ids[] = {"ways", "batches", "sizes", NULL};
const char *const delete_pattern_ids[] = {"uniform", "prefix", "hot", NULL};
const char *const delete_way_ids[] = {"cow", "v2", "v2_compact", "v3", NULL};

const char delete_options_help[] =
    "usage: dvbench deletes [options]\n"
    "Deletes rows of a Parquet table in batches, in four ways, and reads the table after each: what\n"
    "deleting and reading cost, on real files that are flushed to the disk. Every answer is checked.\n"
    "\n"
    "  --study ID         ways (default): all four, batch after batch\n"
    "                     batches: 1,000 of them: how loading V2's files grows, where compacting pays\n"
    "                     sizes: deleting from one file of about 1 MB to 512 MB\n"
    "  --pattern LIST     uniform (random keys), prefix (a time range: the oldest rows), hot (random keys\n"
    "                     of one file); default all, of the other studies uniform\n"
    "  --way LIST         cow (copy-on-write), v2 (position deletes), v2_compact (the same, one file of\n"
    "                     them per data file), v3 (deletion vectors); default all, of batches not cow, of\n"
    "                     sizes not v2_compact\n"
    "  --rows N           rows of the table, all files together (default 10000000; batches: 1000000;\n"
    "                     sizes: of the largest file, 11600000, and 1/2, 1/8, 1/32, 1/128, 1/512 of it)\n"
    "  --files N          number of data files (default 4, of the other studies 1)\n"
    "  --batches N        number of batches of deletes (default 10, 1000, 1); above 20 the table is\n"
    "                     read only after 0, 1, 2, 5, 10, 20, 50 ... and the last\n"
    "  --rate R           share of the rows that all batches delete: 0.1 or 10% (default 0.1, sizes 0.01)\n"
    "  --kernel ID        applies the deletes of v2 and v3 (default for_each_in_range)\n"
    "  --rounds N         repetitions of all deletes and reads, each from the table without deletes and\n"
    "                     with the ways in another order (default 3, 1, 6)\n"
    "  --threads N        threads of the engine (default 1)\n"
    "  --cpu N|none       CPU to run on, if the engine has one thread (default: the last one)\n"
    "  --seed N           seed of the table, of the random keys and of the order (default 1)\n"
    "  --duckdb PATH      libduckdb, or the folder that holds it\n"
    "  --data DIR         where tables are kept (default results/scan-data)\n"
    "  --keep             keep the tables of the last round in that folder\n"
    "  --out DIR, --figures svg|png|pdf, --no-plots, --quiet   as in sweep\n"
    "  --resume DIR       continues that run\n";

enum option_value {
    OPTION_OUT = 'o',
    OPTION_ROWS = 256,
    OPTION_FILES,
    OPTION_BATCHES,
    OPTION_ROUNDS,
    OPTION_THREADS,
    OPTION_SEED,
    OPTION_CPU,
    OPTION_STUDY,
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
                                             {"cpu", required_argument, NULL, OPTION_CPU},
                                             {"study", required_argument, NULL, OPTION_STUDY},
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
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--kernel: unknown kernel \"%s\" (see dvbench list kernels)", id);
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

static int take_cpu(struct delete_options *options, const char *argument, struct dv_error *error_out)
{
    uint64_t number = 0;
    options->cpu = SWEEP_CPU_NONE;
    if (strcmp(argument, "none") == 0)
        return 0;
    const int status = option_number("cpu", argument, 0, 4095, &number, error_out);
    options->cpu = (int)number;
    return status;
}

static int take_study(struct delete_options *options, const char *argument, struct dv_error *error_out)
{
    const int study = option_choice("study", argument, delete_study_ids, error_out);
    options->study = study < 0 ? DELETE_STUDY_WAYS : (enum delete_study)study;
    return study;
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
    if (value == OPTION_CPU)
        return take_cpu(options, argument, error_out);
    if (value == OPTION_STUDY)
        return take_study(options, argument, error_out);
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
    uint64_t rows[DELETE_MAX_TABLES];
    (void)delete_table_rows(options, rows);
    if (options->n_files > rows[0])
        return dv_fail(error_out, DV_ERROR_USAGE, "--files %" PRIu64 ": more files than rows",
                       options->n_files);
    if (options->patterns & (1u << DELETE_HOT) && options->rate * (double)options->n_files > 1)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--rate %g of all rows is more than one of %" PRIu64
                       " files holds: fewer --files, a lower --rate, or --pattern uniform,prefix",
                       options->rate, options->n_files);
    if (options->out_dir && options->resume_dir)
        return dv_fail(error_out, DV_ERROR_USAGE, "--resume names the folder: leave out --out");
    return 0;
}

/* What is not given, by study. */
static void fill_in(struct delete_options *options)
{
    enum { ALL_WAYS = (1 << DELETE_N_WAYS) - 1 };
    static const struct delete_options presets[DELETE_N_STUDIES] = {
        {.n_rows = 10000000,
         .n_files = 4,
         .n_batches = 10,
         .rounds = 3,
         .rate = 0.1,
         .patterns = (1u << DELETE_N_PATTERNS) - 1,
         .ways = ALL_WAYS},
        {.n_rows = 1000000,
         .n_files = 1,
         .n_batches = 1000,
         .rounds = 1,
         .rate = 0.1,
         .patterns = 1u << DELETE_UNIFORM,
         .ways = ALL_WAYS & ~(1 << DELETE_COW)},
        {.n_rows = 11600000,
         .n_files = 1,
         .n_batches = 1,
         .rounds = 6,
         .rate = 0.01,
         .patterns = 1u << DELETE_UNIFORM,
         .ways = ALL_WAYS & ~(1 << DELETE_V2_COMPACT)},
    };
    const struct delete_options *preset = &presets[options->study];
    options->n_rows = options->n_rows ? options->n_rows : preset->n_rows;
    options->n_files = options->n_files ? options->n_files : preset->n_files;
    options->n_batches = options->n_batches ? options->n_batches : preset->n_batches;
    options->rounds = options->rounds ? options->rounds : preset->rounds;
    options->rate = options->rate > 0 ? options->rate : preset->rate;
    options->patterns = options->patterns ? options->patterns : preset->patterns;
    options->ways = options->ways ? options->ways : preset->ways;
}

size_t delete_table_rows(const struct delete_options *options, uint64_t rows_out[DELETE_MAX_TABLES])
{
    static const uint64_t parts[DELETE_MAX_TABLES] = {512, 128, 32, 8, 2, 1};
    rows_out[0] = options->n_rows;
    if (options->study != DELETE_STUDY_SIZES)
        return 1;
    for (size_t i = 0; i < DELETE_MAX_TABLES; i++)
        rows_out[i] = options->n_rows / parts[i];
    return DELETE_MAX_TABLES;
}

int delete_options_parse(struct delete_options *options_out, int argc, char **argv,
                         struct dv_error *error_out)
{
    *options_out = (struct delete_options){.kernel = kernel_find("for_each_in_range"),
                                           .n_threads = 1,
                                           .seed = 1,
                                           .cpu = SWEEP_CPU_DEFAULT,
                                           .figures = "svg",
                                           .plots = true};
    const int first = options_read(argc, argv, long_options, take, options_out, error_out);
    options_out->help = first == 0;
    if (first <= 0)
        return first;
    if (first < argc)
        return dv_fail(error_out, DV_ERROR_USAGE, "deletes: found operand %s, expected options only",
                       argv[first]);
    fill_in(options_out);
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
    if (pattern == DELETE_PREFIX)
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
    const uint64_t value = pattern == DELETE_PREFIX ? key : spread(key, options->seed);
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
    const int n = pattern == DELETE_PREFIX
                      ? asprintf(&sql, "(key >= %" PRIu64 " AND key < %" PRIu64 ")", begin, end)
                      : asprintf(&sql,
                                 "(key < %" PRIu64 " AND (" DELETE_CUBE_NAME
                                 "((key %% 2147483647 * 1103515245 + %" PRIu64
                                 ") %% 2147483647) + key) %% 2147483647 BETWEEN %" PRIu64 " AND %" PRId64 ")",
                                 n_keys, options->seed, begin, (int64_t)end - 1);
    return n < 0 ? NULL : sql;
}
