/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian loads from any address, and bit counts, for code that must not assume alignment or a CPU
 * feature.
 *
 * Place in the data flow: the lowest layer; the view, the walks and the kernels read the payload through
 * it. */
#ifndef DVBENCH_BYTES_H
#define DVBENCH_BYTES_H

#include <stdint.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTES_FROM_LE(bits, value) __builtin_bswap##bits(value)
#else
#define BYTES_FROM_LE(bits, value) (value)
#endif

static ALWAYS_INLINE uint16_t load_le16(const uint8_t *bytes)
{
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return BYTES_FROM_LE(16, value);
}

static ALWAYS_INLINE uint32_t load_le32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return BYTES_FROM_LE(32, value);
}

static ALWAYS_INLINE uint64_t load_le64(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return BYTES_FROM_LE(64, value);
}

/* Set bits of `word`, 0 .. 64, without the popcnt instruction: on the baseline x86-64 the builtin is a
 * library call. */
static ALWAYS_INLINE uint32_t count_bits(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(word * 0x0101010101010101u >> 56);
}

/* The bits [from, 64) of a word, and the bits [0, to): from 0 .. 63, to 1 .. 64. */
static ALWAYS_INLINE uint64_t bits_from(uint32_t from)
{
    return UINT64_MAX << from;
}

static ALWAYS_INLINE uint64_t bits_below(uint32_t to)
{
    return UINT64_MAX >> (64 - to);
}

#endif
