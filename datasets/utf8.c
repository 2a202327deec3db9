/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

/* The value of a character of `n_bytes` bytes; UINT32_MAX where they are none. */
static uint32_t decode(const unsigned char *bytes, size_t n_bytes)
{
    static const uint32_t least[] = {0, 1, 0x80, 0x800, 0x10000}; /* by length: less is an overlong form */
    uint32_t value = bytes[0] & (0x7fu >> n_bytes);
    for (size_t i = 1; i < n_bytes; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return UINT32_MAX;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
    return value < least[n_bytes] || value > 0x10ffff || is_surrogate ? UINT32_MAX : value;
}

/* What moves a terminal's cursor, ends a line or turns the direction of the text around it. */
static bool is_control(uint32_t value)
{
    static const struct {
        uint32_t first, last;
    } controls[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                    {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (value >= controls[i].first && value <= controls[i].last)
            return true;
    return false;
}

size_t utf8_visible_bytes(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x80)
        return is_control(bytes[0]) ? 0 : 1;
    if (bytes[0] < 0xc0 || bytes[0] > 0xf7)
        return 0;
    size_t n_bytes = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    uint32_t value = decode(bytes, n_bytes);
    return value == UINT32_MAX || is_control(value) ? 0 : n_bytes;
}

char *utf8_visible(const char *text)
{
    char *visible = malloc(3 * strlen(text) + 1);
    char *at = visible;
    while (visible && *text) {
        unsigned char byte = (unsigned char)*text;
        size_t n_bytes = utf8_visible_bytes(text);
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
