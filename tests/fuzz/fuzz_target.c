/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "format_words.h"
#include "format_write.h"
#include "fuzz_target.h"

const enum format_kind fuzz_format = FUZZ_FORMAT;

/* Wherever a frame seems to start, its checksum is set to what its bytes give. */
static void set_checksums(uint8_t *bytes, size_t n_bytes)
{
    static const uint8_t magic[] = {0xd1, 0xd3, 0x39, 0x64};
    for (size_t at = 4; at + 8 <= n_bytes; at++) {
        uint32_t length = words_be32(bytes + at - 4);
        if (memcmp(bytes + at, magic, sizeof magic) == 0 && length >= 12 && length <= n_bytes - at - 4)
            words_put_be32(bytes + at + length, (uint32_t)crc32_z(0, bytes + at, length));
    }
}

/* What was accepted goes out in the same format and comes back as it was. */
static void check_round_trip(const struct format_file *file, const struct format_vector *vector)
{
    const struct format_output output = {.payload = vector->payload,
                                         .n_payload_bytes = vector->n_payload_bytes,
                                         .cardinality = vector->view.cardinality,
                                         .data_file = vector->data_file ? vector->data_file : ""};
    const struct format_write_options write_options = {.format = file->format};
    const struct format_options options = {.format = file->format};
    struct format_file again;
    struct dv_error error;
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    int code = format_encode(&output, 1, &write_options, &bytes, &n_bytes, &error);
    if (code == 0 && file->format == FORMAT_DELTA_INLINE) {
        char *text = strndup((const char *)bytes, n_bytes);
        free(bytes);
        code = format_open_inline(&again, text, &options, &error);
        free(text);
    } else if (code == 0) {
        code = format_parse(&again, bytes, n_bytes, &options, &error);
    }
    if (code != 0 || again.n_vectors != 1 || again.vectors[0].n_payload_bytes != vector->n_payload_bytes ||
        memcmp(again.vectors[0].payload, vector->payload, vector->n_payload_bytes) != 0) {
        fprintf(stderr, "what was read does not come back: %s\n", code ? error.message : "other bytes");
        abort();
    }
    format_close(&again);
}

static void run(const uint8_t *data, size_t n_bytes, bool is_lenient, bool sets_checksums)
{
    struct format_options options = {.format = fuzz_format, .lenient = is_lenient};
    struct format_file file;
    struct dv_error error = {0};
    uint8_t *copy = malloc(n_bytes + 1);
    memcpy(copy, data, n_bytes);
    copy[n_bytes] = '\0';
    if (sets_checksums)
        set_checksums(copy, n_bytes);
    int code = 0;
    if (fuzz_format == FORMAT_DELTA_INLINE) {
        code = format_open_inline(&file, (const char *)copy, &options, &error);
        free(copy);
    } else {
        /* A block of exactly n_bytes, so that a sanitizer sees a read past the end. */
        uint8_t *exact = malloc(n_bytes ? n_bytes : 1);
        memcpy(exact, copy, n_bytes);
        free(copy);
        code = format_parse(&file, exact, n_bytes, &options, &error);
    }
    if (code != 0) {
        if (error.code != code || error.message[0] == '\0')
            abort();
        return;
    }
    for (size_t i = 0; i < file.n_vectors; i++) {
        fuzz_check_vector(&file.vectors[i]);
        check_round_trip(&file, &file.vectors[i]);
    }
    format_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    bool has_checksums =
        fuzz_format == FORMAT_PUFFIN || fuzz_format == FORMAT_BLOB || fuzz_format == FORMAT_DELTA;
    for (int lenient = 0; lenient < 2; lenient++) {
        run(data, n_bytes, lenient, false);
        if (has_checksums)
            run(data, n_bytes, lenient, true);
    }
    return 0;
}
