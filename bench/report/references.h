/* SPDX-License-Identifier: Apache-2.0 */
/* The reference runs of this machine: what was recorded for it.
 *
 * Place in the data flow: the CSV files under results/reference/MACHINE -> struct references -> inspect, advise, report. */
#ifndef DVBENCH_REFERENCES_H
#define DVBENCH_REFERENCES_H

#include "csv.h"

struct references {
    struct csv_table **tables; /* owned */
    size_t n_tables;
};

/* Reads their CSV of one kind: DVBENCH_REFERENCE where set, else results/reference of the source tree. Files that cannot be
 * read are passed over; without any, there are no tables. */
void references_read(struct references *references_out, enum csv_file kind);
void references_free(struct references *references);

#endif
