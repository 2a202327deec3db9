/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_options.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "options.h"
#include "scan_blocks.h"
#include "sweep_options.h"

const char scan_options_help[] =
    "usage: dvbench scan [options]\n"
    "Runs every chosen kernel inside a scan of Parquet by a real engine (DuckDB's library), and checks every "
    "answer.\n"
    "Without options: the study `short`, on a table of 8,000,000 rows in 4 files, which is kept for the next "
    "run.\n\n"
    "  --study ID,...     short (default), columns, rate, clustering, files, sizes, equality, queries, or "
    "all\n"
    "A study of your own, in place of --study:\n"
    "  --recipe SPEC      deletion vectors, without rows and seed; may be repeated (default uniform)\n"
    "  --rates R,...      deletion rates for the recipe: 0.061 or 6.1%\n"
    "  --columns LIST     columns that a query reads: how many, or names joined by '+': 0,1,3,9 or 3int or "
    "key+s1\n"
    "                     (default 0,1,3,9)\n"
    "  --types LIST       their types where --columns gives a number: int (default), double, timestamp, md5, "
    "or\n"
    "                     mixed (one of each in turn)\n"
    "  --files N,...      number of data files (default 4)\n"
    "  --query LIST       scan (default); small, large: with 16 or 100,000 groups; equality: with 1,000 keys "
    "deleted\n"
    "  --parquet FILE     your own data file; may be repeated\n"
    "  --dv FILE          its vector, in the same order; or one Puffin file whose vectors name the data\n"
    "                     files\n"
    "How:\n"
    "  --rows N           rows of the table, all files together (default 8000000)\n"
    "  --kernel LIST      ids or patterns (default: per_row, per_row_raw, batch_iterator, for_each_in_range "
    "plain and\n"
    "                     with the best fill, direct of the best ISA). Always measured too:\n"
    "                     none (no deletes), function (answers without looking), engine (its own anti join)\n"
    "  --rounds N         samples per competitor (default 6; under 6 there are no intervals)\n"
    "  --threads N        threads of the engine (default 1; with more, times inside the function are CPU "
    "time)\n"
    "  --cpu N|none       CPU to run on, if the engine has one thread (default: the last one)\n"
    "  --seed N           seed of the table and of the order within rounds (default 1)\n"
    "  --duckdb PATH      libduckdb, or the folder that holds it (else DVBENCH_DUCKDB, else the system's "
    "loader;\n"
    "                     ./dvbench also asks pkg-config and lets npm fetch it into the build folder)\n"
    "  --data DIR         where tables are kept (default results/scan-data)\n"
    "  --out DIR, --figures svg|png|pdf, --no-plots, --quiet   as in sweep\n"
    "  --resume DIR       continues that run; its options are read from it\n";

enum option_value {
    OPTION_OUT = 'o',
    OPTION_FIRST_LIST = 256,
    OPTION_STUDY = OPTION_FIRST_LIST,
    OPTION_RATES,
    OPTION_COLUMNS,
    OPTION_TYPES,
    OPTION_FILES,
    OPTION_QUERY,
    OPTION_KERNEL,
    OPTION_RECIPE,
    OPTION_PARQUET,
    OPTION_DV,
    OPTION_DUCKDB,
    OPTION_DATA,
    OPTION_RESUME,
    OPTION_FIGURES,
    OPTION_ROWS,
    OPTION_ROUNDS,
    OPTION_THREADS,
    OPTION_CPU,
    OPTION_SEED,
    OPTION_NO_PLOTS,
    OPTION_QUIET,
};

static const struct option long_options[] = {{"study", required_argument, NULL, OPTION_STUDY},
                                             {"rates", required_argument, NULL, OPTION_RATES},
                                             {"columns", required_argument, NULL, OPTION_COLUMNS},
                                             {"types", required_argument, NULL, OPTION_TYPES},
                                             {"files", required_argument, NULL, OPTION_FILES},
                                             {"query", required_argument, NULL, OPTION_QUERY},
                                             {"kernel", required_argument, NULL, OPTION_KERNEL},
                                             {"recipe", required_argument, NULL, OPTION_RECIPE},
                                             {"parquet", required_argument, NULL, OPTION_PARQUET},
                                             {"dv", required_argument, NULL, OPTION_DV},
                                             {"duckdb", required_argument, NULL, OPTION_DUCKDB},
                                             {"data", required_argument, NULL, OPTION_DATA},
                                             {"out", required_argument, NULL, OPTION_OUT},
                                             {"resume", required_argument, NULL, OPTION_RESUME},
                                             {"figures", required_argument, NULL, OPTION_FIGURES},
                                             {"rows", required_argument, NULL, OPTION_ROWS},
                                             {"rounds", required_argument, NULL, OPTION_ROUNDS},
                                             {"threads", required_argument, NULL, OPTION_THREADS},
                                             {"cpu", required_argument, NULL, OPTION_CPU},
                                             {"seed", required_argument, NULL, OPTION_SEED},
                                             {"no-plots", no_argument, NULL, OPTION_NO_PLOTS},
                                             {"quiet", no_argument, NULL, OPTION_QUIET},
                                             OPTIONS_END};

