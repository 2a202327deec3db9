/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench compare: what changed between two runs. dvbench gate: the same, and exit 1 where something got
 * slower. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compare.h"
#include "gate_selftest.h"

#define GATE_THRESHOLD_PCT 5.0

struct compare_options {
    double threshold_pct;
    bool with_all;
    bool self_test;
};

static int parse_threshold(const char *text, double *threshold_pct_out, struct dv_error *error_out)
{
    char *end;
    double value = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0)
        end++;
    if (end == text || *end != '\0' || !isfinite(value) || value < 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "--threshold %s: give per cent, 0 or more", text);
    *threshold_pct_out = value;
    return 0;
}

enum { OPTION_THRESHOLD = 256, OPTION_ALL, OPTION_SELF_TEST };

#define COMPARE_OPTIONS                                                                                      \
    {"threshold", required_argument, NULL, OPTION_THRESHOLD},                                                \
    {                                                                                                        \
        "all", no_argument, NULL, OPTION_ALL                                                                 \
    }

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct compare_options *options = context;
    if (value == OPTION_THRESHOLD)
        return parse_threshold(argument, &options->threshold_pct, error_out);
    if (value == OPTION_ALL)
        options->with_all = true;
    else
        options->self_test = true;
    return 0;
}

static const char rules[] = "A cell is the same where vector, kernel, sink, batch size and mode are. Samples "
                            "are paired by process start and round; a\n"
                            "difference counts where the order-statistic interval of the ratios leaves 1 by "
                            "more than the larger noise floor\n"
                            "of the two runs and more than the threshold. All else is \"cannot tell\". "
                            "Rounds of two runs were not taken at the\n"
                            "same time: run A again beside B before you trust a small difference.\n";

int command_compare(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {COMPARE_OPTIONS, OPTIONS_END};
    struct compare_options options = {0};
    struct comparisons comparisons;
    int first = options_read(argc, argv, table, take_option, &options, error_out);
    if (first == 0)
        printf("usage: dvbench compare A B [--threshold PERCENT] [--all]\nShows what is slower or faster in "
               "run B than in run A.\n%s",
               rules);
    if (first <= 0)
        return first;
    if (argc - first != 2)
        return dv_fail(error_out, DV_ERROR_USAGE, "compare: give two run folders, the older first");
    int status = compare_runs(&comparisons, argv[first], argv[first + 1], options.threshold_pct, error_out);
    if (status < 0)
        return status;
    compare_print(&comparisons, options.with_all);
    compare_free(&comparisons);
    return EXIT_FINE;
}

/* Answers that became wrong, and cells that are gone, are no pass either. */
static bool is_regression(const struct comparisons *comparisons)
{
    return comparisons->n_verdict[COMPARE_SLOWER] + comparisons->n_verdict[COMPARE_WRONG] +
               comparisons->n_verdict[COMPARE_MISSING] >
           0;
}

static int gate_runs(const char *a, const char *b, const struct compare_options *options,
                     struct dv_error *error_out)
{
    struct comparisons comparisons;
    int status = compare_runs(&comparisons, a, b, options->threshold_pct, error_out);
    if (status < 0)
        return status;
    compare_print(&comparisons, options->with_all);
    bool is_stopped = is_regression(&comparisons);
    puts(is_stopped ? "gate: stopped" : "gate: passed");
    compare_free(&comparisons);
    return is_stopped ? EXIT_CHECK_FAILED : EXIT_FINE;
}

int command_gate(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {
        COMPARE_OPTIONS, {"self-test", no_argument, NULL, OPTION_SELF_TEST}, OPTIONS_END};
    struct compare_options options = {.threshold_pct = GATE_THRESHOLD_PCT};
    int first = options_read(argc, argv, table, take_option, &options, error_out);
    if (first == 0)
        printf("usage: dvbench gate A B [--threshold PERCENT] [--all]     dvbench gate --self-test [RUN] "
               "[--threshold PERCENT]\n"
               "Exits 1 where a cell of run B is slower than in run A, wrong, or missing. The threshold is 5 "
               "%% by default.\n%s"
               "--self-test compares RUN (or a made one) with copies of itself: the gate must pass a copy "
               "that is the same and one that\n"
               "is slower by less than counts, and must stop one that is slower by more.\n",
               rules);
    if (first <= 0)
        return first;
    const int n_runs = argc - first;
    if (options.self_test ? n_runs > 1 : n_runs != 2)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "gate: give two run folders, the older first, or --self-test [RUN]");
    if (options.self_test) /* 1 where the gate misbehaved */
        return gate_selftest(n_runs ? argv[first] : NULL, options.threshold_pct, error_out);
    return gate_runs(argv[first], argv[first + 1], &options, error_out);
}
