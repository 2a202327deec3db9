/* SPDX-License-Identifier: Apache-2.0 */
/* A published comparison of three ways to delete, on a cluster, next to what a run of `deletes` measured.
 *
 * Place in the data flow: delete_claims.def, deletes.csv -> ratios, verdicts -> report, claims.csv. */
#ifndef DVBENCH_DELETE_CLAIMS_H
#define DVBENCH_DELETE_CLAIMS_H

#include "csv.h"
#include "report_text.h"

/* A heading, the published seconds as context and why they get no verdict, then the directions with theirs.
 * Nothing for a study other than that of ways: the published run is of ten batches. */
void delete_claims_write(const struct report_text *text, const struct csv_table *deletes);

/* Writes DIR/claims.csv, a row per claim and pattern (of another study: none). Returns 0, DV_ERROR_IO or
 * DV_ERROR_MEMORY. */
int delete_claims_csv(const char *run_dir, const struct csv_table *deletes, struct dv_error *error_out);

#endif
