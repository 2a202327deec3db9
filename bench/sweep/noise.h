/* SPDX-License-Identifier: Apache-2.0 */
/* The noise floor: what two registrations of the same kernel differ by.
 *
 * Place in the data flow: the A/A pairs in the samples -> noise_floor_pct of every row of summary.csv. */
#ifndef DVBENCH_NOISE_H
#define DVBENCH_NOISE_H

#include "samples.h"

/* One A/A pair of one block. */
struct noise_pair {
    const struct sample_row *like; /* borrowed from the samples: names the block */
    double ns_per_row;             /* median of the pair */
    double deviation_pct;          /* 100 x |median of the paired ratios - 1| */
    bool is_slow;                  /* of the block's two pairs, the slower */
};

struct noise {
    struct noise_pair
        *pairs; /* owned; those of a block next to each other, blocks in an order of their own */
    size_t n_pairs;
    double slow_pct; /* largest deviation over the run of the slow pairs; NAN where there is none */
    double fast_pct;
};

int noise_measure(struct noise *noise_out, const struct samples *samples, struct dv_error *error_out);

/* The floor that holds for a cell of that block and time: of the class whose pair in its block is nearer, as
 * a ratio. NAN where the block has no pair. */
double noise_floor_pct(const struct noise *noise, const char *dv, const char *sink, uint32_t batch_rows,
                       const char *mode, double ns_per_row);

void noise_free(struct noise *noise);

#endif
