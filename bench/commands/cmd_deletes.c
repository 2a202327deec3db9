/* SPDX-License-Identifier: Apache-2.0 */
/* `deletes`: what three ways to delete rows of Parquet cost, and what reading costs after each. */
#include "command.h"
#include "delete_report.h"
#include "delete_run.h"
#include "engine_command.h"

static int parse(void *options_out, struct engine_choices *choices_out, int argc, char **argv,
                 struct dv_error *error_out)
{
    struct delete_options *options = options_out;
    const int status = delete_options_parse(options, argc, argv, error_out);
    *choices_out = (struct engine_choices){.duckdb = options->duckdb,
                                           .out_dir = options->out_dir,
                                           .resume_dir = options->resume_dir,
                                           .figures = options->figures,
                                           .plots = options->plots,
                                           .quiet = options->quiet,
                                           .help = options->help};
    return status;
}

static void release(void *options)
{
    (void)options; /* they own nothing */
}

static int measure(struct engine_run *run, const void *options, struct dv_error *error_out)
{
    return delete_run(run, options, error_out);
}

int command_deletes(int argc, char **argv, struct dv_error *error_out)
{
    struct delete_options options;
    const struct engine_command command = {.name = "deletes",
                                           .help = delete_options_help,
                                           .options = &options,
                                           .parse = parse,
                                           .release = release,
                                           .measure = measure,
                                           .draw = delete_figures_draw};
    return engine_command(&command, argc, argv, error_out);
}
