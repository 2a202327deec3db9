/* SPDX-License-Identifier: Apache-2.0 */
/* Sources: where the bytes of a deletion vector come from, a recipe or a file, named by a spec.
 *
 * Place in the data flow: spec or path -> struct dv_source (canonical payload and what is known of it) ->
 * dv_open. */
#ifndef DVBENCH_SOURCE_H
#define DVBENCH_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "dv.h"

struct dv_source {
    char *spec;       /* owned; canonical: every key of the recipe written out, or the escaped path with #N */
    char recipe[32];  /* the recipe's id, "file" for a file */
    uint8_t *payload; /* owned; 64-bit portable Roaring, see dv.h */
    size_t n_payload_bytes;
    uint64_t base;       /* first row position of the file's rows */
    uint64_t n_rows;     /* rows [base, base + n_rows) */
    uint64_t seed;       /* 0 where the recipe has none */
    uint64_t digest;     /* FNV-1a, 64 bit, of the payload */
    char format[16];     /* "recipe", "puffin", "blob", "delta", "roaring32", "roaring64" */
    uint32_t crc_stored; /* where has_crc: as the frame states it, already verified */
    int has_crc;
};

/* Makes a DV from `recipe:key=value:...`. Unknown recipe or key, a value out of range: DV_ERROR_USAGE with
 * what is known. */
int source_open_spec(struct dv_source *source_out, const char *spec, struct dv_error *error_out);

/* Checks a spec as source_open_spec does, without generating; its canonical form is the caller's to free.
 * Takes no time that grows with rows or deletes. */
int source_check_spec(const char *spec, char **canonical_out, struct dv_error *error_out);

void source_free(struct dv_source *source);

/* The spec of a file is its path with comma, quote, percent, hash and what utf8_visible would escape as %2C and so on,
 * so that a cell of a CSV never needs quotes, JSON can hold it, terminals show it, and `#N` after it is always the
 * vector's number. Both return a malloc'd string of the caller's; NULL where memory is short, unescape also where a
 * percent is not followed by two
 * hexadecimal digits or stands for NUL. */
char *source_spec_escape(const char *path);
char *source_spec_unescape(const char *escaped);

#endif
