/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench plot: draws the figures of a run again, from its CSV only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "delete_report.h"
#include "figures.h"
#include "run_dir.h"
#include "scan_report.h"
#include "versions_report.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int signal_number)
{
    interrupted = signal_number;
}

static int draw(const char *run_dir, const struct figure_style *style, struct dv_error *error_out)
{
    struct figures figures;
    if (run_dir_has(run_dir, CSV_FILE_scan))
        return scan_figures_draw(run_dir, style, error_out);
    if (run_dir_has(run_dir, CSV_FILE_deletes))
        return delete_figures_draw(run_dir, style, error_out);
    if (run_dir_has(run_dir, CSV_FILE_versions))
        return versions_figures_draw(run_dir, style, error_out);
    int status = figures_plan(&figures, run_dir, style, error_out);
    if (status < 0)
        return status;
    char *folder = figure_style_folder(style, run_dir);
    if (!folder)
        status = dv_no_memory(error_out);
    else if (figures.n_items == 0)
        status = dv_fail(error_out, DV_ERROR_IO,
                         "%s/summary.csv has no rows that such a figure could be drawn of", run_dir);
    else
        status = figures_draw_all(&figures, run_dir, style, &interrupted, error_out);
    for (size_t i = 0; folder && i < figures.n_items; i++)
        if (figures.items[i].extension[0] != '\0')
            printf("%s/%s.%s\n", folder, figures.items[i].name, figures.items[i].extension);
    for (size_t i = 0; i < figures.n_notes; i++)
        printf("note: %s\n", figures.notes[i]);
    free(folder);
    figures_free(&figures);
    return status;
}

/* What is committed is drawn again only where the user says so: another gnuplot gives other bytes. */
static int check_folder(const char *run_dir, const struct figure_style *style, struct dv_error *error_out)
{
    char *path = realpath(run_dir, NULL);
    const bool is_committed = path && strstr(path, "/results/reference/");
    free(path);
    if (!is_committed || style->out_dir)
        return 0;
    return dv_fail(
        error_out, DV_ERROR_USAGE,
        "plot: %s is a committed run: draw elsewhere with --out DIR, or into it with --out %s/plots", run_dir,
        run_dir);
}

static const char help[] =
    "usage: dvbench plot RUN [options]\n"
    "Draws the figures of RUN into RUN/plots/ from RUN/summary.csv. DVBENCH_PLOTS names another folder of "
    "scripts.\n"
    "  --format F         svg (default), png or pdf\n"
    "  --size S           WIDTHxHEIGHT in inches, column (3.3x3.5, legend below) or slide (13.33x7.5)\n"
    "  --font NAME,PT     default sans-serif of 10 points; 8 below 6 inches, 14 on a slide\n"
    "  --title TEXT|none  in place of each figure's question\n"
    "  --figure ID        only these figures, by id or by file name without extension; a pattern; may be "
    "repeated\n"
    "  --kernel A,B,...   only these kernels; ids or patterns\n"
    "  --out DIR          folder for the figures, default RUN/plots; required for a run below "
    "results/reference\n";

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct figure_style *style = context;
    switch (value) {
    case 'f':
        style->format = argument;
        return option_choice("format", argument, (const char *const[]){"svg", "png", "pdf", NULL}, error_out);
    case 's':
        return figure_style_set_size(style, argument, error_out);
    case 'n':
        return figure_style_set_font(style, argument, error_out);
    case 't':
        style->title = argument;
        return 0;
    case 'g':
        return option_list("figure", argument, &style->figures, error_out);
    case 'k':
        return option_list("kernel", argument, &style->kernels, error_out);
    default:
        style->out_dir = argument;
        return run_dir_check_out(argument, error_out);
    }
}

static int plot(int argc, char **argv, struct figure_style *style, struct dv_error *error_out)
{
    static const struct option table[] = {
        {"format", required_argument, NULL, 'f'}, {"size", required_argument, NULL, 's'},
        {"font", required_argument, NULL, 'n'},   {"title", required_argument, NULL, 't'},
        {"figure", required_argument, NULL, 'g'}, {"kernel", required_argument, NULL, 'k'},
        {"out", required_argument, NULL, 'o'},    OPTIONS_END};
    int first = options_read(argc, argv, table, take_option, style, error_out);
    if (first == 0)
        fputs(help, stdout);
    if (first <= 0)
        return first;
    if (argc - first != 1)
        return dv_fail(error_out, DV_ERROR_USAGE, "plot: give one run folder, as results/RUN");
    command_catch_signals(on_signal);
    int status = check_folder(argv[first], style, error_out);
    if (status == 0)
        status = draw(argv[first], style, error_out);
    if (!interrupted)
        return status;
    if (status < 0)
        command_print_error(error_out);
    return EXIT_INTERRUPTED;
}

int command_plot(int argc, char **argv, struct dv_error *error_out)
{
    struct figure_style style = {0};
    int status = plot(argc, argv, &style, error_out);
    figure_style_free(&style);
    return status;
}
