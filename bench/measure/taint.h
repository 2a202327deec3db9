/* SPDX-License-Identifier: Apache-2.0 */
/* What disturbed a sample: readings right before and after it, and the words for what moved between them.
 *
 * Place in the data flow: /proc, getrusage, two clocks -> measure.c, outside the clocked region -> column taint. */
#ifndef DVBENCH_TAINT_H
#define DVBENCH_TAINT_H

#include "machine.h"

struct taint_reading {
    struct machine_usage usage;
    struct machine_ticks ticks; /* of one CPU */
    int cpu;                    /* that CPU; -1: all of them */
    int64_t clock_ns;           /* CLOCK_MONOTONIC, which a time service slews */
    int64_t raw_clock_ns;       /* CLOCK_MONOTONIC_RAW, which nothing does */
};

/* "migrated switched stolen clock" and its NUL. */
#define TAINT_BYTES 32

/* The usage is read last before a sample and first after it, so that reading the rest is not counted in it. */
void taint_read_before(struct taint_reading *before_out);
void taint_read_after(struct taint_reading *after_out, const struct taint_reading *before);

/* Words separated by blanks, "" where nothing moved. What is unknown here taints nothing. */
void taint_between(const struct taint_reading *before, const struct taint_reading *after,
                   char text_out[TAINT_BYTES]);

#endif
