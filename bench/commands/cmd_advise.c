/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench advise: what one's own vectors cost here and what to do about it. The numbers come from a short
 * sweep over these vectors, and over as many deletes sorted. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advise.h"
#include "command.h"
#include "mode.h"
#include "payload_ranges.h"
#include "run_dir.h"
#include "sink.h"
#include "table_folder.h"

enum {
    OPTION_JSON = 1,
    OPTION_BATCH,
    OPTION_SINK,
    OPTION_MODE,
    OPTION_SCAN_COLUMNS,
    OPTION_SCAN_RUN,
    OPTION_DELETES_RUN,
    OPTION_OUT
};

static const struct option table[] = {{"json", no_argument, NULL, OPTION_JSON},
                                      {"batch", required_argument, NULL, OPTION_BATCH},
                                      {"sink", required_argument, NULL, OPTION_SINK},
                                      {"mode", required_argument, NULL, OPTION_MODE},
                                      {"scan-columns", required_argument, NULL, OPTION_SCAN_COLUMNS},
                                      {"scan-run", required_argument, NULL, OPTION_SCAN_RUN},
                                      {"deletes-run", required_argument, NULL, OPTION_DELETES_RUN},
                                      {"out", required_argument, NULL, OPTION_OUT},
                                      VECTOR_OPTIONS,
                                      OPTIONS_END};

static const char help[] =
    "usage: dvbench advise FILE... [options]\n"
    "Measures what these deletion vectors cost here, in a few seconds each, and says which traversal to "
    "use,\n"
    "how much it gains, how close the vectors are to the 6.25 % cliff, what the cost model predicts, and "
    "what\n"
    "sorting or clustering the deletes or rewriting the data file would save, and after how many scans that\n"
    "has paid off. FILE may also be a recipe spec. For several vectors: a table with its sum, and the ten "
    "most\n"
    "expensive ones.\n"
    "  --batch N          rows of a batch, default 5000\n"
    "  --sink S           the form of the answer, default row_ids (see `list sinks`)\n"
    "  --mode stream|cold one file from its first batch to its last (default), or vectors that are in no "
    "cache\n"
    "  --scan-columns K   columns that a scan of the data file reads, default 1\n"
    "  --scan-run RUN     takes times of scans from this run of `dvbench scan`; default: the recorded ones\n"
    "                     of this machine\n"
    "  --deletes-run RUN  takes the time of rewriting from this run of `dvbench deletes`, likewise\n"
    "  --json             one JSON object; what is not known is null\n"
    "  --out DIR          keeps the CSV of the sweep there\n";

struct advise_options {
    struct advise advise;
    struct vector_options vectors;
    struct strings given; /* the vectors' options, as the sweep takes them too */
    const char *scan_run;
    const char *deletes_run;
    const char *out_dir;
    bool is_json;
};

static int add_word(struct strings *words, const char *word, struct dv_error *error_out)
{
    return strings_add(words, word, strlen(word)) < 0 ? dv_no_memory(error_out) : 0;
}

static int take_vector_option(struct advise_options *options, int value, const char *argument,
                              struct dv_error *error_out)
{
    char *word = NULL;
    int status = vector_options_take(&options->vectors, value, argument, error_out);
    if (status < 0)
        return status;
    if (asprintf(&word, "--%s%s%s", options_name(table, value), argument ? "=" : "",
                 argument ? argument : "") < 0)
        return dv_no_memory(error_out);
    status = add_word(&options->given, word, error_out);
    free(word);
    return status;
}

static int take_sink(struct advise *advise, const char *id, struct dv_error *error_out)
{
    unsigned sinks = 0;
    int status = option_sinks(id, &sinks, error_out);
    if (status == 0 && sink_find(id) < 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "--sink: found \"%s\", expected one sink", id);
    advise->sink = id;
    return status;
}

static int take_mode(struct advise *advise, const char *id, struct dv_error *error_out)
{
    static const char *const modes[] = {"stream", "cold", NULL};
    advise->mode = id;
    return option_choice("mode", id, modes, error_out);
}

static int take_batch(struct advise *advise, const char *text, struct dv_error *error_out)
{
    uint64_t n_rows = 0;
    int status = option_number("batch", text, 1, OPTION_BATCH_ROWS_LIMIT, &n_rows, error_out);
    advise->batch_rows = (uint32_t)n_rows;
    return status;
}

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct advise_options *options = context;
    switch (value) {
    case OPTION_JSON:
        options->is_json = true;
        return 0;
    case OPTION_BATCH:
        return take_batch(&options->advise, argument, error_out);
    case OPTION_SINK:
        return take_sink(&options->advise, argument, error_out);
    case OPTION_MODE:
        return take_mode(&options->advise, argument, error_out);
    case OPTION_SCAN_COLUMNS:
        return option_number("scan-columns", argument, 1, 100000, &options->advise.n_scan_columns, error_out);
    case OPTION_SCAN_RUN:
        options->scan_run = argument;
        return 0;
    case OPTION_DELETES_RUN:
        options->deletes_run = argument;
        return 0;
    case OPTION_OUT:
        options->out_dir = argument;
        return 0;
    default:
        return take_vector_option(options, value, argument, error_out);
    }
}

