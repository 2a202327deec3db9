/* SPDX-License-Identifier: Apache-2.0 */
/* What one deletion vector looks like in numbers.
 *
 * Place in the data flow: struct dv_view -> struct inspect_summary -> text, JSON. */
#ifndef DVBENCH_INSPECT_SUMMARY_H
#define DVBENCH_INSPECT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "dv.h"

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

/* Reads every container once. Rows are [base, base + n_rows), which must not overflow. */
void inspect_summarise(struct inspect_summary *summary_out, const struct dv_view *view, uint64_t base,
                       uint64_t n_rows);

/* "array", "bitset", "run". */
const char *inspect_kind_id(enum dv_kind kind);

#endif
