/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "sweep_flags.h"

enum option_value {
    OPTION_HELP = 'h',
    OPTION_OUT = 'o',
    OPTION_PLAN = 256,
    OPTION_RECIPE,
    OPTION_RATES,
    OPTION_VARY,
    OPTION_DV,
    OPTION_BATCH,
    OPTION_KERNEL,
    OPTION_SINK,
    OPTION_MODE,
    OPTION_RESUME,
    OPTION_ROUNDS,
    OPTION_STARTS,
    OPTION_START,
    OPTION_MIN_TIME,
    OPTION_COUNTERS,
    OPTION_EVENTS,
    OPTION_CPU,
    OPTION_SEED,
    OPTION_MAX_BATCHES,
    OPTION_SHARD,
    OPTION_FIGURES,
    OPTION_NO_PLOTS,
    OPTION_QUIET,
    OPTION_BENCHMARK_FILTER,
    OPTION_BENCHMARK_OUT,
    OPTION_BENCHMARK_OUT_FORMAT,
    OPTION_BENCHMARK_CONTEXT,
    OPTION_BENCHMARK_LIST_TESTS,
};

static const struct option long_options[] = {
    {"help", no_argument, NULL, OPTION_HELP},
    {"plan", required_argument, NULL, OPTION_PLAN},
    {"recipe", required_argument, NULL, OPTION_RECIPE},
    {"rates", required_argument, NULL, OPTION_RATES},
    {"vary", required_argument, NULL, OPTION_VARY},
    {"dv", required_argument, NULL, OPTION_DV},
    {"batch", required_argument, NULL, OPTION_BATCH},
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"sink", required_argument, NULL, OPTION_SINK},
    {"mode", required_argument, NULL, OPTION_MODE},
    {"out", required_argument, NULL, OPTION_OUT},
    {"resume", required_argument, NULL, OPTION_RESUME},
    {"rounds", required_argument, NULL, OPTION_ROUNDS},
    {"starts", required_argument, NULL, OPTION_STARTS},
    {"start", required_argument, NULL, OPTION_START},
    {"min-time", required_argument, NULL, OPTION_MIN_TIME},
    {"counters", required_argument, NULL, OPTION_COUNTERS},
    {"events", required_argument, NULL, OPTION_EVENTS},
    {"cpu", required_argument, NULL, OPTION_CPU},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"max-batches", required_argument, NULL, OPTION_MAX_BATCHES},
    {"shard", required_argument, NULL, OPTION_SHARD},
    {"figures", required_argument, NULL, OPTION_FIGURES},
    {"no-plots", no_argument, NULL, OPTION_NO_PLOTS},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"benchmark_filter", required_argument, NULL, OPTION_BENCHMARK_FILTER},
    {"benchmark_out", required_argument, NULL, OPTION_BENCHMARK_OUT},
    {"benchmark_out_format", required_argument, NULL, OPTION_BENCHMARK_OUT_FORMAT},
    {"benchmark_context", required_argument, NULL, OPTION_BENCHMARK_CONTEXT},
    {"benchmark_list_tests", optional_argument, NULL, OPTION_BENCHMARK_LIST_TESTS},
    {"benchmark_min_time", required_argument, NULL, OPTION_MIN_TIME},
    {"benchmark_repetitions", required_argument, NULL, OPTION_ROUNDS},
    VECTOR_OPTIONS,
    {0},
};

/* Splits at commas; an empty item is a usage error. */
static int strings_split(struct strings *strings, const char *option, const char *text,
                         struct dv_error *error_out)
{
    for (;;) {
        size_t n_bytes = strcspn(text, ",");
        if (n_bytes == 0)
            return dv_fail(error_out, DV_ERROR_USAGE, "%s: an empty item in '%s'", option, text);
        if (strings_add(strings, text, n_bytes))
            return dv_no_memory(error_out);
        if (text[n_bytes] == '\0')
            return 0;
        text += n_bytes + 1;
    }
}

static int take_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *value_out,
                       struct dv_error *error_out)
{
    int status = vector_options_number(option, text, value_out, error_out);
    if (status < 0)
        return status;
    if (*value_out < min || *value_out > max)
        return dv_fail(error_out, DV_ERROR_USAGE, "--%s %s: outside %llu to %llu", option, text,
                       (unsigned long long)min, (unsigned long long)max);
    return 0;
}

