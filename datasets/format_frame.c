/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of framed vectors: a bare deletion-vector-v1 blob, a Delta file, a Delta inline vector.
 *
 *   blob     u32 BE length | magic | payload | u32 BE CRC        length = magic + payload
 *   delta    01 | blob | blob | ...
 *   inline   Z85(magic | payload | up to 3 zero bytes)
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format_internal.h"

enum { DELTA_VERSION = 1 };

static int check_given_length(const struct format_options *options, uint64_t offset, uint64_t length,
                              struct dv_error *error_out)
{
    if (!options->has_length || options->length_bytes == length)
        return 0;
    return dv_fail_at(error_out, DV_ERROR_INPUT, offset,
                      "found a vector of %" PRIu64 " bytes, expected %" PRIu64 " as stated by --length",
                      length, options->length_bytes);
}

/* Frame bytes by the length word at `offset`, which must leave the frame inside the file. */
static int measure_frame(const struct format_file *file, uint64_t offset, uint64_t *n_out,
                         struct dv_error *error_out)
{
    uint64_t n_left = offset < file->n_bytes ? file->n_bytes - offset : 0;
    if (n_left < FRAME_BYTES + 8)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset,
                          "found %" PRIu64 " bytes left in the file, expected a frame of at least %d", n_left,
                          FRAME_BYTES + 8);
    uint64_t length = words_be32(file->bytes + offset);
    if (length > n_left - FRAME_OUTER_BYTES)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset,
                          "found length word %" PRIu64 ", expected at most %" PRIu64
                          " with the bytes left in the file",
                          length, n_left - FRAME_OUTER_BYTES);
    *n_out = length + FRAME_OUTER_BYTES;
    return 0;
}

static int refuse_trailing(struct format_file *file, const struct format_options *options, uint64_t offset,
                           struct dv_error *error_out)
{
    if (offset == file->n_bytes)
        return 0;
    uint64_t n_trailing = file->n_bytes - offset;
    if (!options->lenient)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset,
                          "found %" PRIu64 " bytes after the last vector, expected the end of the file",
                          n_trailing);
    format_warn(file, "byte %" PRIu64 ": found %" PRIu64 " bytes after the last vector: ignored", offset,
                n_trailing);
    return 0;
}

int format_read_blob(struct format_file *file, const struct format_options *options,
                     struct dv_error *error_out)
{
    uint64_t offset = options->has_offset ? options->offset_bytes : 0;
    uint64_t n_bytes = 0;
    int status = measure_frame(file, offset, &n_bytes, error_out);
    if (status == 0)
        status = check_given_length(options, offset, n_bytes, error_out);
    if (status == 0 && !options->has_offset)
        status = refuse_trailing(file, options, offset + n_bytes, error_out);
    if (status != 0)
        return status;
    file->n_vectors_in_file = 1;
    if (!format_is_kept(options, 0, NULL))
        return 0;
    struct format_vector *vector = format_add_vector(file, 0, error_out);
    if (!vector)
        return DV_ERROR_MEMORY;
    status = format_check_frame(file, offset, n_bytes, vector, error_out);
    return status ? status : format_check_vector(file, vector, options, error_out);
}

static int read_delta_vector(struct format_file *file, const struct format_options *options, uint64_t offset,
                             uint64_t n_bytes, struct dv_error *error_out)
{
    int status = check_given_length(options, offset, n_bytes - FRAME_OUTER_BYTES, error_out);
    if (status != 0)
        return status;
    struct format_vector *vector = format_add_vector(file, file->n_vectors_in_file, error_out);
    if (!vector)
        return DV_ERROR_MEMORY;
    status = format_check_frame(file, offset, n_bytes, vector, error_out);
    return status ? status : format_check_vector(file, vector, options, error_out);
}

/* Vectors that are not kept are stepped over by their length words, so that an offset between two vectors is
 * seen. */
