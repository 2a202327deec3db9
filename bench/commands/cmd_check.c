/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench check: is every kernel right, into every sink? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "command.h"
#include "plan.h"
#include "recipe.h"
#include "vector_options.h"

enum {
    OPTION_DV = 256,
    OPTION_KERNEL,
    OPTION_SINK,
    OPTION_BATCH,
    OPTION_MAX_BATCHES,
    OPTION_RANDOM,
    OPTION_SEED
};

struct check_options {
    struct vector_options vectors;
    struct strings names;   /* files and specs; none: recipes, edges and random vectors */
    struct strings kernels; /* ids and patterns, none: all */
    unsigned sinks;         /* mask, 0: all */
    uint32_t batch_rows[OPTION_BATCH_SIZES_LIMIT];
    size_t n_batch_rows;
    uint64_t max_batches; /* of each size */
    bool has_random;
    uint64_t n_random;
    uint64_t seed;
};

static const char help[] =
    "usage: dvbench check [FILE|SPEC...] [options]\n"
    "Compares every kernel and sink with the oracle, byte for byte: on the given vectors, or else on all "
    "recipes, on "
    "known\n"
    "edge cases and on random vectors. The oracle works out each answer row by row from the deleted "
    "positions.\n"
    "Exits with 1 if an answer is wrong.\n"
    "  --dv FILE|SPEC     the same as an operand; may be repeated\n"
    "  --kernel ID,...    only these kernels: ids, patterns, or `best` (see `list kernels`)\n"
    "  --sink ID,...|all  only these sinks\n"
    "  --batch N,...      rows per batch (default 5000,4096,1021,64,7)\n"
    "  --max-batches N    batches of each size, spread over a vector (default 6)\n"
    "  --random N         random vectors (default 200; 0 if vectors are given)\n"
    "  --seed N           seed of the first random vector (default 1)\n";

static int add_name(struct check_options *options, const char *name, struct dv_error *error_out)
{
    return strings_add(&options->names, name, strlen(name)) ? dv_no_memory(error_out) : 0;
}

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct check_options *options = context;
    switch (value) {
    case OPTION_DV:
        return add_name(options, argument, error_out);
    case OPTION_KERNEL:
        return option_list("kernel", argument, &options->kernels, error_out);
    case OPTION_SINK:
        return option_sinks(argument, &options->sinks, error_out);
    case OPTION_BATCH:
        return option_batch_rows(argument, options->batch_rows, &options->n_batch_rows, error_out);
    case OPTION_MAX_BATCHES:
        return option_number("max-batches", argument, 1, OPTION_BATCHES_LIMIT, &options->max_batches,
                             error_out);
    case OPTION_RANDOM:
        options->has_random = true;
        return option_number("random", argument, 0, UINT64_MAX, &options->n_random, error_out);
    case OPTION_SEED:
        return option_number("seed", argument, 0, UINT64_MAX, &options->seed, error_out);
    default:
        return vector_options_take(&options->vectors, value, argument, error_out);
    }
}

static int append(struct batches *all, const struct batches *some, struct dv_error *error_out)
{
    struct batch *grown = realloc(all->items, (all->n_items + some->n_items) * sizeof *grown + 1);
    if (!grown)
        return dv_no_memory(error_out);
    all->items = grown;
    for (size_t i = 0; i < some->n_items; i++)
        grown[all->n_items++] = some->items[i];
    return 0;
}

/* The batches of each size, one size after the other; every second size starts one row late, so that starts
 * are odd. */
static int plan_batches(struct batches *all_out, const struct check_options *options,
                        const struct dv_source *source, struct dv_error *error_out)
{
    static const uint32_t usual[] = {5000, 4096, 1021, 64, 7};
    const uint32_t *sizes = options->n_batch_rows ? options->batch_rows : usual;
    size_t n_sizes = options->n_batch_rows ? options->n_batch_rows : sizeof usual / sizeof *usual;
    struct dv_view view;
    *all_out = (struct batches){0};
    int status = dv_view_index(&view, source->payload, source->n_payload_bytes, error_out);
    if (status != 0)
        return status;
    for (size_t i = 0; i < n_sizes && status == 0; i++) {
        uint64_t skipped = i % 2 && source->n_rows > 1;
        struct batches some = {0};
        status = batches_plan(&some, &view, source->base + skipped, source->n_rows - skipped, sizes[i],
                              (size_t)options->max_batches, error_out);
        if (status == 0)
            status = append(all_out, &some, error_out);
        batches_free(&some);
    }
    dv_view_free(&view);
    if (status == 0 && all_out->n_items == 0)
        status = dv_fail(error_out, DV_ERROR_USAGE,
                         "found no row to check: the vector is empty and the file states no row count; pass "
                         "--rows, 1 or more");
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
    if (status != 0)
        (void)dv_error_set_where(error_out, source->spec);
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
    command_print_warnings(&options->vectors);
    return status;
}

