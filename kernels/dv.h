/* SPDX-License-Identifier: Apache-2.0 */
/* One deletion vector in memory: the serialized bytes, the container view over them, and the other
 * representations that kernels ask for.
 *
 * Place in the data flow: datasets/ make or load the bytes -> struct dv -> a kernel walks it -> a sink.
 *
 * The bytes are always the canonical payload, the 64-bit portable Roaring layout of RoaringFormatSpec: uint64
 * LE bucket count, then per bucket a uint32 LE key (strictly ascending, unsigned) and a 32-bit portable
 * bitmap. Framing (Puffin, blob length, magic, CRC) is stripped by datasets/ before. The bytes may lie at any
 * address: nothing here assumes alignment. */
#ifndef DVBENCH_DV_H
#define DVBENCH_DV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv_error.h"

#define DV_CHUNK_ROWS   65536u /* positions of one chunk */
#define DV_ARRAY_MAX    4096u  /* values of an array container; more are a bitset */
#define DV_BITSET_BYTES 8192u  /* of every bitset container */

enum dv_kind { DV_ARRAY, DV_BITSET, DV_RUN, DV_N_KINDS };

/* One Roaring container: the deleted positions of one chunk, [position, position + 65536) with
 * position = key << 32 | chunk << 16. `bytes` points into the payload at the container's first byte,
 * unaligned: array: cardinality x uint16; bitset: 1024 x uint64; run: uint16 n_runs, then n_runs x (uint16
 * start, uint16 len_minus1). All little-endian. */
struct dv_container {
    const uint8_t *bytes;
    uint32_t key;         /* position bits 63..32 */
    uint16_t chunk;       /* position bits 31..16 */
    uint8_t kind;         /* enum dv_kind */
    uint32_t cardinality; /* 1 .. 65536 */
    uint32_t n_runs;      /* of a run container, else 0 */
};

/* The container view: all containers in ascending order of (key, chunk), without copying their bytes. */
struct dv_view {
    struct dv_container *containers; /* owned */
    size_t n_containers;
    uint64_t cardinality; /* sum over the containers; up to 2^63, exact */
    uint64_t n_buckets;   /* as the payload states it, empty ones included */
    size_t n_kind[DV_N_KINDS];
};

static inline uint64_t dv_container_start(const struct dv_container *container)
{
    return (uint64_t)container->key << 32 | (uint64_t)container->chunk << 16;
}

/* Builds the view from the headers only: bucket and container counts against the bytes left, keys and chunks
 * strictly ascending, offset tables against computed offsets, every container inside the bytes, no trailing
 * bytes. After it a kernel cannot leave the bytes, but the contents of the containers are not yet known to be
 * right. Allocates a struct dv_container for each, never more than the payload's size warrants. Returns 0, or
 * a negative code with `error_out` filled; then `view_out` is empty. This is what `open_ns` of the direct
 * kernels times. */
int dv_view_index(struct dv_view *view_out, const uint8_t *bytes, size_t n_bytes, struct dv_error *error_out);

/* Checks the contents of every container of an indexed view: arrays sorted and unique, bitset cardinality as
 * stated, runs sorted, disjoint, at least one, inside the chunk, run cardinality as stated. `bytes` as given
 * to dv_view_index. Returns 0 or DV_ERROR_INPUT. This is what `validate_ns` times. */
int dv_view_validate(const struct dv_view *view, const uint8_t *bytes, struct dv_error *error_out);

void dv_view_free(struct dv_view *view);

/* Index of the first container whose chunk ends after `position` (binary search); n_containers where none
 * does. */
size_t dv_view_seek(const struct dv_view *view, uint64_t position);

/* Disjoint, non-touching, ascending half-open intervals [start, end) of deleted positions: the oracle's
 * form. */
struct dv_interval {
    uint64_t start;
    uint64_t end;
};

struct dv_intervals {
    struct dv_interval *items; /* owned */
    size_t n_items;
};

/* Representations besides the view, built only where a chosen kernel needs them. */
enum dv_need {
    DV_NEEDS_VIEW = 0,           /* always there */
    DV_NEEDS_ROARING = 1 << 0,   /* a roaring_bitmap_t per key, as in Iceberg's RoaringPositionBitmap */
    DV_NEEDS_ROARING64 = 1 << 1, /* one roaring64_bitmap_t */
    DV_NEEDS_INTERVALS = 1 << 2, /* sorted intervals, for the oracle */
};

struct dv_roaring;   /* kernels/dv_roaring.h: known to the kernels that call CRoaring */
struct dv_roaring64; /* likewise */

struct dv {
    const uint8_t *bytes; /* borrowed: the canonical payload, outlives the dv */
    size_t n_bytes;
    struct dv_view view;
    struct dv_roaring *roaring;     /* NULL unless asked for */
    struct dv_roaring64 *roaring64; /* NULL unless asked for */
    struct dv_intervals intervals;  /* empty unless asked for */
};

/* Opens a DV over `bytes`: indexes and validates, then builds what `needs` (a mask of enum dv_need) names.
 * Returns 0 or a negative code with `error_out` filled and `dv_out` zeroed. DV_ERROR_UNAVAILABLE where this
 * build has no such representation. */
int dv_open(struct dv *dv_out, const uint8_t *bytes, size_t n_bytes, unsigned needs,
            struct dv_error *error_out);

/* Builds, or frees, single representations later; what is already there stays. dv_drop of DV_NEEDS_VIEW does
 * nothing. */
int dv_add(struct dv *dv, unsigned needs, struct dv_error *error_out);
void dv_drop(struct dv *dv, unsigned needs);

/* Heap bytes of the given representations (DV_NEEDS_VIEW: the container index), for the column
 * state_bytes. */
size_t dv_state_bytes(const struct dv *dv, unsigned needs);

void dv_close(struct dv *dv);

/* "4.6.1", or "" where built without CRoaring. */
const char *dv_croaring_version(void);

#endif
