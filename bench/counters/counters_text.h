/* SPDX-License-Identifier: Apache-2.0 */
/* The column counter_status: words per column joined to one cell.
 *
 * Place in the data flow: a status per column -> counters_result.status. */
#ifndef DVBENCH_COUNTERS_TEXT_H
#define DVBENCH_COUNTERS_TEXT_H

#include <stddef.h>

#include "counter_status.h"

/* The columns of summary.csv that counters fill, in its order. */
enum counter_column {
    COLUMN_INSTRUCTIONS,
    COLUMN_BRANCHES,
    COLUMN_BRANCH_MISSES,
    COLUMN_CORE_CYCLES,
    COLUMN_IPC,
    N_COUNTER_COLUMNS
};

/* "" where all are COUNTER_OK, one word where all are the same, else `instructions=word;...` for those that
 * are not. */
void counters_status_text(char *text_out, size_t n_text,
                          const enum counter_status statuses[N_COUNTER_COLUMNS]);

#endif
