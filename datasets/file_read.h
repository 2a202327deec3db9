/* SPDX-License-Identifier: Apache-2.0 */
/* A whole file in memory, or nothing.
 *
 * Place in the data flow: a path -> bytes of a reader. */
#ifndef DVBENCH_FILE_READ_H
#define DVBENCH_FILE_READ_H

#include <stddef.h>
#include <stdint.h>

#include "dv.h"

/* Far above any file of vectors, of which the largest, all of 2^32 rows, has 512 MiB, and above any table of results;
 * far below what a pipe without an end or a file of one hole would take. */
#define FILE_READ_MOST ((size_t)4 << 30)

/* Reads `path` to its end, which may be a pipe, if it has at most `n_most` bytes. The caller frees *bytes_out, which has
 * a NUL after its *n_out bytes. Folders and devices are refused. Returns 0, or DV_ERROR_INPUT, DV_ERROR_MEMORY with the
 * path as the error's place and *bytes_out NULL. */
int file_read(const char *path, size_t n_most, uint8_t **bytes_out, size_t *n_out,
              struct dv_error *error_out);

/* The same of a text, which holds no NUL of its own; NULL with `error_out` filled (may be NULL) on failure. */
char *file_read_text(const char *path, size_t n_most, struct dv_error *error_out);

#endif