static int take_int(const char *option, const char *text, int min, int max, int *value_out,
                    struct dv_error *error_out)
{
    uint64_t value;
    int status = take_number(option, text, (uint64_t)min, (uint64_t)max, &value, error_out);
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

static int take_sinks(struct sweep_group *group, const char *text, struct dv_error *error_out)
{
    struct strings ids = {0};
    int status = strings_split(&ids, "--sink", text, error_out);
    for (size_t i = 0; status == 0 && i < ids.n_items; i++) {
        int kind = sink_find(ids.items[i]);
        if (strcmp(ids.items[i], "all") == 0)
            group->sinks = SINK_ALL;
        else if (kind < 0)
            status = dv_fail(error_out, DV_ERROR_USAGE, "--sink %s: unknown; `list sinks` tells them",
                             ids.items[i]);
        else
            group->sinks |= 1u << kind;
    }
    strings_free(&ids);
    return status;
}

static int take_modes(struct sweep_group *group, const char *text, struct dv_error *error_out)
{
    struct strings ids = {0};
    int status = strings_split(&ids, "--mode", text, error_out);
    for (size_t i = 0; status == 0 && i < ids.n_items; i++) {
        int mode = mode_find(ids.items[i]);
        if (mode < 0)
            status = dv_fail(error_out, DV_ERROR_USAGE, "--mode %s: stream, replay or cold", ids.items[i]);
        else
            group->modes |= 1u << mode;
    }
    strings_free(&ids);
    return status;
}

static int take_batches(struct sweep_group *group, const char *text, struct dv_error *error_out)
{
    struct strings numbers = {0};
    int status = strings_split(&numbers, "--batch", text, error_out);
    const size_t n_max = sizeof group->batch_rows / sizeof group->batch_rows[0];
    for (size_t i = 0; status == 0 && i < numbers.n_items; i++) {
        uint64_t value;
        if (group->n_batch_rows == n_max)
            status = dv_fail(error_out, DV_ERROR_USAGE, "--batch: more than %zu sizes", n_max);
        else
            status = take_number("batch", numbers.items[i], 1, 1u << 24, &value, error_out);
        if (status == 0)
            group->batch_rows[group->n_batch_rows++] = (uint32_t)value;
    }
    strings_free(&numbers);
    return status;
}

static int take_axis(struct sweep_group *group, const char *option, const char *key, size_t n_key,
                     const char *values, struct dv_error *error_out)
{
    if (group->n_axes == SWEEP_MAX_AXES)
        return dv_fail(error_out, DV_ERROR_USAGE, "%s: more than %d axes", option, SWEEP_MAX_AXES);
    struct sweep_axis *axis = &group->axes[group->n_axes];
    axis->key = strndup(key, n_key);
    if (!axis->key)
        return dv_no_memory(error_out);
    group->n_axes++;
    return strings_split(&axis->values, option, values, error_out);
}

static int take_vary(struct sweep_group *group, const char *text, struct dv_error *error_out)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return dv_fail(error_out, DV_ERROR_USAGE, "--vary %s: KEY=V1,V2,... is expected", text);
    return take_axis(group, "--vary", text, (size_t)(equals - text), equals + 1, error_out);
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

static int replace_one_of(char **text, const char *option, const char *value, const char *choices,
                          struct dv_error *error_out)
{
    char needle[64];
    snprintf(needle, sizeof needle, " %s ", value);
    if (strlen(value) > 60 || !strstr(choices, needle))
        return dv_fail(error_out, DV_ERROR_USAGE, "--%s %s: one of%sis expected", option, value, choices);
    return sweep_flags_replace(text, value, error_out);
}

static int take_shard(struct sweep_options *options, const char *text, struct dv_error *error_out)
{
    unsigned index, count;
    char tail;
    if (sscanf(text, "%9u/%9u%c", &index, &count, &tail) != 2 || index < 1 || index > count)
        return dv_fail(error_out, DV_ERROR_USAGE, "--shard %s: I/N with 1 <= I <= N is expected", text);
    return sweep_flags_replace(&options->shard, text, error_out);
}

static int take_cpu(struct sweep_options *options, const char *text, struct dv_error *error_out)
{
    if (strcmp(text, "none") == 0) {
        options->cpu = SWEEP_CPU_NONE;
        return 0;
    }
    return take_int("cpu", text, 0, 4095, &options->cpu, error_out);
}

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
        status = take_axis(group, "--rates", "rate", 4, argument, error_out);
        break;
    case OPTION_VARY:
        status = take_vary(group, argument, error_out);
        break;
    case OPTION_BATCH:
        status = take_batches(group, argument, error_out);
        break;
    case OPTION_KERNEL:
        status = strings_split(&group->kernels, "--kernel", argument, error_out);
        break;
    case OPTION_SINK:
        status = take_sinks(group, argument, error_out);
        break;
    case OPTION_MODE:
        status = take_modes(group, argument, error_out);
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
        status = take_int("start", argument, 0, 99, &options->start, error_out);
        break;
    case OPTION_MIN_TIME:
        status = take_time(argument, &options->min_time_ns, error_out);
        break;
    case OPTION_MAX_BATCHES:
        status = take_number("max-batches", argument, 1, 10000000, &number, error_out);
        options->max_batches = (size_t)number;
        break;
    case OPTION_SEED:
        status = take_number("seed", argument, 0, UINT64_MAX, &options->seed, error_out);
        break;
    case OPTION_CPU:
        status = take_cpu(options, argument, error_out);
        break;
    case OPTION_SHARD:
        status = take_shard(options, argument, error_out);
        break;
    case OPTION_COUNTERS:
        status = replace_one_of(&options->counters, "counters", argument, " auto pmu sim none ", error_out);
        break;
    case OPTION_EVENTS:
        status = sweep_flags_replace(&options->events, argument, error_out);
        break;
    default:
        return 0;
    }
    return status ? status : 1;
}

