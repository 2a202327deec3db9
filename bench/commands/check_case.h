/* SPDX-License-Identifier: Apache-2.0 */
/* One vector with batches to check kernels on: its serialized bytes stand against a guard page, so that a
 * kernel which reads a byte too many faults.
 *
 * Place in the data flow: random, edge or given vector -> struct check_case -> check_run. */
#ifndef DVBENCH_CHECK_CASE_H
#define DVBENCH_CHECK_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "batches.h"
#include "dv.h"
#include "guard.h"

struct check_case {
    char name[128]; /* how to make it again: a spec, "random:seed=7", "edge: ..." */
    struct guard_copy bytes;
    struct dv dv; /* over `bytes`, with its intervals; representations are added as kernels need them */
    struct batches batches; /* in any order, overlapping or not */
};

/* Copies bytes, name (cut at its end) and batches. Returns 0 or a negative code with `error_out` filled and
 * nothing to close. */
int check_case_open(struct check_case *case_out, const char *name, const uint8_t *payload,
                    size_t n_payload_bytes, const struct batch *batches, size_t n_batches,
                    struct dv_error *error_out);
void check_case_close(struct check_case *check);

/* Positions start, start + step, ... below end; step 1 (or 0) is the whole range. */
struct check_pattern {
    uint64_t start;
    uint64_t end;
    uint64_t step;
};

/* Makes the vector of the given ascending disjoint patterns. `options`: mask of enum payload_option. */
int check_case_from_patterns(struct check_case *case_out, const char *name,
                             const struct check_pattern *patterns, size_t n_patterns, unsigned options,
                             const struct batch *batches, size_t n_batches, struct dv_error *error_out);

/* A vector and batches of a random kind, the same for the same seed: a few chunks at a low, high or
 * straddling place, each sparse, full, at the array limit, of runs, of whole words or at its ends; batches of
 * 0 to 70,000 rows from anywhere, gaps between them. */
int check_case_random(struct check_case *case_out, uint64_t seed, struct dv_error *error_out);

/* The edges that readers and libraries got wrong, made by hand: check_edges.c. `index` below
 * check_edges_count(). Each is there with and without run containers. */
size_t check_edges_count(void);
int check_case_edge(struct check_case *case_out, size_t index, struct dv_error *error_out);

#endif
