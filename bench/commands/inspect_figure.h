/* SPDX-License-Identifier: Apache-2.0 */
/* A density map: the share of deleted rows along the file, coloured by the kind of container.
 *
 * Place in the data flow: struct inspect_subject -> CSV of bins -> plots/density_map.gp -> a picture. */
#ifndef DVBENCH_INSPECT_FIGURE_H
#define DVBENCH_INSPECT_FIGURE_H

#include "dv.h"
#include "inspect_print.h"

/* Draws to `path`, which ends in .svg, .png or .pdf; what is drawn stays beside it as PATH.csv. The bins are
 * whole chunks, at most 1,024 of them. Returns 0, DV_ERROR_USAGE (another ending, no row),
 * DV_ERROR_UNAVAILABLE (no gnuplot, or it lacks the terminal), DV_ERROR_IO or DV_ERROR_MEMORY. */
int inspect_figure(const struct inspect_subject *subject, const char *path, struct dv_error *error_out);

#endif
