/* SPDX-License-Identifier: Apache-2.0 */
/* The code of one compiled kernel instance of this program, as objdump shows it, and whether it branches on what a
 * bitset answers.
 *
 * Place in the data flow: /proc/self/exe -> objdump -> the command asm, claims about the code that was emitted. */
#ifndef DVBENCH_DISASSEMBLY_H
#define DVBENCH_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>

#include "dv.h"

enum { DISASSEMBLY_MOST_PARTS = 32 };

struct disassembly {
    const char *instance; /* "direct_avx512_row_ids", borrowed */
    size_t n_bytes;
    size_t n_parts; /* the instance and what the compiler split from it */
    char symbols[DISASSEMBLY_MOST_PARTS][160];
    char *texts[DISASSEMBLY_MOST_PARTS]; /* objdump's output for each, owned */
};

/* Starts objdump as a child, once and once more per part. Returns 0, DV_ERROR_UNAVAILABLE (no objdump, a stripped
 * program) or DV_ERROR_IO. To be freed in any case. */
int disassembly_read(struct disassembly *code_out, const char *instance, bool with_source,
                     struct dv_error *error_out);
void disassembly_free(struct disassembly *code);

enum disassembly_answer { DISASSEMBLY_UNKNOWN, DISASSEMBLY_BRANCH, DISASSEMBLY_NO_BRANCH };

/* What follows where a bit of a bitset's word is tested: a conditional jump, or arithmetic (setcc, cmov, adc, cset, csel,
 * ...). One jump makes it a branch; unknown where no such test is found. The deciding instruction is in `mnemonic_out`. */
enum disassembly_answer disassembly_answer(const struct disassembly *code, char mnemonic_out[16]);

#endif
