/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench merge: runs of several machines, or shards of one plan, in one folder. */
#include <getopt.h>
#include <stdio.h>

#include "command.h"
#include "merge.h"

int command_merge(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
    optind = 0;
    opterr = 0;
    for (int value; (value = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
        if (value == 'h') {
            puts("usage: dvbench merge OUT RUN...\n"
                 "Writes the rows of all runs into the new folder OUT; plot and report then work on it. A "
                 "cell that is in two runs is refused.");
            return EXIT_FINE;
        }
        dv_fail(error_out, DV_ERROR_USAGE, "merge: unknown option %s; merge --help lists them",
                argv[optind - 1]);
        return command_fail(error_out);
    }
    if (argc - optind < 2) {
        dv_fail(error_out, DV_ERROR_USAGE, "merge: give a new folder and at least one run folder");
        return command_fail(error_out);
    }
    if (merge_runs(argv[optind], (const char *const *)argv + optind + 1, (size_t)(argc - optind - 1),
                   error_out) < 0)
        return command_fail(error_out);
    printf("%s/summary.csv\n", argv[optind]);
    return EXIT_FINE;
}