int format_read_delta(struct format_file *file, const struct format_options *options,
                      struct dv_error *error_out)
{
    if (file->n_bytes == 0)
        return dv_fail(error_out, DV_ERROR_INPUT, "found an empty file, expected a deletion vector");
    if (file->bytes[0] != DELTA_VERSION)
        return dv_fail_at(error_out, DV_ERROR_INPUT, 0, "found version byte %d, expected 1 in a Delta file",
                          file->bytes[0]);
    bool is_met = !options->has_offset;
    uint64_t at = 1;
    while (file->n_bytes - at >= FRAME_OUTER_BYTES) {
        uint64_t n_bytes = 0;
        int status = measure_frame(file, at, &n_bytes, error_out);
        bool is_chosen = !options->has_offset || options->offset_bytes == at;
        is_met |= is_chosen;
        if (status == 0 && is_chosen && format_is_kept(options, file->n_vectors_in_file, NULL))
            status = read_delta_vector(file, options, at, n_bytes, error_out);
        if (status != 0)
            return status;
        file->n_vectors_in_file++;
        at += n_bytes;
    }
    if (!is_met)
        return dv_fail_at(error_out, DV_ERROR_INPUT, options->offset_bytes,
                          "no vector starts here, as stated by --offset: the file has %" PRIu64
                          " vectors, the first at 1; an offset is that of the length word",
                          file->n_vectors_in_file);
    return refuse_trailing(file, options, at, error_out);
}

static int refuse_inline_magic(const uint8_t *bytes, struct dv_error *error_out)
{
    uint32_t magic = words_le32(bytes);
    if (magic == MAGIC_DELTA_NATIVE)
        return dv_fail_at(
            error_out, DV_ERROR_INPUT, 0,
            "found magic 1681511376: Delta's old native layout, which is not read; expected 1681511377");
    if (words_be32(bytes) == MAGIC_DELTA_NATIVE)
        return dv_fail_at(
            error_out, DV_ERROR_INPUT, 0,
            "found magic 1681511376 big-endian: the old native layout of the protocol's example, "
            "which is not "
            "read; expected 1681511377 little-endian");
    return dv_fail_at(error_out, DV_ERROR_INPUT, 0,
                      "found magic %02x %02x %02x %02x, expected d1 d3 39 64 (1681511377)", bytes[0],
                      bytes[1], bytes[2], bytes[3]);
}

/* Z85 makes four bytes of five characters, so writers pad with zero bytes, which sizeInBytes does not count.
 */
static int strip_padding(const struct format_file *file, const struct format_options *options, size_t *n_out,
                         struct dv_error *error_out)
{
    struct format_extent extent;
    size_t n_bytes = file->n_bytes;
    if (options->has_length) {
        if (options->length_bytes > n_bytes || n_bytes - options->length_bytes > 3)
            return dv_fail(error_out, DV_ERROR_INPUT,
                           "found %zu bytes, expected %" PRIu64
                           " and up to 3 of padding as stated by --length",
                           n_bytes, options->length_bytes);
        n_bytes = options->length_bytes;
    } else if (format_payload_extent(file->bytes + FRAME_MAGIC_BYTES, n_bytes - FRAME_MAGIC_BYTES, &extent) &&
               n_bytes - FRAME_MAGIC_BYTES - extent.n_bytes <= 3) {
        n_bytes = FRAME_MAGIC_BYTES + extent.n_bytes;
    }
    for (size_t i = n_bytes; i < file->n_bytes; i++)
        if (file->bytes[i] != 0)
            return dv_fail_at(error_out, DV_ERROR_INPUT, i, "found padding byte %02x, expected 00",
                              file->bytes[i]);
    *n_out = n_bytes;
    return 0;
}

int format_read_inline(struct format_file *file, const struct format_options *options,
                       struct dv_error *error_out)
{
    if (options->has_offset && options->offset_bytes != 0)
        return dv_fail(error_out, DV_ERROR_INPUT,
                       "found offset %" PRIu64 ", expected none or 0: an inline vector has none",
                       options->offset_bytes);
    if (file->n_bytes < FRAME_MAGIC_BYTES + 8)
        return dv_fail(error_out, DV_ERROR_INPUT, "found %zu bytes, expected at least %d", file->n_bytes,
                       FRAME_MAGIC_BYTES + 8);
    if (words_le32(file->bytes) != MAGIC_VECTOR)
        return refuse_inline_magic(file->bytes, error_out);
    size_t n_bytes = 0;
    int status = strip_padding(file, options, &n_bytes, error_out);
    file->n_vectors_in_file = 1;
    if (status != 0 || !format_is_kept(options, 0, NULL))
        return status;
    struct format_vector *vector = format_add_vector(file, 0, error_out);
    if (!vector)
        return DV_ERROR_MEMORY;
    vector->n_frame_bytes = n_bytes;
    vector->payload_offset = FRAME_MAGIC_BYTES;
    vector->payload = file->bytes + FRAME_MAGIC_BYTES;
    vector->n_payload_bytes = n_bytes < FRAME_MAGIC_BYTES ? 0 : n_bytes - FRAME_MAGIC_BYTES;
    return format_check_vector(file, vector, options, error_out);
}
