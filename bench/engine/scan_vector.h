/* SPDX-License-Identifier: Apache-2.0 */
/* The deletion vector of one data file of a scan, on disk, and what is known of it.
 *
 * Place in the data flow: a recipe (written to a Puffin file) or a user's file -> struct scan_vector ->
 * scan_function opens it in each query, scan_check judges by its intervals. */
#ifndef DVBENCH_SCAN_VECTOR_H
#define DVBENCH_SCAN_VECTOR_H

#include "dv.h"
#include "format.h"

struct scan_vector {
    char *path;                    /* owned; NULL: `payload` is opened instead */
    const uint8_t *payload;        /* borrowed, of n_bytes; NULL where there is a path */
    uint64_t index;                /* which vector of that file */
    char *spec;                    /* owned: the recipe's, or the escaped path */
    uint64_t n_rows;               /* of the data file */
    uint64_t cardinality;          /* deleted rows */
    uint64_t n_bytes;              /* of the payload */
    uint64_t digest;               /* of the payload */
    size_t n_kind[DV_N_KINDS];     /* containers */
    struct dv_intervals intervals; /* of deleted rows: what answers are judged by */
};

/* Makes the vector of `spec` for data file number `file` of `n_rows` rows: key `rows`, and the keys `seed` and `file`
 * where the recipe has them and the spec lacks them. Writes it below `dir`, which exists, as a Puffin file unless it
 * is there. Returns 0 or a negative code. */
int scan_vector_make(struct scan_vector *vector_out, const char *spec, size_t file, uint64_t n_rows,
                     const char *data_file, const char *dir, struct dv_error *error_out);

/* Reads vector `index` of the file at `path`. Positions at or past n_rows are DV_ERROR_INPUT, whose message names the
 * data file. */
int scan_vector_read(struct scan_vector *vector_out, const char *path, uint64_t index, uint64_t n_rows,
                     const char *data_file, struct dv_error *error_out);

/* Of a data file that no vector names: nothing is deleted, nothing is read from a disk. */
int scan_vector_none(struct scan_vector *vector_out, uint64_t n_rows, struct dv_error *error_out);

void scan_vector_free(struct scan_vector *vector);

/* One vector, opened as a reader opens it. */
struct scan_open_vector {
    struct format_file file;
    struct dv dv;
};

/* From path to usable DV with what `needs` (a mask of enum dv_need) names. Closed by scan_vector_close. */
int scan_vector_open(struct scan_open_vector *open_out, const struct scan_vector *vector, unsigned needs,
                     struct dv_error *error_out);
void scan_vector_close(struct scan_open_vector *open);

/* What the steps of opening cost, microseconds per vector; NaN where nothing was measured. What scan_vector_open takes
 * beyond their sum is the footer, its JSON, and what the kernel needs. */
struct scan_open_cost {
    double read_us;     /* the file, by the system, from its cache */
    double checksum_us; /* CRC-32 over the payload */
    double index_us;    /* of the containers, and their validation */
};

/* Medians over at most 32 of the vectors, evenly spaced, each the shortest of five tries. */
int scan_vectors_cost(struct scan_open_cost *cost_out, const struct scan_vector *vectors, size_t n_vectors,
                      struct dv_error *error_out);

#endif