/* --- the vectors --- */

/* As many deletes in as many rows. Recipes have a limit of rows; beyond it there is none. A partial chunk could not take
 * its share of what is clustered: only files of so many chunks are, and without their last part. */
static int arrange(struct advise_vector *vector, struct dv_error *error_out)
{
    enum { LEAST_CHUNKS = 16 };
    const uint64_t n_rows = vector->summary.n_rows, n_deleted = vector->summary.n_deleted_rows,
                   n_whole = n_rows / DV_CHUNK_ROWS * DV_CHUNK_ROWS;
    const bool can_cluster = n_rows >= LEAST_CHUNKS * DV_CHUNK_ROWS && n_deleted < n_whole;
    char specs[ADVISE_N_ARRANGED][160];
    struct dv_error beyond = {0};
    snprintf(specs[ADVISE_SORTED], 160, "prefix:rows=%" PRIu64 ":count=%" PRIu64, n_rows, n_deleted);
    snprintf(specs[ADVISE_CLUSTERED], 160, "clustered:rows=%" PRIu64 ":rate=%.12f", n_whole,
             can_cluster ? (double)n_deleted / (double)n_whole : 0);
    for (int how = 0; n_deleted > 0 && n_deleted < n_rows && how < ADVISE_N_ARRANGED; how++)
        if ((how == ADVISE_SORTED || can_cluster) &&
            source_check_spec(specs[how], &vector->arranged[how], &beyond) < 0)
            vector->arranged[how] = NULL;
    return beyond.code == DV_ERROR_MEMORY ? dv_no_memory(error_out) : 0;
}

static int describe(struct advise_vector *vector, const struct dv_source *source, struct dv_error *error_out)
{
    struct dv_view view = {0};
    *vector = (struct advise_vector){.n_payload_bytes = source->n_payload_bytes};
    int status = dv_view_index(&view, source->payload, source->n_payload_bytes, error_out);
    if (status == 0)
        inspect_summarise(&vector->summary, &view, source->base, source->n_rows);
    dv_view_free(&view);
    vector->spec = status == 0 ? strdup(source->spec) : NULL;
    if (status == 0 && !vector->spec)
        status = dv_no_memory(error_out);
    return status;
}

static int add_vectors(struct advise_options *options, const char *name, struct dv_error *error_out)
{
    struct advise *advise = &options->advise;
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    int status = vector_options_load(&options->vectors, name, &sources, &n_sources, error_out);
    struct advise_vector *grown =
        status == 0 ? realloc(advise->vectors, (advise->n_vectors + n_sources + 1) * sizeof *grown) : NULL;
    if (status == 0 && !grown)
        status = dv_no_memory(error_out);
    if (grown)
        advise->vectors = grown;
    for (size_t i = 0; status == 0 && i < n_sources; i++)
        status = describe(&advise->vectors[advise->n_vectors++], &sources[i], error_out);
    format_free_sources(sources, n_sources);
    return status;
}

/* --- the sweep --- */

/* Enough samples for an interval, short ones: a second per vector. */
static int sweep_words(struct strings *words, const struct advise_options *options, const char *dir,
                       struct dv_error *error_out)
{
    const struct advise *advise = &options->advise;
    char batch[16];
    snprintf(batch, sizeof batch, "%" PRIu32, advise->batch_rows);
    const char *const fixed[] = {"sweep", "--rounds",   "9",          "--min-time", "1ms",       "--counters",
                                 "none",  "--no-plots", "--quiet",    "--out",      dir,         "--batch",
                                 batch,   "--sink",     advise->sink, "--mode",     advise->mode};
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof fixed / sizeof *fixed; i++)
        status = add_word(words, fixed[i], error_out);
    for (size_t i = 0; status == 0 && i < options->given.n_items; i++)
        status = add_word(words, options->given.items[i], error_out);
    if (status == 0)
        status = add_word(words, "--", error_out);
    for (size_t i = 0; status == 0 && i < advise->n_vectors; i++) {
        const struct advise_vector *vector = &advise->vectors[i];
        status = add_word(words, vector->spec, error_out);
        for (int how = 0; status == 0 && how < ADVISE_N_ARRANGED; how++)
            if (vector->arranged[how])
                status = add_word(words, vector->arranged[how], error_out);
    }
    return status;
}

static int measure(const struct advise_options *options, const char *dir, struct dv_error *error_out)
{
    struct strings words = {0};
    int status = sweep_words(&words, options, dir, error_out);
    char **argv = status == 0 ? calloc(words.n_items + 1, sizeof *argv) : NULL; /* getopt moves the words */
    if (status == 0 && !argv)
        status = dv_no_memory(error_out);
    if (status == 0) {
        memcpy(argv, words.items, words.n_items * sizeof *argv);
        status = command_sweep((int)words.n_items, argv, error_out);
    }
    free(argv);
    strings_free(&words);
    return status;
}

