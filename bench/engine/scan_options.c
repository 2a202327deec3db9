/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_options.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "options.h"
#include "sweep_options.h"

static const struct scan_study studies[] = {
#define SCAN_STUDY(id, vectors, columns, files, kinds, axis, question, caption)                              \
    {#id, vectors, columns, files, kinds, SCAN_AXIS_##axis, question, caption},
#include "scan_studies.def"
#undef SCAN_STUDY
};

size_t scan_studies_count(void)
{
    return sizeof studies / sizeof *studies;
}

const struct scan_study *scan_study_at(size_t index)
{
    return &studies[index];
}

const struct scan_study *scan_study_find(const char *id)
{
    for (size_t i = 0; i < scan_studies_count(); i++)
        if (strcmp(studies[i].id, id) == 0)
            return &studies[i];
    return NULL;
}

const char *scan_axis_id(enum scan_axis axis)
{
    static const char *const ids[] = {"columns", "rate", "vector", "files", "query"};
    return ids[axis];
}

const char scan_options_help[] =
    "usage: dvbench scan [options]\n"
    "Runs every chosen kernel inside a scan of Parquet by a real engine (DuckDB's library), and checks every "
    "answer.\n"
    "Without options: the study `short`, on a table of 8,000,000 rows in 4 files, which is kept for the next "
    "run.\n\n"
    "  --study ID,...     short (default), columns, rate, clustering, files, equality, queries, or all\n"
    "What else than a study's own is measured (any of these makes a study of your own):\n"
    "  --recipe SPEC      deletion vectors, without rows and seed; again for more (default uniform)\n"
    "  --rates R,...      for the recipe: 0.061 or 6.1%\n"
    "  --columns LIST     numbers of columns, or names joined by '+': 0,1,3,9 or 3int or key+s1 (default "
    "0,1,3,9)\n"
    "  --types LIST       of which types numbers are: int (default), double, timestamp, md5\n"
    "  --files N,...      data files (default 4)\n"
    "  --query LIST       scan (default), small, large, equality\n"
    "  --parquet FILE     your own data file; again for more. --dv FILE: its vector, in the same order, or "
    "one Puffin\n"
    "                     file whose vectors name the data files\n"
    "How:\n"
    "  --rows N           of all files (default 8000000)\n"
    "  --kernel LIST      ids or patterns (default: per_row, per_row_raw, batch_iterator, for_each_in_range "
    "plain and\n"
    "                     with the best fill, direct of the best ISA). none, function and engine are always "
    "there\n"
    "  --rounds N         samples per competitor (default 6; under 6 there are no intervals)\n"
    "  --threads N        of the engine (default 1)\n"
    "  --cpu N|none       to run on where there is one thread (default: the last one)\n"
    "  --seed N           of the table and of the order within rounds (default 1)\n"
    "  --duckdb PATH      libduckdb, or the folder that holds it (else DVBENCH_DUCKDB, else the system's "
    "loader)\n"
    "  --data DIR         where tables are kept (default results/scan-data)\n"
    "  --out DIR, --resume DIR, --figures svg|png|pdf, --no-plots, --quiet   as in sweep\n"
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

static int add_word(struct strings *strings, const char *word, size_t n_word, struct dv_error *error_out)
{
    return strings_add(strings, word, n_word) < 0 ? dv_no_memory(error_out) : 0;
}

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
        status = add_word(items[value - OPTION_RECIPE], argument, strlen(argument), error_out);
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
        status = options->parquet.n_items ? add_word(&options->parquet, argv[i], strlen(argv[i]), error_out)
                                          : dv_fail(error_out, DV_ERROR_USAGE,
                                                    "scan: what is %s? A data file needs --parquet", argv[i]);
    return status;
}

/* --- blocks --- */

static int add_block(struct scan_options *options, const struct scan_block *block, const char *vector,
                     size_t n_vector, const char *columns, size_t n_columns, struct dv_error *error_out)
{
    struct scan_block *longer = realloc(options->blocks, (options->n_blocks + 1) * sizeof *longer);
    if (!longer)
        return dv_no_memory(error_out);
    options->blocks = longer;
    longer[options->n_blocks] = *block;
    longer[options->n_blocks].vector = strndup(vector, n_vector);
    longer[options->n_blocks].columns = strndup(columns, n_columns);
    options->n_blocks++;
    return longer[options->n_blocks - 1].vector && longer[options->n_blocks - 1].columns
               ? 0
               : dv_no_memory(error_out);
}

/* Calls for each word of a list separated by blanks; `n_out` its length. */
#define FOR_EACH_WORD(word, n_word, list)                                                                    \
    for (const char *word = (list); (n_word = strcspn(word, " ")), *word;                                    \
         word += n_word + (word[n_word] == ' '))

