/* SPDX-License-Identifier: Apache-2.0 */
/* Correctness before time: runs a kernel over the very batches that will be timed and compares every byte
 * with the oracle.
 *
 * Place in the data flow: kernel x sink + struct dv + batches -> struct verdict; only `ok` may be timed.
 *
 * What is caught: a wrong live count, n_out or element; a store that was dropped (each batch runs into two
 * kinds of garbage); a write after the slack or before the buffer (canaries, guard pages, at either end); an
 * access that faults, such as reading past the serialized bytes where they are a guard_copy; state that leaks
 * from batch to batch (passes in order, again from the start, shuffled, with gaps). */
#ifndef DVBENCH_VERIFY_H
#define DVBENCH_VERIFY_H

#include <stdint.h>

#include "batches.h"
#include "expected.h"
#include "guard.h"
#include "kernel.h"
#include "sink.h"

enum verdict_kind { VERDICT_OK, VERDICT_WRONG, VERDICT_UNAVAILABLE };

struct verdict {
    enum verdict_kind kind;
    size_t state_bytes; /* of verify_kernel: heap bytes that the kernel's state held */
    char reason[512];   /* "" where ok; one line: "row_ids[17] = 23, oracle 24 (batch at 5000, 5000 rows)" */
};

/* "ok", "wrong", "unavailable": the values of the CSV column. */
const char *verdict_id(enum verdict_kind kind);

/* Compares what a kernel returned and left in `sink` with `expected` of the batch. Fills `verdict_out`: ok or wrong;
 * the buffer's guard is not looked at. Returns 1 where equal, else 0. */
int verify_output(const struct expected *expected, const struct batch *batch, uint32_t n_live,
                  const struct sink *sink, struct verdict *verdict_out);

/* Memory that verifications may share: mapping and touching it anew costs more than most kernels do. All zero
 * at first; verify_kernel enlarges it, verify_room_close releases it. */
struct verify_room {
    struct guard_buffer buffer;
    struct expected expected;
};

void verify_room_close(struct verify_room *room);

/* What verify_kernel does beyond two passes in order. */
struct verify_options {
    struct verify_room *room; /* the caller's; NULL: one of its own */
    uint64_t seed;            /* of the shuffle and the gaps */
    bool shuffled;            /* a pass in shuffled order, each batch twice */
    bool gaps;                /* a pass that leaves out about half of the batches */
};

/* Opens the kernel's state for `dv`, which must have its intervals and what the kernel needs, and runs it
 * over `batches`. `options` NULL: none. Stops at the first difference. Returns 0 with `verdict_out` filled (a
 * kernel that this build or CPU lacks, or whose open says DV_ERROR_UNAVAILABLE or DV_ERROR_MEMORY, is
 * VERDICT_UNAVAILABLE with the reason); negative with `error_out` filled where it could not be found out: no
 * memory, or `dv` without its intervals. */
int verify_kernel(const struct kernel *kernel, const struct dv *dv, const struct batches *batches,
                  enum sink_kind sink, const struct verify_options *options, struct verdict *verdict_out,
                  struct dv_error *error_out);

#endif
