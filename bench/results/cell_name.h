/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a cell, KERNEL/SINK@DV,batch=N,mode=M: the same wherever one is printed, and accepted where one is
 * asked for.
 *
 * Place in the data flow: plan and summary.csv -> cell_name -> terminal -> cell_name -> a row of summary.csv. */
#ifndef DVBENCH_CELL_NAME_H
#define DVBENCH_CELL_NAME_H

#include "csv.h"

/* A name in parts, borrowed from the text that was parsed in place. */
struct cell_name {
    char *kernel;
    char *sink;
    char *dv;    /* may hold commas: a path */
    char *batch; /* rows; NULL where not given */
    char *mode;  /* NULL where not given */
};

/* The name in full; owned by the caller, NULL without memory. */
char *cell_name_format(const char *kernel, const char *sink, const char *dv, const char *batch,
                       const char *mode);

/* The same for a row of summary.csv. */
char *cell_name_of_row(const struct csv_table *summary, size_t row);

/* Cuts `text` into parts; blanks after a comma are passed over. False where it is not a name; `text` is then
 * unchanged. */
bool cell_name_parse(struct cell_name *name_out, char *text);

#endif
