/* SPDX-License-Identifier: Apache-2.0 */
/* The direct kernels for engines: one reader per deletion vector, one call per batch of rows, no other
 * library needed.
 *
 * Place in the data flow: the payload of a deletion vector -> a reader -> struct sink, batch after batch.
 * Installed as <dvkernels.h> with pkg-config name dvkernels; README.md shows its use. */
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
 * dv_reader_close, at any alignment. Returns 0; or DV_ERROR_INPUT, DV_ERROR_MEMORY, or DV_ERROR_USAGE for an unknown
 * word in the environment variable DVBENCH_CPU_MASK, with `error_out` filled (may be NULL) and *reader_out NULL. */
int dv_reader_open(struct dv_reader **reader_out, const uint8_t *bytes, size_t n_bytes,
                   struct dv_error *error_out);

/* Finds which of the rows [start, start + n_rows) are deleted: fills sink->out, which must hold
 * dv_sink_bytes(kind, n_rows) + SINK_SLACK_BYTES, sets sink->n_out, and returns the number of live rows. n_rows
 * < 2^31, start + n_rows <= 2^63. Batches may come in any order; ascending ones are found without a search.
 * Cannot fail, allocates nothing. One thread per reader at a time; any number of readers may share the
 * bytes. */
uint32_t dv_reader_apply(struct dv_reader *reader, enum sink_kind kind, uint64_t start, uint32_t n_rows,
                         struct sink *sink);

/* Deleted positions in all. */
uint64_t dv_reader_cardinality(const struct dv_reader *reader);

/* The id of the chosen kernel: "direct_avx512". */
const char *dv_reader_kernel(const struct dv_reader *reader);

/* NULL is fine. */
void dv_reader_close(struct dv_reader *reader);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
