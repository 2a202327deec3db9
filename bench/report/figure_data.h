/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a figure is drawn from: rows of summary.csv, unchanged. Only the map of winners has columns
 * of its own.
 *
 * Place in the data flow: struct figure -> RUN/plots/NAME.csv -> gnuplot. */
#ifndef DVBENCH_FIGURE_DATA_H
#define DVBENCH_FIGURE_DATA_H

#include "attribution.h"
#include "csv.h"
#include "figures.h"

/* Writes the rows of the figure; for a map, a row per cell with the fastest kernel and, in columns more, the
 * runner-up. Returns 0, DV_ERROR_IO or DV_ERROR_MEMORY. */
int figure_data_write(const char *path, const struct figure *figure, const struct csv_table *summary,
                      const struct attribution_penalty *penalty, struct dv_error *error_out);

/* What a map or a figure of pairs shows, in a sentence; owned by the caller, NULL without memory. */
char *figure_data_describe(const struct figure *figure, const struct csv_table *summary);

/* By how many per cent the second row is slower than the first; NaN where the difference lies within the
 * noise floor of either, or their intervals overlap: then nothing can be said. */
double figure_data_lead_pct(const struct csv_table *summary, size_t winner, size_t runner_up);

#endif
