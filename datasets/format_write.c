/* SPDX-License-Identifier: Apache-2.0 */
/* Frames around payloads. What Iceberg and Delta write differs in nothing but the version byte, the footer,
 * and what their metadata calls the size, so that a vector goes from one to the other as bytes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <lz4frame.h>
#include <zlib.h>

#include "format_internal.h"
#include "format_puffin.h"
#include "format_write.h"
#include "format_z85.h"

enum {
    /* The column id that Iceberg's Java writer puts into `fields`: that of _pos, Integer.MAX_VALUE - 2. */
    FIELD_ROW_POSITION = 2147483645,
    BUCKET_HEADER_BYTES = 12,
};

/* A growing file. Once an allocation failed it stays failed, so that only the end asks. */
struct buffer {
    uint8_t *bytes;
    size_t n_bytes;
    size_t n_room;
    bool is_failed;
};

static uint8_t *buffer_extend(struct buffer *buffer, size_t n_bytes)
{
    if (!buffer->is_failed && n_bytes > buffer->n_room - buffer->n_bytes) {
        size_t n_room = (buffer->n_bytes + n_bytes) * 2;
        uint8_t *grown = realloc(buffer->bytes, n_room);
        buffer->is_failed = !grown;
        if (grown) {
            buffer->bytes = grown;
            buffer->n_room = n_room;
        }
    }
    if (buffer->is_failed)
        return NULL;
    buffer->n_bytes += n_bytes;
    return buffer->bytes + buffer->n_bytes - n_bytes;
}

static void put_bytes(struct buffer *buffer, const void *bytes, size_t n_bytes)
{
    uint8_t *to = buffer_extend(buffer, n_bytes);
    if (to && n_bytes)
        memcpy(to, bytes, n_bytes);
}

static void put_le32(struct buffer *buffer, uint32_t value)
{
    uint8_t bytes[4];
    words_put_le32(bytes, value);
    put_bytes(buffer, bytes, sizeof bytes);
}

static void put_frame(struct buffer *buffer, const struct format_output *output)
{
    size_t n_frame_bytes = output->n_payload_bytes + FRAME_BYTES;
    uint8_t *frame = buffer_extend(buffer, n_frame_bytes);
    if (!frame)
        return;
    words_put_be32(frame, (uint32_t)(n_frame_bytes - FRAME_OUTER_BYTES));
    words_put_le32(frame + FRAME_LENGTH_BYTES, MAGIC_VECTOR);
    memcpy(frame + FRAME_LENGTH_BYTES + FRAME_MAGIC_BYTES, output->payload, output->n_payload_bytes);
    words_put_be32(frame + n_frame_bytes - FRAME_CRC_BYTES,
                   (uint32_t)crc32_z(0, frame + FRAME_LENGTH_BYTES, n_frame_bytes - FRAME_OUTER_BYTES));
}

static int check_output(const struct format_output *output, enum format_kind format,
                        struct dv_error *error_out)
{
    struct format_extent extent;
    format_payload_extent(output->payload, output->n_payload_bytes, &extent);
    uint32_t limit = format == FORMAT_ROARING32 ? 0 : format_greatest_key(format);
    if (extent.last_key > limit)
        return dv_fail(error_out, DV_ERROR_INPUT,
                       "found key %" PRIu32 " (positions from %" PRIu64 " on), expected at most %" PRIu32
                       " in format %s",
                       extent.last_key, (uint64_t)extent.last_key << 32, limit, format_id(format));
    bool is_framed = format != FORMAT_ROARING32 && format != FORMAT_ROARING64;
    if (is_framed && output->n_payload_bytes > (uint64_t)INT32_MAX - FRAME_BYTES)
        return dv_fail(error_out, DV_ERROR_INPUT,
                       "found a vector of %zu bytes, expected at most %d in format %s",
                       output->n_payload_bytes, INT32_MAX - FRAME_BYTES, format_id(format));
    if (format == FORMAT_PUFFIN && !output->data_file)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "a vector in a Puffin file must name its data file (referenced-data-file)");
    return 0;
}

static json_t *describe_blob(const struct format_output *output, uint64_t offset)
{
    char cardinality[24];
    snprintf(cardinality, sizeof cardinality, "%" PRIu64, output->cardinality);
    return json_pack("{s:s, s:[i], s:i, s:i, s:I, s:I, s:{s:s, s:s}}", "type", PUFFIN_TYPE_VECTOR, "fields",
                     FIELD_ROW_POSITION, "snapshot-id", -1, "sequence-number", -1, "offset",
                     (json_int_t)offset, "length", (json_int_t)(output->n_payload_bytes + FRAME_BYTES),
                     "properties", PUFFIN_KEY_DATA_FILE, output->data_file, PUFFIN_KEY_CARDINALITY,
                     cardinality);
}

/* Java's writer gives keys in this order and no white space. NULL where memory is short or a path is no
 * UTF-8. */
