/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench merge: runs of several machines, or shards of one plan, in one folder. */
#include <stdio.h>

#include "command.h"
#include "merge.h"

static const char help[] = "usage: dvbench merge OUT RUN...\n"
                           "Writes the rows of all runs into the new folder OUT; plot and report then work "
                           "on it. Runs of several machines\n"
                           "get a figure with a panel per machine and claims with a column per machine. A "
                           "cell that is in two runs is refused.\n";

int command_merge(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {OPTIONS_END};
    int first = options_read(argc, argv, table, NULL, NULL, error_out);
    if (first == 0)
        fputs(help, stdout);
    if (first <= 0)
        return first;
    if (argc - first < 2)
        return dv_fail(error_out, DV_ERROR_USAGE, "merge: give a new folder and at least one run folder");
    int status =
        merge_runs(argv[first], (const char *const *)argv + first + 1, (size_t)(argc - first - 1), error_out);
    if (status == 0)
        printf("%s/summary.csv\n", argv[first]);
    return status;
}
