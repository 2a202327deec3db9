/* SPDX-License-Identifier: Apache-2.0 */
/* direct_bmi2: the walk with the bit instructions of general registers, without vectors.
 *
 *     mask      10110000              eight bits at a time
 *     spread    ff00ffff00000000      pdep to the bytes' lowest bits, times 255
 *     numbers   0x070504...           pext of 0x0706050403020100 by it: the numbers of the set bits, packed
 *     ids       four pairs            pdep of two numbers to the halves of a word, plus the row in both:
 *                                     eight bytes per store
 *
 * Cost in core cycles for 64 rows, measured on Zen 4: row_ids 80 (48 for six pdep or pext per byte through one
 * port, and the chain of counts), is_deleted 9. A mask without a deleted row is filled in one go. It loses to
 * direct_scalar in row_ids, whose table does the first two steps by a load and whose stores are wider, and on
 * CPUs whose pext is microcode (AMD before Zen 3: 18 cycles and more) by far; it wins in is_deleted. Its
 * merit is to touch no table and no vector register. */
#include "direct_walk.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define INLINE static ALWAYS_INLINE TARGET_BMI2

INLINE uint32_t count(uint64_t mask)
{
    return (uint32_t)_mm_popcnt_u64(mask);
}

INLINE void append(uint32_t *out, uint32_t row, uint64_t mask)
{
    for (int i_byte = 0; i_byte < 8; i_byte++) {
        uint64_t lowest = _pdep_u64(mask, 0x0101010101010101u);
        uint64_t numbers = _pext_u64(0x0706050403020100u, lowest * 0xff);
        uint64_t rows = row * 0x100000001u;
        for (int i = 0; i < 4; i++)
            direct_store64(out + 2 * i, _pdep_u64(numbers >> (16 * i), 0x000000ff000000ffu) + rows);
        out += count(mask & 0xff);
        row += 8;
        mask >>= 8;
    }
}

INLINE void iota(uint32_t *out, uint32_t row, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = row + i;
}

INLINE void widen(uint32_t *out, const uint8_t *values, uint32_t delta)
{
    for (uint32_t i = 0; i < 16; i++)
        out[i] = load_le16(values + (size_t)i * 2) + delta;
}

INLINE void spread(uint8_t *out, uint64_t mask)
{
    for (int i = 0; i < 8; i++)
        direct_store64(out + 8 * i, _pdep_u64(mask >> (8 * i), 0x0101010101010101u));
}

INLINE void fill(uint8_t *out, uint8_t value, uint32_t n)
{
    uint64_t values = value * 0x0101010101010101u;
    /* Opaque: a compiler that knows it calls memset, which is slower for the few bytes between two runs. */
    __asm__("" : "+r"(values));
    for (uint32_t i = 0; i < n; i += 8)
        direct_store64(out + i, values);
}

INLINE uint32_t invert(uint64_t *out, const uint8_t *bytes, uint32_t bit, uint32_t n)
{
    return direct_invert(out, bytes, bit, n, count);
}

static const struct direct_isa isa = {
    .count = count,
    .append = append,
    .iota = iota,
    .widen = widen,
    .spread = spread,
    .fill = fill,
    .clears_by_libc = true,
    .invert = invert,
    .touch = direct_touch,
    .fills_empty = true,
};

#define INSTANCE(id, sink, ...) DIRECT_INSTANCE(id, sink, TARGET_BMI2, isa)
FOR_EACH_SINK(INSTANCE, direct_bmi2)
#endif
