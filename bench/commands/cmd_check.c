/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench check: is every kernel right, into every sink? */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_run.h"
#include "command.h"
#include "recipe.h"
#include "vector_options.h"

enum {
    OPTION_DV = 1,
    OPTION_KERNEL,
    OPTION_SINK,
    OPTION_BATCH,
    OPTION_MAX_BATCHES,
    OPTION_RANDOM,
    OPTION_SEED
};
enum { MAX_BATCH_SIZES = 16 };

struct check_options {
    struct vector_options vectors;
    const char *names[256]; /* borrowed from argv: files and specs; none: recipes, edges and random vectors */
    size_t n_names;
    const char *kernels; /* borrowed comma lists, NULL: all */
    const char *sinks;
    uint32_t batch_rows[MAX_BATCH_SIZES];
    size_t n_batch_rows;
    size_t max_batches; /* of each size */
    uint64_t n_random;
    int has_random;
    uint64_t seed;
};

static const char help[] = "usage: dvbench check [FILE|SPEC...] [options]\n"
                           "Compares every kernel and sink with the oracle, byte for byte: on the given "
                           "vectors, else on all recipes, on\n"
                           "known edges and on random vectors. Exit 1 where one is wrong.\n"
                           "  --dv FILE          as FILE; may be repeated\n"
                           "  --kernel ID,...    these kernels alone\n"
                           "  --sink ID,...      these sinks alone\n"
                           "  --batch N,...      rows per batch (default 5000,4096,1021,64,7)\n"
                           "  --max-batches N    batches of each size, spread over a vector (default 6)\n"
                           "  --random N         random vectors (default 200, with given vectors 0)\n"
                           "  --seed N           seed of the first random vector (default 1)\n";

/* Calls take(context, item) for each item of a comma list. Stops at the first negative result. */
static int for_each_item(const char *list,
                         int (*take)(void *context, const char *item, struct dv_error *error_out),
                         void *context, struct dv_error *error_out)
{
    char item[64];
    int status = 0;
    while (*list && status == 0) {
        size_t n = strcspn(list, ",");
        snprintf(item, sizeof item, "%.*s", n < sizeof item ? (int)n : (int)sizeof item - 1, list);
        status = take(context, item, error_out);
        list += n + (list[n] == ',');
    }
    return status;
}

static int take_batch_rows(void *context, const char *item, struct dv_error *error_out)
{
    struct check_options *options = context;
    uint64_t n_rows;
    int status = vector_options_number("--batch", item, &n_rows, error_out);
    if (status != 0)
        return status;
    if (n_rows == 0 || n_rows > INT32_MAX)
        return dv_fail(error_out, DV_ERROR_USAGE, "--batch: found %s, expected 1 to 2147483647", item);
    if (options->n_batch_rows == MAX_BATCH_SIZES)
        return dv_fail(error_out, DV_ERROR_USAGE, "--batch: more than %d sizes", MAX_BATCH_SIZES);
    options->batch_rows[options->n_batch_rows++] = (uint32_t)n_rows;
    return 0;
}

static int take_kernel(void *context, const char *item, struct dv_error *error_out)
{
    struct check_tally *tally = context;
    for (size_t i = 0; i < tally->n_kernels; i++) {
        if (strcmp(kernel_at(i)->id, item) == 0) {
            tally->runs[i] = 1;
            return 0;
        }
    }
    return dv_fail(error_out, DV_ERROR_USAGE, "unknown kernel '%s'; dvbench list kernels", item);
}

static int take_sink(void *context, const char *item, struct dv_error *error_out)
{
    struct check_tally *tally = context;
    int sink = sink_find(item);
    if (sink < 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "unknown sink '%s'; dvbench list sinks", item);
    tally->sinks |= 1u << sink;
    return 0;
}

static int take_name(struct check_options *options, const char *name, struct dv_error *error_out)
{
    if (options->n_names == sizeof options->names / sizeof *options->names)
        return dv_fail(error_out, DV_ERROR_USAGE, "check: more than %zu vectors", options->n_names);
    options->names[options->n_names++] = name;
    return 0;
}

static int take_option(struct check_options *options, int value, char **argv, struct dv_error *error_out)
{
    uint64_t number = 0;
    int status = vector_options_take(&options->vectors, value, optarg, error_out);
    if (status != 0)
        return status < 0 ? status : 0;
    switch (value) {
    case OPTION_DV:
        return take_name(options, optarg, error_out);
    case OPTION_KERNEL:
        options->kernels = optarg;
        return 0;
    case OPTION_SINK:
        options->sinks = optarg;
        return 0;
    case OPTION_BATCH:
        options->n_batch_rows = 0;
        return for_each_item(optarg, take_batch_rows, options, error_out);
    case OPTION_MAX_BATCHES:
        status = vector_options_number("--max-batches", optarg, &number, error_out);
        options->max_batches = number < 1000000 ? (size_t)number : 1000000;
        return status;
    case OPTION_RANDOM:
        options->has_random = 1;
        return vector_options_number("--random", optarg, &options->n_random, error_out);
    case OPTION_SEED:
        return vector_options_number("--seed", optarg, &options->seed, error_out);
    default:
        return dv_fail(error_out, DV_ERROR_USAGE, "check: bad option %s; check --help lists them",
                       argv[optind - 1]);
    }
}

