/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement on one vector: structure, key bounds, counts stated elsewhere. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "format_internal.h"

uint32_t format_greatest_key(enum format_kind format)
{
    switch (format) {
    case FORMAT_PUFFIN:
    case FORMAT_BLOB:
        return INT32_MAX - 1;
    case FORMAT_DELTA:
    case FORMAT_DELTA_INLINE:
        return INT32_MAX;
    default:
        return UINT32_MAX;
    }
}

int format_check_frame(const struct format_file *file, uint64_t offset, uint64_t n_bytes,
                       struct format_vector *vector, struct dv_error *error_out)
{
    const uint8_t *frame = file->bytes + offset;
    if (n_bytes < FRAME_BYTES + 8)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset,
                          "found a frame of %" PRIu64 " bytes, expected at least %d", n_bytes,
                          FRAME_BYTES + 8);
    uint32_t length = words_be32(frame);
    if (length != n_bytes - FRAME_OUTER_BYTES)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset,
                          "found length word %" PRIu32 ", expected %" PRIu64 " (frame of %" PRIu64
                          " bytes less 8)",
                          length, n_bytes - FRAME_OUTER_BYTES, n_bytes);
    uint32_t magic = words_le32(frame + FRAME_LENGTH_BYTES);
    if (magic == MAGIC_DELTA_NATIVE)
        return dv_fail_at(
            error_out, DV_ERROR_INPUT, offset + FRAME_LENGTH_BYTES,
            "found magic 1681511376: Delta's old native layout, which is not read; expected 1681511377");
    if (magic != MAGIC_VECTOR)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset + FRAME_LENGTH_BYTES,
                          "found magic %02x %02x %02x %02x, expected d1 d3 39 64 (1681511377)", frame[4],
                          frame[5], frame[6], frame[7]);
    uint32_t stored = words_be32(frame + n_bytes - FRAME_CRC_BYTES);
    uint32_t computed = (uint32_t)crc32_z(0, frame + FRAME_LENGTH_BYTES, n_bytes - FRAME_OUTER_BYTES);
    if (stored != computed)
        return dv_fail_at(error_out, DV_ERROR_INPUT, offset + n_bytes - FRAME_CRC_BYTES,
                          "found CRC %08" PRIx32 " stored, expected %08" PRIx32
                          " as computed over magic and vector",
                          stored, computed);
    vector->frame_offset = offset;
    vector->n_frame_bytes = n_bytes;
    vector->payload_offset = offset + FRAME_LENGTH_BYTES + FRAME_MAGIC_BYTES;
    vector->payload = file->bytes + vector->payload_offset;
    vector->n_payload_bytes = n_bytes - FRAME_BYTES;
    vector->has_crc = true;
    vector->crc_stored = stored;
    return 0;
}

static int index_and_validate(struct format_vector *vector, struct dv_error *error_out)
{
    int status = dv_view_index(&vector->view, vector->payload, vector->n_payload_bytes, error_out);
    if (status == 0)
        status = dv_view_validate(&vector->view, vector->payload, error_out);
    if (status != 0)
        dv_view_free(&vector->view);
    return status;
}

/* Tries the payload once more, repaired. What the first error said becomes the warning. */
static int check_mended(struct format_file *file, struct format_vector *vector, const struct dv_error *first)
{
    size_t n_repaired = 0;
    uint8_t *repaired = format_payload_repair(vector->payload, vector->n_payload_bytes, &n_repaired);
    if (!repaired)
        return first->code;
    const struct format_vector strict = *vector;
    vector->payload = repaired;
    vector->n_payload_bytes = n_repaired;
    if (index_and_validate(vector, NULL) != 0) {
        free(repaired);
        *vector = strict;
        return first->code;
    }
    free(vector->owned);
    vector->owned = repaired;
    vector->is_repaired = true;
    format_warn(file, "byte %" PRIu64 ": %s: repaired", first->offset_bytes, first->message);
    return 0;
}

/* Empty buckets count too: the readers of these formats look at every key. */
static int check_keys(const struct format_file *file, const struct format_vector *vector,
                      struct dv_error *error_out)
{
    struct format_extent extent;
    uint32_t limit = format_greatest_key(file->format);
    format_payload_extent(vector->payload, vector->n_payload_bytes, &extent);
    if (extent.last_key <= limit)
        return 0;
    return dv_fail_at(error_out, DV_ERROR_INPUT, vector->payload_offset + extent.last_key_at,
                      "found key %" PRIu32 ", expected at most %" PRIu32 " in format %s", extent.last_key,
                      limit, format_id(file->format));
}

static int check_counts(const struct format_vector *vector, const struct format_options *options,
                        struct dv_error *error_out)
{
    uint64_t cardinality = vector->view.cardinality;
    if (vector->has_stated_cardinality && vector->stated_cardinality != cardinality)
        return dv_fail_at(error_out, DV_ERROR_INPUT, vector->frame_offset,
                          "found %" PRIu64 " positions, expected %" PRIu64
                          " by the footer's property cardinality",
                          cardinality, vector->stated_cardinality);
    if (options->has_cardinality && options->cardinality != cardinality)
        return dv_fail_at(error_out, DV_ERROR_INPUT, vector->frame_offset,
                          "found %" PRIu64 " positions, expected %" PRIu64 " as stated by --cardinality",
                          cardinality, options->cardinality);
    return 0;
}

int format_check_vector(struct format_file *file, struct format_vector *vector,
                        const struct format_options *options, struct dv_error *error_out)
{
    int status = index_and_validate(vector, error_out);
    if (status != 0 && error_out->offset_bytes != DV_NO_OFFSET)
        error_out->offset_bytes += vector->payload_offset;
    if (status == DV_ERROR_INPUT && options->lenient) {
        status = check_mended(file, vector, error_out);
        if (status == 0)
            *error_out = (struct dv_error){0};
    }
    if (status == 0)
        status = check_keys(file, vector, error_out);
    if (status == 0)
        status = check_counts(vector, options, error_out);
    return status;
}
