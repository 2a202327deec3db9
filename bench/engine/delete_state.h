/* SPDX-License-Identifier: Apache-2.0 */
/* A table that rows are deleted from: its data files, and the files that say which of their rows are gone.
 *
 * Place in the data flow: DIR/manifest -> struct delete_state -> delete_batch adds files ->
 * delete_state_commit.
 *
 * Only the manifest says what belongs to the table. It is replaced by one rename after everything that it
 * names is on the disk, so that a process that is killed leaves the table as it was before the batch, or
 * as it is after it. */
#ifndef DVBENCH_DELETE_STATE_H
#define DVBENCH_DELETE_STATE_H

#include <stdint.h>

#include "dv.h"
#include "string_list.h"

struct delete_file {
    char *path;             /* owned: the data file */
    uint64_t n_rows;        /* in it, deleted ones included */
    struct strings deletes; /* V2: its files of positions, in the order of their batches */
    char *vector;           /* owned or NULL: V3, the Puffin file that holds its vector */
    uint64_t vector_index;  /* which of that file's */
};

struct delete_state {
    char *dir;      /* owned */
    uint64_t batch; /* how many are finished */
    struct delete_file *files;
    size_t n_files;
};

/* Reads the manifest of `dir`. Returns 0, 1 where there is none, DV_ERROR_INPUT, DV_ERROR_MEMORY. Free in
 * any case. */
int delete_state_read(struct delete_state *state_out, const char *dir, struct dv_error *error_out);

/* A table without deletes, of the given data files; makes `dir` and its manifest. */
int delete_state_create(struct delete_state *state_out, const char *dir, const struct strings *files,
                        const uint64_t *n_rows, struct dv_error *error_out);

/* Writes the manifest: from here on the state is the table. The files that it names are flushed before, by
 * the caller. */
int delete_state_commit(const struct delete_state *state, struct dv_error *error_out);

/* Removes from the folder what the manifest does not name: of a batch that was cut off, or superseded. */
int delete_state_clean(const struct delete_state *state, struct dv_error *error_out);

/* The size of a file in bytes, 0 where it is gone. */
uint64_t delete_file_bytes(const char *path);

/* Files of the table, the manifest left out, and their bytes: of data, and of deletes. */
struct delete_sizes {
    uint64_t n_files;
    uint64_t data_bytes;
    uint64_t delete_bytes;
};
struct delete_sizes delete_state_sizes(const struct delete_state *state);

void delete_state_free(struct delete_state *state);

#endif