/* The batches of each size, one size after the other; every second size starts one row late, so that starts
 * are odd. */
static int plan_batches(struct batches *all_out, const struct check_options *options,
                        const struct dv_source *source, struct dv_error *error_out)
{
    struct dv_view view;
    *all_out = (struct batches){
        .items = calloc(options->n_batch_rows * options->max_batches + 1, sizeof *all_out->items)};
    if (!all_out->items)
        return dv_no_memory(error_out);
    int status = dv_view_index(&view, source->payload, source->n_payload_bytes, error_out);
    if (status != 0)
        return status;
    for (size_t i = 0; i < options->n_batch_rows && status == 0; i++) {
        uint64_t skipped = i % 2 && source->n_rows > 1;
        struct batches some = {0};
        status = batches_plan(&some, &view, source->base + skipped, source->n_rows - skipped,
                              options->batch_rows[i], options->max_batches, error_out);
        for (size_t j = 0; j < some.n_items; j++)
            all_out->items[all_out->n_items++] = some.items[j];
        batches_free(&some);
    }
    dv_view_free(&view);
    return status;
}

static int check_source(struct check_tally *tally, const struct check_options *options,
                        const struct dv_source *source, struct dv_error *error_out)
{
    struct batches batches;
    struct check_case check;
    int status = plan_batches(&batches, options, source, error_out);
    if (status == 0)
        status = check_case_open(&check, source->spec, source->payload, source->n_payload_bytes,
                                 batches.items, batches.n_items, error_out);
    if (status == 0) {
        status = check_run(tally, &check, options->seed, error_out);
        check_case_close(&check);
    }
    batches_free(&batches);
    return status;
}

static int check_named(struct check_tally *tally, struct check_options *options, const char *name,
                       struct dv_error *error_out)
{
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    int status = vector_options_load(&options->vectors, name, &sources, &n_sources, error_out);
    for (size_t i = 0; i < n_sources && status == 0; i++)
        status = check_source(tally, options, &sources[i], error_out);
    format_free_sources(sources, n_sources);
    return status;
}

static int check_recipe(struct check_tally *tally, struct check_options *options, const char *spec,
                        struct dv_error *error_out)
{
    struct dv_source source;
    int status = source_open_spec(&source, spec, error_out);
    if (status != 0)
        return status;
    status = check_source(tally, options, &source, error_out);
    source_free(&source);
    return status;
}

/* Never a file that has a recipe's name. Each recipe as it comes, without run containers, and across a key from a start that is a multiple of
 * nothing. */
static int check_recipes(struct check_tally *tally, struct check_options *options, struct dv_error *error_out)
{
    static const char *const variants[] = {"", ":optimize=0", ":rows=300000:base=4294900003"};
    int status = 0;
    for (size_t i = 0; i < recipes_count() * 3 && status == 0; i++) {
        char spec[128];
        snprintf(spec, sizeof spec, "%s%s", recipe_at(i / 3)->id, variants[i % 3]);
        status = check_recipe(tally, options, spec, error_out);
    }
    return status;
}

static int check_random_and_edges(struct check_tally *tally, const struct check_options *options,
                                  int with_edges, struct dv_error *error_out)
{
    size_t n_edges = with_edges ? check_edges_count() : 0;
    int status = 0;
    for (uint64_t i = 0; i < n_edges + options->n_random && status == 0; i++) {
        struct check_case check;
        uint64_t seed = options->seed + (i - n_edges);
        status = i < n_edges ? check_case_edge(&check, (size_t)i, error_out)
                             : check_case_random(&check, seed, error_out);
        if (status == 0) {
            status = check_run(tally, &check, seed, error_out);
            check_case_close(&check);
        }
    }
    return status;
}

static const char *cell_text(const struct check_cell *cell)
{
    return cell->n_wrong > 0 ? "WRONG" : cell->n_ok > 0 ? "ok" : cell->n_unavailable > 0 ? "n/a" : "-";
}

