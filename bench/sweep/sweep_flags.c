/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "kernel.h"
#include "options.h"
#include "sweep_flags.h"

/* X(constant, name, argument): each option once. */
#define FOR_EACH_OPTION(X)                                                                                   \
    X(PLAN, "plan", required_argument)                                                                       \
    X(RECIPE, "recipe", required_argument)                                                                   \
    X(RATES, "rates", required_argument)                                                                     \
    X(VARY, "vary", required_argument)                                                                       \
    X(DV, "dv", required_argument)                                                                           \
    X(BATCH, "batch", required_argument)                                                                     \
    X(KERNEL, "kernel", required_argument)                                                                   \
    X(SINK, "sink", required_argument)                                                                       \
    X(MODE, "mode", required_argument)                                                                       \
    X(RESUME, "resume", required_argument)                                                                   \
    X(REPLACE, "replace", no_argument)                                                                       \
    X(ROUNDS, "rounds", required_argument)                                                                   \
    X(STARTS, "starts", required_argument)                                                                   \
    X(START, "start", required_argument)                                                                     \
    X(MIN_TIME, "min-time", required_argument)                                                               \
    X(COUNTERS, "counters", required_argument)                                                               \
    X(EVENTS, "events", required_argument)                                                                   \
    X(THREADS, "threads", required_argument)                                                                 \
    X(SHARE_DV, "share-dv", no_argument)                                                                     \
    X(CPU, "cpu", required_argument)                                                                         \
    X(SEED, "seed", required_argument)                                                                       \
    X(MAX_BATCHES, "max-batches", required_argument)                                                         \
    X(SHARD, "shard", required_argument)                                                                     \
    X(FIGURES, "figures", required_argument)                                                                 \
    X(NO_PLOTS, "no-plots", no_argument)                                                                     \
    X(QUIET, "quiet", no_argument)                                                                           \
    X(BENCHMARK_FILTER, "benchmark_filter", required_argument)                                               \
    X(BENCHMARK_OUT, "benchmark_out", required_argument)                                                     \
    X(BENCHMARK_OUT_FORMAT, "benchmark_out_format", required_argument)                                       \
    X(BENCHMARK_CONTEXT, "benchmark_context", required_argument)                                             \
    X(BENCHMARK_LIST_TESTS, "benchmark_list_tests", optional_argument)

#define OPTION_VALUE(id, name, argument) OPTION_##id,
#define OPTION_ROW(id, name, argument)   {name, argument, NULL, OPTION_##id},
enum option_value { OPTION_OUT = 'o', OPTION_FIRST = 255, FOR_EACH_OPTION(OPTION_VALUE) };

/* Two of Google Benchmark's are other names of ours. */
static const struct option long_options[] = {
    {"out", required_argument, NULL, OPTION_OUT},
    FOR_EACH_OPTION(OPTION_ROW) VECTOR_OPTIONS,
    {"benchmark_min_time", required_argument, NULL, OPTION_MIN_TIME},
    {"benchmark_repetitions", required_argument, NULL, OPTION_ROUNDS},
    OPTIONS_END,
};

static int take_int(const char *option, const char *text, int min, int max, int *value_out,
                    struct dv_error *error_out)
{
    uint64_t value;
    int status = option_number(option, text, (uint64_t)min, (uint64_t)max, &value, error_out);
    if (status == 0)
        *value_out = (int)value;
    return status;
}

/* "10ms", "0.5s", "200us", or seconds as a bare number, as Google Benchmark takes it. */
static int take_time(const char *text, double *ns_out, struct dv_error *error_out)
{
    static const struct {
        const char *suffix;
        double ns;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    char *end;
    double value = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].suffix) == 0 && value >= 0 && value * units[i].ns <= 60e9) {
            *ns_out = value * units[i].ns;
            return 0;
        }
    return dv_fail(error_out, DV_ERROR_USAGE, "--min-time %s: a time up to 60s is expected, as 10ms or 0.5s",
                   text);
}

static int take_axis(struct sweep_group *group, const char *option, const char *key, size_t n_key,
                     const char *values, struct dv_error *error_out)
{
    if (group->n_axes == SWEEP_MAX_AXES)
        return dv_fail(error_out, DV_ERROR_USAGE, "--%s: more than %d axes", option, SWEEP_MAX_AXES);
    struct sweep_axis *axis = &group->axes[group->n_axes];
    axis->key = strndup(key, n_key);
    if (!axis->key)
        return dv_no_memory(error_out);
    group->n_axes++;
    return option_list(option, values, &axis->values, error_out);
}

static int take_vary(struct sweep_group *group, const char *text, struct dv_error *error_out)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return dv_fail(error_out, DV_ERROR_USAGE, "--vary %s: KEY=V1,V2,... is expected", text);
    return take_axis(group, "vary", text, (size_t)(equals - text), equals + 1, error_out);
}

