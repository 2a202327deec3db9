/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of pairs of cells: what the slower one does more of, and what share the branch misses explain.
 *
 * Place in the data flow: summary.csv, counters.csv -> attribution.h -> RUN/plots/explain.SINK.csv ->
 * explain.gp. */
#ifndef DVBENCH_FIGURE_PAIRS_H
#define DVBENCH_FIGURE_PAIRS_H

#include "attribution.h"
#include "csv.h"
#include "figures.h"

/* The cost of a branch miss as the run measured it; NAN where it did not. `counters` may be NULL. */
struct attribution_penalty figure_pairs_penalty(const struct csv_table *counters);

/* How far `rate` is from the wanted deletion rate, as |log| of their ratio: the nearest stands for it, in the
 * figure and in `explain`. INFINITY where none may: beyond a factor of 1.75, or where chunks of random
 * deletes have containers of another kind (arrays up to 4,096 of 65,536 rows, bitsets above). */
double figure_pairs_rate_distance(double rate, double wanted);

/* What attribution_compute takes of a row of the summary. */
struct attribution_side figure_pairs_side(const struct csv_table *summary, size_t row);

/* A row per event of each of the article's three pairs that the figure's rows have. Returns 0, DV_ERROR_IO,
 * or DV_ERROR_INPUT where there is no pair. */
int figure_pairs_write(const char *path, const struct figure *figure, const struct csv_table *summary,
                       const struct attribution_penalty *penalty, struct dv_error *error_out);

#endif
