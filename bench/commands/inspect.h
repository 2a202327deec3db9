/* SPDX-License-Identifier: Apache-2.0 */
/* What `inspect` finds in one vector and how it shows it: as text for people, as JSON for programs, as a list of
 * positions, as a picture.
 *
 * Place in the data flow: struct dv_view -> struct inspect_summary, with the reference runs of this machine -> struct
 * inspect_subject -> standard output or a picture. */
#ifndef DVBENCH_INSPECT_H
#define DVBENCH_INSPECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "csv.h"
#include "dv.h"
#include "format.h"
#include "references.h"

/* --- what one vector looks like in numbers --- */

/* Containers of a chunk are arrays up to here and bitsets beyond: where per-row lookup changes its cost. */
enum { INSPECT_CLIFF = DV_ARRAY_MAX, INSPECT_NEAR_CLIFF = 205 /* 5 % of it */ };

/* Chunks by how many of their 65,536 rows are deleted. */
enum { INSPECT_N_CLASSES = 10 };

struct inspect_class {
    uint32_t least; /* deleted rows, both included */
    uint32_t most;
};

extern const struct inspect_class inspect_classes[INSPECT_N_CLASSES];

struct inspect_kind {
    uint64_t n_containers;
    uint64_t n_bytes; /* of the bodies, headers apart */
    uint64_t n_positions;
};

struct inspect_summary {
    uint64_t cardinality;
    uint64_t first; /* first and last are meaningful where cardinality > 0 */
    uint64_t last;
    uint64_t n_keys;    /* distinct position bits 63..32 */
    uint64_t n_buckets; /* as the payload states them, empty ones too */
    struct inspect_kind kinds[DV_N_KINDS];
    uint64_t n_runs;     /* maximal runs of neighbours within a chunk, whatever the container's kind */
    uint64_t least_runs; /* per container; 0 where there is none */
    uint64_t most_runs;
    uint64_t n_touching_runs; /* runs of a run container that start where the one before ends: allowed, odd */
    uint64_t n_optimized_bytes; /* of the bodies, were each container the smallest that holds its positions */
    uint64_t n_body_bytes;      /* of the bodies as they are */
    uint64_t n_chunks[INSPECT_N_CLASSES];
    uint64_t n_near_below;  /* chunks of cardinality in (CLIFF - NEAR, CLIFF] */
    uint64_t n_near_above;  /* and in (CLIFF, CLIFF + NEAR) */
    uint32_t nearest_below; /* greatest cardinality up to the cliff, 0 where no chunk has one */
    uint32_t nearest_above; /* least cardinality beyond, 0 where no chunk has one */
    uint64_t base;          /* rows [base, base + n_rows) */
    uint64_t n_rows;
    uint64_t n_deleted_rows; /* positions among the rows; the rest lies outside */
};

/* Reads every container once. Rows are [base, base + n_rows), which must not overflow; UINT64_MAX rows from 0 stand for
 * 2^64, the only number of rows that holds the last position. */
void inspect_summarise(struct inspect_summary *summary_out, const struct dv_view *view, uint64_t base,
                       uint64_t n_rows);

/* The number of rows in decimal, 2^64 too. Returns `text_out`. */
enum { INSPECT_ROWS_CHARS = 24 };
const char *inspect_rows_text(const struct inspect_summary *summary, char text_out[INSPECT_ROWS_CHARS]);

/* "array", "bitset", "run". */
const char *inspect_kind_id(enum dv_kind kind);

/* --- the kernel that the reference runs of this machine were fastest with, on the vector most like this one --- */

struct inspect_fastest {
    char kernel[64];
    char dv[256];      /* spec of the vector it was measured on */
    double ns_per_row; /* into row_ids, stream */
    double distance;   /* between the two vectors, see inspect_fastest_search; 0: alike */
};

/* Looks through the rows of a summary.csv for the vector nearest to `summary`: difference of the logarithms
 * of the rates, plus twice the difference in shares of container kinds. Of its kernels the fastest wins.
 * `fastest` holds the best so far, `kernel` empty at first; it is only replaced by something nearer. Vectors
 * further away than an e-fold of the rate do not count. */
void inspect_fastest_search(struct inspect_fastest *fastest, const struct csv_table *table,
                            const struct inspect_summary *summary);

/* False where no reference is near. */
bool inspect_fastest_find(struct inspect_fastest *fastest_out, const struct references *references,
                          const struct inspect_summary *summary);

/* --- output --- */

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
    const struct inspect_fastest *fastest; /* NULL: no reference run is near */
};

/* The file as a whole: format, writer, other blobs. */
void inspect_print_file(FILE *out, const char *name, const struct format_file *file);

void inspect_print_text(FILE *out, const struct inspect_subject *subject);

/* One object on one line; datasets/FORMATS.md lists its members. Returns 0 or DV_ERROR_MEMORY,
 * DV_ERROR_IO. */
int inspect_print_json(FILE *out, const struct inspect_subject *subject, struct dv_error *error_out);

enum inspect_dump { INSPECT_DUMP_NONE, INSPECT_DUMP_POSITIONS, INSPECT_DUMP_RANGES };

/* Positions one per line, or ranges as `start end`, half-open, joined over chunks. Stops with DV_ERROR_IO where
 * `out` fails. */
int inspect_dump(FILE *out, const struct dv_view *view, enum inspect_dump form, struct dv_error *error_out);

/* A density map: the share of deleted rows along the file, coloured by the kind of container.
 *
 * Draws to `path`, which ends in .svg, .png or .pdf; the numbers drawn go to PATH.csv. Both appear together or not at
 * all. The bins are
 * whole chunks, at most 1,024 of them. Returns 0, DV_ERROR_USAGE (another ending, no row),
 * DV_ERROR_UNAVAILABLE (no gnuplot, or it lacks the terminal), DV_ERROR_IO or DV_ERROR_MEMORY. */
int inspect_figure(const struct inspect_subject *subject, const char *path, struct dv_error *error_out);

#endif
