/* SPDX-License-Identifier: Apache-2.0 */
/* direct_avx512, direct_avx512_base: a mask of 64 rows becomes ids by compress, without a branch on the data.
 *
 *     mask      1 0 1 1 0 ...                               one bit per row, set where the id is wanted
 *     bytes     0 2 3 . . ...       vpcompressb of 0..63    one instruction for 64 rows (VBMI2)
 *     ids       four quarters of 16 bytes, each widened by a byte permute and added to the row: full stores;
 *               the list advances by the mask's count, so that the next mask overwrites what was too much
 *
 * The permute puts byte 16 q + i into the lowest byte of lane i and zeroes the rest: one shuffle where an
 * extract and a zero-extension would be two.
 *
 * How many of the four are stored is not asked of each mask, which would be a branch on the data,
 * mispredicted around every multiple of 16. The container's cardinality says how many suffice for nearly all
 * of its words (stores_wanted); the word that has more takes a branch, so seldom that it is predicted.
 *
 * Traps:
 *
 * - The form of compress that stores to memory is microcode on Zen 4, by published tables over 100 cycles:
 *   only the register form is used.
 *
 * - The zero-masked register form waits for the old value of its destination, known of Zen 5 and met here on
 *   Zen 4: the four dword compresses of 64 rows took 21 cycles with one destination, and 13 since a zeroing
 *   idiom comes before each.
 *
 * CPUs with AVX-512 but without VBMI2 (Skylake to Cascade Lake) run direct_avx512_base: four vpcompressd of
 * 16 lanes. Where each quarter goes is counted from the mask's start, so that the four do not wait for one
 * another.
 *
 * Cost in core cycles for 64 rows, measured on Zen 4 (a store of 64 bytes takes 2 cycles, and 2.5 to 2.7
 * across two cache lines, as nearly all lists are here): row_ids 10.8 to 11.2 with four stores, 8.7 with
 * three; deleted_offsets 4.5 with one; is_deleted 2.6. live_mask 39 per batch of 5,000 whose bits are in the
 * nearest cache and 44 to 46 where they come from the second one, next to 25 for storing it: 27 are a copy, 3
 * to 4 each are the counts and their sum, the rest is the call. Against the store bound: row_ids 69 % at 7 %
 * of deletes, 55 % at 25 % (four stores, where three would hold the ids of nearly half the words), 46 to 48 %
 * at 50 %. Array values just below the cliff cost about 1 cycle each on top, a byte store, which waits for
 * the same port as the ids: 50 to 57 % of the bound. In arrays with fewer than 1 value in 256 rows the gaps
 * are filled, from the next cache line on, so that all but the first store of a gap lie within one: 94 %.
 *
 * Where it loses: nowhere in row_ids that was measured, but between 0.4 and 0.8 % of deletes it is beaten, by
 * a few per cent, by filling the gaps of a file so short that the CPU has learnt all of them by heart (see
 * direct_array.h). live_mask of arrays is a twentieth of its bound: the work is in the values, one cycle each.
 *
 * Ways not taken. To keep all stores aligned by carrying the rest of a vector from mask to mask needs a
 * rotation of the bytes, a fifth widening, a blend and their indices on top for 64 rows, six to eight vector
 * instructions at two slots each on Zen 4: counted and not tried, it could save 2 of the 10.8 cycles at best.
 * live_mask: prefetching the next batch made no difference; 32-byte loads and stores took two thirds longer;
 * aligned loads joined by a permute lost more than the unaligned ones cost.
 *
 * An effect of placement: for about a third of possible sink addresses (relative to the flag buffer), row_ids
 * on arrays is a third slower, presumably because of the linear-address hash by which this CPU predicts the
 * way of its first-level cache. Blocks of fewer flags are hit as well, and cost more otherwise. */
#include "direct_walk.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define INLINE_BASE  static ALWAYS_INLINE TARGET_AVX512
#define INLINE_VBMI2 static ALWAYS_INLINE TARGET_AVX512_VBMI2

