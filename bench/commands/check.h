/* SPDX-License-Identifier: Apache-2.0 */
/* Checking kernels: cases (one vector with batches, its bytes placed against a guard page, so that a kernel which
 * reads a byte too many faults), every kernel and sink over a case, and the tally of many cases.
 *
 * Place in the data flow: random, edge or given vector -> struct check_case -> verify_kernel of each kernel x sink ->
 * struct check_tally -> `check` and the tests. */
#ifndef DVBENCH_CHECK_H
#define DVBENCH_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "batches.h"
#include "dv.h"
#include "kernel.h"
#include "verify.h"

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

/* What came out of all verifications of one kernel x sink. */
struct check_cell {
    uint64_t n_ok;
    uint64_t n_wrong;
    uint64_t n_unavailable;
    char wrong[656];       /* of the first wrong one: case and reason */
    char unavailable[512]; /* reason of the last unavailable one */
};

struct check_tally {
    struct check_cell (*cells)[N_SINKS]; /* owned: one row per registered kernel, in the registry's order */
    size_t n_kernels;
    uint64_t n_cases;
    unsigned *sinks;         /* owned: per kernel, the mask of the sinks to run; all at first */
    struct verify_room room; /* private: memory of all verifications */
};

int check_tally_open(struct check_tally *tally_out, struct dv_error *error_out);
void check_tally_close(struct check_tally *tally);

/* Verifies each kernel of the tally into each of its sinks on `check`: in order, shuffled and with gaps.
 * Representations that a kernel needs are added to the case's DV; where that cannot be, the kernel is
 * unavailable there. Returns 0, or a negative code where no memory is left; wrong kernels are in the
 * tally. */
int check_run(struct check_tally *tally, struct check_case *check, uint64_t seed, struct dv_error *error_out);

/* Verifications of the whole tally. */
uint64_t check_tally_wrong(const struct check_tally *tally);
uint64_t check_tally_ok(const struct check_tally *tally);

#endif
