/* SPDX-License-Identifier: Apache-2.0 */
/* The article's pairs of cells: which they are, the cells of a run that stand for them, and their counts.
 *
 * Place in the data flow: pairs.def, summary.csv, counters.csv -> attribution.h -> `explain`, the figure of
 * pairs. */
#ifndef DVBENCH_PAIRS_H
#define DVBENCH_PAIRS_H

#include <stddef.h>

#include "attribution.h"
#include "csv.h"

struct article_pair {
    const char *id;
    const char *title;
    const char *question;
    const char *kernels[2];
    double rates[2]; /* deleted share of the rows, 0 .. 1 */
};

#define PAIR(...) +1
enum {
    N_ARTICLE_PAIRS = 0
#include "pairs.def"
};
#undef PAIR

extern const struct article_pair article_pairs[N_ARTICLE_PAIRS];

/* The ids with a comma and a blank between, and the pair of an id; NULL where there is none. */
const char *article_pair_ids(void);
const struct article_pair *article_pair_find(const char *id);

/* The rows of `summary` whose deletion rates are nearest to those of the pair, among the `n_rows` in `rows`; with
 * `rows` NULL among those into row_ids, in stream, on the axis `rate`, with verdict ok. Rates beyond a factor of
 * 1.75 do not count, nor those where chunks of random deletes have containers of another kind (arrays up to 4,096
 * of 65,536 rows, bitsets above). Returns 2, or the side that has no row: 0 or 1. */
int article_pair_rows(const struct article_pair *pair, const struct csv_table *summary, const size_t *rows,
                      size_t n_rows, size_t rows_out[2]);

/* The cost of a branch miss as the run measured it, of several merged ones that one, NULL the first that did; NAN where
 * it did not. `counters` may be NULL. */
struct attribution_penalty pairs_penalty(const struct csv_table *counters, const char *run);

/* What attribution_compute takes of a row of the summary. */
struct attribution_side pairs_side(const struct csv_table *summary, size_t row);

#endif
