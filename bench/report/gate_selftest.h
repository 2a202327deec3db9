/* SPDX-License-Identifier: Apache-2.0 */
/* Proof that the gate can fail: a run against copies of itself, one of them made slower.
 *
 * Place in the data flow: a run (or a made one) -> altered copies in a folder of their own -> compare. */
#ifndef DVBENCH_GATE_SELFTEST_H
#define DVBENCH_GATE_SELFTEST_H

#include "dv.h"

/* `run_dir` may be NULL: then a small run is made. Prints a line per case. Returns 0 where the gate behaved
 * in all cases, 1 where it did not, or a negative code. Leaves no files. */
int gate_selftest(const char *run_dir, double threshold_pct, struct dv_error *error_out);

#endif