static int add_string(struct strings *strings, const char *text, struct dv_error *error_out)
{
    return strings_add(strings, text, strlen(text)) ? dv_no_memory(error_out) : 0;
}

int sweep_flags_replace(char **text, const char *value, struct dv_error *error_out)
{
    free(*text);
    *text = strdup(value);
    return *text ? 0 : dv_no_memory(error_out);
}

/* May be said more than once: all of them count. */
static int add_context(char **list, const char *pairs, struct dv_error *error_out)
{
    char *joined;
    if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", pairs) < 0)
        return dv_no_memory(error_out);
    free(*list);
    *list = joined;
    return 0;
}

static int replace_one_of(char **text, const char *name, const char *value, const char *const *choices,
                          struct dv_error *error_out)
{
    int status = option_choice(name, value, choices, error_out);
    return status < 0 ? status : sweep_flags_replace(text, value, error_out);
}

static int take_shard(struct sweep_options *options, const char *text, struct dv_error *error_out)
{
    unsigned index, count;
    char tail;
    if (sscanf(text, "%9u/%9u%c", &index, &count, &tail) != 2 || index < 1 || index > count)
        return dv_fail(error_out, DV_ERROR_USAGE, "--shard %s: I/N with 1 <= I <= N is expected", text);
    return sweep_flags_replace(&options->shard, text, error_out);
}

/* N as a user may say it, or N:FD:PARENT of sweep_starts.c. */
static int take_start(struct sweep_options *options, const char *argument, struct dv_error *error_out)
{
    if (sscanf(argument, "%2d:%d:%d", &options->start, &options->lock_fd, &options->parent) == 3)
        return 0;
    return take_int("start", argument, 0, 99, &options->start, error_out);
}

static int take_cpu(struct sweep_options *options, const char *text, struct dv_error *error_out)
{
    if (strcmp(text, "none") == 0) {
        options->cpu = SWEEP_CPU_NONE;
        return 0;
    }
    return take_int("cpu", text, 0, 4095, &options->cpu, error_out);
}

/* 1 is always among them: what the others are compared with. */
static int take_threads(struct sweep_options *options, const char *text, struct dv_error *error_out)
{
    struct strings counts = {0};
    int status = option_list("threads", text, &counts, error_out);
    options->threads[0] = 1;
    options->n_threads = 1;
    for (size_t i = 0; status == 0 && i < counts.n_items; i++) {
        int count = 0;
        status = take_int("threads", counts.items[i], 1, 1024, &count, error_out);
        if (status < 0 || (count == 1 && i == 0))
            continue;
        if (count <= options->threads[options->n_threads - 1] || options->n_threads == SWEEP_MAX_THREADS)
            status = dv_fail(error_out, DV_ERROR_USAGE,
                             "--threads %s: up to %d counts in ascending order are expected", text,
                             SWEEP_MAX_THREADS);
        else
            options->threads[options->n_threads++] = count;
    }
    strings_free(&counts);
    return status;
}

#define MODE_NAME(id) #id,
static const char *const modes[] = {FOR_EACH_MODE(MODE_NAME) NULL};
#undef MODE_NAME

/* Options that describe a group: allowed by hand and in the lines of a plan. Returns 1 where it was one. */
static int take_group_option(struct sweep_group *group, int value, const char *argument,
                             struct dv_error *error_out)
{
    int status = 0;
    switch (value) {
    case OPTION_RECIPE:
        status = add_string(&group->recipes, argument, error_out);
        break;
    case OPTION_DV:
        status = add_string(&group->files, argument, error_out);
        break;
    case OPTION_RATES:
        status = take_axis(group, "rates", "rate", 4, argument, error_out);
        break;
    case OPTION_VARY:
        status = take_vary(group, argument, error_out);
        break;
    case OPTION_BATCH:
        status = option_batch_rows(argument, group->batch_rows, &group->n_batch_rows, error_out);
        break;
    case OPTION_KERNEL:
        status = option_list("kernel", argument, &group->kernels, error_out);
        break;
    case OPTION_SINK:
        status = option_sinks(argument, &group->sinks, error_out);
        break;
    case OPTION_MODE:
        status = option_mask("mode", argument, modes, &group->modes, error_out);
        break;
    default:
        return 0;
    }
    return status ? status : 1;
}

