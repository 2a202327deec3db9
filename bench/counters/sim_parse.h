/* SPDX-License-Identifier: Apache-2.0 */
/* What callgrind wrote: the counts of one dump.
 *
 * Place in the data flow: callgrind.out.N -> struct sim_dump -> sim.h. Format: valgrind's manual, "Callgrind
 * Format Specification". */
#ifndef DVBENCH_SIM_PARSE_H
#define DVBENCH_SIM_PARSE_H

#include <stdint.h>

#include "dv.h"

struct sim_dump {
    char label[64];                /* of CALLGRIND_DUMP_STATS_AT; "" for a dump that no client request made */
    uint64_t instructions;         /* Ir */
    uint64_t conditional_branches; /* Bc */
    uint64_t conditional_misses;   /* Bcm */
    uint64_t indirect_branches;    /* Bi */
    uint64_t indirect_misses;      /* Bim */
    uint64_t libc_instructions;    /* those of Ir that ran in the C library */
};

/* Reads a dump: `text` is the file, ended by a NUL byte. Columns are found by the events: line and taken from
 * the totals: line; columns that are left out at its end are 0. DV_ERROR_INPUT where a line is missing or not
 * a number, or where no instruction was counted: a simulator that counts nothing has failed. The label is
 * filled before anything is judged. */
int sim_parse(struct sim_dump *dump_out, const char *text, struct dv_error *error_out);

#endif
