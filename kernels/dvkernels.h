/* SPDX-License-Identifier: Apache-2.0 */
/* The direct kernels for engines: one reader per deletion vector, one call per batch of rows, no other
 * library needed.
 *
 * Place in the data flow: the payload of a deletion vector -> a reader -> struct sink, batch after batch.
 * Installed as <dvkernels.h> with pkg-config names dvkernels and dvkernels-static; LIBRARY.md shows its use. */
#ifndef DVBENCH_DVKERNELS_H
#define DVBENCH_DVKERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "dv_error.h"
#include "dv_sink.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct dv_reader;

/* Indexes and fully validates the payload (the 64-bit portable layout of RoaringFormatSpec, its frame stripped, its CRC
 * checked by the caller) and chooses the fastest direct kernel of this CPU. `bytes` are borrowed until
 * dv_reader_close, at any alignment. Returns DV_OK; or DV_ERROR_INPUT, DV_ERROR_MEMORY, or DV_ERROR_USAGE for an unknown
 * word in the environment variable DVBENCH_CPU_MASK, with `error_out` filled (may be NULL) and *reader_out NULL. */
int dv_reader_open(struct dv_reader **reader_out, const uint8_t *bytes, size_t n_bytes,
                   struct dv_error *error_out);

/* Finds which of the rows [start, start + n_rows) are deleted (dv_sink.h has the form of every kind): fills sink->out, which must hold
 * dv_sink_bytes(kind, n_rows) + SINK_SLACK_BYTES, sets sink->n_out, and returns the number of live rows. n_rows
 * < 2^31, start + n_rows <= 2^63. Batches may come in any order; ascending ones are found without a search.
 * Cannot fail, allocates nothing. One thread per reader at a time; any number of readers may share the
 * bytes. */
uint32_t dv_reader_apply(struct dv_reader *reader, enum sink_kind kind, uint64_t start, uint32_t n_rows,
                         struct sink *sink);

/* Deleted positions in all. */
uint64_t dv_reader_cardinality(const struct dv_reader *reader);

/* What a vector consists of and what its reader keeps in memory: for a planner's cost, a log line, a memory budget. */
struct dv_reader_stats {
    uint64_t n_deleted;     /* as dv_reader_cardinality */
    uint64_t n_arrays;      /* containers of 65,536 rows each, by their form: up to 4,096 positions, */
    uint64_t n_bitsets;     /* a bit per row, */
    uint64_t n_run_chunks;  /* or runs of deleted rows, */
    uint64_t n_runs;        /* of which there are so many in all */
    uint64_t first_deleted; /* UINT64_MAX where nothing is deleted */
    uint64_t last_deleted;  /* likewise */
    uint64_t payload_bytes; /* borrowed */
    uint64_t reader_bytes;  /* allocated by dv_reader_open, until dv_reader_close */
};

/* Takes time in the number of containers. The struct never changes; more facts would be another function. */
void dv_reader_stats(const struct dv_reader *reader, struct dv_reader_stats *stats_out);

/* The id of the chosen kernel: "direct_avx512". */
const char *dv_reader_kernel(const struct dv_reader *reader);

/* NULL is fine. */
void dv_reader_close(struct dv_reader *reader);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