static void remove_run(const char *dir)
{
    char *tables = run_dir_file(dir, "tables");
    if (tables)
        table_folder_remove(tables);
    free(tables);
    table_folder_remove(dir);
}

/* --- all of it --- */

/* A run that was given, else what is recorded. */
static int read_runs(struct references *runs_out, const char *given, enum csv_file kind,
                     struct dv_error *error_out)
{
    *runs_out = (struct references){0};
    if (!given) {
        references_read(runs_out, kind);
        return 0;
    }
    runs_out->tables = calloc(1, sizeof(struct csv_table *));
    if (!runs_out->tables)
        return dv_no_memory(error_out);
    const int status = run_dir_load(runs_out->tables, given, kind, error_out);
    runs_out->n_tables = status == 0;
    return status;
}

static int say_all(struct advise *advise, const struct references *sweeps, struct dv_error *error_out)
{
    advise_rank(advise);
    int status = advise_fit(advise, sweeps, error_out);
    for (size_t i = 0; status == 0 && i < advise->n_vectors; i++)
        status = advise_say(advise, &advise->vectors[i], error_out);
    return status;
}

static int print(struct advise_options *options, const char *dir, struct dv_error *error_out)
{
    struct advise *advise = &options->advise;
    struct csv_table *costs = NULL;
    struct references sweeps = {0}, scans = {0}, deletes = {0};
    int status = run_dir_load(&costs, dir, CSV_FILE_summary, error_out);
    if (status == 0)
        status = read_runs(&sweeps, NULL, CSV_FILE_summary, error_out);
    if (status == 0)
        status = read_runs(&scans, options->scan_run, CSV_FILE_scan, error_out);
    if (status == 0)
        status = read_runs(&deletes, options->deletes_run, CSV_FILE_deletes, error_out);
    advise->costs = costs;
    advise->scans = &scans;
    advise->deletes = &deletes;
    if (status == 0)
        status = say_all(advise, &sweeps, error_out);
    if (status == 0 && options->is_json)
        status = advise_print_json(advise, error_out);
    else if (status == 0)
        advise_print_text(advise);
    csv_free(costs);
    references_free(&sweeps);
    references_free(&scans);
    references_free(&deletes);
    return status;
}

/* The folder stays where it was asked for, or where the sweep has named it: something is wrong. */
static int run(struct advise_options *options, struct dv_error *error_out)
{
    const char *place = getenv("TMPDIR");
    char made[4096];
    const int n = snprintf(made, sizeof made, "%s/dvbench-advise.XXXXXX", place && *place ? place : "/tmp");
    const char *dir = options->out_dir ? options->out_dir : made;
    if (!options->out_dir && (n < 0 || (size_t)n >= sizeof made || !mkdtemp(made)))
        return dv_fail(error_out, DV_ERROR_IO, "%s: cannot make a folder: %s", made, strerror(errno));
    int code = measure(options, dir, error_out);
    if (code == EXIT_UNAVAILABLE) /* nothing could be measured: what that means is said of each vector */
        code = EXIT_FINE;
    const int status = code == EXIT_FINE ? print(options, dir, error_out) : code;
    if (!options->out_dir && code <= EXIT_FINE)
        remove_run(dir);
    return status;
}

static void options_free(struct advise_options *options)
{
    for (size_t i = 0; i < options->advise.n_vectors; i++) {
        struct advise_vector *vector = &options->advise.vectors[i];
        free(vector->spec);
        for (int how = 0; how < ADVISE_N_ARRANGED; how++)
            free(vector->arranged[how]);
        strings_free(&vector->says);
    }
    free(options->advise.vectors);
    free(options->advise.models);
    strings_free(&options->given);
    vector_options_free(&options->vectors);
}

int command_advise(int argc, char **argv, struct dv_error *error_out)
{
    struct advise_options options = {
        .advise = {.sink = "row_ids", .mode = "stream", .batch_rows = 5000, .n_scan_columns = 1}};
    const int first = options_read(argc, argv, table, take_option, &options, error_out);
    int status = first;
    if (first == 0)
        printf("%s%s", help, vector_options_help);
    if (first > 0 && first == argc && !options.vectors.inline_text)
        status = dv_fail(error_out, DV_ERROR_USAGE, "advise: give a file, or --inline TEXT");
    else if (first > 0)
        status = options.vectors.inline_text ? add_vectors(&options, NULL, error_out) : 0;
    for (int i = first; first > 0 && status == 0 && i < argc; i++)
        status = add_vectors(&options, argv[i], error_out);
    if (first > 0 && status == 0 && options.advise.n_vectors == 0)
        status = dv_fail(error_out, DV_ERROR_INPUT, "%s: no deletion vector in it", argv[first]);
    for (size_t i = 0; status == 0 && i < options.advise.n_vectors; i++)
        if (options.advise.n_vectors <= ADVISE_N_DESCRIBED)
            status = arrange(&options.advise.vectors[i], error_out);
    command_print_warnings(&options.vectors);
    if (first > 0 && status == 0)
        status = run(&options, error_out);
    options_free(&options);
    return status;
}
