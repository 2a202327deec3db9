/* SPDX-License-Identifier: Apache-2.0 */
/* What a spec gives, as one line that tests compare: that of tests/reference/recipes.py.
 *
 * Place in the data flow: spec -> source_open_spec -> dv_view -> line. */
#ifndef DVBENCH_RECIPE_LINE_H
#define DVBENCH_RECIPE_LINE_H

#include <stddef.h>

#include "dv.h"

/* Generates `spec`, validates the payload and writes
 * "canonical-spec cardinality array/bitset/run n_bytes digest" to `line_out`, cut off at n_line_bytes.
 * Returns 0 or a negative code. */
int recipe_line(char *line_out, size_t n_line_bytes, const char *spec, struct dv_error *error_out);

#endif
