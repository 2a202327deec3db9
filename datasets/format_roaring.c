/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of bare Roaring bitmaps. A 64-bit one is the payload itself; a 32-bit one becomes the only bucket,
 * key 0. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format_internal.h"

/* Payload bytes before the only bitmap: bucket count and key. */
enum { BUCKET_HEADER_BYTES = 12, EMPTY_BITMAP_BYTES = 8 };

/* The bytes of the file that the options point at. */
static int choose_range(const struct format_file *file, const struct format_options *options,
                        uint64_t *offset_out, uint64_t *n_out, struct dv_error *error_out)
{
    uint64_t offset = options->has_offset ? options->offset_bytes : 0;
    if (offset > file->n_bytes)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset,
                          "found the end of the file at %zu, expected a vector here", file->n_bytes);
    uint64_t n_left = file->n_bytes - offset;
    if (options->has_length && options->length_bytes > n_left)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset,
                          "found %" PRIu64 " bytes left in the file, expected %" PRIu64
                          " as stated by --length",
                          n_left, options->length_bytes);
    *offset_out = offset;
    *n_out = options->has_length ? options->length_bytes : n_left;
    return 0;
}

static int wrap_bitmap(struct format_vector *vector, struct dv_error *error_out)
{
    size_t n_bytes = vector->n_payload_bytes;
    if (n_bytes < EMPTY_BITMAP_BYTES)
        return dv_fail_at(error_out, DV_ERROR_INPUT, vector->frame_offset,
                          "found %zu bytes, expected at least 8 of a 32-bit bitmap", n_bytes);
    vector->owned = calloc(1, BUCKET_HEADER_BYTES + n_bytes);
    if (!vector->owned)
        return dv_no_memory(error_out);
    words_put_le64(vector->owned, 1);
    memcpy(vector->owned + BUCKET_HEADER_BYTES, vector->payload, n_bytes);
    vector->payload = vector->owned;
    vector->n_payload_bytes = BUCKET_HEADER_BYTES + n_bytes;
    /* May wrap below 0; every offset in the bitmap added to it is one of the file again. */
    vector->payload_offset = vector->frame_offset - BUCKET_HEADER_BYTES;
    return 0;
}

/* An empty bitmap becomes no bucket rather than an empty one: the smallest payload, the same as in other formats.
 */
static void drop_empty_bucket(struct format_vector *vector)
{
    if (vector->view.n_containers > 0)
        return;
    words_put_le64(vector->owned, 0);
    vector->n_payload_bytes = 8;
    vector->view.n_buckets = 0;
}

static int read_roaring(struct format_file *file, const struct format_options *options,
                        struct dv_error *error_out)
{
    uint64_t offset = 0;
    uint64_t n_bytes = 0;
    int status = choose_range(file, options, &offset, &n_bytes, error_out);
    file->n_vectors_in_file = 1;
    if (status != 0 || !format_is_kept(options, 0, NULL))
        return status;
    struct format_vector *vector = format_add_vector(file, 0, error_out);
    if (!vector)
        return DV_ERROR_MEMORY;
    vector->frame_offset = offset;
    vector->n_frame_bytes = n_bytes;
    vector->payload_offset = offset;
    vector->payload = file->bytes + offset;
    vector->n_payload_bytes = n_bytes;
    bool is_32 = file->format == FORMAT_ROARING32;
    if (is_32)
        status = wrap_bitmap(vector, error_out);
    if (status == 0)
        status = format_check_vector(file, vector, options, error_out);
    if (status == 0 && is_32)
        drop_empty_bucket(vector);
    return status;
}

int format_read_roaring32(struct format_file *file, const struct format_options *options,
                          struct dv_error *error_out)
{
    return read_roaring(file, options, error_out);
}

int format_read_roaring64(struct format_file *file, const struct format_options *options,
                          struct dv_error *error_out)
{
    return read_roaring(file, options, error_out);
}