INLINE_BASE uint32_t count(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

INLINE_BASE __m512i lanes_from(uint32_t row)
{
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_add_epi32(lanes, _mm512_set1_epi32((int)row));
}

INLINE_BASE __m512i bytes_0_to_63(void)
{
    return _mm512_set_epi64(0x3f3e3d3c3b3a3938, 0x3736353433323130, 0x2f2e2d2c2b2a2928, 0x2726252423222120,
                            0x1f1e1d1c1b1a1918, 0x1716151413121110, 0x0f0e0d0c0b0a0908, 0x0706050403020100);
}

/* A register that is zero and waits for nothing. Opaque, so that no compiler turns a compress that merges
 * into it back into a zero-masked one: see the trap above. */
INLINE_BASE __m512i fresh_zero(void)
{
    __m512i zero;
    __asm__("vpxor %x0, %x0, %x0" : "=x"(zero));
    return zero;
}

INLINE_BASE void append_base(uint32_t *out, uint32_t row, uint64_t mask)
{
    __m512i ids = lanes_from(row);
    for (int i = 0; i < 4; i++) {
        __mmask16 quarter = (__mmask16)(mask >> (16 * i));
        /* Counted from the first quarter on: a pointer that advances would chain the four. */
        uint32_t n_before = count(mask & (((uint64_t)1 << (16 * i)) - 1));
        _mm512_storeu_si512(out + n_before, _mm512_mask_compress_epi32(fresh_zero(), quarter, ids));
        ids = _mm512_add_epi32(ids, _mm512_set1_epi32(16));
    }
}

/* The numbers of the set bits as bytes, ascending, 0 after them. */
INLINE_VBMI2 __m512i compress_bytes(uint64_t mask)
{
    return _mm512_mask_compress_epi8(fresh_zero(), mask, bytes_0_to_63());
}

/* Bytes 16 quarter .. 16 quarter + 15, widened to ids. */
INLINE_VBMI2 __m512i widen_bytes(__m512i bytes, int quarter, uint32_t row)
{
    const __m512i low_bytes = _mm512_add_epi32(lanes_from(0), _mm512_set1_epi32(16 * quarter));
    __m512i lanes = _mm512_maskz_permutexvar_epi8(0x1111111111111111, low_bytes, bytes);
    return _mm512_add_epi32(lanes, _mm512_set1_epi32((int)row));
}

INLINE_VBMI2 void append(uint32_t *out, uint32_t row, uint64_t mask)
{
    __m512i bytes = compress_bytes(mask);
    for (int i = 0; i < 4; i++)
        _mm512_storeu_si512(out + 16 * i, widen_bytes(bytes, i, row));
}

/* The branch that stores the rest is rarely taken, see stores_wanted. */
INLINE_VBMI2 void append_few(uint32_t *out, uint32_t row, uint64_t mask, const uint32_t n_stores)
{
    __m512i bytes = compress_bytes(mask);
    for (uint32_t i = 0; i < n_stores; i++)
        _mm512_storeu_si512(out + 16 * i, widen_bytes(bytes, (int)i, row));
    if (__builtin_expect(count(mask) > 16 * n_stores, false))
        for (uint32_t i = n_stores; i < 4; i++)
            _mm512_storeu_si512(out + 16 * i, widen_bytes(bytes, (int)i, row));
}

INLINE_VBMI2 void append_tight(uint32_t *out, uint32_t row, uint64_t mask)
{
    __m512i bytes = compress_bytes(mask);
    uint32_t n = count(mask);
    for (uint32_t i = 0; i < n; i += 16) {
        _mm512_storeu_si512(out + i, widen_bytes(bytes, 0, row));
        bytes = _mm512_alignr_epi64(bytes, bytes, 2);
    }
}

INLINE_BASE void iota(uint32_t *out, uint32_t row, uint32_t n)
{
    if (n == 0)
        return;
    _mm512_storeu_si512(out, lanes_from(row));
    /* From the next cache line on: a store across two takes longer. */
    uint32_t i = 16 - (uint32_t)((uintptr_t)out / 4 % 16);
    __m512i ids = lanes_from(row + i);
    for (; i < n; i += 16) {
        _mm512_storeu_si512(out + i, ids);
        ids = _mm512_add_epi32(ids, _mm512_set1_epi32(16));
    }
}

INLINE_BASE void widen(uint32_t *out, const uint8_t *values, uint32_t delta)
{
    __m512i ids = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)values));
    _mm512_storeu_si512(out, _mm512_add_epi32(ids, _mm512_set1_epi32((int)delta)));
}

