/* SPDX-License-Identifier: Apache-2.0 */
/* What `scan` and `deletes` share: words of a run to continue, the engine, the folder, signals, and how a run ends.
 *
 * Place in the data flow: argv and the options read from it -> struct engine_run -> the command's own run. */
#ifndef DVBENCH_ENGINE_COMMAND_H
#define DVBENCH_ENGINE_COMMAND_H

#include "engine_run.h"
#include "string_list.h"

struct engine_command {
    const char *name;       /* "scan", "deletes": in messages, and of the CSV */
    const char *duckdb;     /* as duckdb_engine_open takes it */
    const char *out_dir;    /* NULL: a new folder below results */
    const char *resume_dir; /* NULL: a new run */
    const void *options;    /* for the two below */
    int (*measure)(struct engine_run *run, const void *options, struct dv_error *error_out);
    void (*show)(const char *dir,
                 const void *options); /* figures and report: a run without them is still a run */
};

/* The words of the run to continue, then those given now, without --resume and its folder; NULL ends them. */
int engine_command_words(struct strings *words_out, const char *resume_dir, int argc, char **argv,
                         struct dv_error *error_out);

/* Returns the exit code, or a negative code. A new folder that stayed empty goes again. */
int engine_command_run(const struct engine_command *command, struct strings *words,
                       struct dv_error *error_out);

#endif