/* Each recipe as it comes, without run containers, and across a key from a start that is a multiple of
 * nothing. Files that are called like a recipe do not count. */
static int check_recipes(struct check_tally *tally, struct check_options *options, struct dv_error *error_out)
{
    static const char *const variants[] = {"", ":optimize=0", ":rows=300000:base=4294900003"};
    int status = 0;
    for (size_t i = 0; i < recipes_count() * 3 && status == 0; i++) {
        struct dv_source source;
        char spec[128];
        snprintf(spec, sizeof spec, "%s%s", recipe_at(i / 3)->id, variants[i % 3]);
        status = source_open_spec(&source, spec, error_out);
        if (status != 0)
            break;
        status = check_source(tally, options, &source, error_out);
        source_free(&source);
    }
    return status;
}

static int check_random_and_edges(struct check_tally *tally, const struct check_options *options,
                                  bool with_edges, struct dv_error *error_out)
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
            printf("%s: unavailable in some cases: %s\n", kernel_at(i)->id, unavailable);
    }
}

static void print_tally(const struct check_tally *tally)
{
    printf("%-32s", "kernel");
    for (int sink = 0; sink < N_SINKS; sink++)
        printf(" %15s", sink_id((enum sink_kind)sink));
    printf("\n");
    for (size_t i = 0; i < tally->n_kernels; i++) {
        if (!tally->sinks[i])
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

/* No kernel ran: that is not "0 wrong". */
static int fail_nothing_checked(const struct check_tally *tally, struct dv_error *error_out)
{
    for (size_t i = 0; i < tally->n_kernels; i++)
        for (int sink = 0; sink < N_SINKS; sink++)
            if (tally->cells[i][sink].n_unavailable > 0)
                return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "nothing was checked: %s: %s",
                               kernel_at(i)->id, tally->cells[i][sink].unavailable);
    return dv_fail(error_out, DV_ERROR_USAGE,
                   "nothing was checked: none of these kernels has one of these sinks");
}

static int choose(struct check_tally *tally, const struct check_options *options, struct dv_error *error_out)
{
    for (size_t i = 0; i < tally->n_kernels; i++) {
        unsigned sinks = options->sinks ? options->sinks : SINK_ALL;
        for (int sink = 0; sink < N_SINKS && options->kernels.n_items > 0; sink++)
            if (!plan_takes_kernel(&options->kernels, kernel_at(i), (enum sink_kind)sink))
                sinks &= ~(1u << sink);
        tally->sinks[i] = sinks;
    }
    return plan_check_kernels(&options->kernels, error_out);
}

static int check_all(struct check_tally *tally, struct check_options *options, struct dv_error *error_out)
{
    bool is_given = options->names.n_items > 0 || options->vectors.inline_text;
    if (!options->has_random)
        options->n_random = is_given ? 0 : 200;
    int status = choose(tally, options, error_out);
    if (status == 0 && options->vectors.inline_text)
        status = check_named(tally, options, NULL, error_out);
    for (size_t i = 0; i < options->names.n_items && status == 0; i++)
        status = check_named(tally, options, options->names.items[i], error_out);
    if (status == 0 && !is_given)
        status = check_recipes(tally, options, error_out);
    if (status == 0)
        status = check_random_and_edges(tally, options, !is_given, error_out);
    if (status != 0)
        return status;
    print_tally(tally);
    if (check_tally_wrong(tally) > 0)
        return EXIT_CHECK_FAILED;
    return check_tally_ok(tally) > 0 ? EXIT_FINE : fail_nothing_checked(tally, error_out);
}

int command_check(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {{"dv", required_argument, NULL, OPTION_DV},
                                          {"kernel", required_argument, NULL, OPTION_KERNEL},
                                          {"sink", required_argument, NULL, OPTION_SINK},
                                          {"batch", required_argument, NULL, OPTION_BATCH},
                                          {"max-batches", required_argument, NULL, OPTION_MAX_BATCHES},
                                          {"random", required_argument, NULL, OPTION_RANDOM},
                                          {"seed", required_argument, NULL, OPTION_SEED},
                                          VECTOR_OPTIONS,
                                          OPTIONS_END};
    struct check_options options = {.max_batches = 6, .seed = 1};
    struct check_tally tally = {0};
    int first = options_read(argc, argv, table, take_option, &options, error_out);
    int status = first < 0 ? first : 0;
    if (first == 0)
        printf("%s%s", help, vector_options_help);
    for (int i = first; first > 0 && i < argc && status == 0; i++)
        status = add_name(&options, argv[i], error_out);
    if (first > 0 && status == 0)
        status = check_tally_open(&tally, error_out);
    if (first > 0 && status == 0)
        status = check_all(&tally, &options, error_out);
    check_tally_close(&tally);
    strings_free(&options.names);
    strings_free(&options.kernels);
    vector_options_free(&options.vectors);
    return status;
}
