/* SPDX-License-Identifier: Apache-2.0 */
/* `explain RUN A B`: why one cell takes longer than another: instructions, and what branch misses can
 * explain. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_find.h"
#include "command.h"
#include "explain_text.h"
#include "pairs.h"
#include "run_dir.h"

struct arguments {
    const char *run_dir;
    const char *csv_path;
    double penalty; /* NAN where not given */
    const char *names[2];
    size_t n_names;
};

static void help(void)
{
    printf(
        "usage: dvbench explain RUN A B | RUN PRESET | RUN     (only RUN: all presets that it has cells "
        "for)\n"
        "  A, B       a cell: its hash (column cell) or kernel/sink@dv[,batch=N][,mode=M]; of the dv's spec, "
        "the recipe\n"
        "             and the keys that distinguish it are enough\n"
        "  PRESET     %s: the article's cases, at the nearest rates of the run\n"
        "  --penalty  core cycles of a branch miss; default: as measured in the run\n"
        "  --csv      where to write the pairs as CSV; default RUN/explain.csv; - for none\n",
        article_pair_ids());
}

enum { OPTION_PENALTY = 256, OPTION_CSV };

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct arguments *arguments = context;
    if (value == OPTION_CSV) {
        arguments->csv_path = argument;
        return 0;
    }
    char *end;
    arguments->penalty = strtod(argument, &end);
    if (*end || !(arguments->penalty > 0 && arguments->penalty < 1000))
        return dv_fail(error_out, DV_ERROR_USAGE, "--penalty: found \"%s\", expected core cycles, above 0",
                       argument);
    return 0;
}

/* Returns as options_read does. */
static int parse(int argc, char **argv, struct arguments *arguments_out, struct dv_error *error_out)
{
    static const struct option table[] = {{"penalty", required_argument, NULL, OPTION_PENALTY},
                                          {"csv", required_argument, NULL, OPTION_CSV},
                                          OPTIONS_END};
    *arguments_out = (struct arguments){.penalty = NAN};
    int first = options_read(argc, argv, table, take_option, arguments_out, error_out);
    if (first <= 0)
        return first;
    if (argc - first < 1 || argc - first > 3)
        return dv_fail(error_out, DV_ERROR_USAGE, "explain: give a run, then two cells, a preset or nothing");
    arguments_out->run_dir = argv[first];
    arguments_out->n_names = (size_t)(argc - first - 1);
    for (size_t i = 0; i < arguments_out->n_names; i++)
        arguments_out->names[i] = argv[first + 1 + (int)i];
    return first;
}

static int explain_preset(struct explain *explain, const struct article_pair *pair,
                          struct dv_error *error_out)
{
    size_t rows[2] = {0};
    const int side = article_pair_rows(pair, explain->summary, NULL, 0, rows);
    if (side < 2)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "the run has no cell of %s into row_ids at a deletion rate near %g %%",
                       pair->kernels[side], 100 * pair->rates[side]);
    char question[160];
    snprintf(question, sizeof question, "%s (A deletes %.3g %%, B %.3g %% of the rows)", pair->question,
             100 * csv_real(explain->summary, rows[0], CSV_summary_rate),
             100 * csv_real(explain->summary, rows[1], CSV_summary_rate));
    return explain_pair(explain, pair->id, question, rows[0], rows[1], error_out);
}

/* A preset that the run has no cells for is reported and passed over; all of them missing is an error. */
static int explain_all(struct explain *explain, struct dv_error *error_out)
{
    size_t n_explained = 0;
    for (size_t i = 0; i < N_ARTICLE_PAIRS; i++) {
        struct dv_error missing = {0};
        int status = explain_preset(explain, &article_pairs[i], &missing);
        if (status == DV_ERROR_USAGE)
            printf("%s: %s\n\n", article_pairs[i].id, missing.message);
        else if (status != 0) {
            *error_out = missing;
            return status;
        }
        n_explained += status == 0;
    }
    return n_explained ? 0 : dv_fail(error_out, DV_ERROR_USAGE, "the run has cells for none of the presets");
}

static int explain_cells(struct explain *explain, const char *a, const char *b, struct dv_error *error_out)
{
    size_t rows[2] = {0};
    int status = cell_find(explain->summary, a, &rows[0], error_out);
    if (status == 0)
        status = cell_find(explain->summary, b, &rows[1], error_out);
    return status != 0 ? status : explain_pair(explain, "cells", "", rows[0], rows[1], error_out);
}

static int explain_names(struct explain *explain, const struct arguments *arguments,
                         struct dv_error *error_out)
{
    if (arguments->n_names == 0)
        return explain_all(explain, error_out);
    if (arguments->n_names == 2)
        return explain_cells(explain, arguments->names[0], arguments->names[1], error_out);
    const struct article_pair *pair = article_pair_find(arguments->names[0]);
    if (!pair)
        return dv_fail(error_out, DV_ERROR_USAGE, "explain: unknown preset '%s'; give two cells or one of %s",
                       arguments->names[0], article_pair_ids());
    return explain_preset(explain, pair, error_out);
}

int command_explain(int argc, char **argv, struct dv_error *error_out)
{
    struct arguments arguments;
    struct csv_table *summary = NULL;
    struct csv_table *counters = NULL;
    struct explain explain = {0};
    int status = parse(argc, argv, &arguments, error_out);
    if (status == 0)
        help();
    if (status <= 0)
        return status;
    status = run_dir_load(&summary, arguments.run_dir, CSV_FILE_summary, error_out);
    if (status == 0 && isnan(arguments.penalty)) /* without counters there is none, and the text says so */
        status = run_dir_load_if_there(&counters, arguments.run_dir, CSV_FILE_counters, error_out);
    if (status == 0)
        status = explain_open(&explain, summary, counters, arguments.penalty, arguments.run_dir,
                              arguments.csv_path, error_out);
    if (status == 0)
        status = explain_names(&explain, &arguments, error_out);
    int closed = explain_close(&explain, status == 0 ? error_out : NULL);
    csv_free(summary);
    csv_free(counters);
    return status != 0 ? status : closed;
}
