/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/* What would need quotes in a CSV, what ends a path in a spec, and the escape itself. */
#define ESCAPED_CHARACTERS ",\"\r\n%#"

char *source_spec_escape(const char *path)
{
    char *escaped = malloc(3 * strlen(path) + 1);
    if (!escaped)
        return NULL;
    char *at = escaped;
    for (; *path; path++) {
        if (strchr(ESCAPED_CHARACTERS, *path))
            at += sprintf(at, "%%%02X", (unsigned)(unsigned char)*path);
        else
            *at++ = *path;
    }
    *at = '\0';
    return escaped;
}

/* Value of a hexadecimal digit, -1 for anything else. */
static int hex_digit(char character)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = character ? strchr(digits, character) : NULL;
    return found ? (int)((found - digits) % 16) : -1;
}

char *source_spec_unescape(const char *escaped)
{
    char *path = malloc(strlen(escaped) + 1);
    char *at = path;
    for (; path && *escaped; escaped++) {
        if (*escaped != '%') {
            *at++ = *escaped;
            continue;
        }
        int high = hex_digit(escaped[1]);
        int low = high < 0 ? -1 : hex_digit(escaped[2]);
        if (low < 0 || high + low == 0) {
            free(path);
            return NULL;
        }
        *at++ = (char)(high << 4 | low);
        escaped += 2;
    }
    if (path)
        *at = '\0';
    return path;
}

uint64_t source_digest(const uint8_t *bytes, size_t n_bytes)
{
    uint64_t digest = 0xcbf29ce484222325;
    for (size_t i = 0; i < n_bytes; i++)
        digest = (digest ^ bytes[i]) * 0x100000001b3;
    return digest;
}

void source_free(struct dv_source *source)
{
    free(source->spec);
    free(source->payload);
    *source = (struct dv_source){0};
}
