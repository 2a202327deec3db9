/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of pairs of cells: what the slower one does more of, and what share the branch misses explain.
 *
 * Place in the data flow: summary.csv, counters.csv -> attribution.h -> RUN/plots/explain.SINK.csv ->
 * explain.gp. */
#ifndef DVBENCH_FIGURE_PAIRS_H
#define DVBENCH_FIGURE_PAIRS_H

#include <stdio.h>

#include "attribution.h"
#include "csv.h"
#include "figures.h"

/* A row per event of each of the article's pairs that the figure's rows have. Returns 0, DV_ERROR_IO,
 * or DV_ERROR_INPUT where there is no pair. */
int figure_pairs_write(const char *path, const struct figure *figure, const struct csv_table *summary,
                       const struct attribution_penalty *penalty, struct dv_error *error_out);

/* The ratios of each pair, a sentence each. */
void figure_pairs_describe(FILE *file, const struct figure *figure, const struct csv_table *summary);

#endif
