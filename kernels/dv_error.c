/* SPDX-License-Identifier: Apache-2.0 */
#include "dv_error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void fill(struct dv_error *error_out, int status, uint64_t offset_bytes, const char *format,
                 va_list args)
{
    if (!error_out)
        return;
    error_out->code = status;
    error_out->offset_bytes = offset_bytes;
    error_out->where[0] = '\0';
    vsnprintf(error_out->message, sizeof error_out->message, format, args);
}

int dv_fail(struct dv_error *error_out, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(error_out, status, DV_NO_OFFSET, format, args);
    va_end(args);
    return status;
}

int dv_fail_at(struct dv_error *error_out, int status, uint64_t offset_bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(error_out, status, offset_bytes, format, args);
    va_end(args);
    return status;
}

int dv_no_memory(struct dv_error *error_out)
{
    return dv_fail(error_out, DV_ERROR_MEMORY, "out of memory");
}

int dv_error_set_where(struct dv_error *error, const char *where)
{
    if (!error)
        return 0;
    if (error->where[0] == '\0') {
        const size_t n_where = strlen(where), n_room = sizeof error->where - 1;
        const bool fits = n_where <= n_room;
        snprintf(error->where, sizeof error->where, "%s%s", fits ? "" : "...",
                 fits ? where : where + n_where - (n_room - 3));
    }
    return error->code;
}

char *dv_error_text(const struct dv_error *error, char text_out[DV_ERROR_TEXT_BYTES])
{
    char place[32] = "";
    if (error->offset_bytes != DV_NO_OFFSET)
        snprintf(place, sizeof place, "byte %" PRIu64 ": ", error->offset_bytes);
    snprintf(text_out, DV_ERROR_TEXT_BYTES, "%s%s%s%s", error->where, error->where[0] ? ": " : "", place,
             error->message);
    return text_out;
}
