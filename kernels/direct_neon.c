/* SPDX-License-Identifier: Apache-2.0 */
/* direct_neon: the table walk of direct_avx2 in 16-byte vectors, for aarch64, whose every CPU has them.
 *
 *     mask      10110000 ...              eight bits
 *     table     4 5 7 . . . . .           the numbers of the set bits, 8 bytes
 *     ids       widened twice (uxtl), plus the row: two full stores, always
 *
 * NEON has no movemask: 64 matching flags become bits by leaving each byte its own bit and adding neighbours
 * three times, 64 bytes to 8. The count of a byte comes from the running sums of one multiplication, as in
 * direct_scalar, since cnt works on vector registers, and moving there and back costs more.
 *
 * Cost for 64 rows: 8 loads, 24 widenings and additions, 16 stores for row_ids: 16 to 24 core cycles on cores
 * with one or two store ports. Not measured: this project's machines are x86-64, and an emulator has no
 * cycles. */
#include "direct_table.h"
#include "direct_walk.h"

#if defined(__aarch64__)
#include <arm_neon.h>

static const uint8_t set_bits[256][8] = {DIRECT_SET_BITS};

static ALWAYS_INLINE void append(uint32_t *out, uint32_t row, uint64_t mask)
{
    uint64_t before = direct_running_counts(mask) << 8;
    uint32x4_t rows = vdupq_n_u32(row);
    for (int i = 0; i < 8; i++) {
        uint16x8_t numbers = vmovl_u8(vld1_u8(set_bits[mask >> (8 * i) & 0xff]));
        uint32_t *ids = out + (before >> (8 * i) & 0xff);
        vst1q_u32(ids, vaddw_u16(rows, vget_low_u16(numbers)));
        vst1q_u32(ids + 4, vaddw_u16(rows, vget_high_u16(numbers)));
        rows = vaddq_u32(rows, vdupq_n_u32(8));
    }
}

static ALWAYS_INLINE void iota(uint32_t *out, uint32_t row, uint32_t n)
{
    static const uint32_t lanes[4] = {0, 1, 2, 3};
    uint32x4_t ids = vaddq_u32(vdupq_n_u32(row), vld1q_u32(lanes));
    for (uint32_t i = 0; i < n; i += 4) {
        vst1q_u32(out + i, ids);
        ids = vaddq_u32(ids, vdupq_n_u32(4));
    }
}

/* In each byte its own bit of eight, twice. */
static ALWAYS_INLINE uint8x16_t own_bit(void)
{
    return vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
}

static ALWAYS_INLINE void widen(uint32_t *out, const uint8_t *values, uint32_t delta)
{
    for (int i = 0; i < 2; i++) {
        uint16x8_t eight = vreinterpretq_u16_u8(vld1q_u8(values + 16 * i));
        vst1q_u32(out + 8 * i, vaddw_u16(vdupq_n_u32(delta), vget_low_u16(eight)));
        vst1q_u32(out + 8 * i + 4, vaddw_u16(vdupq_n_u32(delta), vget_high_u16(eight)));
    }
}

static ALWAYS_INLINE void spread(uint8_t *out, uint64_t mask)
{
    for (int i = 0; i < 4; i++) {
        uint8x16_t bytes =
            vcombine_u8(vdup_n_u8((uint8_t)(mask >> (16 * i))), vdup_n_u8((uint8_t)(mask >> (16 * i + 8))));
        vst1q_u8(out + 16 * i, vandq_u8(vtstq_u8(bytes, own_bit()), vdupq_n_u8(1)));
    }
}

static ALWAYS_INLINE void fill(uint8_t *out, uint8_t value, uint32_t n)
{
    uint8x16_t values = vdupq_n_u8(value);
    /* Opaque: a compiler that knows it calls memset, which is slower for the few bytes between two runs. */
    __asm__("" : "+w"(values));
    for (uint32_t i = 0; i < n; i += 16)
        vst1q_u8(out + i, values);
}

static ALWAYS_INLINE uint32_t invert(uint64_t *out, const uint8_t *bytes, uint32_t bit, uint32_t n)
{
    return direct_invert(out, bytes, bit, n, count_bits);
}

static ALWAYS_INLINE uint64_t match(const uint8_t *flags, uint8_t tag)
{
    uint8x16_t tags = vdupq_n_u8(tag), bits[4];
    for (int i = 0; i < 4; i++)
        bits[i] = vandq_u8(vceqq_u8(vld1q_u8(flags + 16 * i), tags), own_bit());
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
}

static const struct direct_isa isa = {
    .count = count_bits,
    .append = append,
    .iota = iota,
    .widen = widen,
    .spread = spread,
    .fill = fill,
    .invert = invert,
    .touch = direct_touch,
    .match = match,
};

#define INSTANCE(id, sink, ...) DIRECT_INSTANCE(id, sink, TARGET_NEON, isa)
FOR_EACH_SINK(INSTANCE, direct_neon)
#endif
