/* SPDX-License-Identifier: Apache-2.0 */
/* direct_scalar: the walk in portable C, without intrinsics and without a branch on the data of a mask.
 *
 *     mask      10110000 00000100 ...    eight bits at a time
 *     table     4 5 7 . . . . .          the numbers of the set bits, one 8-byte load
 *     ids       eight stores, always; the next byte's ids overwrite what was too much
 *
 * Where the ids of each of the eight bytes go is one multiplication: the counts of all bytes side by side in
 * a word, times 0x01010101..., are their running sums. So nothing waits for a counter to advance.
 *
 * Cost in core cycles for 64 rows, measured on Zen 4: row_ids 30 (two loads, additions and stores of the
 * vectors that every CPU has for eight rows), is_deleted 22. A mask without a deleted row is filled in one
 * go, 18: cheaper by less than a mispredict, so worth it only where such masks are the rule or the exception;
 * worst around one deleted row in 100. live_mask 8, most of it the counting of bits without an instruction
 * for it; of arrays 3 a value. is_deleted of arrays is cleared by libc's memset, which knows the CPU's widest
 * stores, as this file does not; not next to run containers, whose fills overshoot with ones. */
#include "direct_table.h"
#include "direct_walk.h"

/* Four at once where the CPU has any vectors, else one after the other. */
typedef uint32_t four_ids __attribute__((vector_size(16), aligned(1), may_alias));

/* 8 KiB: as ids are wanted, not as bytes, so that compilers turn a row into loads, additions and stores of
 * vectors. */
static const uint32_t set_bits[256][8] = {DIRECT_SET_BITS};

static ALWAYS_INLINE void append(uint32_t *out, uint32_t row, uint64_t mask)
{
    /* Byte i: the ids of the bytes before it; at most 56, so no byte carries over. */
    uint64_t before = direct_running_counts(mask) << 8;
    for (int i_byte = 0; i_byte < 8; i_byte++) {
        const four_ids *numbers = (const four_ids *)set_bits[mask >> (8 * i_byte) & 0xff];
        four_ids *ids = (four_ids *)(out + (before >> (8 * i_byte) & 0xff));
        ids[0] = numbers[0] + row;
        ids[1] = numbers[1] + row;
        row += 8;
    }
}

static ALWAYS_INLINE void iota(uint32_t *out, uint32_t row, uint32_t n)
{
    four_ids ids = (four_ids){0, 1, 2, 3} + row;
    for (uint32_t i = 0; i < n; i += 16) {
        for (uint32_t j = 0; j < 4; j++)
            *(four_ids *)(out + i + 4 * j) = ids + 4 * j;
        ids += 16;
    }
}

static ALWAYS_INLINE void widen(uint32_t *out, const uint8_t *values, uint32_t delta)
{
    for (uint32_t i = 0; i < 16; i++)
        out[i] = load_le16(values + (size_t)i * 2) + delta;
}

/* Eight bits to eight bytes: each byte keeps a bit of its own, and a sum that carries into its top bit makes
 * it a one. */
static ALWAYS_INLINE void spread(uint8_t *out, uint64_t mask)
{
    for (int i = 0; i < 8; i++) {
        uint64_t bits = (mask >> (8 * i) & 0xff) * 0x0101010101010101u & 0x8040201008040201u;
        uint64_t bytes = (bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
        direct_store64(out + 8 * i, bytes);
    }
}

static ALWAYS_INLINE void fill(uint8_t *out, uint8_t value, uint32_t n)
{
    uint32_t four_bytes = value * 0x01010101u;
    /* Opaque: a compiler that knows it calls memset, which is slower for the few bytes between two runs. */
    __asm__("" : "+r"(four_bytes));
    four_ids values = (four_ids){0} + four_bytes;
    for (uint32_t i = 0; i < n; i += 64)
        for (uint32_t j = 0; j < 64; j += 16)
            *(four_ids *)(out + i + j) = values;
}

static ALWAYS_INLINE uint32_t invert(uint64_t *out, const uint8_t *bytes, uint32_t bit, uint32_t n)
{
    return direct_invert(out, bytes, bit, n, count_bits);
}

static const struct direct_isa isa = {
    .count = count_bits,
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

#define INSTANCE(id, sink, ...) DIRECT_INSTANCE(id, sink, TARGET_GENERIC, isa)
FOR_EACH_SINK(INSTANCE, direct_scalar)
