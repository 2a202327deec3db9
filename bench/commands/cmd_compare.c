/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench compare: what changed between two runs. dvbench gate: the same, and exit 1 where something got
 * slower. */
#include <getopt.h>
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
    bool help;
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

static int parse(int argc, char **argv, struct compare_options *options, struct dv_error *error_out)
{
    static const struct option known[] = {{"threshold", required_argument, NULL, 't'},
                                          {"all", no_argument, NULL, 'a'},
                                          {"self-test", no_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    bool is_gate = strcmp(argv[0], "gate") == 0;
    int status = 0;
    optind = 0;
    opterr = 0;
    for (int value; status == 0 && (value = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        if (value == 't')
            status = parse_threshold(optarg, &options->threshold_pct, error_out);
        else if (value == 'a')
            options->with_all = true;
        else if (value == 's' && is_gate)
            options->self_test = true;
        else if (value == 'h')
            options->help = true;
        else
            status = dv_fail(error_out, DV_ERROR_USAGE,
                             "%s: unknown option, or one without its value: %s; %s --help lists them",
                             argv[0], argv[optind - 1], argv[0]);
    }
    return status;
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
    struct compare_options options = {0};
    struct comparisons comparisons;
    int status = parse(argc, argv, &options, error_out);
    if (status == 0 && options.help) {
        printf("usage: dvbench compare A B [--threshold PERCENT] [--all]\nTells what is slower or faster in "
               "run B than in run A.\n%s",
               rules);
        return EXIT_FINE;
    }
    if (status == 0 && argc - optind != 2)
        status = dv_fail(error_out, DV_ERROR_USAGE, "compare: give two run folders, the older first");
    if (status == 0)
        status = compare_runs(&comparisons, argv[optind], argv[optind + 1], options.threshold_pct, error_out);
    if (status < 0)
        return command_fail(error_out);
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

int command_gate(int argc, char **argv, struct dv_error *error_out)
{
    struct compare_options options = {.threshold_pct = GATE_THRESHOLD_PCT};
    struct comparisons comparisons;
    int status = parse(argc, argv, &options, error_out);
    if (status == 0 && options.help) {
        printf("usage: dvbench gate A B [--threshold PERCENT] [--all]     dvbench gate --self-test [RUN] "
               "[--threshold PERCENT]\n"
               "Exits 1 where a cell of run B is slower than in run A, wrong, or missing. The threshold is 5 "
               "%% by default.\n%s"
               "--self-test compares RUN (or a made one) with copies of itself: the gate must pass a copy "
               "that is the same and one that\n"
               "is slower by less than counts, and must stop one that is slower by more.\n",
               rules);
        return EXIT_FINE;
    }
    const int n_runs = argc - optind;
    if (status == 0 && (options.self_test ? n_runs > 1 : n_runs != 2))
        status = dv_fail(error_out, DV_ERROR_USAGE,
                         "gate: give two run folders, the older first, or --self-test [RUN]");
    if (status == 0 && options.self_test) {
        status = gate_selftest(n_runs ? argv[optind] : NULL, options.threshold_pct, error_out);
        return status < 0 ? command_fail(error_out) : status > 0 ? EXIT_CHECK_FAILED : EXIT_FINE;
    }
    if (status == 0)
        status = compare_runs(&comparisons, argv[optind], argv[optind + 1], options.threshold_pct, error_out);
    if (status < 0)
        return command_fail(error_out);
    compare_print(&comparisons, options.with_all);
    bool is_stopped = is_regression(&comparisons);
    puts(is_stopped ? "gate: stopped" : "gate: passed");
    compare_free(&comparisons);
    return is_stopped ? EXIT_CHECK_FAILED : EXIT_FINE;
}
