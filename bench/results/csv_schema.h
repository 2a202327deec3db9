/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer and the reader of CSV share and nobody else needs.
 *
 * Place in the data flow: csv_writer.c, csv_reader.c. */
#ifndef DVBENCH_CSV_SCHEMA_H
#define DVBENCH_CSV_SCHEMA_H

#include <stddef.h>

#include "csv.h"

/* The column `schema` of a file. */
enum csv_column csv_schema_column(enum csv_file file);

/* Reads a whole file into memory that the caller frees, with a NUL past its end. Returns 0, DV_ERROR_INPUT or
 * DV_ERROR_MEMORY. */
int csv_read_bytes(char **bytes_out, size_t *n_bytes_out, const char *path, struct dv_error *error_out);

#endif
