/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench report: writes report.md and report.html of a run again, from its CSV and pictures. */
#include <getopt.h>
#include <stdio.h>

#include "command.h"
#include "report.h"

int command_report(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    optind = 0;
    opterr = 0;
    for (int value; (value = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (value == 'h') {
            puts("usage: dvbench report RUN\n"
                 "Writes RUN/report.md and RUN/report.html (self-contained) from RUN's CSV, run.json and "
                 "plots/.");
            return EXIT_FINE;
        }
        dv_fail(error_out, DV_ERROR_USAGE, "report: unknown option %s; report --help lists them",
                argv[optind - 1]);
        return command_fail(error_out);
    }
    if (argc - optind != 1) {
        dv_fail(error_out, DV_ERROR_USAGE, "report: give one run folder, as results/RUN");
        return command_fail(error_out);
    }
    if (report_write(argv[optind], error_out) < 0)
        return command_fail(error_out);
    printf("%s/report.md\n%s/report.html\n", argv[optind], argv[optind]);
    return EXIT_FINE;
}
