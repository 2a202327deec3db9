/* SPDX-License-Identifier: Apache-2.0 */
/* Why something failed: filled where it is noticed, completed by whoever knows the file, printed by main only.
 *
 * Place in the data flow: every function that can fail -> its caller -> one line on standard error. */
#ifndef DVBENCH_DV_ERROR_H
#define DVBENCH_DV_ERROR_H

#include <stdint.h>

/* Values are permanent. The program maps codes to exit codes: INPUT 3, UNAVAILABLE 4, USAGE 2, others 1. */
enum dv_error_code {
    DV_OK = 0,
    DV_ERROR_INPUT = -3,       /* the bytes or the file are wrong */
    DV_ERROR_UNAVAILABLE = -4, /* not possible with this build, CPU or library */
    DV_ERROR_USAGE = -2,       /* a spec or an option is wrong */
    DV_ERROR_MEMORY = -5,      /* an allocation failed, or was refused as too large */
    DV_ERROR_IO = -6,          /* the operating system refused: open, read, write, rename */
};

#define DV_NO_OFFSET UINT64_MAX

struct dv_error {
    int code;              /* one of enum dv_error_code, DV_OK where nothing failed */
    uint64_t offset_bytes; /* where in the bytes or file, DV_NO_OFFSET where no place applies */
    char where[256];       /* the file, spec or option that is at fault; "" where none was named */
    char message[512];     /* what was found and what was expected, one line, without `where` and offset */
};

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Fill `error_out` (may be NULL), as printf does, and return `code`, so that callers write `return dv_fail(...)`.
 * Without an offset, or at the byte `offset_bytes` of the input. */
int dv_fail(struct dv_error *error_out, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int dv_fail_at(struct dv_error *error_out, int code, uint64_t offset_bytes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* An allocation failed. Returns DV_ERROR_MEMORY. */
int dv_no_memory(struct dv_error *error_out);

/* Names the file, spec or option, unless a place is named already: the innermost one that knows it wins. Of a long
 * name the end is kept. Returns error->code; NULL is fine (0). */
int dv_error_set_where(struct dv_error *error, const char *where);

/* "WHERE: byte N: MESSAGE", as far as they are known. Returns `text_out`. */
#define DV_ERROR_TEXT_BYTES 832
char *dv_error_text(const struct dv_error *error, char text_out[DV_ERROR_TEXT_BYTES]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