INLINE_BASE void spread(uint8_t *out, uint64_t mask)
{
    _mm512_storeu_si512(out, _mm512_maskz_mov_epi8(mask, _mm512_set1_epi8(1)));
}

INLINE_BASE void fill(uint8_t *out, uint8_t value, uint32_t n)
{
    __m512i values = _mm512_set1_epi8((char)value);
    /* Opaque: a compiler that knows it calls memset, which is slower for the few bytes between two runs. */
    __asm__("" : "+v"(values));
    for (uint32_t i = 0; i < n; i += 64)
        _mm512_storeu_si512(out + i, values);
}

/* A mask of the first n of 64 bytes; all of them from 64 on. */
INLINE_BASE __mmask64 first_bytes(uint32_t n)
{
    return _bzhi_u64(UINT64_MAX, n);
}

INLINE_BASE uint64_t match(const uint8_t *flags, uint8_t tag)
{
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(flags), _mm512_set1_epi8((char)tag));
}

/* Sixteen offsets a register, summed in 64 bits; lanes after the last hold `row`, which is taken off again.
 */
INLINE_VBMI2 uint64_t touch(uint32_t row, uint64_t mask, uint32_t *n_out)
{
    __m512i bytes = compress_bytes(mask), sums = _mm512_setzero_si512();
    uint32_t n = count(mask), i = 0;
    for (; i < n; i += 16) {
        __m512i offsets = widen_bytes(bytes, 0, row);
        __asm__ volatile("" : "+v"(offsets));
        sums = _mm512_add_epi64(sums, _mm512_srli_epi64(offsets, 32));
        sums = _mm512_add_epi64(sums, _mm512_and_si512(offsets, _mm512_set1_epi64(UINT32_MAX)));
        bytes = _mm512_alignr_epi64(bytes, bytes, 2);
    }
    *n_out += n;
    return (uint64_t)_mm512_reduce_add_epi64(sums) - (uint64_t)(i - n) * row;
}

/* 512 bits from bit `shift` (0 .. 7) of the first byte on. A byte-aligned start has them as they are; else
 * each word is pieced together from two loads a byte apart. */
INLINE_BASE __m512i load_bits(const uint8_t *bytes, uint32_t shift)
{
    __m512i low = _mm512_loadu_si512(bytes);
    if (shift == 0)
        return low;
    __m512i high = _mm512_loadu_si512(bytes + 1);
    return _mm512_or_si512(_mm512_srlv_epi64(low, _mm512_set1_epi64(shift)),
                           _mm512_sllv_epi64(high, _mm512_set1_epi64(8 - shift)));
}

/* The same for n bits, 1 .. 512: reads no byte after the last of them; what lies after n is arbitrary. */
INLINE_BASE __m512i load_last_bits(const uint8_t *bytes, uint32_t shift, uint32_t n)
{
    uint32_t n_bytes = (shift + n + 7) / 8;
    __m512i low = _mm512_maskz_loadu_epi8(first_bytes(n_bytes), bytes);
    if (shift == 0)
        return low;
    __m512i high = _mm512_maskz_loadu_epi8(first_bytes(n_bytes - 1), bytes + 1);
    return _mm512_or_si512(_mm512_srlv_epi64(low, _mm512_set1_epi64(shift)),
                           _mm512_sllv_epi64(high, _mm512_set1_epi64(8 - shift)));
}