/* Options of the run's method. Returns 1 where it was one. */
static int take_run_option(struct sweep_options *options, int value, const char *argument,
                           struct dv_error *error_out)
{
    int status = 0;
    uint64_t number = 0;
    switch (value) {
    case OPTION_ROUNDS:
        status = take_int("rounds", argument, 1, 1000, &options->rounds, error_out);
        break;
    case OPTION_STARTS:
        status = take_int("starts", argument, 1, 100, &options->starts, error_out);
        break;
    case OPTION_START:
        status = take_start(options, argument, error_out);
        break;
    case OPTION_MIN_TIME:
        status = take_time(argument, &options->min_time_ns, error_out);
        break;
    case OPTION_MAX_BATCHES:
        status = option_number("max-batches", argument, 1, OPTION_BATCHES_LIMIT, &number, error_out);
        options->max_batches = (size_t)number;
        break;
    case OPTION_SEED:
        status = option_number("seed", argument, 0, UINT64_MAX, &options->seed, error_out);
        break;
    case OPTION_CPU:
        status = take_cpu(options, argument, error_out);
        break;
    case OPTION_THREADS:
        status = take_threads(options, argument, error_out);
        break;
    case OPTION_SHARE_DV:
        options->share_dv = true;
        break;
    case OPTION_SHARD:
        status = take_shard(options, argument, error_out);
        break;
    case OPTION_COUNTERS:
        status = replace_one_of(&options->counters, "counters", argument, counters_mode_words, error_out);
        break;
    case OPTION_EVENTS:
        status = sweep_flags_replace(&options->events, argument, error_out);
        break;
    default:
        return 0;
    }
    return status ? status : 1;
}

static const char *const pictures[] = {"svg", "png", "pdf", NULL};
static const char *const json[] = {"json", NULL};

/* Options of where the results go: on the command line only. Returns 1 where it was one. */
static int take_output_option(struct sweep_options *options, int value, const char *argument,
                              struct dv_error *error_out)
{
    int status = 0;
    switch (value) {
    case OPTION_OUT:
        status = sweep_flags_replace(&options->out_dir, argument, error_out);
        break;
    case OPTION_RESUME:
        status = sweep_flags_replace(&options->resume_dir, argument, error_out);
        break;
    case OPTION_FIGURES:
        status = replace_one_of(&options->figures, "figures", argument, pictures, error_out);
        break;
    case OPTION_NO_PLOTS:
        options->plots = false;
        break;
    case OPTION_REPLACE:
        options->replace = true;
        break;
    case OPTION_QUIET:
        options->quiet = true;
        break;
    case OPTION_BENCHMARK_FILTER:
        status = sweep_flags_replace(&options->benchmark_filter, argument, error_out);
        break;
    case OPTION_BENCHMARK_OUT:
        status = sweep_flags_replace(&options->benchmark_out, argument, error_out);
        break;
    case OPTION_BENCHMARK_OUT_FORMAT: /* the reporter writes JSON; the flag is there so that it can be said */
        status = option_choice("benchmark_out_format", argument, json, error_out);
        break;
    case OPTION_BENCHMARK_CONTEXT:
        status = add_context(&options->benchmark_context, argument, error_out);
        break;
    case OPTION_BENCHMARK_LIST_TESTS:
        options->list_tests = !argument || strcmp(argument, "false") != 0;
        break;
    default:
        return 0;
    }
    return status ? status : 1;
}

struct parsing {
    struct sweep_options *options;
    struct sweep_group *group;
    const char **plan_out; /* NULL: a plan's line */
};

static int take(void *context, int value, const char *argument, struct dv_error *error_out)
{
    const struct parsing *parsing = context;
    struct sweep_options *options = parsing->options;
    struct sweep_group *group = parsing->group;
    if (value == OPTION_PLAN && parsing->plan_out) {
        *parsing->plan_out = argument;
        return 1;
    }
    if (value == VECTOR_OPTION_ROWS && !strchr(argument, '=') &&
        sweep_flags_replace(&group->rows, argument, error_out))
        return DV_ERROR_MEMORY;
    int taken = take_group_option(group, value, argument, error_out);
    if (taken == 0)
        taken = take_run_option(options, value, argument, error_out);
    if (taken == 0 && parsing->plan_out)
        taken = take_output_option(options, value, argument, error_out);
    if (taken == 0)
        taken = vector_options_take(&options->vectors, value, argument, error_out);
    if (taken > 0 && value == VECTOR_OPTION_INLINE &&
        add_string(&group->files, VECTOR_INLINE_SPEC, error_out))
        return DV_ERROR_MEMORY;
    return taken ? taken
                 : dv_fail(error_out, DV_ERROR_USAGE, "--%s is not allowed in a plan",
                           options_name(long_options, value));
}

int sweep_flags_parse(struct sweep_options *options, struct sweep_group *group, int argc, char **argv,
                      const char **plan_out, struct dv_error *error_out)
{
    struct parsing parsing = {options, group, plan_out};
    int first = options_read(argc, argv, long_options, take, &parsing, error_out);
    options->help = first == 0;
    for (int i = first; first > 0 && i < argc; i++)
        if (add_string(&group->files, argv[i], error_out))
            return DV_ERROR_MEMORY;
    return first < 0 ? first : 0;
}
