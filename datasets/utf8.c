/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

size_t utf8_char_bytes(const char *text)
{
    static const uint32_t least[] = {0, 1, 0x80, 0x800, 0x10000}; /* by length: less is an overlong form */
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80)
        return bytes[0] ? 1 : 0;
    size_t n_bytes = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc0 || bytes[0] > 0xf7)
        return 0;
    uint32_t value = bytes[0] & (0x7fu >> n_bytes);
    for (size_t i = 1; i < n_bytes; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
    return value < least[n_bytes] || value > 0x10ffff || is_surrogate ? 0 : n_bytes;
}

char *utf8_visible(const char *text)
{
    char *visible = malloc(3 * strlen(text) + 1);
    char *at = visible;
    while (visible && *text) {
        unsigned char byte = (unsigned char)*text;
        size_t n_bytes = byte < 0x20 || byte == 0x7f ? 0 : utf8_char_bytes(text);
        if (n_bytes == 0) {
            at += sprintf(at, "%%%02X", byte);
            text++;
        }
        for (; n_bytes > 0; n_bytes--)
            *at++ = *text++;
    }
    if (visible)
        *at = '\0';
    return visible;
}
