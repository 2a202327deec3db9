/* SPDX-License-Identifier: Apache-2.0 */
/* How figures are to look, and which of them: what the user may choose.
 *
 * Place in the data flow: options of `plot` -> struct figure_style -> variables of the gnuplot scripts. */
#ifndef DVBENCH_FIGURE_STYLE_H
#define DVBENCH_FIGURE_STYLE_H

#include <stdbool.h>

#include "csv.h"
#include "gnuplot.h"
#include "string_list.h"

/* All texts are borrowed; zero is the usual look. */
struct figure_style {
    const char *format;     /* svg, png or pdf; NULL: svg */
    char size[32];          /* inches, "WIDTH HEIGHT"; "": the usual */
    const char *font;       /* "NAME,PT"; NULL: the usual */
    const char *title;      /* NULL: each figure's question; "none": no title and subtitle */
    const char *out_dir;    /* of the pictures and their data; NULL: RUN/plots */
    struct strings figures; /* owned: fnmatch patterns of figures' ids or file names; empty: all */
    struct strings kernels; /* owned: fnmatch patterns of kernels' ids; empty: all */
};

/* DV_ERROR_USAGE for another format than those three. */
int figure_style_check_format(const char *format, struct dv_error *error_out);

/* `column` (3.3 x 3.5 in), `slide` (13.33 x 7.5 in) or WxH in inches, 1 to 50 each. Returns 0 or DV_ERROR_USAGE. */
int figure_style_set_size(struct figure_style *style, const char *text, struct dv_error *error_out);

/* "NAME,PT" of 4 to 72 points, NAME of letters, digits, blanks and "-". Returns 0 or DV_ERROR_USAGE. */
int figure_style_set_font(struct figure_style *style, const char *text, struct dv_error *error_out);

/* Whether one of the patterns matches; an empty list matches all. */
bool figure_style_matches(const struct strings *patterns, const char *text);

/* Drops the rows of other kernels; `column` is that of the kernel. */
void figure_style_keep_kernels(const struct figure_style *style, struct csv_table *table,
                               enum csv_column column);

/* The folder of the pictures; owned by the caller, NULL without memory. */
char *figure_style_folder(const struct figure_style *style, const char *run_dir);

/* Checks the format, makes that folder and finds the scripts, whose folder takes at most `n_scripts` bytes. Returns 0,
 * DV_ERROR_USAGE, DV_ERROR_UNAVAILABLE, DV_ERROR_IO or DV_ERROR_MEMORY; `folder_out` is owned, NULL on failure. */
int figure_style_open(const struct figure_style *style, const char *run_dir, char **folder_out,
                      char *scripts_out, size_t n_scripts, struct dv_error *error_out);

/* Runs a script with the variables given and those of the style, into DVBENCH_OUT, the first of them, with ".part" or
 * without. With `has_narrow` an svg of the usual size gets a variant for a phone, NAME.narrow.svg, too, where
 * all figures are drawn: its words are larger. Returns as gnuplot_run does, which failing with the variant does not change. */
enum { FIGURE_STYLE_VARIABLES = 4, FIGURE_MOST_VARIABLES = 12 };
int figure_style_draw(const struct figure_style *style, const char *script, const char *question,
                      const struct gnuplot_variable *own, size_t n_own, bool has_narrow, char *said_out,
                      size_t n_said, struct dv_error *error_out);

void figure_style_free(struct figure_style *style);

#endif
