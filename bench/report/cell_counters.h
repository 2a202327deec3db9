/* SPDX-License-Identifier: Apache-2.0 */
/* One cell of a run on one screen: what was counted, and what follows from it.
 *
 * Place in the data flow: summary.csv and counters.csv of a run -> `counters --cell`. */
#ifndef DVBENCH_CELL_COUNTERS_H
#define DVBENCH_CELL_COUNTERS_H

#include <stdbool.h>

#include "dv.h"

/* Prints the cell that `name` means (cell_find.h): its time, a row per event counted, then metrics such as instructions per
 * cycle, miss rates and bytes per cycle, as far as their events were counted. As CSV: metric,value,unit. Returns 0 or the
 * codes of run_dir_load and cell_find. */
int cell_counters_print(const char *run_dir, const char *name, bool is_csv, struct dv_error *error_out);

#endif