/* Returns 1 where it was one of these. */
static int take_list(struct scan_options *options, int value, const char *argument,
                     struct dv_error *error_out)
{
    struct strings *const lists[] = {&options->studies, &options->rates,   &options->columns, &options->types,
                                     &options->files,   &options->queries, &options->kernels};
    struct strings *const items[] = {&options->recipes, &options->parquet, &options->dvs};
    int status = 0;
    if (value >= OPTION_FIRST_LIST && value < OPTION_RECIPE)
        status = option_list(options_name(long_options, value), argument, lists[value - OPTION_FIRST_LIST],
                             error_out);
    else if (value >= OPTION_RECIPE && value <= OPTION_DV)
        status = strings_add_text(items[value - OPTION_RECIPE], argument, error_out);
    else
        return 0;
    return status < 0 ? status : 1;
}

static int take_number(struct scan_options *options, int value, const char *argument,
                       struct dv_error *error_out)
{
    static const struct {
        uint64_t min, max;
    } limits[] = {{1, UINT64_C(1) << 40}, {1, 1000}, {1, 256}, {0, 4095}, {0, UINT64_C(1) << 40}};
    uint64_t number = 0;
    if (value == OPTION_CPU && strcmp(argument, "none") == 0) {
        options->cpu = SWEEP_CPU_NONE;
        return 0;
    }
    const int status =
        option_number(options_name(long_options, value), argument, limits[value - OPTION_ROWS].min,
                      limits[value - OPTION_ROWS].max, &number, error_out);
    if (status < 0)
        return status;
    if (value == OPTION_ROWS)
        options->n_rows = number;
    else if (value == OPTION_SEED)
        options->seed = number;
    else
        *(value == OPTION_ROUNDS    ? &options->rounds
          : value == OPTION_THREADS ? &options->n_threads
                                    : &options->cpu) = (int)number;
    return 0;
}

static int take(void *context, int value, const char *argument, struct dv_error *error_out)
{
    static const char *const formats[] = {"svg", "png", "pdf", NULL};
    struct scan_options *options = context;
    switch (value) {
    case OPTION_OUT:
        options->out_dir = argument;
        return 0;
    case OPTION_DUCKDB:
        options->duckdb = argument;
        return 0;
    case OPTION_DATA:
        options->data_dir = argument;
        return 0;
    case OPTION_RESUME:
        options->resume_dir = argument;
        return 0;
    case OPTION_FIGURES:
        options->figures = argument;
        return option_choice("figures", argument, formats, error_out);
    case OPTION_NO_PLOTS:
        options->plots = false;
        return 0;
    case OPTION_QUIET:
        options->quiet = true;
        return 0;
    default:
        break;
    }
    const int taken = take_list(options, value, argument, error_out);
    return taken ? taken : take_number(options, value, argument, error_out);
}

static int take_words(struct scan_options *options, int argc, char **argv, struct dv_error *error_out)
{
    const int first = options_read(argc, argv, long_options, take, options, error_out);
    options->help = first == 0;
    int status = first < 0 ? first : 0;
    /* --parquet a.parquet b.parquet: what a shell makes of a pattern. */
    for (int i = first; first > 0 && status == 0 && i < argc; i++)
        status =
            options->parquet.n_items
                ? strings_add_text(&options->parquet, argv[i], error_out)
                : dv_fail(error_out, DV_ERROR_USAGE,
                          "scan: found operand %s, expected options only; a data file is given by --parquet",
                          argv[i]);
    return status;
}

static int check_together(const struct scan_options *options, struct dv_error *error_out)
{
    const bool is_given = options->parquet.n_items > 0;
    if (!is_given && options->dvs.n_items)
        return dv_fail(error_out, DV_ERROR_USAGE, "--dv needs its data files: --parquet FILE");
    if (is_given && (options->recipes.n_items || options->rates.n_items) && options->dvs.n_items)
        return dv_fail(error_out, DV_ERROR_USAGE, "--dv and --recipe exclude each other");
    if (is_given && options->files.n_items)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--files is for generated tables; --parquet names the data files");
    if (is_given && options->dvs.n_items > 1 && options->dvs.n_items != options->parquet.n_items)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%zu data files and %zu vectors: one each is expected, or one Puffin file",
                       options->parquet.n_items, options->dvs.n_items);
    for (size_t i = 0; i < options->kernels.n_items; i++) {
        bool is_known = false;
        for (size_t k = 0; k < kernels_count() && !is_known; k++)
            is_known = fnmatch(options->kernels.items[i], kernel_at(k)->id, 0) == 0;
        if (!is_known && strcmp(options->kernels.items[i], "all") != 0)
            return dv_fail(error_out, DV_ERROR_USAGE,
                           "--kernel: unknown kernel \"%s\" (see dvbench list kernels)",
                           options->kernels.items[i]);
    }
    return 0;
}

int scan_options_parse(struct scan_options *options_out, int argc, char **argv, struct dv_error *error_out)
{
    struct scan_options *options = options_out;
    *options = (struct scan_options){.n_rows = 8000000,
                                     .seed = 1,
                                     .rounds = 6,
                                     .n_threads = 1,
                                     .cpu = SWEEP_CPU_DEFAULT,
                                     .figures = "svg",
                                     .plots = true};
    int status = take_words(options, argc, argv, error_out);
    if (status < 0 || options->help)
        return status;
    status = check_together(options, error_out);
    return status < 0 ? status : scan_blocks_make(options, error_out);
}

void scan_options_free(struct scan_options *options)
{
    struct strings *const lists[] = {
        &options->studies, &options->recipes, &options->rates,   &options->columns, &options->types,
        &options->files,   &options->queries, &options->kernels, &options->parquet, &options->dvs};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        strings_free(lists[i]);
    for (size_t i = 0; i < options->n_blocks; i++) {
        free(options->blocks[i].vector);
        free(options->blocks[i].columns);
    }
    free(options->blocks);
    *options = (struct scan_options){0};
}
