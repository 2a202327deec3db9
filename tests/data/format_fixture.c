/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format_fixture.h"

uint8_t *fixture_bytes(const char *hex, size_t *n_out)
{
    size_t n_bytes = strlen(hex) / 2;
    assert_int_equal(strlen(hex) % 2, 0);
    uint8_t *bytes = malloc(n_bytes ? n_bytes : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < n_bytes; i++) {
        unsigned value = 0;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &value), 1);
        bytes[i] = (uint8_t)value;
    }
    *n_out = n_bytes;
    return bytes;
}

int fixture_parse(struct format_file *file_out, const char *hex, const struct format_options *options,
                  struct dv_error *error_out)
{
    size_t n_bytes = 0;
    uint8_t *bytes = fixture_bytes(hex, &n_bytes);
    return format_parse(file_out, bytes, n_bytes, options, error_out);
}
