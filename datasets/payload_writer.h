/* SPDX-License-Identifier: Apache-2.0 */
/* Payload writer: ascending ranges of positions -> the canonical payload of dv.h (64-bit portable Roaring).
 *
 * Place in the data flow: a recipe or a converter streams ranges -> payload_writer -> struct
 * dv_source.payload.
 *
 * Container choice is that of the Java writers (RoaringBitmap's runOptimize): array up to 4,096 values, else
 * bitset; with PAYLOAD_OPTIMIZE a run container where 2 + 4 * n_runs is smaller than that container's bytes.
 * Touching ranges are joined, so the bytes depend on the set of positions only, not on how it was cut into
 * calls. */
#ifndef DVBENCH_PAYLOAD_WRITER_H
#define DVBENCH_PAYLOAD_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "dv.h"

/* The largest payload that is written: an Iceberg reader takes no blob beyond INT_MAX, its 12 bytes of
 * framing included. */
#define PAYLOAD_MAX_BYTES ((size_t)INT32_MAX - 12)

enum payload_option {
    PAYLOAD_OPTIMIZE = 1 << 0,   /* run containers where they are smaller; without it none are written */
    PAYLOAD_DENSE_KEYS = 1 << 1, /* a bucket for each key from 0 to the last, empty ones too, as Iceberg's and
                                    Delta's Java writers do; without it only buckets that hold something */
};

struct payload_run;       /* payload_writer.c: one run of the open chunk */
struct payload_container; /* payload_writer.c: header of one finished container of the open bucket */

/* Set up by payload_writer_init; every field is private to payload_writer.c. */
struct payload_writer {
    unsigned options;
    uint8_t *bytes; /* owned: the finished buckets, then the containers of the open bucket */
    size_t n_bytes;
    size_t n_bytes_allocated;
    size_t bucket_start;                  /* offset in `bytes` where the open bucket begins */
    struct payload_container *containers; /* owned: of the open bucket */
    size_t n_containers;
    size_t n_containers_allocated;
    struct payload_run *runs; /* owned: of the open chunk */
    size_t n_runs;
    uint64_t n_buckets;
    uint64_t next_position; /* the lowest start that may be added */
    uint64_t n_positions;
    uint64_t open_chunk; /* position >> 16 of the chunk whose runs are held; meaningful where n_runs > 0 */
};

/* Empties `writer` (memory of the caller). `options` is a mask of enum payload_option. Allocates nothing. */
void payload_writer_init(struct payload_writer *writer, unsigned options);

/* Adds the positions [start, end). Ranges come in ascending order and do not overlap; touching is fine, an
 * empty range does nothing. The cost grows with the chunks touched, not with the positions, but for chunks
 * that become arrays or bitsets. Returns 0; DV_ERROR_USAGE for start > end or start below the last end;
 * DV_ERROR_MEMORY where an allocation fails or the payload would pass PAYLOAD_MAX_BYTES. After an error only
 * payload_writer_free is left. */
int payload_writer_add_range(struct payload_writer *writer, uint64_t start, uint64_t end,
                             struct dv_error *error_out);

/* Closes the payload and hands it over: `*bytes_out` is malloc'd, owned by the caller, `*n_bytes_out` its
 * exact length. Frees the rest of the writer, which payload_writer_init may set up again. Returns 0 or
 * DV_ERROR_MEMORY. */
int payload_writer_finish(struct payload_writer *writer, uint8_t **bytes_out, size_t *n_bytes_out,
                          struct dv_error *error_out);

/* Drops what was written: for the error path. Harmless on a finished or a freshly set up writer. */
void payload_writer_free(struct payload_writer *writer);

#endif
