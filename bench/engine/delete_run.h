/* SPDX-License-Identifier: Apache-2.0 */
/* A run of `deletes`: the table, for each pattern all batches in all ways, and run.json.
 *
 * Place in the data flow: struct delete_options, an open engine -> deletes.csv and run.json of the run's folder. */
#ifndef DVBENCH_DELETE_RUN_H
#define DVBENCH_DELETE_RUN_H

#include <signal.h>

#include "delete_options.h"
#include "engine.h"

struct delete_run {
    const struct delete_options *options;
    struct engine *engine;
    const char *dir; /* of the run */
    int argc;        /* of the command: what --resume continues with */
    char **argv;
    bool is_resumed;
    const volatile sig_atomic_t *interrupted;
    size_t n_wrong_out; /* rows whose answer was wrong */
};

/* Returns 0 also where it was interrupted: then run.json says so. */
int delete_run(struct delete_run *run, struct dv_error *error_out);

#endif
