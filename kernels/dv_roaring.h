/* SPDX-License-Identifier: Apache-2.0 */
/* The representations that CRoaring holds: one 32-bit bitmap per key, as Iceberg's RoaringPositionBitmap
 * keeps them, and one 64-bit bitmap.
 *
 * Place in the data flow: validated payload -> CRoaring's heap -> the per-row, bulk and iterator kernels. */
#ifndef DVBENCH_DV_ROARING_H
#define DVBENCH_DV_ROARING_H

#include "dv.h"

struct roaring_bitmap_s;   /* CRoaring's roaring_bitmap_t */
struct roaring64_bitmap_s; /* CRoaring's roaring64_bitmap_t */

/* A lookup is `key < n_bitmaps && bitmaps[key] && contains`: NULL stands for Iceberg's empty bitmap of an
 * unused key. The array is as long as the highest key asks, 16 GiB at most. A long one is a mapping whose
 * untouched pages cost nothing. */
struct dv_roaring {
    struct roaring_bitmap_s **bitmaps; /* owned, with what it points to; indexed by key */
    uint64_t n_bitmaps;                /* highest key + 1, up to 2^32 */
    uint64_t n_mapped_bytes;           /* of the mapping that holds `bitmaps`; 0 where it is on the heap */
    struct roaring_bitmap_s *empty;    /* owned; what a key without a bitmap stands for */
    uint32_t *keys;                    /* owned; the n_keys keys that have a bitmap, ascending */
    size_t n_keys;
};

struct dv_roaring64 {
    struct roaring64_bitmap_s *bitmap; /* owned */
};

/* Deserializes the payload of `dv`, whose view is built and validated. Returns 0, or DV_ERROR_MEMORY, or
 * DV_ERROR_UNAVAILABLE where the array of a high key cannot be mapped, or DV_ERROR_INPUT where CRoaring
 * refuses the bytes; then nothing is held. */
int dv_roaring_new(struct dv_roaring **roaring_out, const struct dv *dv, struct dv_error *error_out);
void dv_roaring_free(struct dv_roaring *roaring);

/* Bytes that CRoaring and the array hold, estimated from the containers: CRoaring reports none. */
size_t dv_roaring_bytes(const struct dv *dv);

int dv_roaring64_new(struct dv_roaring64 **roaring64_out, const struct dv *dv, struct dv_error *error_out);
void dv_roaring64_free(struct dv_roaring64 *roaring64);
size_t dv_roaring64_bytes(const struct dv *dv);

#endif
