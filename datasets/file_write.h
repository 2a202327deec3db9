/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears whole or not at all: written under a temporary name next to it, flushed to the disk, renamed.
 *
 * Place in the data flow: bytes of a writer -> a file. */
#ifndef DVBENCH_FILE_WRITE_H
#define DVBENCH_FILE_WRITE_H

#include <stddef.h>

#include "dv.h"

/* Writes `n_bytes` to `path`, replacing what is there and keeping its permissions. A path that is not a regular file
 * (/dev/stdout, a pipe) is written in place. A link is followed. On failure the old file stays as it was and
 * nothing is left next to it. Returns 0 or DV_ERROR_IO, DV_ERROR_MEMORY with a message that starts with the
 * path. */
int file_write(const char *path, const void *bytes, size_t n_bytes, struct dv_error *error_out);

/* Puts the file `part`, whole and closed, in the place of `path` in the same folder: flushed, then renamed. Returns 0 or
 * DV_ERROR_IO; then `path` is as it was, and `part` is still there. */
int file_replace(const char *path, const char *part, struct dv_error *error_out);

#endif
