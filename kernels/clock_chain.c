/* SPDX-License-Identifier: Apache-2.0 */
/* The step is a register, not an immediate: some cores (Intel's since 2021) add small immediates while
 * renaming, in no time at all, and a chain of `add $1` would then measure nothing. The asm is opaque, so the
 * compiler neither folds the adds nor learns that the step is 1. */
#include "clock_chain.h"

#if defined(__x86_64__)
#define ADD(sum, step) __asm__ volatile("add %1, %0" : "+r"(sum) : "r"(step) : "cc")
#elif defined(__aarch64__)
#define ADD(sum, step) __asm__ volatile("add %0, %0, %1" : "+r"(sum) : "r"(step))
#else
#define ADD(sum, step)                                                                                       \
    do {                                                                                                     \
        sum += step;                                                                                         \
        __asm__ volatile("" : "+r"(sum));                                                                    \
    } while (0)
#endif

#define ADD4(sum, step)                                                                                      \
    ADD(sum, step);                                                                                          \
    ADD(sum, step);                                                                                          \
    ADD(sum, step);                                                                                          \
    ADD(sum, step)
#define ADD16(sum, step)                                                                                     \
    ADD4(sum, step);                                                                                         \
    ADD4(sum, step);                                                                                         \
    ADD4(sum, step);                                                                                         \
    ADD4(sum, step)

uint64_t clock_chain_run(uint64_t n_adds)
{
    uint64_t sum = 0, step = 1;
    __asm__ volatile("" : "+r"(step));
    for (uint64_t n_left = n_adds / 16; n_left > 0; n_left--) {
        ADD16(sum, step);
    }
    for (uint64_t n_left = n_adds % 16; n_left > 0; n_left--) {
        ADD(sum, step);
    }
    return sum;
}