static int add_study(struct scan_options *options, const struct scan_study *study, struct dv_error *error_out)
{
    size_t n_vector, n_columns, n_files, n_kind;
    int status = 0;
    FOR_EACH_WORD(files, n_files, study->files)
    FOR_EACH_WORD(vector, n_vector, study->vectors)
    FOR_EACH_WORD(columns, n_columns, study->columns)
    FOR_EACH_WORD(kind, n_kind, study->kinds)
    {
        const struct scan_block block = {.study = study->id,
                                         .axis = study->axis,
                                         .n_files = strtoul(files, NULL, 10),
                                         .kind = (enum scan_kind)scan_kind_find(kind, n_kind)};
        if (status == 0)
            status = add_block(options, &block, vector, n_vector, columns, n_columns, error_out);
    }
    return status;
}

static char *join(const struct strings *strings)
{
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < strings->n_items; i++)
        fprintf(stream, "%s%s", i ? " " : "", strings->items[i]);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* A number means so many columns of each type. */
static int spell_columns(struct scan_options *options, struct strings *out, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < options->columns.n_items; i++) {
        const char *item = options->columns.items[i];
        const bool is_number = item[strspn(item, "0123456789")] == '\0',
                   is_none = is_number && strtoul(item, NULL, 10) == 0;
        if (!is_number || is_none)
            status = add_word(out, is_none ? "count" : item, is_none ? 5 : strlen(item), error_out);
        for (size_t t = 0; status == 0 && is_number && !is_none && t < options->types.n_items; t++) {
            char word[64];
            const int n = snprintf(word, sizeof word, "%.20s%.30s", item, options->types.items[t]);
            status = scan_type_find(options->types.items[t], strlen(options->types.items[t])) < 0
                         ? dv_fail(error_out, DV_ERROR_USAGE,
                                   "--types %s: int, double, timestamp or md5 is expected",
                                   options->types.items[t])
                         : add_word(out, word, (size_t)n, error_out);
        }
    }
    return status;
}

static int spell_vectors(struct scan_options *options, struct strings *out, struct dv_error *error_out)
{
    int status = 0;
    for (size_t r = 0; status == 0 && r < options->recipes.n_items; r++) {
        const char *recipe = options->recipes.items[r];
        if (options->rates.n_items == 0)
            status = add_word(out, recipe, strlen(recipe), error_out);
        for (size_t i = 0; status == 0 && i < options->rates.n_items; i++) {
            char *spec = NULL;
            const int n = asprintf(&spec, "%s:rate=%s", recipe, options->rates.items[i]);
            status = n < 0 ? dv_no_memory(error_out) : add_word(out, spec, (size_t)n, error_out);
            if (n >= 0)
                free(spec);
        }
    }
    return status;
}

static int fill_in(struct strings *strings, const char *const *words, size_t n_words,
                   struct dv_error *error_out)
{
    for (size_t i = 0; strings->n_items < n_words && i < n_words; i++)
        if (add_word(strings, words[i], strlen(words[i]), error_out) < 0)
            return DV_ERROR_MEMORY;
    return 0;
}

static enum scan_axis axis_of(const struct scan_options *options)
{
    return options->columns.n_items > 1   ? SCAN_AXIS_COLUMNS
           : options->rates.n_items > 1   ? SCAN_AXIS_RATE
           : options->recipes.n_items > 1 ? SCAN_AXIS_VECTOR
           : options->files.n_items > 1   ? SCAN_AXIS_FILES
           : options->queries.n_items > 1 ? SCAN_AXIS_QUERY
                                          : SCAN_AXIS_COLUMNS;
}

static int check_words(const struct scan_options *options, struct dv_error *error_out)
{
    for (size_t i = 0; i < options->files.n_items; i++) {
        uint64_t n_files = 0;
        if (option_number("files", options->files.items[i], 1, 10000, &n_files, error_out) < 0)
            return DV_ERROR_USAGE;
        if (n_files > options->n_rows)
            return dv_fail(error_out, DV_ERROR_USAGE, "--files %s: more files than rows",
                           options->files.items[i]);
    }
    for (size_t i = 0; i < options->queries.n_items; i++)
        if (scan_kind_find(options->queries.items[i], strlen(options->queries.items[i])) < 0)
            return dv_fail(error_out, DV_ERROR_USAGE,
                           "--query %s: scan, small, large or equality is expected",
                           options->queries.items[i]);
    return 0;
}

