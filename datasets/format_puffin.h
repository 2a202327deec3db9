/* SPDX-License-Identifier: Apache-2.0 */
/* The footer of a Puffin file, as JSON says it.
 *
 * Place in the data flow: footer text -> struct puffin_footer -> the Puffin reader cuts the blobs. */
#ifndef DVBENCH_FORMAT_PUFFIN_H
#define DVBENCH_FORMAT_PUFFIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"
#include "format.h"

#define PUFFIN_TYPE_VECTOR     "deletion-vector-v1"
#define PUFFIN_KEY_DATA_FILE   "referenced-data-file"
#define PUFFIN_KEY_CARDINALITY "cardinality"

struct json_t;

/* Strings belong to the footer. */
struct puffin_blob {
    const char *type;
    const char *codec;     /* NULL: not compressed */
    const char *data_file; /* NULL: no such property */
    uint64_t offset_bytes;
    uint64_t length_bytes; /* the blob lies between the first magic and the footer */
    bool has_cardinality;
    uint64_t cardinality;
};

struct puffin_footer {
    uint64_t start;      /* of the footer's first magic in the file */
    uint64_t payload_at; /* of the payload in the file */
    uint64_t n_payload_bytes;
    bool is_lz4;
    struct json_t *json;       /* owned */
    struct puffin_blob *blobs; /* owned */
    size_t n_blobs;
};

/* Parses the footer's text into footer->blobs, checking types and ranges of every field. Puts created-by and
 * warnings into `file`. Returns 0 or a negative code; free the footer either way. */
int puffin_footer_parse(struct puffin_footer *footer, const char *text, size_t n_text_bytes,
                        struct format_file *file, struct dv_error *error_out);

void puffin_footer_free(struct puffin_footer *footer);

#endif
