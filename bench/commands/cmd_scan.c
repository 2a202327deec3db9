/* SPDX-License-Identifier: Apache-2.0 */
/* `scan`: what a deletion vector costs inside a real engine's scan of Parquet. */
#include "command.h"
#include "engine_command.h"
#include "scan.h"
#include "scan_report.h"

static int parse(void *options_out, struct engine_choices *choices_out, int argc, char **argv,
                 struct dv_error *error_out)
{
    struct scan_options *options = options_out;
    const int status = scan_options_parse(options, argc, argv, error_out);
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
    scan_options_free(options);
}

static int measure(struct engine_run *run, const void *options, struct dv_error *error_out)
{
    return scan_run(run, options, error_out);
}

int command_scan(int argc, char **argv, struct dv_error *error_out)
{
    struct scan_options options;
    const struct engine_command command = {.name = "scan",
                                           .help = scan_options_help,
                                           .options = &options,
                                           .parse = parse,
                                           .release = release,
                                           .measure = measure,
                                           .draw = scan_figures_draw};
    return engine_command(&command, argc, argv, error_out);
}
