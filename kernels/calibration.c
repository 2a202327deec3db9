/* SPDX-License-Identifier: Apache-2.0 */
/* Two loops per architecture. Retired instructions are counted by the architecture's own instructions: fusing
 * a compare with its branch does not change them.
 *
 *   loop      1: n -= 1; branch to 1 while n != 0                2 instructions, 1 branch
 *
 *   branches  1: test *p; branch over one nop where it is not 0  2 instructions and 1 nop on zero, 1 branch
 *             p += 1; compare p with the end;
 *             branch to 1 while below                            3 instructions, 1 branch
 *
 * The two paths of the data-dependent branch differ by one instruction, so its two directions cost about the
 * same and the cycles that shuffled bits take more than sorted ones are those of the mispredicts. */
#include "calibration.h"

#if defined(__x86_64__)

bool calibration_is_known(void)
{
    return true;
}

void __attribute__((noinline)) calibration_loop(uint64_t n)
{
    __asm__ volatile(".p2align 5\n"
                     "1: subq $1, %0\n"
                     "   jnz 1b\n"
                     : "+r"(n)
                     :
                     : "cc");
}

void __attribute__((noinline)) calibration_branches(const uint8_t *bits, size_t n)
{
    const uint8_t *end = bits + n;
    __asm__ volatile(".p2align 5\n"
                     "1: cmpb $0, (%0)\n"
                     "   jne 2f\n"
                     "   nop\n"
                     "2: addq $1, %0\n"
                     "   cmpq %1, %0\n"
                     "   jne 1b\n"
                     : "+r"(bits)
                     : "r"(end)
                     : "cc", "memory");
}

#elif defined(__aarch64__)

bool calibration_is_known(void)
{
    return true;
}

void __attribute__((noinline)) calibration_loop(uint64_t n)
{
    __asm__ volatile(".p2align 5\n"
                     "1: subs %0, %0, #1\n"
                     "   b.ne 1b\n"
                     : "+r"(n)
                     :
                     : "cc");
}

void __attribute__((noinline)) calibration_branches(const uint8_t *bits, size_t n)
{
    const uint8_t *end = bits + n;
    uint32_t bit;
    __asm__ volatile(".p2align 5\n"
                     "1: ldrb %w2, [%0]\n"
                     "   cbnz %w2, 2f\n"
                     "   nop\n"
                     "2: add %0, %0, #1\n"
                     "   cmp %0, %1\n"
                     "   b.ne 1b\n"
                     : "+r"(bits), "+r"(end), "=&r"(bit)
                     :
                     : "cc", "memory");
}

#else

bool calibration_is_known(void)
{
    return false;
}

void calibration_loop(uint64_t n)
{
    for (; n != 0; n--)
        __asm__ volatile("");
}

void calibration_branches(const uint8_t *bits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bits[i] != 0)
            __asm__ volatile("");
}

#endif

void calibration_fill_sorted(uint8_t *bits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bits[i] = i >= n - n / 2;
}

/* Fisher and Yates, on xorshift64*: every order is as likely, and no short history predicts the next bit. */
void calibration_fill_shuffled(uint8_t *bits, size_t n, uint64_t seed)
{
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du;
    calibration_fill_sorted(bits, n);
    for (size_t left = n; left > 1; left--) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        uint64_t random = (state * 0x2545F4914F6CDD1Du) >> 32;
        size_t other = (size_t)(random * left >> 32);
        uint8_t swapped = bits[left - 1];
        bits[left - 1] = bits[other];
        bits[other] = swapped;
    }
}
