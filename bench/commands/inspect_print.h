/* SPDX-License-Identifier: Apache-2.0 */
/* How `inspect` shows a vector: as text for people, as JSON for programs, as a list of positions.
 *
 * Place in the data flow: struct inspect_subject -> standard output. */
#ifndef DVBENCH_INSPECT_PRINT_H
#define DVBENCH_INSPECT_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dv.h"
#include "format.h"
#include "inspect_favoured.h"
#include "inspect_summary.h"

/* One vector and where it came from; everything is borrowed. */
struct inspect_subject {
    const char *spec;
    const char *format;                 /* "recipe" for a recipe */
    const struct format_file *file;     /* NULL for a recipe */
    const struct format_vector *vector; /* NULL for a recipe */
    const struct dv_view *view;
    uint64_t n_payload_bytes;
    bool has_stated_rows; /* n_rows were given, not derived from the last position */
    struct inspect_summary summary;
    const struct inspect_favoured *favoured; /* NULL: no reference run is near */
};

/* The file as a whole: format, writer, blobs that are no vectors, warnings. */
void inspect_print_file(FILE *out, const char *name, const struct format_file *file);

void inspect_print_text(FILE *out, const struct inspect_subject *subject);

/* One object on one line; datasets/FORMATS.md lists its members. Returns 0 or DV_ERROR_MEMORY,
 * DV_ERROR_IO. */
int inspect_print_json(FILE *out, const struct inspect_subject *subject, struct dv_error *error_out);

enum inspect_dump { INSPECT_DUMP_NONE, INSPECT_DUMP_POSITIONS, INSPECT_DUMP_RANGES };

/* Positions one a line, or ranges as `start end`, half-open, joined over chunks. Stops with DV_ERROR_IO where
 * `out` fails. */
int inspect_dump(FILE *out, const struct dv_view *view, enum inspect_dump form, struct dv_error *error_out);

#endif
