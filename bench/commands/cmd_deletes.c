/* SPDX-License-Identifier: Apache-2.0 */
/* `deletes`: what three ways to delete rows of Parquet cost, and what reading costs after each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "delete_report.h"
#include "delete_run.h"
#include "engine_command.h"
#include "report.h"

static int measure(struct engine_run *run, const void *options, struct dv_error *error_out)
{
    return delete_run(run, options, error_out);
}

static void show(const char *dir, const void *options_of_deletes)
{
    const struct delete_options *options = options_of_deletes;
    struct dv_error error = {0};
    const struct figure_style style = {.format = options->figures};
    if (options->plots && delete_figures_draw(dir, &style, &error) < 0)
        fprintf(stderr, "dvbench: no figures: %s\n", error.message);
    if (report_write(dir, &error) < 0)
        fprintf(stderr, "dvbench: no report: %s\n", error.message);
    if (!options->quiet)
        printf("%s/deletes.csv\n%s/report.md\n%s/report.html\n", dir, dir, dir);
}

int command_deletes(int argc, char **argv, struct dv_error *error_out)
{
    struct delete_options options;
    struct strings words = {0};
    char *resume_dir = NULL;
    int code = EXIT_FINE;
    int status = delete_options_parse(&options, argc, argv, error_out);
    const bool is_help = options.help;
    if (is_help)
        fputs(delete_options_help, stdout);
    if (status == 0 && !is_help) {
        resume_dir = options.resume_dir ? strdup(options.resume_dir) : NULL;
        status = engine_command_words(&words, resume_dir, argc, argv, error_out);
    }
    if (status == 0 && !is_help)
        status = delete_options_parse(&options, (int)words.n_items, words.items, error_out);
    if (status == 0 && !is_help)
        code = engine_command_run(&(struct engine_command){.name = "deletes",
                                                           .duckdb = options.duckdb,
                                                           .out_dir = options.out_dir,
                                                           .resume_dir = resume_dir,
                                                           .options = &options,
                                                           .measure = measure,
                                                           .show = show},
                                  &words, error_out);
    strings_free(&words);
    free(resume_dir);
    return status < 0 ? status : code;
}
