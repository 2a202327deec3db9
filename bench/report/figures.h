/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a run: which ones its rows allow, the rows of each, and gnuplot to draw them.
 *
 * Place in the data flow: RUN/summary.csv -> figures_plan -> RUN/plots/NAME.csv -> plots/FIGURE.gp ->
 * RUN/plots/NAME.svg -> report. */
#ifndef DVBENCH_FIGURES_H
#define DVBENCH_FIGURES_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "attribution.h"
#include "dv.h"
#include "figure_style.h"

enum figure_data {
    FIGURE_DATA_ROWS,  /* rows of summary.csv, unchanged */
    FIGURE_DATA_MAP,   /* a row per vector: its fastest kernel and that of another technique */
    FIGURE_DATA_PAIRS, /* a row per event of a pair of cells */
};

/* One picture. */
struct figure {
    const char *script;     /* static: plots/<script>.gp */
    const char *question;   /* static: its title */
    const char *caption;    /* static: how to read it */
    const char *x_column;   /* static: for scripts that ask, else "" */
    enum figure_data data;  /* what its file holds */
    enum csv_column column; /* what is drawn of each row */
    char *name;             /* owned: file name in RUN/plots/ without extension; unique in the run */
    char *subtitle;         /* owned: which data it shows */
    char *kernels; /* owned: ids separated by blanks, the most expensive first: the order of the legend */
    size_t *rows;  /* owned: rows of summary.csv, by kernel and then along the axis */
    size_t n_rows;
    char extension[8]; /* "svg", ... once drawn, or found as drawn before; "" where there is no picture */
};

struct figures {
    struct figure *items; /* owned */
    size_t n_items;
    char **notes; /* owned: one line each: figures that the run has no data for, and what went wrong while
                     drawing */
    size_t n_notes;
    const struct figure_style *style; /* borrowed */
    bool has_axis;                    /* the run varies more than the vector itself */
    bool has_machines;                /* more than one */
    char
        *kernel_order; /* owned: ids of all kernels of the run, blanks between: deals out dashes and points */
    struct attribution_penalty
        penalty;               /* what a branch miss costs here; NAN where the run has not measured it */
    struct csv_table *summary; /* owned: what `rows` count in */
};

/* Which figures the rows of RUN/summary.csv allow; finds pictures drawn before. A figure without data is a
 * note, no failure. `style` chooses figures and kernels; NULL: all. Returns 0 or the code of run_dir_load. */
int figures_plan(struct figures *figures_out, const char *run_dir, const struct figure_style *style,
                 struct dv_error *error_out);

/* Writes NAME.csv into the folder of pictures and draws each figure. A figure that gnuplot could
 * not draw is a note, and its `extension` is "" whatever was drawn before. Returns 0, DV_ERROR_USAGE
 * (format), DV_ERROR_UNAVAILABLE (no gnuplot, or no scripts),
 * DV_ERROR_IO, or DV_ERROR_INPUT where every single figure failed. Stops when `interrupted` is set: DV_ERROR_IO, and
 * the message names the figures that are missing. */
int figures_draw_all(struct figures *figures, const char *run_dir, const struct figure_style *style,
                     const volatile sig_atomic_t *interrupted, struct dv_error *error_out);

void figures_free(struct figures *figures);

/* Both, for the end of a sweep. Tolerates a run that was interrupted. */
int figures_draw(const char *run_dir, const struct figure_style *style,
                 const volatile sig_atomic_t *interrupted, struct dv_error *error_out);

#endif