static int add_custom(struct scan_options *options, struct dv_error *error_out)
{
    static const char *const columns[] = {"0", "1", "3", "9"}, *const one[] = {"int", "4", "scan", "uniform"};
    struct strings vectors = {0}, projections = {0};
    struct scan_study study = {.id = "custom", .axis = SCAN_AXIS_COLUMNS};
    const bool has_columns = options->columns.n_items > 0;
    int status = has_columns ? 0 : fill_in(&options->columns, columns, 4, error_out);
    if (status == 0 && options->types.n_items == 0)
        status = fill_in(&options->types, &one[0], 1, error_out);
    if (status == 0 && options->files.n_items == 0)
        status = fill_in(&options->files, &one[1], 1, error_out);
    if (status == 0 && options->queries.n_items == 0)
        status = fill_in(&options->queries, &one[2], 1, error_out);
    if (status == 0 && options->recipes.n_items == 0)
        status = fill_in(&options->recipes, &one[3], 1, error_out);
    if (status == 0)
        status = check_words(options, error_out);
    if (status == 0)
        status = spell_columns(options, &projections, error_out);
    if (status == 0)
        status = spell_vectors(options, &vectors, error_out);
    study.axis = axis_of(options);
    char *lists[4] = {options->dvs.n_items ? strdup("given") : join(&vectors), join(&projections),
                      options->parquet.n_items ? strdup("0") : join(&options->files),
                      join(&options->queries)};
    for (int i = 0; i < 4; i++)
        if (status == 0 && !lists[i])
            status = dv_no_memory(error_out);
    study.vectors = lists[0];
    study.columns = lists[1];
    study.files = lists[2];
    study.kinds = lists[3];
    if (status == 0)
        status = add_study(options, &study, error_out);
    for (int i = 0; i < 4; i++)
        free(lists[i]);
    strings_free(&vectors);
    strings_free(&projections);
    return status;
}

static int add_studies(struct scan_options *options, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < options->studies.n_items; i++) {
        const char *id = options->studies.items[i];
        const struct scan_study *study = scan_study_find(id);
        const bool is_all = strcmp(id, "all") == 0;
        for (size_t s = 0; status == 0 && is_all && s < scan_studies_count(); s++)
            if (strcmp(studies[s].id, "short") != 0)
                status = add_study(options, &studies[s], error_out);
        if (status == 0 && !is_all)
            status =
                study ? add_study(options, study, error_out)
                      : dv_fail(error_out, DV_ERROR_USAGE, "--study %s: unknown; scan --help lists them", id);
    }
    return status;
}

/* The generated table has the columns that the blocks need, no others: "3int", or a generated name such as i3. */
static void need_columns(struct scan_table_spec *table, const char *projection)
{
    for (const char *part = projection; part; part = strchr(part, '+') ? strchr(part, '+') + 1 : NULL) {
        const size_t n_part = strcspn(part, "+");
        char *end = NULL;
        for (int type = 0; type < SCAN_N_TYPES; type++) {
            size_t n = 0;
            if (strchr("0123456789", *part)) {
                n = strtoul(part, &end, 10);
                if (scan_type_find(end, n_part - (size_t)(end - part)) != type)
                    n = 0;
            } else if (*part == "idts"[type])
                n = strtoul(part + 1, NULL, 10);
            if (n <= SCAN_MAX_COLUMNS && n > table->n_columns[type])
                table->n_columns[type] = n;
        }
    }
}

static int check_together(const struct scan_options *options, struct dv_error *error_out)
{
    const bool is_given = options->parquet.n_items > 0;
    if (!is_given && options->dvs.n_items)
        return dv_fail(error_out, DV_ERROR_USAGE, "--dv needs the data files that it is of: --parquet FILE");
    if (is_given && (options->recipes.n_items || options->rates.n_items) && options->dvs.n_items)
        return dv_fail(error_out, DV_ERROR_USAGE, "--dv and --recipe are two answers to one question");
    if (is_given && options->files.n_items)
        return dv_fail(error_out, DV_ERROR_USAGE, "--files is of generated tables: --parquet names them");
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
                           "--kernel %s: no such kernel; `list kernels` lists them",
                           options->kernels.items[i]);
    }
    return 0;
}

static bool is_custom(const struct scan_options *options)
{
    return options->recipes.n_items || options->rates.n_items || options->columns.n_items ||
           options->types.n_items || options->files.n_items || options->queries.n_items ||
           options->parquet.n_items;
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
    if (status == 0 && is_custom(options) && options->studies.n_items)
        status = dv_fail(error_out, DV_ERROR_USAGE,
                         "--study says what is varied: leave it out, or the options of your own");
    if (status == 0 && !is_custom(options) && options->studies.n_items == 0)
        status = add_word(&options->studies, "short", 5, error_out);
    if (status == 0)
        status = is_custom(options) ? add_custom(options, error_out) : add_studies(options, error_out);
    options->table = (struct scan_table_spec){.n_rows = options->n_rows, .seed = options->seed};
    for (size_t i = 0; i < options->n_blocks; i++)
        need_columns(&options->table, options->blocks[i].columns);
    return status;
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