/* The bits [n, 512). */
INLINE_BASE __m512i bits_behind(uint32_t n)
{
    const __m512i first = _mm512_set_epi64(448, 384, 320, 256, 192, 128, 64, 0);
    __m512i n_of_word = _mm512_sub_epi64(_mm512_set1_epi64(n), first);
    /* A shift by 64 and more leaves nothing. */
    return _mm512_sllv_epi64(_mm512_set1_epi64(-1), _mm512_max_epi64(n_of_word, _mm512_setzero_si512()));
}

/* Stores the inverse of the bits that neither operand has; returns the ones of each word. */
INLINE_VBMI2 __m512i store_live(uint64_t *out, __m512i deleted, __m512i unwanted)
{
    __m512i live = _mm512_andnot_si512(_mm512_or_si512(deleted, unwanted), _mm512_set1_epi64(-1));
    _mm512_storeu_si512(out, live);
    return _mm512_popcnt_epi64(live);
}

/* Eight words a store, two a turn; `shift` is a constant 0 where bytes are whole. */
INLINE_VBMI2 uint32_t invert_from(uint64_t *out, const uint8_t *bytes, uint32_t shift, uint32_t n)
{
    const __m512i none = _mm512_setzero_si512();
    __m512i n_live = none, n_live_odd = none;
    for (; n > 1024; n -= 1024, bytes += 128, out += 16) {
        n_live = _mm512_add_epi64(n_live, store_live(out, load_bits(bytes, shift), none));
        n_live_odd = _mm512_add_epi64(n_live_odd, store_live(out + 8, load_bits(bytes + 64, shift), none));
    }
    if (n > 512) {
        n_live = _mm512_add_epi64(n_live, store_live(out, load_bits(bytes, shift), none));
        n -= 512, bytes += 64, out += 8;
    }
    __m512i n_last = store_live(out, load_last_bits(bytes, shift, n), bits_behind(n));
    n_live = _mm512_add_epi64(_mm512_add_epi64(n_live, n_live_odd), n_last);
    return (uint32_t)_mm512_reduce_add_epi64(n_live);
}

INLINE_VBMI2 uint32_t invert(uint64_t *out, const uint8_t *bytes, uint32_t bit, uint32_t n)
{
    bytes += bit / 8;
    return bit % 8 == 0 ? invert_from(out, bytes, 0, n) : invert_from(out, bytes, bit % 8, n);
}

INLINE_BASE uint32_t invert_base(uint64_t *out, const uint8_t *bytes, uint32_t bit, uint32_t n)
{
    return direct_invert(out, bytes, bit, n, count);
}

static const struct direct_isa isa_vbmi2 = {
    .count = count,
    .append = append,
    .append_few = append_few,
    .append_tight = append_tight,
    .iota = iota,
    .widen = widen,
    .spread = spread,
    .fill = fill,
    .n_gaps = DV_CHUNK_ROWS / 256,
    .invert = invert,
    .touch = touch,
    .match = match,
};

static const struct direct_isa isa_base = {
    .count = count,
    .append = append_base,
    .iota = iota,
    .widen = widen,
    .spread = spread,
    .fill = fill,
    .n_gaps = DV_CHUNK_ROWS / 256,
    .invert = invert_base,
    .touch = direct_touch,
    .match = match,
};

#define INSTANCE(id, sink, ...) DIRECT_INSTANCE(id, sink, TARGET_AVX512_VBMI2, isa_vbmi2)
FOR_EACH_SINK(INSTANCE, direct_avx512)
#define INSTANCE_BASE(id, sink, ...) DIRECT_INSTANCE(id, sink, TARGET_AVX512, isa_base)
FOR_EACH_SINK(INSTANCE_BASE, direct_avx512_base)
#endif
