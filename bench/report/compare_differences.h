/* SPDX-License-Identifier: Apache-2.0 */
/* In what two runs differ besides their times: machine, library, compiler, flags, commit, load.
 *
 * Place in the data flow: run.json and summary.csv of two runs -> lines of text -> compare, gate. */
#ifndef DVBENCH_COMPARE_DIFFERENCES_H
#define DVBENCH_COMPARE_DIFFERENCES_H

#include "csv.h"
#include "string_list.h"

/* Appends a line per difference to `lines`. `n_other_out`: how many of them make the times of the two runs those of
 * other machines or builds; the commit and the load do not. What a missing run.json leaves unknown counts as one.
 * Returns 0 or DV_ERROR_MEMORY. */
int compare_differences(struct strings *lines, const char *run_a, const struct csv_table *summary_a,
                        const char *run_b, const struct csv_table *summary_b, size_t *n_other_out,
                        struct dv_error *error_out);

#endif
