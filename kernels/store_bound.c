/* SPDX-License-Identifier: Apache-2.0 */
/* One loop for all vector widths, on the compilers' vector types: they become the widest stores that the
 * target has.
 *
 *     out:  |v0    |v1    |v2    |v3    |v0+4w |v1+4w | ...           | overlapping last store |
 *
 * Row ids need an add between stores, and a vector add has a latency of 1 or 2 cycles: one chain of adds
 * would measure that and not the store port. Four chains, each a vector wide and a stride of four apart,
 * leave the stores as the only limit. The end is one more full store that reaches back, so that exactly n
 * elements are written without a scalar tail, which would cost more than it writes. */
#include <string.h>

#include "cpu.h"
#include "store_bound.h"

/* A fill of n elements of `type` with vectors of `bytes` bytes: FIRST(lane), then STEP more from lane to
 * lane. */
#define DEFINE_FILL(name, target_attribute, type, bytes, FIRST, STEP)                                        \
    target_attribute static void name(void *out, uint32_t n)                                                 \
    {                                                                                                        \
        enum { LANES = (bytes) / sizeof(type) };                                                             \
        typedef type lanes __attribute__((vector_size(bytes), aligned(1), may_alias));                       \
        type first[LANES];                                                                                   \
        for (uint32_t i = 0; i < LANES; i++)                                                                 \
            first[i] = (type)(FIRST(i));                                                                     \
        uint8_t *p = out;                                                                                    \
        if (n < LANES) {                                                                                     \
            memcpy(p, first, n * sizeof(type));                                                              \
            return;                                                                                          \
        }                                                                                                    \
        uint8_t *end = p + (size_t)n * sizeof(type);                                                         \
        lanes v0 = *(lanes *)first, v1 = v0 + (type)((STEP)*LANES), v2 = v1 + (type)((STEP)*LANES);          \
        lanes v3 = v2 + (type)((STEP)*LANES), last = v0 + (type)((STEP) * (n - LANES));                      \
        for (; (size_t)(end - p) >= 4 * (bytes); p += 4 * (bytes)) {                                         \
            ((lanes *)p)[0] = v0;                                                                            \
            ((lanes *)p)[1] = v1;                                                                            \
            ((lanes *)p)[2] = v2;                                                                            \
            ((lanes *)p)[3] = v3;                                                                            \
            v0 += (type)((STEP)*4 * LANES);                                                                  \
            v1 += (type)((STEP)*4 * LANES);                                                                  \
            v2 += (type)((STEP)*4 * LANES);                                                                  \
            v3 += (type)((STEP)*4 * LANES);                                                                  \
            KEEP_CHAINS(v0, v1, v2, v3);                                                                     \
        }                                                                                                    \
        for (; (size_t)(end - p) >= (bytes); p += (bytes)) {                                                 \
            *(lanes *)p = v0;                                                                                \
            v0 += (type)((STEP)*LANES);                                                                      \
        }                                                                                                    \
        *(lanes *)(end - (bytes)) = last;                                                                    \
    }

/* Keeps a compiler from rewriting the four chains as one. Hides nothing else. */
#if defined(__x86_64__)
#define KEEP_CHAINS(a, b, c, d) __asm__ volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d))
#elif defined(__aarch64__)
#define KEEP_CHAINS(a, b, c, d) __asm__ volatile("" : "+w"(a), "+w"(b), "+w"(c), "+w"(d))
#else
#define KEEP_CHAINS(a, b, c, d)
#endif

#define LANE_NUMBER(i) (i)
#define ZERO(i)        0
#define ONES(i)        UINT64_MAX

#define DEFINE_FILLS(isa, target_attribute, bytes)                                                           \
    DEFINE_FILL(row_ids_##isa, target_attribute, int32_t, bytes, LANE_NUMBER, 1)                             \
    DEFINE_FILL(is_deleted_##isa, target_attribute, uint8_t, bytes, ZERO, 0)                                 \
    DEFINE_FILL(live_mask_##isa, target_attribute, uint64_t, bytes, ONES, 0)

DEFINE_FILLS(generic, , 16)
#if defined(__x86_64__)
DEFINE_FILLS(avx2, __attribute__((target("avx2"))), 32)
DEFINE_FILLS(avx512, __attribute__((target("avx512f,avx512bw,avx512vl"))), 64)
#endif

static enum isa widest_stores(void)
{
    if (cpu_has(ISA_AVX512))
        return ISA_AVX512;
    if (cpu_has(ISA_AVX2))
        return ISA_AVX2;
    return cpu_has(ISA_NEON) ? ISA_NEON : ISA_GENERIC;
}

#define CHOOSE(isa)                                                                                          \
    (kind == SINK_row_ids      ? row_ids_##isa                                                               \
     : kind == SINK_is_deleted ? is_deleted_##isa                                                            \
     : kind == SINK_live_mask  ? live_mask_##isa                                                             \
                               : NULL)

store_bound_fn *store_bound(enum sink_kind kind)
{
    switch (widest_stores()) {
#if defined(__x86_64__)
    case ISA_AVX512:
        return CHOOSE(avx512);
    case ISA_AVX2:
        return CHOOSE(avx2);
#endif
    default:
        return CHOOSE(generic);
    }
}
