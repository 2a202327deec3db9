/* SPDX-License-Identifier: Apache-2.0 */
/* Z85 (ZeroMQ RFC 32): four bytes as five printable characters.
 *
 * Place in the data flow: Delta's inline vectors, in and out. */
#ifndef DVBENCH_FORMAT_Z85_H
#define DVBENCH_FORMAT_Z85_H

#include <stddef.h>
#include <stdint.h>

#include "dv.h"

/* Decodes the whole text into malloc'ed bytes, four fifths of its length. Refuses a length that is not a
 * multiple of five, foreign characters, and groups above 2^32 - 1; offsets are those of the text. */
int z85_decode(const char *text, uint8_t **bytes_out, size_t *n_out, struct dv_error *error_out);

/* Encodes into a malloc'ed string, padding with up to 3 zero bytes; NULL where memory is short. */
char *z85_encode(const uint8_t *bytes, size_t n_bytes);

#endif
