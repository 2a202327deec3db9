/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a table with its deletes, and what every read must answer.
 *
 * Place in the data flow: struct delete_state -> engine with the kernel inside -> times and a verdict. */
#ifndef DVBENCH_DELETE_READ_H
#define DVBENCH_DELETE_READ_H

#include "delete_options.h"
#include "delete_state.h"
#include "scan_function.h"
#include "scan_query.h"

enum { DELETE_N_READS = 4 };

/* Columns summed up by each read: 0 (a count), 1, 3 and 9. */
extern const unsigned delete_read_columns[DELETE_N_READS];

/* Count and sums of the rows that are left after each number of batches: n_batches + 1 items, owned by the
 * caller. Computed from the keys in C and one pass over the table as it was made; no file of deletes is
 * read. */
int delete_expect(struct scan_expected **expected_out, struct engine *engine, const struct scan_table *table,
                  const struct delete_options *options, enum delete_pattern pattern,
                  struct dv_error *error_out);

struct delete_reader {
    struct engine *engine;
    struct scan_function *function;
    const struct scan_table *table; /* as it was made: its columns */
    const struct kernel *kernel;
};

struct delete_read {
    double wall_ms; /* loading included */
    double load_ms; /* of V2's positions; 0 where there are none */
    bool is_right;
    char reason[200];
};

/* Reads once. Returns 0 also where the answer is wrong. */
int delete_read(const struct delete_reader *reader, const struct delete_state *state, unsigned n_columns,
                const struct scan_expected *expected, struct delete_read *read_out,
                struct dv_error *error_out);

#endif
