/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench compare: what changed between two runs. dvbench gate: the same, and exit 1 where something got
 * slower, 5 where the noise does not let it say. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compare.h"
#include "compare_differences.h"
#include "gate_print.h"
#include "gate_selftest.h"

#define GATE_THRESHOLD_PCT 5.0

struct compare_options {
    double threshold_pct;
    bool with_all;
    bool self_test;
    bool allow_differences;
    bool is_by_time;
    const char *baseline_again; /* NULL: none */
    int format;                 /* enum gate_format */
};

int command_threshold(const char *text, double *threshold_pct_out, struct dv_error *error_out)
{
    char *end;
    double value = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0)
        end++;
    if (end == text || *end != '\0' || !isfinite(value) || value < 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "--threshold: found \"%s\", expected per cent, 0 or more",
                       text);
    *threshold_pct_out = value;
    return 0;
}

enum {
    OPTION_THRESHOLD = 256,
    OPTION_ALL,
    OPTION_SELF_TEST,
    OPTION_ALLOW,
    OPTION_AGAIN,
    OPTION_BY,
    OPTION_FORMAT
};

#define COMPARE_OPTIONS                                                                                      \
    {"threshold", required_argument, NULL, OPTION_THRESHOLD},                                                \
    {                                                                                                        \
        "all", no_argument, NULL, OPTION_ALL                                                                 \
    }

int command_gate_format(const char *text, struct dv_error *error_out)
{
    static const char *const formats[] = {"text", "md", "json", "junit", NULL};
    return option_choice("format", text, formats, error_out);
}

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    static const char *const bases[] = {"auto", "time", NULL};
    struct compare_options *options = context;
    int index;
    if (value == OPTION_THRESHOLD)
        return command_threshold(argument, &options->threshold_pct, error_out);
    if (value == OPTION_FORMAT)
        return options->format = command_gate_format(argument, error_out);
    if (value == OPTION_BY) {
        index = option_choice("by", argument, bases, error_out);
        options->is_by_time = index == 1;
        return index;
    }
    if (value == OPTION_AGAIN)
        options->baseline_again = argument;
    else if (value == OPTION_ALL)
        options->with_all = true;
    else if (value == OPTION_ALLOW)
        options->allow_differences = true;
    else
        options->self_test = true;
    return 0;
}

static const char rules[] =
    "Cells are the same if the vector's bytes and rows, kernel, sink, batch size, batches and mode are.\n"
    "Samples are paired by process start and round. A difference counts if the order-statistic interval\n"
    "of the ratios differs from 1 by more than the larger noise floor of the two runs and by more than the\n"
    "threshold; otherwise the answer is \"cannot tell\". A cell with fewer than 6 common samples, or without "
    "a\n"
    "noise floor, is \"not judgeable\". The first lines say what else differs between the runs: machine, "
    "CPU,\n"
    "CRoaring, compiler, flags, commit, load. The rounds of two runs were not taken at the same time: run A\n"
    "again next to B before you trust a small difference.\n";

/* Compares and prints what differs. The caller frees where 0. */
static int compare(struct comparisons *comparisons_out, char **runs, const struct compare_options *options,
                   struct dv_error *error_out)
{
    struct strings lines = {0};
    size_t n_other;
    int status = compare_runs(comparisons_out, runs[0], runs[1], options->threshold_pct, error_out);
    if (status < 0)
        return status;
    status = compare_differences(&lines, runs[0], comparisons_out->summary_a, runs[1],
                                 comparisons_out->summary_b, &n_other, error_out);
    for (size_t i = 0; status == 0 && i < lines.n_items; i++)
        puts(lines.items[i]);
    strings_free(&lines);
    if (status < 0)
        compare_free(comparisons_out);
    else
        compare_print(comparisons_out, options->with_all);
    return status;
}

