/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of the formats that format.h reads. They frame payloads; they do not look into them.
 *
 * Place in the data flow: payloads (payload_writer.h, or taken from another file) -> bytes of a file ->
 * file_write.h. */
#ifndef DVBENCH_FORMAT_WRITE_H
#define DVBENCH_FORMAT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"
#include "format.h"

/* One vector to write; everything is borrowed. */
struct format_output {
    const uint8_t *payload; /* canonical and valid, see dv.h */
    size_t n_payload_bytes;
    uint64_t cardinality;
    const char
        *data_file; /* Puffin's referenced-data-file, which its specification demands; others ignore it */
};

struct format_write_options {
    enum format_kind format; /* not FORMAT_AUTO */
    const char *created_by;  /* of a Puffin file; NULL: this program */
    bool lz4_footer;         /* compress the footer of a Puffin file */
};

/* Makes the bytes of a file of `n_outputs` vectors, malloc'ed; FORMAT_DELTA_INLINE gives the Z85 text,
 * without an end of line or a NUL. Puffin and Delta take any number of vectors, the others one. Byte for byte
 * what Iceberg's and Delta's Java writers make of the same payload. Returns 0, DV_ERROR_INPUT where the
 * format cannot hold the vector (keys or sizes out of its range), DV_ERROR_USAGE where it cannot hold so many
 * or a data file is not named, DV_ERROR_MEMORY. */
int format_encode(const struct format_output *outputs, size_t n_outputs,
                  const struct format_write_options *options, uint8_t **bytes_out, size_t *n_out,
                  struct dv_error *error_out);

#endif
