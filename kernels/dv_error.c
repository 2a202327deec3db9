/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "dv.h"

int dv_fail(struct dv_error *error_out, int code, uint64_t offset_bytes, const char *format, ...)
{
    if (error_out) {
        va_list args;
        va_start(args, format);
        error_out->code = code;
        error_out->offset_bytes = offset_bytes;
        vsnprintf(error_out->message, sizeof error_out->message, format, args);
        va_end(args);
    }
    return code;
}
