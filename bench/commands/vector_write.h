/* SPDX-License-Identifier: Apache-2.0 */
/* How `gen` and `convert` put vectors into a file.
 *
 * Place in the data flow: payloads -> datasets/format_write.h -> a file or standard output. */
#ifndef DVBENCH_VECTOR_WRITE_H
#define DVBENCH_VECTOR_WRITE_H

#include <stddef.h>

#include "dv.h"
#include "format_write.h"

/* Encodes the outputs and writes them to `path` ("-": standard output), the inline text with an end of line.
 * Says on standard output what was written, unless the vectors went there. Returns 0 or a negative code.
 * Only DV_ERROR_IO names `path`: the caller knows where a vector that does not fit the format came from. */
int vector_write(const char *path, const struct format_output *outputs, size_t n_outputs,
                 const struct format_write_options *options, struct dv_error *error_out);

/* The format of an id, for --format and --to (`name` without dashes). Returns 0 or more, or DV_ERROR_USAGE. */
int vector_write_format(const char *name, const char *id, enum format_kind *format_out,
                        struct dv_error *error_out);

/* Prints the formats that can be written, a line each, for --help. */
void vector_write_print_formats(void);

#endif
