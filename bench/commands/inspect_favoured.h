/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that this machine's reference runs were fastest with, on the vector most like a given one.
 *
 * Place in the data flow: results/reference/MACHINE summary.csv + struct inspect_summary -> one line of
 * inspect. */
#ifndef DVBENCH_INSPECT_FAVOURED_H
#define DVBENCH_INSPECT_FAVOURED_H

#include <stdbool.h>

#include "csv.h"
#include "inspect_summary.h"

struct inspect_favoured {
    char kernel[64];
    char dv[256];      /* spec of the vector it was measured on */
    double ns_per_row; /* into row_ids, stream */
    double distance;   /* between the two vectors, see inspect_favoured_search; 0: alike */
};

/* Looks through the rows of a summary.csv for the vector nearest to `summary`: difference of the logarithms
 * of the rates, plus twice the difference in shares of container kinds. Of its kernels the fastest wins.
 * `favoured` holds the best so far, `kernel` empty at first; it is only replaced by something nearer. Vectors
 * further away than an e-fold of the rate do not count. */
void inspect_favoured_search(struct inspect_favoured *favoured, const struct csv_table *table,
                             const struct inspect_summary *summary);

/* The reference runs of this machine, in memory. */
struct inspect_references {
    struct csv_table **tables; /* owned */
    size_t n_tables;
};

/* Reads them: DVBENCH_REFERENCE where set, else results/reference of the source tree. Files that cannot be
 * read are passed over; without any, there are no tables. */
void inspect_references_read(struct inspect_references *references_out);
void inspect_references_free(struct inspect_references *references);

/* False where no reference is near. */
bool inspect_favoured_find(struct inspect_favoured *favoured_out, const struct inspect_references *references,
                           const struct inspect_summary *summary);

#endif
