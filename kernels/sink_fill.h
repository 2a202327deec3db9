/* SPDX-License-Identifier: Apache-2.0 */
/* Filling a gap between deletes with consecutive row ids: one primitive, one variant per ISA.
 *
 * Place in the data flow: a kernel knows a gap of live rows -> a fill writes their ids into the row_ids sink.
 *
 *   deleted offsets      3           7  8                12
 *   gaps            0 1 2   4 5 6         9 10 11           13 14 ...
 *   out             0 1 2 4 5 6 9 10 11 13 14 ...
 *
 * The plain fill stores one id at a time; its loop ends after an unpredictable number of steps, once a gap.
 * The vector fills store a whole vector first and ask later: what overshoots the gap is overwritten by the
 * next gap, and after the last one lies the sink's slack. With gaps shorter than a vector, the usual case
 * from 6 % of deletes on, their loop never repeats and its branch is always predicted. They lose nothing but
 * the stores' bandwidth, and win most where gaps are short. */
#ifndef DVBENCH_SINK_FILL_H
#define DVBENCH_SINK_FILL_H

#include <stdint.h>

#include "bytes.h"
#include "cpu.h"

/* Writes first, first + 1, ..., first + n - 1 to `out`, n >= 0, and may scribble on the SINK_SLACK_BYTES
 * after them. A kernel takes it as a constant argument of an always-inline function; it is never called
 * through the pointer. */
typedef void sink_fill_fn(int32_t *out, uint32_t first, uint32_t n);

static ALWAYS_INLINE void fill_generic(int32_t *out, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = (int32_t)(first + i);
}

#if defined(__x86_64__)

#include <immintrin.h>

static ALWAYS_INLINE TARGET_AVX2 void fill_avx2(int32_t *out, uint32_t first, uint32_t n)
{
    __m256i ids = _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const int32_t *end = out + n;
    do {
        _mm256_storeu_si256((__m256i *)out, ids);
        ids = _mm256_add_epi32(ids, _mm256_set1_epi32(8));
        out += 8;
    } while (out < end);
}

static ALWAYS_INLINE TARGET_AVX512 void fill_avx512(int32_t *out, uint32_t first, uint32_t n)
{
    const __m512i iota = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i ids = _mm512_add_epi32(_mm512_set1_epi32((int)first), iota);
    const int32_t *end = out + n;
    do {
        _mm512_storeu_si512(out, ids);
        ids = _mm512_add_epi32(ids, _mm512_set1_epi32(16));
        out += 16;
    } while (out < end);
}

#elif defined(__aarch64__)

#include <arm_neon.h>

static ALWAYS_INLINE void fill_neon(int32_t *out, uint32_t first, uint32_t n)
{
    static const int32_t iota[4] = {0, 1, 2, 3};
    int32x4_t ids = vaddq_s32(vdupq_n_s32((int32_t)first), vld1q_s32(iota));
    const int32_t *end = out + n;
    do {
        vst1q_s32(out, ids);
        ids = vaddq_s32(ids, vdupq_n_s32(4));
        out += 4;
    } while (out < end);
}

#endif

#endif
