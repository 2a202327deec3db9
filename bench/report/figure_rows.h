/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of a summary belong on one picture: those that differ in the kernel and along one axis, in
 * nothing else.
 *
 * Place in the data flow: summary.csv -> groups of rows -> figures. */
#ifndef DVBENCH_FIGURE_ROWS_H
#define DVBENCH_FIGURE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "csv.h"

/* What the rows of a group vary. Taken from the columns axis and axis_value; the value drawn is that of the
 * named column. */
enum figure_axis {
    FIGURE_AXIS_RATE,    /* deletion rate */
    FIGURE_AXIS_CLIFF,   /* the same, around 4,096 deletes in a chunk */
    FIGURE_AXIS_LENGTH,  /* length of the runs of deletes */
    FIGURE_AXIS_PERCENT, /* chunks that have deletes */
    FIGURE_AXIS_BATCH,   /* rows of a batch */
    FIGURE_AXIS_ROWS,    /* rows of the file */
    FIGURE_AXIS_MODE,    /* rate and mode */
    FIGURE_AXIS_PAIRS,   /* rate and kernel: cells to be set against each other */
    FIGURE_AXIS_GRID,    /* length and rate */
    FIGURE_AXIS_MACHINE, /* rate and machine, with its CRoaring */
    FIGURE_AXIS_VECTOR,  /* none of them: the vectors themselves */
};

enum figure_choice {
    FIGURE_CHOICE_TECHNIQUES, /* the fastest kernel of each technique */
    FIGURE_CHOICE_MAIN,       /* of each of FIGURE_MAIN_TECHNIQUES */
    FIGURE_CHOICE_ISA,        /* all of the technique that ran in the most instruction sets, at least two */
    FIGURE_CHOICE_ALL,
};

struct figure_point {
    size_t row;  /* of the table */
    double x;    /* along the axis; for the grid the length, for vectors the first row of each in the table */
    double y;    /* grid: the rate; modes: their order; machines: the first row of each; else 0 */
    double cost; /* as figure_row_cost */
};

struct figure_group {
    char *key;  /* owned: what is the same in all rows; "machine|croaring|rest of the spec|sink|batch|mode" */
    char *rest; /* owned: the spec without the axis */
    struct figure_point *points; /* owned; sorted by kernel as `kernels` has them, then x, then y */
    size_t n_points;
    double rate;   /* that the spec asks for where it is not the axis, else NaN */
    char *kernels; /* owned: ids, blank between, most expensive first */
};

struct figure_groups {
    struct figure_group *items; /* owned; in the order of the table */
    size_t n_items;
    json_t *index; /* what of a million rows must be found without a walk: groups, vectors, machines */
};

/* The groups of the table's rows with verdict ok and a value in `column`. A group has at least two values on
 * its axis (three around the cliff). An empty result is not a failure. Returns 0 or DV_ERROR_MEMORY. */
int figure_rows_group(struct figure_groups *groups_out, const struct csv_table *table, enum figure_axis axis,
                      enum csv_column column, enum figure_choice choice, struct dv_error *error_out);

/* ns per row that a kernel is judged by: ns_per_row, and for kernels that expand the whole vector when it is
 * opened, and so do their work there, total_ns_per_row. `extra_out` (may be NULL): what that adds to
 * ns_per_row. NaN where not measured. */
double figure_row_cost(const struct csv_table *table, size_t row, double *extra_out);

void figure_groups_free(struct figure_groups *groups);

/* "the deletion rate", ...: for messages. */
const char *figure_axis_name(enum figure_axis axis);

/* The techniques that the article is about: what everybody does, its branch-free form, what was merged, and
 * what is possible. */
#define FIGURE_MAIN_TECHNIQUES "per_row per_row_branchless for_each_in_range direct"

/* Keeps the points of the kernels that the choice names, orders them, and fills `kernels`. */
int figure_group_choose(struct figure_group *group, const struct csv_table *table, enum figure_choice choice,
                        struct dv_error *error_out);

#endif
