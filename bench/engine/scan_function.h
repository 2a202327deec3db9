/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel inside the engine's function: what asks the deletion vectors while a query scans.
 *
 * Place in the data flow: engine's vectors of rows -> pieces of consecutive rows of one file -> kernel -> the engine's
 * column of booleans; and how long that took.
 *
 * As in a real scan, a vector is opened by the first rows of its file in each query: from its path to a usable DV. All
 * threads share it; the state of a kernel is one per thread and file. */
#ifndef DVBENCH_SCAN_FUNCTION_H
#define DVBENCH_SCAN_FUNCTION_H

#include "engine.h"
#include "kernel.h"
#include "scan_vector.h"

#define SCAN_FUNCTION_NAME "dvbench_is_deleted"

struct scan_function;

/* Sums over the threads since the last scan_function_begin. */
struct scan_counts {
    uint64_t n_vectors; /* calls */
    uint64_t n_pieces;  /* kernel calls: as many as vectors where each holds consecutive rows of one file */
    uint64_t n_rows;    /* asked for */
    uint64_t n_opened;  /* deletion vectors opened */
    double apply_ns;    /* inside the function, openings left out, its clock's cost subtracted */
    double open_ns;     /* path to usable DV: read, footer, checksum, validation, index, kernel's state */
    double clock_ns;    /* what the clock cost, already subtracted */
};

/* Registers SCAN_FUNCTION_NAME(file, row) with the engine, which must outlive the function's last query. With more than
 * one thread its times are the CPU time of the threads: by the wall clock a thread that waits for a CPU, or for a file that
 * another one opens, would seem to work. */
int scan_function_new(struct scan_function **function_out, struct engine *engine, uint64_t n_threads,
                      struct dv_error *error_out);

/* The next queries ask these vectors, one per data file, by that kernel, through a sink that it has: is_deleted, or
 * row_ids whose answer is then spread over the booleans. `kernel` NULL: the answer is "not deleted", without looking.
 * `vectors` is borrowed until the next begin. */
void scan_function_begin(struct scan_function *function, const struct scan_vector *vectors, size_t n_vectors,
                         const struct kernel *kernel, enum sink_kind sink);

/* Closes what the queries since begin opened, and sums up. */
struct scan_counts scan_function_end(struct scan_function *function);

void scan_function_free(struct scan_function *function);

#endif