int command_compare(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {COMPARE_OPTIONS, OPTIONS_END};
    struct compare_options options = {0};
    struct comparisons comparisons;
    int first = options_read(argc, argv, table, take_option, &options, error_out);
    if (first == 0)
        printf("usage: dvbench compare A B [--threshold PERCENT] [--all]\n"
               "Shows what is slower or faster in run B than in run A. Exits 1 where no cell can be judged.\n"
               "%s",
               rules);
    if (first <= 0)
        return first;
    if (argc - first != 2)
        return dv_fail(error_out, DV_ERROR_USAGE, "compare: give two run folders, the older first");
    int status = compare(&comparisons, argv + first, &options, error_out);
    if (status < 0)
        return status;
    const bool is_judged = compare_n_judged(&comparisons) > 0;
    if (!is_judged)
        puts("compare: no cell was judged");
    compare_free(&comparisons);
    return is_judged ? EXIT_FINE : EXIT_CHECK_FAILED;
}

static int gate_runs(char **runs, const struct compare_options *options, struct dv_error *error_out)
{
    const struct gate_settings settings = {.run_a = runs[0],
                                           .run_a_again = options->baseline_again,
                                           .run_b = runs[1],
                                           .threshold_pct = options->threshold_pct,
                                           .is_by_time = options->is_by_time,
                                           .allow_differences = options->allow_differences};
    struct gate gate;
    int status = gate_judge(&gate, &settings, error_out);
    if (status < 0)
        return status;
    status = gate_print(&gate, (enum gate_format)options->format, options->with_all, error_out);
    const int code = gate_exit_code(&gate);
    gate_free(&gate);
    return status < 0 ? status : code;
}

static void help_gate(void)
{
    printf(
        "usage: dvbench gate A B [--baseline-again RUN] [--threshold PERCENT] [--by auto|time]\n"
        "                        [--format text|md|json|junit] [--all] [--allow-differences]\n"
        "       dvbench gate --self-test [RUN] [--threshold PERCENT]\n"
        "Exits 1 where a cell of run B is slower than in run A, wrong, missing or not judgeable, where no\n"
        "cell was judged, and where the runs are of different machines, CRoaring versions, compilers or\n"
        "flags. Else 5 where more than one cell in %d is too noisy to judge: its interval passes the\n"
        "threshold, but not the noise floor. Else 0.\n"
        "A cell is judged by its instructions where both runs counted them alike (sim, step): they do not\n"
        "scatter. Cells that are slower only in time are listed then, but do not count.\n"
        "  --baseline-again RUN a second run of the program of A: what nine cells of ten differ by between\n"
        "                       the two, beyond their intervals, is the noise floor; in a cell that\n"
        "                       differs by more, its own difference\n"
        "  --threshold          differences up to this many per cent do not count; default 5\n"
        "  --by time            judges all cells by time\n"
        "  --format             text; md, for a comment; json (datasets/FORMATS.md); junit, for a CI\n"
        "  --all                lists the cells without a difference too\n"
        "  --allow-differences  compares runs of different machines or builds\n"
        "  --self-test          compares RUN (or a made one) with copies of itself: the gate must pass\n"
        "                       an equal copy and one that is slower by less than the threshold, and\n"
        "                       stop one that is slower by more than it\n%s",
        GATE_NOISY_CELLS_IN, rules);
}

int command_gate(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {COMPARE_OPTIONS,
                                          {"self-test", no_argument, NULL, OPTION_SELF_TEST},
                                          {"allow-differences", no_argument, NULL, OPTION_ALLOW},
                                          {"baseline-again", required_argument, NULL, OPTION_AGAIN},
                                          {"by", required_argument, NULL, OPTION_BY},
                                          {"format", required_argument, NULL, OPTION_FORMAT},
                                          OPTIONS_END};
    struct compare_options options = {.threshold_pct = GATE_THRESHOLD_PCT};
    int first = options_read(argc, argv, table, take_option, &options, error_out);
    if (first == 0)
        help_gate();
    if (first <= 0)
        return first;
    const int n_runs = argc - first;
    if (options.self_test ? n_runs > 1 : n_runs != 2)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "gate: give two run folders, the older first, or --self-test [RUN]");
    if (options.self_test) /* 1 where the gate misbehaved */
        return gate_selftest(n_runs ? argv[first] : NULL, options.threshold_pct, error_out);
    return gate_runs(argv + first, &options, error_out);
}