static char *describe_file(const struct format_output *outputs, size_t n_outputs, const char *created_by)
{
    json_t *blobs = json_array();
    uint64_t offset = 4;
    for (size_t i = 0; i < n_outputs; i++) {
        if (json_array_append_new(blobs, describe_blob(&outputs[i], offset)) != 0) {
            json_decref(blobs);
            return NULL;
        }
        offset += outputs[i].n_payload_bytes + FRAME_BYTES;
    }
    json_t *footer = json_pack("{s:o, s:{s:s}}", "blobs", blobs, "properties", "created-by", created_by);
    char *text = json_dumps(footer, JSON_COMPACT);
    json_decref(footer);
    return text;
}

static size_t put_footer_payload(struct buffer *buffer, const char *text, bool is_lz4)
{
    size_t n_text = strlen(text);
    if (!is_lz4) {
        put_bytes(buffer, text, n_text);
        return n_text;
    }
    LZ4F_preferences_t preferences = {.frameInfo = {.contentSize = n_text}};
    size_t n_most = LZ4F_compressFrameBound(n_text, &preferences);
    uint8_t *to = buffer_extend(buffer, n_most);
    size_t n_packed = to ? LZ4F_compressFrame(to, n_most, text, n_text, &preferences) : 0;
    if (LZ4F_isError(n_packed)) {
        buffer->is_failed = true;
        n_packed = 0;
    }
    buffer->n_bytes -= to ? n_most - n_packed : 0;
    return n_packed;
}

static int put_puffin(struct buffer *buffer, const struct format_output *outputs, size_t n_outputs,
                      const struct format_write_options *options, struct dv_error *error_out)
{
    put_bytes(buffer, "PFA1", 4);
    for (size_t i = 0; i < n_outputs; i++)
        put_frame(buffer, &outputs[i]);
    char *text = describe_file(outputs, n_outputs, options->created_by ? options->created_by : "dvbench");
    if (!text)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "found a data file's path that is not UTF-8, expected UTF-8");
    put_bytes(buffer, "PFA1", 4);
    size_t n_payload_bytes = put_footer_payload(buffer, text, options->lz4_footer);
    put_le32(buffer, (uint32_t)n_payload_bytes);
    put_le32(buffer, options->lz4_footer ? 1 : 0);
    put_bytes(buffer, "PFA1", 4);
    free(text);
    return 0;
}

static void put_delta(struct buffer *buffer, const struct format_output *outputs, size_t n_outputs)
{
    put_bytes(buffer, "\x01", 1);
    for (size_t i = 0; i < n_outputs; i++)
        put_frame(buffer, &outputs[i]);
}

static void put_inline(struct buffer *buffer, const struct format_output *output)
{
    struct buffer binary = {0};
    put_le32(&binary, MAGIC_VECTOR);
    put_bytes(&binary, output->payload, output->n_payload_bytes);
    char *text = binary.is_failed ? NULL : z85_encode(binary.bytes, binary.n_bytes);
    if (text)
        put_bytes(buffer, text, strlen(text));
    else
        buffer->is_failed = true;
    free(text);
    free(binary.bytes);
}

/* The only bucket has key 0 (check_output); no bucket at all is the empty bitmap. */
static void put_roaring32(struct buffer *buffer, const struct format_output *output)
{
    static const uint8_t empty[] = {0x3a, 0x30, 0, 0, 0, 0, 0, 0};
    if (output->n_payload_bytes < BUCKET_HEADER_BYTES)
        put_bytes(buffer, empty, sizeof empty);
    else
        put_bytes(buffer, output->payload + BUCKET_HEADER_BYTES,
                  output->n_payload_bytes - BUCKET_HEADER_BYTES);
}

static void put_one(struct buffer *buffer, const struct format_output *output, enum format_kind format)
{
    if (format == FORMAT_BLOB)
        put_frame(buffer, output);
    else if (format == FORMAT_DELTA_INLINE)
        put_inline(buffer, output);
    else if (format == FORMAT_ROARING32)
        put_roaring32(buffer, output);
    else
        put_bytes(buffer, output->payload, output->n_payload_bytes);
}

int format_encode(const struct format_output *outputs, size_t n_outputs,
                  const struct format_write_options *options, uint8_t **bytes_out, size_t *n_out,
                  struct dv_error *error_out)
{
    struct buffer buffer = {0};
    bool takes_many = options->format == FORMAT_PUFFIN || options->format == FORMAT_DELTA;
    if (!takes_many && n_outputs != 1)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%zu vectors are chosen and format %s holds one: choose it by --blob or --data-file",
                       n_outputs, format_id(options->format));
    for (size_t i = 0; i < n_outputs; i++) {
        int status = check_output(&outputs[i], options->format, error_out);
        if (status != 0)
            return status;
    }
    int status = 0;
    if (options->format == FORMAT_PUFFIN)
        status = put_puffin(&buffer, outputs, n_outputs, options, error_out);
    else if (options->format == FORMAT_DELTA)
        put_delta(&buffer, outputs, n_outputs);
    else
        put_one(&buffer, &outputs[0], options->format);
    if (status == 0 && buffer.is_failed)
        status = dv_no_memory(error_out);
    if (status != 0) {
        free(buffer.bytes);
        return status;
    }
    *bytes_out = buffer.bytes;
    *n_out = buffer.n_bytes;
    return 0;
}
