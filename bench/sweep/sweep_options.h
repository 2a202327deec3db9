/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep is asked to do: the flags of `sweep`, and of every line of a plan, which are the same flags.
 *
 * Place in the data flow: argv and plan text -> struct sweep_options -> plan.h expands it to blocks. */
#ifndef DVBENCH_SWEEP_OPTIONS_H
#define DVBENCH_SWEEP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"
#include "mode.h"
#include "options.h"
#include "string_list.h"
#include "vector_options.h"

/* One --vary KEY=V1,V2,...: an axis of the plan. */
struct sweep_axis {
    char *key;
    struct strings values;
};

#define SWEEP_MAX_AXES    4
#define SWEEP_MAX_THREADS 16
#define SWEEP_CPU_DEFAULT (-1) /* the last one allowed */
#define SWEEP_CPU_NONE    (-2)

/* One line of a plan: DVs x axes x sinks x batch sizes x modes, each with all the kernels that match. */
struct sweep_group {
    struct strings recipes; /* spec heads, to which the axes add keys */
    struct strings files;
    struct sweep_axis axes[SWEEP_MAX_AXES];
    size_t n_axes;
    char *rows;             /* as given to --rows, or NULL */
    struct strings kernels; /* ids or fnmatch patterns, `best` for the plain and best fills; empty: `best` */
    unsigned sinks;         /* mask; 0: row_ids and is_deleted */
    unsigned modes;         /* mask of 1 << enum sweep_mode; 0: stream */
    uint32_t batch_rows[OPTION_BATCH_SIZES_LIMIT];
    size_t n_batch_rows; /* 0: 5,000 */
    int n_line;          /* of the plan, from 1; 0: of the command line */
};

struct sweep_options {
    struct sweep_group *groups; /* owned */
    size_t n_groups;
    const char *plan_name; /* "quick", a file's name, or "custom" */
    int rounds;
    int starts;         /* process starts per block */
    int start;          /* -1 in the process the user started; else which start this child is */
    int lock_fd;        /* of such a child: holds the folder's lock; -1: none was inherited */
    int parent;         /* of such a child: with which it ends; 0: none */
    double min_time_ns; /* least time of one sample */
    size_t max_batches;
    uint64_t seed; /* of the order of kernels within rounds */
    int cpu;       /* to pin to, or one of the two below */
    int threads
        [SWEEP_MAX_THREADS]; /* counts of threads that work at the same time, ascending, the first is 1 */
    size_t n_threads;        /* 0: not asked */
    bool share_dv;           /* all threads read one vector; false: a copy each */
    char *out_dir;           /* NULL: results/<date>-<plan> */
    char *resume_dir;        /* NULL: a new run */
    char *counters;          /* auto, pmu, sim or none */
    char *events;            /* NULL: the portable set */
    char *shard;             /* NULL or "I/N" */
    char *figures;           /* svg, png or pdf */
    char *benchmark_filter;
    char *benchmark_out;
    char *benchmark_context;
    bool list_tests;
    bool replace; /* rows of another program, machine or setting */
    bool plots;
    bool quiet;
    bool help;
    struct vector_options vectors; /* --offset, --blob, ... */
};

/* Fills the defaults, reads argv (getopt_long conventions; argv[0] is the command), loads the plan that it
 * names. Returns 0 or DV_ERROR_USAGE, DV_ERROR_INPUT (a plan file that is wrong). `help` set: nothing else
 * was read. */
int sweep_options_parse(struct sweep_options *options_out, int argc, char **argv, struct dv_error *error_out);

void sweep_options_free(struct sweep_options *options);

/* The text of `sweep --help`. */
const char *sweep_options_help(void);

#endif
