/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench plot: draws the figures of a run again, from its CSV alone. */
#include <getopt.h>
#include <stdio.h>

#include "command.h"
#include "figures.h"

static int draw(const char *run_dir, const char *format, struct dv_error *error_out)
{
    struct figures figures;
    int status = figures_plan(&figures, run_dir, error_out);
    if (status < 0)
        return status;
    status = figures_draw_all(&figures, run_dir, format, error_out);
    for (size_t i = 0; i < figures.n_items; i++)
        if (figures.items[i].extension[0] != '\0')
            printf("%s/plots/%s.%s\n", run_dir, figures.items[i].name, figures.items[i].extension);
    for (size_t i = 0; i < figures.n_notes; i++)
        printf("note: %s\n", figures.notes[i]);
    figures_free(&figures);
    return status;
}

int command_plot(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option options[] = {
        {"format", required_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'}, {0}};
    const char *format = "svg";
    optind = 0;
    opterr = 0;
    for (int value; (value = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (value == 'h') {
            puts("usage: dvbench plot RUN [--format svg|png|pdf]\n"
                 "Draws the figures of RUN into RUN/plots/ from RUN/summary.csv. DVBENCH_PLOTS names another "
                 "folder of scripts.");
            return EXIT_FINE;
        }
        if (value != 'f') {
            dv_fail(error_out, DV_ERROR_USAGE, "plot: unknown option %s; plot --help lists them",
                    argv[optind - 1]);
            return command_fail(error_out);
        }
        format = optarg;
    }
    int status = argc - optind == 1
                     ? draw(argv[optind], format, error_out)
                     : dv_fail(error_out, DV_ERROR_USAGE, "plot: give one run folder, as results/RUN");
    return status < 0 ? command_fail(error_out) : EXIT_FINE;
}
