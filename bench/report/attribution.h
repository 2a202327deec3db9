/* SPDX-License-Identifier: Apache-2.0 */
/* Attribution: what share of the cycles that one cell takes more than another the extra branch misses
 * explain.
 *
 * Place in the data flow: counts of two cells and the miss penalty of this machine -> struct attribution ->
 * `explain`.
 *
 * The arithmetic of the article's section 12, with the penalty measured instead of assumed: share = (misses
 * of A - misses of B) x penalty / (cycles of A - cycles of B). Next to it the marginal IPC, (instructions of A
 * - of B) / (cycles of A - of B), which is not a share: it passes 1 wherever a CPU retires more than one
 * instruction a cycle. */
#ifndef DVBENCH_ATTRIBUTION_H
#define DVBENCH_ATTRIBUTION_H

#include <stdbool.h>

/* Counts of one cell in any one unit, per row or per call: NAN where not counted. */
struct attribution_side {
    double ns;
    double core_cycles;
    double instructions;
    double branches;
    double branch_misses;
    bool is_simulated; /* by callgrind: its misses are another predictor's; a stepped side is not: it has none
                        */
};

/* Core cycles of a mispredicted branch and its interval; NAN where not known. low and high may be NAN
 * alone. */
struct attribution_penalty {
    double core_cycles;
    double low;
    double high;
};

/* Why there is no share. */
enum attribution_status {
    ATTRIBUTION_OK,
    ATTRIBUTION_SIMULATED,     /* a side is simulated */
    ATTRIBUTION_NO_CYCLES,     /* cycles were not counted */
    ATTRIBUTION_NO_MISSES,     /* misses were not counted */
    ATTRIBUTION_NO_PENALTY,    /* no penalty is known */
    ATTRIBUTION_NO_DIFFERENCE, /* the two take the same cycles */
};

/* All differences are A - B; NAN where a side has no number. */
struct attribution {
    enum attribution_status status; /* of share_pct */
    double delta_ns;
    double delta_core_cycles;
    double delta_instructions;
    double delta_branches;
    double delta_branch_misses;
    double
        share_pct; /* of the difference in cycles; below 0 where the slower has fewer misses; NAN without */
    double share_low_pct; /* at the ends of the penalty's interval, in ascending order */
    double share_high_pct;
    double misses_for_all; /* extra misses that would explain the whole difference */
    double marginal_ipc;   /* NAN without cycles or without a difference */
};

void attribution_compute(struct attribution *attribution_out, const struct attribution_side *a,
                         const struct attribution_side *b, const struct attribution_penalty *penalty);

/* A sentence for a status that is not ATTRIBUTION_OK: what is missing and what would give it. */
const char *attribution_status_text(enum attribution_status status);

#endif
