/* SPDX-License-Identifier: Apache-2.0 */
/* The same cells on several builds of CRoaring: paired ratios to the first of them.
 *
 * Place in the data flow: the sides' run folders -> DIR/versions.csv -> versions_report. */
#ifndef DVBENCH_VERSIONS_H
#define DVBENCH_VERSIONS_H

#include <stddef.h>

#include "dv.h"

struct versions_side {
    const char *name; /* of the sub-run: a, b, ..., the last one a-again */
    const char *dir;
};

/* Writes DIR/versions.csv, which appears whole or not at all: a row per side but the first, and cell. The last side is
 * the first one's second run; the noise floor is what they differ by, and at least `threshold_pct`. `n_sides` >= 3. Returns 0, the codes of
 * compare_runs, DV_ERROR_USAGE (no cell in common) or DV_ERROR_IO. */
int versions_write(const char *dir, const struct versions_side *sides, size_t n_sides, double threshold_pct,
                   struct dv_error *error_out);

#endif
