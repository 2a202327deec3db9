/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "format_words.h"
#include "format_z85.h"

enum { BASE = 85, GROUP_CHARS = 5, GROUP_BYTES = 4 };

static const char alphabet[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

static int decode_group(const char *text, size_t at, uint8_t *bytes, struct dv_error *error_out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < GROUP_CHARS; i++) {
        const char *found = strchr(alphabet, text[at + i]);
        if (!found)
            return dv_fail_at(error_out, DV_ERROR_INPUT, at + i,
                              "found byte %02x, expected a character of Z85", (unsigned char)text[at + i]);
        value = value * BASE + (uint64_t)(found - alphabet);
    }
    if (value > UINT32_MAX)
        return dv_fail_at(error_out, DV_ERROR_INPUT, at,
                          "found the group %.5s of value %llu, expected at most 4294967295", text + at,
                          (unsigned long long)value);
    words_put_be32(bytes, (uint32_t)value);
    return 0;
}

int z85_decode(const char *text, uint8_t **bytes_out, size_t *n_out, struct dv_error *error_out)
{
    size_t n_chars = strlen(text);
    if (n_chars % GROUP_CHARS != 0)
        return dv_fail_at(error_out, DV_ERROR_INPUT, n_chars,
                          "found %zu characters, expected a multiple of 5", n_chars);
    uint8_t *bytes = malloc(n_chars + 1);
    if (!bytes)
        return dv_no_memory(error_out);
    for (size_t at = 0; at < n_chars; at += GROUP_CHARS) {
        int status = decode_group(text, at, bytes + at / GROUP_CHARS * GROUP_BYTES, error_out);
        if (status != 0) {
            free(bytes);
            return status;
        }
    }
    *bytes_out = bytes;
    *n_out = n_chars / GROUP_CHARS * GROUP_BYTES;
    return 0;
}

char *z85_encode(const uint8_t *bytes, size_t n_bytes)
{
    size_t n_groups = (n_bytes + GROUP_BYTES - 1) / GROUP_BYTES;
    char *text = malloc(n_groups * GROUP_CHARS + 1);
    if (!text)
        return NULL;
    for (size_t group = 0; group < n_groups; group++) {
        uint8_t padded[GROUP_BYTES] = {0};
        size_t n_left = n_bytes - group * GROUP_BYTES;
        memcpy(padded, bytes + group * GROUP_BYTES, n_left < GROUP_BYTES ? n_left : GROUP_BYTES);
        uint32_t value = words_be32(padded);
        for (size_t i = GROUP_CHARS; i-- > 0; value /= BASE)
            text[group * GROUP_CHARS + i] = alphabet[value % BASE];
    }
    text[n_groups * GROUP_CHARS] = '\0';
    return text;
}
