/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a scan: every combination that its studies, or the options of one's own, ask for.
 *
 * Place in the data flow: struct scan_options as read from argv, scan_studies.def -> its blocks and its table. */
#ifndef DVBENCH_SCAN_BLOCKS_H
#define DVBENCH_SCAN_BLOCKS_H

#include "scan_options.h"

/* Fills `blocks` of options whose lists are filled. Returns 0 or DV_ERROR_USAGE, DV_ERROR_MEMORY;
 * scan_options_free frees what was made so far. */
int scan_blocks_make(struct scan_options *options, struct dv_error *error_out);

#endif