static void print_reasons(const struct check_tally *tally)
{
    for (size_t i = 0; i < tally->n_kernels; i++) {
        const char *unavailable = NULL;
        for (int sink = 0; sink < N_SINKS; sink++) {
            const struct check_cell *cell = &tally->cells[i][sink];
            if (cell->n_wrong > 0)
                printf("WRONG %s/%s: %" PRIu64 " of %" PRIu64 ", first %s\n", kernel_at(i)->id,
                       sink_id((enum sink_kind)sink), cell->n_wrong, cell->n_wrong + cell->n_ok, cell->wrong);
            if (cell->n_unavailable > 0)
                unavailable = cell->unavailable;
        }
        if (unavailable)
            printf("%s: not everywhere available: %s\n", kernel_at(i)->id, unavailable);
    }
}

static void print_tally(const struct check_tally *tally)
{
    printf("%-32s", "kernel");
    for (int sink = 0; sink < N_SINKS; sink++)
        printf(" %15s", sink_id((enum sink_kind)sink));
    printf("\n");
    for (size_t i = 0; i < tally->n_kernels; i++) {
        if (!tally->runs[i])
            continue;
        printf("%-32s", kernel_at(i)->id);
        for (int sink = 0; sink < N_SINKS; sink++)
            printf(" %15s", cell_text(&tally->cells[i][sink]));
        printf("\n");
    }
    print_reasons(tally);
    printf("%" PRIu64 " vectors, %" PRIu64 " verifications ok, %" PRIu64 " wrong\n", tally->n_cases,
           check_tally_ok(tally), check_tally_wrong(tally));
}

static int choose(struct check_tally *tally, const struct check_options *options, struct dv_error *error_out)
{
    int status = 0;
    if (options->kernels) {
        memset(tally->runs, 0, tally->n_kernels);
        status = for_each_item(options->kernels, take_kernel, tally, error_out);
    }
    if (options->sinks && status == 0) {
        tally->sinks = 0;
        status = for_each_item(options->sinks, take_sink, tally, error_out);
    }
    return status;
}

static int check_all(struct check_tally *tally, struct check_options *options, struct dv_error *error_out)
{
    int is_given = options->n_names > 0 || options->vectors.inline_text;
    if (!options->has_random)
        options->n_random = is_given ? 0 : 200;
    int status = choose(tally, options, error_out);
    if (status == 0 && options->vectors.inline_text)
        status = check_named(tally, options, NULL, error_out);
    for (size_t i = 0; i < options->n_names && status == 0; i++)
        status = check_named(tally, options, options->names[i], error_out);
    if (status == 0 && !is_given)
        status = check_recipes(tally, options, error_out);
    return status == 0 ? check_random_and_edges(tally, options, !is_given, error_out) : status;
}

static int parse(struct check_options *options, int argc, char **argv, int *is_help_out,
                 struct dv_error *error_out)
{
    static const struct option table[] = {{"dv", required_argument, NULL, OPTION_DV},
                                          {"kernel", required_argument, NULL, OPTION_KERNEL},
                                          {"sink", required_argument, NULL, OPTION_SINK},
                                          {"batch", required_argument, NULL, OPTION_BATCH},
                                          {"max-batches", required_argument, NULL, OPTION_MAX_BATCHES},
                                          {"random", required_argument, NULL, OPTION_RANDOM},
                                          {"seed", required_argument, NULL, OPTION_SEED},
                                          {"help", no_argument, NULL, 'h'},
                                          VECTOR_OPTIONS,
                                          {0}};
    int status = 0;
    optind = 0;
    opterr = 0;
    for (int value; status == 0 && (value = getopt_long(argc, argv, "h", table, NULL)) != -1;) {
        if (value == 'h') {
            *is_help_out = 1;
            return 0;
        }
        status = take_option(options, value, argv, error_out);
    }
    for (int i = optind; i < argc && status == 0; i++)
        status = take_name(options, argv[i], error_out);
    return status;
}

int command_check(int argc, char **argv, struct dv_error *error_out)
{
    struct check_options options = {
        .batch_rows = {5000, 4096, 1021, 64, 7}, .n_batch_rows = 5, .max_batches = 6, .seed = 1};
    struct check_tally tally = {0};
    int is_help = 0, status = EXIT_FINE;
    int result = parse(&options, argc, argv, &is_help, error_out);
    if (is_help) {
        printf("%s%s", help, vector_options_help);
    } else {
        if (result == 0)
            result = check_tally_open(&tally, error_out);
        if (result == 0)
            result = check_all(&tally, &options, error_out);
        if (result == 0) {
            print_tally(&tally);
            status = check_tally_wrong(&tally) > 0 ? EXIT_CHECK_FAILED : EXIT_FINE;
        }
    }
    check_tally_close(&tally);
    vector_options_free(&options.vectors);
    return result != 0 ? command_fail(error_out) : status;
}
