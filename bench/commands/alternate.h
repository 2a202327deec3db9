/* SPDX-License-Identifier: Apache-2.0 */
/* Several programs that sweep the same cells in alternated process starts, the first of them twice: a drift of the
 * machine meets all sides alike, and what the first and its second run differ by is noise.
 *
 * Place in the data flow: programs, options of `sweep` -> a run folder for each side -> ab, versions. */
#ifndef DVBENCH_ALTERNATE_H
#define DVBENCH_ALTERNATE_H

#include <stdbool.h>

#include "dv.h"
#include "options.h"
#include "string_list.h"

enum { ALTERNATE_SIDES_LIMIT = 16, ALTERNATE_STARTS = 4 /* where the sweep's options leave it at one */ };

struct alternate_side {
    char *program; /* owned */
    char *dir;     /* owned: of the sub-run */
    char name[16]; /* a, b, ..., a-again */
};

struct alternate {
    const char *command;                                    /* "ab" or "versions" */
    const char *out_dir;                                    /* set by the command's options; borrowed */
    const char *resume_dir;                                 /* likewise */
    struct alternate_side sides[ALTERNATE_SIDES_LIMIT + 1]; /* the last one is the first program again */
    size_t n_sides;
    struct strings given; /* words of the run to continue, then those of now */
    char **argv;          /* owned: the words that hold, of `given` or of the command line */
    int n_options;        /* of them, the command's name included, before the programs */
    char **words;         /* of them the sweep's options; borrowed */
    int n_words;
    int n_starts;
    uint64_t seed;
    char *dir; /* owned: holds the sides' folders and run.json */
    int lock_fd;
};

/* Two options that both commands have, for their tables, with the values that `take` gets. */
enum { ALTERNATE_OUT = 1000, ALTERNATE_RESUME };
#define ALTERNATE_OPTIONS                                                                                    \
    {"out", required_argument, NULL, ALTERNATE_OUT},                                                         \
    {                                                                                                        \
        "resume", required_argument, NULL, ALTERNATE_RESUME                                                  \
    }

/* Reads `COMMAND PROGRAM... [options] [-- SWEEP OPTIONS]` by options_read with the command's table; a --resume without
 * programs takes them, the sweep's options and the options not given now from the run. A program is one, or a folder of
 * a build or an installation. Returns 1, 0 for --help, or DV_ERROR_USAGE, DV_ERROR_INPUT, DV_ERROR_MEMORY.
 * alternate_close in any case. */
int alternate_read(struct alternate *alternate, int argc, char **argv, const struct option *table,
                   int (*take)(void *context, int value, const char *argument, struct dv_error *error_out),
                   void *context, struct dv_error *error_out);

/* Makes or takes over the folder and measures all sides; from here on a signal ends between two samples. Returns an
 * exit code: EXIT_FINE, or EXIT_INTERRUPTED, said on standard error; or a negative code. */
int alternate_run(struct alternate *alternate, struct dv_error *error_out);

/* Measures A, side number `side` and A once more into the folder `name` of the run's, with twice the process starts, only
 * the cells whose names match the regular expression. The sub-runs are DIR/NAME/a, b, a-again. As alternate_run. */
int alternate_run_some(const struct alternate *alternate, size_t side, const char *name, const char *cells,
                       struct dv_error *error_out);

void alternate_close(struct alternate *alternate);

#endif
