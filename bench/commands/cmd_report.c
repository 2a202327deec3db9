/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench report: writes report.md and report.html of a run again, from its CSV and pictures. */
#include <stdio.h>

#include "command.h"
#include "report.h"

static const char help[] =
    "usage: dvbench report RUN\n"
    "Writes RUN/report.md and RUN/report.html (self-contained) from RUN's CSV, run.json and plots/.\n";

int command_report(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {OPTIONS_END};
    int first = options_read(argc, argv, table, NULL, NULL, error_out);
    if (first == 0)
        fputs(help, stdout);
    if (first <= 0)
        return first;
    if (argc - first != 1)
        return dv_fail(error_out, DV_ERROR_USAGE, "report: give one run folder, as results/RUN");
    int status = report_write(argv[first], error_out);
    if (status == 0)
        printf("%s/report.md\n%s/report.html\n", argv[first], argv[first]);
    return status;
}
