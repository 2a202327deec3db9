/* SPDX-License-Identifier: Apache-2.0 */
#include "spec_parts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the part `key=...` of n bytes has a key of the comma list. */
static bool has_key(const char *part, size_t n, const char *keys)
{
    const char *equals = memchr(part, '=', n);
    if (!equals)
        return false;
    size_t n_key = (size_t)(equals - part);
    for (const char *key = keys; *key;) {
        size_t n_listed = strcspn(key, ",");
        if (n_listed == n_key && memcmp(key, part, n_key) == 0)
            return true;
        key += n_listed + (key[n_listed] == ',');
    }
    return false;
}

char *spec_without(const char *spec, const char *keys)
{
    char *rest = malloc(strlen(spec) + 1);
    if (!rest)
        return NULL;
    size_t n = 0;
    for (const char *part = spec; *part;) {
        size_t n_part = strcspn(part, ":");
        if (part == spec || !has_key(part, n_part, keys)) {
            if (part != spec)
                rest[n++] = ':';
            memcpy(rest + n, part, n_part);
            n += n_part;
        }
        part += n_part + (part[n_part] == ':');
    }
    rest[n] = '\0';
    return rest;
}

char *spec_without_defaults(const char *spec)
{
    bool has_base = spec_value(spec, "base") != 0, has_optimize = spec_value(spec, "optimize") != 1;
    return spec_without(spec, has_base       ? has_optimize ? "" : "optimize"
                              : has_optimize ? "base"
                                             : "base,optimize");
}

double spec_value(const char *spec, const char *key)
{
    for (const char *part = spec + strcspn(spec, ":"); *part == ':';) {
        size_t n_part = strcspn(++part, ":");
        if (has_key(part, n_part, key))
            return strtod(part + strlen(key) + 1, NULL);
        part += n_part;
    }
    return NAN;
}

double spec_rate(const char *spec)
{
    double rate = spec_value(spec, "rate");
    return isnan(rate) ? spec_value(spec, "bp") / 10000 : rate;
}
