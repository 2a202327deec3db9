/* SPDX-License-Identifier: Apache-2.0 */
/* What this CPU can run, asked in one place, and the function attributes to match.
 *
 * Place in the data flow: the registry asks it before it offers a kernel; kernels say TARGET_x on an
 * instance. */
#ifndef DVBENCH_CPU_H
#define DVBENCH_CPU_H

#include <stdbool.h>

#include "kernel.h"

/* Compiles one function for an ISA of enum isa. Each level of x86 holds those before it, as cpu_has does. */
#if defined(__x86_64__)
#define TARGET_BMI2   __attribute__((target("bmi,bmi2,lzcnt,popcnt")))
#define TARGET_AVX2   __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,lzcnt,popcnt")))
#define TARGET_AVX512_VBMI2                                                                                  \
    __attribute__((target("avx512vbmi,avx512vbmi2,avx512vpopcntdq,avx512f,avx512bw,avx512dq,avx512vl,avx2,"  \
                          "bmi,bmi2,lzcnt,popcnt")))
#endif
#define TARGET_GENERIC
#define TARGET_NEON

/* Whether this CPU (and the system's saved registers) run code of that ISA. The environment variable
 * DVBENCH_CPU_MASK lowers the answer: a comma list of ISA ids to keep ("avx2,bmi2"; "generic" keeps nothing
 * more). Both are asked at the first call. */
bool cpu_has(enum isa isa);

/* Whether DVBENCH_CPU_MASK, if it is set, holds known words only: 0, or DV_ERROR_USAGE with the first one that is not. */
int cpu_mask_check(struct dv_error *error_out);

#endif
