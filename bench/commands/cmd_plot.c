/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench plot: draws the figures of a run again, from its CSV alone. */
#include <stdio.h>

#include "command.h"
#include "figures.h"
#include "scan_report.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int signal_number)
{
    interrupted = signal_number;
}

static int draw(const char *run_dir, const char *format, struct dv_error *error_out)
{
    struct figures figures;
    if (scan_report_is_there(run_dir))
        return scan_figures_draw(run_dir, format, error_out);
    int status = figures_plan(&figures, run_dir, error_out);
    if (status < 0)
        return status;
    status = figures.n_items > 0
                 ? figures_draw_all(&figures, run_dir, format, &interrupted, error_out)
                 : dv_fail(error_out, DV_ERROR_IO,
                           "%s/summary.csv has no rows that a figure could be drawn of", run_dir);
    for (size_t i = 0; i < figures.n_items; i++)
        if (figures.items[i].extension[0] != '\0')
            printf("%s/plots/%s.%s\n", run_dir, figures.items[i].name, figures.items[i].extension);
    for (size_t i = 0; i < figures.n_notes; i++)
        printf("note: %s\n", figures.notes[i]);
    figures_free(&figures);
    return status;
}

static const char help[] = "usage: dvbench plot RUN [--format svg|png|pdf]\n"
                           "Draws the figures of RUN into RUN/plots/ from RUN/summary.csv. DVBENCH_PLOTS "
                           "names another folder of scripts.\n";

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    const char **format = context;
    (void)value;
    (void)error_out;
    *format = argument;
    return 0;
}

int command_plot(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {{"format", required_argument, NULL, 'f'}, OPTIONS_END};
    const char *format = "svg";
    int first = options_read(argc, argv, table, take_option, &format, error_out);
    if (first == 0)
        fputs(help, stdout);
    if (first <= 0)
        return first;
    if (argc - first != 1)
        return dv_fail(error_out, DV_ERROR_USAGE, "plot: give one run folder, as results/RUN");
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    int status = draw(argv[first], format, error_out);
    if (!interrupted)
        return status;
    if (status < 0)
        command_print_error(error_out);
    return EXIT_INTERRUPTED;
}
