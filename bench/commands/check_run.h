/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel and sink over one case, and the tally of many cases.
 *
 * Place in the data flow: struct check_case -> verify_kernel of each kernel x sink -> struct check_tally ->
 * `check` and the tests. */
#ifndef DVBENCH_CHECK_RUN_H
#define DVBENCH_CHECK_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "check_case.h"
#include "kernel.h"

/* What came out of all verifications of one kernel x sink. */
struct check_cell {
    uint64_t n_ok;
    uint64_t n_wrong;
    uint64_t n_unavailable;
    char wrong[656];       /* of the first wrong one: case and reason */
    char unavailable[512]; /* reason of the last unavailable one */
};

struct check_tally {
    struct check_cell (*cells)[N_SINKS]; /* owned: one row a registered kernel, in the registry's order */
    size_t n_kernels;
    uint64_t n_cases;
    unsigned sinks; /* mask of the sinks to run */
    uint8_t *runs;  /* owned: per kernel, whether it is to run; all at first */
};

int check_tally_open(struct check_tally *tally_out, struct dv_error *error_out);
void check_tally_close(struct check_tally *tally);

/* Verifies each kernel of the tally into each of its sinks on `check`: in order, shuffled and with gaps.
 * Representations that a kernel needs are added to the case's DV; where that cannot be, the kernel is
 * unavailable there. Returns 0, or a negative code where no memory is left; wrong kernels are in the
 * tally. */
int check_run(struct check_tally *tally, struct check_case *check, uint64_t seed, struct dv_error *error_out);

uint64_t check_tally_wrong(const struct check_tally *tally); /* verifications that were wrong */
uint64_t check_tally_ok(const struct check_tally *tally);

#endif
