/* SPDX-License-Identifier: Apache-2.0 */
/* Cells by name: a cell of a run from what the user typed.
 *
 * Place in the data flow: `kernel/sink@dv[,batch=N][,mode=M]` or a hash + summary.csv -> a row. */
#ifndef DVBENCH_CELL_FIND_H
#define DVBENCH_CELL_FIND_H

#include <stddef.h>

#include "csv.h"
#include "dv.h"

/* The row of `summary` that `name` means. A DV may be named by a part of its spec: the recipe and some of its
 * keys. None or several rows: DV_ERROR_USAGE, naming what would make it one. */
int cell_find(const struct csv_table *summary, const char *name, size_t *row_out, struct dv_error *error_out);

#endif
