/* SPDX-License-Identifier: Apache-2.0 */
/* Per row: asks CRoaring once for every row of the batch.
 *
 *   for each row of the batch:
 *       key, low = position >> 32, position
 *       deleted  = key < n_bitmaps && bitmaps[key] && contains(bitmaps[key], low)
 *
 * and inside contains: a binary search for the chunk among the bitmap's containers, then by the container's
 * kind
 *
 *   array   binary search among up to 4,096 values: about 12 steps, every one a branch or a dependent load
 *   bitset  one load and a shift
 *   run     binary search among the runs
 *
 * This is what Iceberg did before it walked ranges, and what iceberg-cpp and Trino do. Nothing is carried
 * from one row to the next, though the next row nearly always lies in the same container, one position
 * further: all of it is searched again. It buys independence: any row, any order, no state. It loses
 * everywhere else, and most on array containers just below the cliff of 4,096 values, 6.25 % of a chunk.
 *
 * CRoaring defines contains in its header, so that the search is compiled here, with this project's flags,
 * into the loop over the rows; contains_bulk and roaring64 are calls into the library as it was built.
 *
 * The rows differ in one thing each: `raw` leaves out the wrapper around contains, `branchless` stores
 * without a branch on the answer (the answer of a random row cannot be predicted), `bulk` lets CRoaring
 * remember the container, `roaring64` asks CRoaring's own 64-bit bitmap, a radix tree of containers, instead
 * of an array of 32-bit bitmaps. */
#include <roaring/roaring.h>

#include "dv_roaring.h"
#include "kernel_instance.h"
#include "sink_write.h"

/* Iceberg's RoaringPositionBitmap.contains. */
static ALWAYS_INLINE bool contains(const struct dv_roaring *roaring, uint64_t position)
{
    uint64_t key = position >> 32;
    return key < roaring->n_bitmaps && roaring->bitmaps[key] &&
           roaring_bitmap_contains(roaring->bitmaps[key], (uint32_t)position);
}

static ALWAYS_INLINE uint32_t per_row_into(struct kernel_call call, enum sink_kind kind, sink_fill_fn *fill)
{
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    for (uint32_t row = 0; row < call.n_rows; row++)
        sink_row(&writer, kind, row, contains(call.dv->roaring, call.start + row));
    return sink_finish(&writer, call.sink, kind, fill);
}

static ALWAYS_INLINE uint32_t per_row_branchless_into(struct kernel_call call, enum sink_kind kind,
                                                      sink_fill_fn *fill)
{
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    for (uint32_t row = 0; row < call.n_rows; row++)
        sink_row_branchless(&writer, kind, row, contains(call.dv->roaring, call.start + row));
    return sink_finish(&writer, call.sink, kind, fill);
}

/* The key is looked up once per key that the batch touches: one, but at 2^32. */
static ALWAYS_INLINE uint32_t per_row_raw_into(struct kernel_call call, enum sink_kind kind,
                                               sink_fill_fn *fill)
{
    const struct dv_roaring *roaring = call.dv->roaring;
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    for (uint32_t row = 0; row < call.n_rows;) {
        uint64_t key = (call.start + row) >> 32;
        const roaring_bitmap_t *bitmap = key < roaring->n_bitmaps ? roaring->bitmaps[key] : NULL;
        if (!bitmap)
            bitmap = roaring->empty;
        uint64_t rows_of_key = ((key + 1) << 32) - call.start;
        uint32_t end = rows_of_key < call.n_rows ? (uint32_t)rows_of_key : call.n_rows;
        for (; row < end; row++)
            sink_row(&writer, kind, row, roaring_bitmap_contains(bitmap, (uint32_t)(call.start + row)));
    }
    return sink_finish(&writer, call.sink, kind, fill);
}

KERNEL_INSTANCES(per_row)
KERNEL_INSTANCES(per_row_branchless)
KERNEL_INSTANCES(per_row_raw)

#if DVBENCH_HAVE_ROARING_BULK

/* The context belongs to one bitmap and is forgotten where the key changes. It lives for the batch: finding
 * the container once in 5,000 rows is nothing compared with the rows. */
static ALWAYS_INLINE uint32_t per_row_bulk_into(struct kernel_call call, enum sink_kind kind,
                                                sink_fill_fn *fill)
{
    const struct dv_roaring *roaring = call.dv->roaring;
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    roaring_bulk_context_t context = {0};
    const roaring_bitmap_t *last = NULL;
    for (uint32_t row = 0; row < call.n_rows; row++) {
        uint64_t key = (call.start + row) >> 32;
        const roaring_bitmap_t *bitmap = key < roaring->n_bitmaps ? roaring->bitmaps[key] : NULL;
        if (bitmap != last)
            context = (roaring_bulk_context_t){0};
        last = bitmap;
        bool is_deleted =
            bitmap && roaring_bitmap_contains_bulk(bitmap, &context, (uint32_t)(call.start + row));
        sink_row(&writer, kind, row, is_deleted);
    }
    return sink_finish(&writer, call.sink, kind, fill);
}

KERNEL_INSTANCES(per_row_bulk)

#endif

#if DVBENCH_HAVE_ROARING64

#include <roaring/roaring64.h>

static ALWAYS_INLINE uint32_t per_row_roaring64_into(struct kernel_call call, enum sink_kind kind,
                                                     sink_fill_fn *fill)
{
    const roaring64_bitmap_t *bitmap = call.dv->roaring64->bitmap;
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    for (uint32_t row = 0; row < call.n_rows; row++)
        sink_row(&writer, kind, row, roaring64_bitmap_contains(bitmap, call.start + row));
    return sink_finish(&writer, call.sink, kind, fill);
}

KERNEL_INSTANCES(per_row_roaring64)

#endif
