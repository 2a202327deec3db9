/* SPDX-License-Identifier: Apache-2.0 */
/* What `scan` and `deletes` share: reading options again for a run to continue, the engine, the folder, signals, figures
 * and report, and how a run ends.
 *
 * Place in the data flow: argv -> struct engine_choices -> struct engine_run -> the command's own run -> its folder. */
#ifndef DVBENCH_ENGINE_COMMAND_H
#define DVBENCH_ENGINE_COMMAND_H

#include <stdbool.h>

#include "engine_run.h"
#include "figure_style.h"

/* Options that both have; texts are borrowed from the words that were read. */
struct engine_choices {
    const char *duckdb;     /* as duckdb_engine_open takes it */
    const char *out_dir;    /* NULL: a new folder below results */
    const char *resume_dir; /* NULL: a new run */
    const char *figures;    /* svg, png or pdf */
    bool plots;
    bool quiet;
    bool help; /* and nothing else */
};

struct engine_command {
    const char *name; /* "scan", "deletes": in messages, and of the CSV */
    const char *help;
    void *options; /* for the three below */
    int (*parse)(void *options_out, struct engine_choices *choices_out, int argc, char **argv,
                 struct dv_error *error_out);
    void (*release)(void *options); /* also after a parse that failed */
    int (*measure)(struct engine_run *run, const void *options, struct dv_error *error_out);
    int (*draw)(const char *run_dir, const struct figure_style *style, struct dv_error *error_out);
};

/* Returns the exit code, or a negative code. A new folder that stayed empty goes again; a run without figures or report
 * is still a run. */
int engine_command(const struct engine_command *command, int argc, char **argv, struct dv_error *error_out);

#endif
