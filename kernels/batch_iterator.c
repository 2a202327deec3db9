/* SPDX-License-Identifier: Apache-2.0 */
/* Batch iterator: CRoaring's iterator reads the deleted values of a batch into a buffer, and a second pass
 * goes over it.
 *
 *   seek to the batch -> read 256 values -> buffer -> each value below the batch's end: gap, delete
 *                         ^                                                         |
 *                         +--------------- until one is past the end ---------------+
 *
 * This is what the article built from RoaringBitmap's BatchIterator; Gluten and StarRocks read that way too.
 * It buys a walk over containers without callbacks; it pays a second pass, and reads up to 255 values beyond
 * the batch.
 *
 * `batch_iterator` starts a new iterator for each batch, as the article did, and throws away what it read too
 * far; the iterator is a struct on the stack, so that nothing is allocated. `batch_iterator_file` keeps
 * iterator and buffer for the life of the file: what was read too far is where the next batch begins, and
 * batches in order never seek. A batch before its place makes it start again, so that any
 * order is right, and only the forward one is fast. */
#include <stdlib.h>

#include <roaring/roaring.h>

#include "dv_roaring.h"
#include "kernel_instance.h"
#include "sink_write.h"

#define BUFFER_VALUES 256u

static void iterator_init(const roaring_bitmap_t *bitmap, roaring_uint32_iterator_t *iterator)
{
#if DVBENCH_HAVE_ROARING_ITERATOR_INIT
    roaring_iterator_init(bitmap, iterator);
#else
    roaring_init_iterator(bitmap, iterator);
#endif
}

static void iterator_seek(roaring_uint32_iterator_t *iterator, uint32_t value)
{
#if DVBENCH_HAVE_ROARING_ITERATOR_INIT
    roaring_uint32_iterator_move_equalorlarger(iterator, value);
#else
    roaring_move_uint32_iterator_equalorlarger(iterator, value);
#endif
}

static uint32_t iterator_read(roaring_uint32_iterator_t *iterator, uint32_t *values_out)
{
#if DVBENCH_HAVE_ROARING_ITERATOR_INIT
    return roaring_uint32_iterator_read(iterator, values_out, BUFFER_VALUES);
#else
    return roaring_read_uint32_iterator(iterator, values_out, BUFFER_VALUES);
#endif
}

/* The rows of a batch that lie under one key: values [low, high) of the key's bitmap; row = value - low +
 * first_row. */
struct key_part {
    uint64_t low;
    uint64_t high;
    uint32_t first_row;
};

static ALWAYS_INLINE struct key_part key_part_of(struct kernel_call call, uint64_t key)
{
    uint64_t base = key << 32;
    uint64_t end = call.start + call.n_rows;
    uint64_t low = call.start > base ? call.start - base : 0;
    uint64_t high = end - base < UINT64_C(1) << 32 ? end - base : UINT64_C(1) << 32;
    return (struct key_part){.low = low, .high = high, .first_row = (uint32_t)(base + low - call.start)};
}

/* Hands on the values from `values[at]` on that lie below the part's end; returns how far it came. */
static ALWAYS_INLINE uint32_t tell_values(struct sink_writer *writer, enum sink_kind kind, sink_fill_fn *fill,
                                          struct key_part part, const uint32_t *values, uint32_t at,
                                          uint32_t n)
{
    for (; at < n && values[at] < part.high; at++)
        sink_deleted(writer, kind, fill, values[at] - (uint32_t)part.low + part.first_row);
    return at;
}

static ALWAYS_INLINE uint32_t batch_iterator_into(struct kernel_call call, enum sink_kind kind,
                                                  sink_fill_fn *fill)
{
    const struct dv_roaring *roaring = call.dv->roaring;
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    uint32_t values[BUFFER_VALUES];
    uint64_t end = call.start + call.n_rows;
    for (uint64_t key = call.start >> 32; key < roaring->n_bitmaps && key << 32 < end; key++) {
        if (!roaring->bitmaps[key])
            continue;
        struct key_part part = key_part_of(call, key);
        roaring_uint32_iterator_t iterator;
        iterator_init(roaring->bitmaps[key], &iterator);
        iterator_seek(&iterator, (uint32_t)part.low);
        uint32_t n;
        do
            n = iterator_read(&iterator, values);
        while (tell_values(&writer, kind, fill, part, values, 0, n) == BUFFER_VALUES);
    }
    return sink_finish(&writer, call.sink, kind, fill);
}

KERNEL_INSTANCES(batch_iterator)
KERNEL_FILL_INSTANCES(batch_iterator)

/* Where the file's iterator is: values[at .. n) of `key` are read and not reported, the iterator is after
 * them. */
struct file_iterator {
    roaring_uint32_iterator_t iterator;
    uint64_t key;    /* UINT64_MAX before the first batch */
    uint64_t n_past; /* values of `key` below this one may be gone */
    uint32_t at;
    uint32_t n;
    uint32_t values[BUFFER_VALUES];
};

int batch_iterator_file_open(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    (void)dv;
    struct file_iterator *file = malloc(sizeof *file);
    if (!file)
        return dv_no_memory(error_out);
    file->key = UINT64_MAX;
    state->data = file;
    state->n_bytes = sizeof *file;
    return 0;
}

void batch_iterator_file_close(struct kernel_state *state)
{
    free(state->data);
    *state = (struct kernel_state){0};
}

/* Leaves the first value >= low, if there is one, at values[at]. */
static void file_iterator_seek(struct file_iterator *file, const roaring_bitmap_t *bitmap, uint64_t key,
                               uint32_t low)
{
    if (key != file->key || low < file->n_past) {
        iterator_init(bitmap, &file->iterator);
        file->key = key;
        file->at = file->n = 0;
    }
    while (file->at < file->n && file->values[file->at] < low)
        file->at++;
    if (file->at < file->n)
        return;
    if (file->iterator.has_value && file->iterator.current_value < low)
        iterator_seek(&file->iterator, low);
    file->n = iterator_read(&file->iterator, file->values);
    file->at = 0;
}

static ALWAYS_INLINE uint32_t batch_iterator_file_into(struct kernel_call call, enum sink_kind kind,
                                                       sink_fill_fn *fill)
{
    const struct dv_roaring *roaring = call.dv->roaring;
    struct file_iterator *file = call.state->data;
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    uint64_t end = call.start + call.n_rows;
    for (uint64_t key = call.start >> 32; key < roaring->n_bitmaps && key << 32 < end; key++) {
        if (!roaring->bitmaps[key])
            continue;
        struct key_part part = key_part_of(call, key);
        file_iterator_seek(file, roaring->bitmaps[key], key, (uint32_t)part.low);
        file->n_past = part.high;
        file->at = tell_values(&writer, kind, fill, part, file->values, file->at, file->n);
        while (file->at == file->n && file->n > 0) {
            file->n = iterator_read(&file->iterator, file->values);
            file->at = tell_values(&writer, kind, fill, part, file->values, 0, file->n);
        }
    }
    return sink_finish(&writer, call.sink, kind, fill);
}

KERNEL_INSTANCES(batch_iterator_file)
KERNEL_FILL_INSTANCES(batch_iterator_file)
