/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that are not of times: about the code that was emitted, and about branch misses.
 *
 * Place in the data flow: this program's code, counts of two cells and the miss penalty of the run -> struct
 * claim_answer. */
#ifndef DVBENCH_CLAIMS_COUNTED_H
#define DVBENCH_CLAIMS_COUNTED_H

#include "claims.h"

/* Of this program: it says something of the run where it was compiled by the same compiler. */
void claim_measure_code(struct claim_answer *answer, const struct claim *claim,
                        const struct report_place *place);

/* What share of the cycles that row `a` takes more than row `b` its extra branch misses explain, in per cent; the
 * interval is that of the penalty. Without a PMU's counts there is none, and the answer says what would give one. */
void claim_measure_misses(struct claim_answer *answer, const struct claim *claim,
                          const struct report_place *place, size_t a, size_t b);

#endif
