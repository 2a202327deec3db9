/* SPDX-License-Identifier: Apache-2.0 */
/* Little- and big-endian words at any address, read and written.
 *
 * Place in the data flow: under the readers and writers of the formats. The caller has checked the bounds. */
#ifndef DVBENCH_FORMAT_WORDS_H
#define DVBENCH_FORMAT_WORDS_H

#include <stdint.h>

static inline uint16_t words_le16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t words_le32(const uint8_t *bytes)
{
    return (uint32_t)words_le16(bytes) | (uint32_t)words_le16(bytes + 2) << 16;
}

static inline uint64_t words_le64(const uint8_t *bytes)
{
    return (uint64_t)words_le32(bytes) | (uint64_t)words_le32(bytes + 4) << 32;
}

static inline uint32_t words_be32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void words_put_le16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void words_put_le32(uint8_t *bytes, uint32_t value)
{
    words_put_le16(bytes, (uint16_t)value);
    words_put_le16(bytes + 2, (uint16_t)(value >> 16));
}

static inline void words_put_le64(uint8_t *bytes, uint64_t value)
{
    words_put_le32(bytes, (uint32_t)value);
    words_put_le32(bytes + 4, (uint32_t)(value >> 32));
}

static inline void words_put_be32(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 24);
    bytes[1] = (uint8_t)(value >> 16);
    bytes[2] = (uint8_t)(value >> 8);
    bytes[3] = (uint8_t)value;
}

#endif
