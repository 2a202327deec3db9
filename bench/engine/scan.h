/* SPDX-License-Identifier: Apache-2.0 */
/* A run of `scan`: tables and vectors of all blocks, then the blocks, and run.json.
 *
 * Place in the data flow: struct scan_options, an open engine -> scan.csv and run.json of the run's folder. */
#ifndef DVBENCH_SCAN_H
#define DVBENCH_SCAN_H

#include <signal.h>

#include "scan_options.h"

struct scan {
    const struct scan_options *options;
    struct engine *engine;
    const char *dir; /* of the run */
    int argc;        /* of the command: what --resume continues with */
    char **argv;
    bool is_resumed;
    const volatile sig_atomic_t *interrupted;
    size_t n_wrong_out; /* competitors whose answer was wrong */
};

/* Returns 0 also where it was interrupted: then run.json says so. */
int scan_run(struct scan *scan, struct dv_error *error_out);

#endif