/* Options of where the results go: on the command line alone. Returns 1 where it was one. */
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
        status = replace_one_of(&options->figures, "figures", argument, " svg png pdf ", error_out);
        break;
    case OPTION_NO_PLOTS:
        options->plots = false;
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
    case OPTION_BENCHMARK_OUT_FORMAT: {
        char *ignored = NULL; /* the reporter writes JSON; the flag is there so that it can be said */
        status = replace_one_of(&ignored, "benchmark_out_format", argument, " json ", error_out);
        free(ignored);
        break;
    }
    case OPTION_BENCHMARK_CONTEXT:
        status = sweep_flags_replace(&options->benchmark_context, argument, error_out);
        break;
    case OPTION_BENCHMARK_LIST_TESTS:
        options->list_tests = !argument || strcmp(argument, "false") != 0;
        break;
    default:
        return 0;
    }
    return status ? status : 1;
}

int sweep_flags_parse(struct sweep_options *options, struct sweep_group *group, int argc, char **argv,
                      const char **plan_out, struct dv_error *error_out)
{
    const bool is_plan_line = plan_out == NULL;
    optind = 0; /* getopt's full restart: plan lines are read while argv is */
    opterr = 0;
    for (int value; (value = getopt_long(argc, argv, "ho:", long_options, NULL)) != -1;) {
        if (value == '?')
            return dv_fail(error_out, DV_ERROR_USAGE,
                           "unknown option or missing argument: %s; sweep --help lists them",
                           argv[optind - 1]);
        if (value == OPTION_HELP) {
            options->help = true;
            return 0;
        }
        if (value == OPTION_PLAN && !is_plan_line) {
            *plan_out = optarg;
            continue;
        }
        if (value == VECTOR_OPTION_ROWS && sweep_flags_replace(&group->rows, optarg, error_out))
            return DV_ERROR_MEMORY;
        int taken = take_group_option(group, value, optarg, error_out);
        if (taken == 0)
            taken = take_run_option(options, value, optarg, error_out);
        if (taken == 0 && !is_plan_line)
            taken = take_output_option(options, value, optarg, error_out);
        if (taken == 0)
            taken = vector_options_take(&options->vectors, value, optarg, error_out);
        if (taken > 0 && value == VECTOR_OPTION_INLINE &&
            add_string(&group->files, VECTOR_INLINE_SPEC, error_out))
            return DV_ERROR_MEMORY;
        if (taken < 0)
            return taken;
        if (taken == 0)
            return dv_fail(error_out, DV_ERROR_USAGE, "%s: not allowed in a plan", argv[optind - 1]);
    }
    for (int i = optind; i < argc; i++)
        if (add_string(&group->files, argv[i], error_out))
            return DV_ERROR_MEMORY;
    return 0;
}
