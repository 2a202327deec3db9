/* SPDX-License-Identifier: Apache-2.0 */
/* Which format the bytes are, by magic; what is known but not read is named.
 *
 * Roaring has the weakest magic: a 32-bit bitmap starts with its cookie, a 64-bit one with a count, and its
 * first cookie stands at byte 12. A count may look like a cookie (12,346 buckets, or 12,347 + k * 65,536):
 * then the layout that the bytes can be followed by to the end decides. */
#include <inttypes.h>
#include <string.h>

#include "format_internal.h"

enum {
    FRAME_MAGIC_AT = 4,
    DELTA_MAGIC_AT = 5,
    LEGACY_COOKIE_AT = 9,
    BUCKET_COOKIE_AT = 12,
    FROZEN_COOKIE_BITS = 15
};

static bool has_prefix(const uint8_t *bytes, size_t n_bytes, const char *prefix)
{
    size_t n_prefix = strlen(prefix);
    return n_bytes >= n_prefix && memcmp(bytes, prefix, n_prefix) == 0;
}

static bool is_cookie_at(const uint8_t *bytes, size_t n_bytes, size_t at)
{
    if (n_bytes < 4 || at > n_bytes - 4)
        return false;
    uint32_t word = words_le32(bytes + at);
    return word == COOKIE_NO_RUNS || (word & 0xffff) == COOKIE_RUNS;
}

static uint32_t word_at(const uint8_t *bytes, size_t n_bytes, size_t at)
{
    return n_bytes >= 4 && at <= n_bytes - 4 ? words_le32(bytes + at) : 0;
}

static enum format_kind recognise_roaring(const uint8_t *bytes, size_t n_bytes)
{
    struct format_extent extent;
    bool is_32 = is_cookie_at(bytes, n_bytes, 0);
    bool is_empty_64 = n_bytes == 8 && words_le64(bytes) == 0;
    bool is_64 = is_empty_64 || is_cookie_at(bytes, n_bytes, BUCKET_COOKIE_AT);
    if (is_32 && is_64)
        is_64 = format_payload_extent(bytes, n_bytes, &extent) && extent.n_bytes == n_bytes;
    if (is_64)
        return FORMAT_ROARING64;
    return is_32 ? FORMAT_ROARING32 : FORMAT_AUTO;
}

/* A frame with Paimon's own magic, big-endian, in a file after its version byte or bare. */
static bool is_paimon(const uint8_t *bytes, size_t n_bytes)
{
    return (n_bytes >= DELTA_MAGIC_AT + 4 && bytes[0] == 1 &&
            words_be32(bytes + DELTA_MAGIC_AT) == MAGIC_PAIMON) ||
           (n_bytes >= FRAME_MAGIC_AT + 4 && words_be32(bytes + FRAME_MAGIC_AT) == MAGIC_PAIMON);
}

/* Where the magic of a frame would be, if its length word, at the start or after a Delta file's version byte, says just
 * how long the file is; 0 where it does not. */
static size_t frame_magic_at(const uint8_t *bytes, size_t n_bytes)
{
    if (n_bytes < FRAME_BYTES + 1)
        return 0;
    if (words_be32(bytes) + (uint64_t)FRAME_OUTER_BYTES == n_bytes)
        return FRAME_MAGIC_AT;
    return bytes[0] == 1 && words_be32(bytes + 1) + (uint64_t)FRAME_OUTER_BYTES + 1 == n_bytes
               ? DELTA_MAGIC_AT
               : 0;
}

/* Java's Roaring64NavigableMap before the portable format: a sign flag, a big-endian count, then big-endian
 * keys. */
static bool is_legacy_java(const uint8_t *bytes, size_t n_bytes)
{
    return n_bytes >= LEGACY_COOKIE_AT + 4 && bytes[0] <= 1 && words_be32(bytes + 1) > 0 &&
           is_cookie_at(bytes, n_bytes, LEGACY_COOKIE_AT);
}

/* CRoaring's frozen layout ends with its header: container count above 15 bits of cookie. Each container has
 * a key, a count and a type, 5 bytes. */
static bool is_frozen(const uint8_t *bytes, size_t n_bytes)
{
    uint32_t header = n_bytes >= 4 ? words_le32(bytes + n_bytes - 4) : 0;
    return (header & ((1u << FROZEN_COOKIE_BITS) - 1)) == COOKIE_FROZEN &&
           (header >> FROZEN_COOKIE_BITS) * 5ull + 4 <= n_bytes;
}

/* A text decoder puts EF BF BD, U+FFFD, where it meets a byte that is not UTF-8; a bitmap has many of those.
 */
static bool is_mangled_text(const uint8_t *bytes, size_t n_bytes)
{
    const uint8_t *first = memmem(bytes, n_bytes, "\xef\xbf\xbd", 3);
    return first && memmem(first + 3, n_bytes - (size_t)(first + 3 - bytes), "\xef\xbf\xbd", 3);
}

/* Bare, framed, or in a Delta file. The bitmap inside may have its cookie where a 64-bit bitmap has its
 * first, but that would have over a thousand million buckets; only a 32-bit bitmap could have these bytes by
 * chance, as flags of run containers. */
static bool is_delta_native(const uint8_t *bytes, size_t n_bytes)
{
    if (is_cookie_at(bytes, n_bytes, 0))
        return false;
    return word_at(bytes, n_bytes, 0) == MAGIC_DELTA_NATIVE ||
           word_at(bytes, n_bytes, FRAME_MAGIC_AT) == MAGIC_DELTA_NATIVE ||
           word_at(bytes, n_bytes, DELTA_MAGIC_AT) == MAGIC_DELTA_NATIVE;
}

/* CRoaring's own serialization: 1, a count and that many values; or 2 and a portable bitmap. */
static bool is_croaring_native(const uint8_t *bytes, size_t n_bytes)
{
    if (n_bytes < 5)
        return false;
    return bytes[0] == 1 ? words_le32(bytes + 1) * 4ull + 5 == n_bytes
                         : bytes[0] == 2 && is_cookie_at(bytes, n_bytes, 1);
}

static const char *name_refused(const uint8_t *bytes, size_t n_bytes)
{
    if (is_delta_native(bytes, n_bytes))
        return "Delta's old native layout (magic 1681511376)";
    if (n_bytes >= 4 && words_be32(bytes) == MAGIC_DELTA_NATIVE)
        return "Delta's old native layout with a big-endian magic (1681511376)";
    if (is_paimon(bytes, n_bytes))
        return "Paimon's deletion file (magic 1581511376)";
    if (word_at(bytes, n_bytes, 0) == MAGIC_VECTOR)
        return "a Delta inline vector without its Z85 text (give the text to --inline)";
    if (is_legacy_java(bytes, n_bytes))
        return "Java's legacy 64-bit Roaring layout (not the portable one)";
    if (is_frozen(bytes, n_bytes))
        return "CRoaring's frozen layout (not a portable one)";
    if (is_croaring_native(bytes, n_bytes))
        return "CRoaring's own native serialization (not a portable one)";
    if (has_prefix(bytes, n_bytes, "PAR1"))
        return "a Parquet file";
    if (has_prefix(bytes, n_bytes, "ORC"))
        return "an ORC file";
    if (has_prefix(bytes, n_bytes, "Obj\x01"))
        return "an Avro file";
    if (has_prefix(bytes, n_bytes, "\x1f\x8b"))
        return "a gzip file";
    if (has_prefix(bytes, n_bytes, "\x28\xb5\x2f\xfd"))
        return "a zstd file";
    if (is_mangled_text(bytes, n_bytes))
        return "the marks of a text decoder (EF BF BD) in place of bytes that it destroyed";
    return NULL;
}

static enum format_kind refuse(const uint8_t *bytes, size_t n_bytes, struct dv_error *error_out)
{
    const char *name = name_refused(bytes, n_bytes);
    size_t magic_at = frame_magic_at(bytes, n_bytes);
    const uint8_t *magic = bytes + magic_at;
    if (n_bytes == 0)
        dv_fail(error_out, DV_ERROR_INPUT, "found an empty file, expected a deletion vector");
    else if (n_bytes == 1 && bytes[0] == 1)
        dv_fail_at(
            error_out, DV_ERROR_INPUT, 0,
            "found a version byte and nothing more, expected a deletion vector; --format delta takes it as a "
            "Delta file without vectors");
    else if (name)
        dv_fail_at(error_out, DV_ERROR_INPUT, 0, "found %s, which is not read", name);
    else if (magic_at > 0)
        dv_fail_at(error_out, DV_ERROR_INPUT, magic_at,
                   "found the unknown magic %02x %02x %02x %02x in a frame whose length word fits the file, "
                   "expected "
                   "d1 d3 39 64 (1681511377)",
                   magic[0], magic[1], magic[2], magic[3]);
    else
        dv_fail_at(
            error_out, DV_ERROR_INPUT, 0,
            "found no magic of a known format in %zu bytes, expected Puffin, a deletion-vector-v1 blob, "
            "a Delta vector file, or Roaring portable; --format says which, inline for Z85 text",
            n_bytes);
    return FORMAT_AUTO;
}

enum format_kind format_recognise(const uint8_t *bytes, size_t n_bytes, struct dv_error *error_out)
{
    /* A Puffin file also ends with its magic: one with a damaged start hears what is damaged. */
    if (has_prefix(bytes, n_bytes, "PFA1") || (n_bytes >= 4 && has_prefix(bytes + n_bytes - 4, 4, "PFA1")))
        return FORMAT_PUFFIN;
    if (word_at(bytes, n_bytes, FRAME_MAGIC_AT) == MAGIC_VECTOR)
        return FORMAT_BLOB;
    /* The reader refuses other versions by name. */
    if (word_at(bytes, n_bytes, DELTA_MAGIC_AT) == MAGIC_VECTOR && !is_cookie_at(bytes, n_bytes, 0))
        return FORMAT_DELTA;
    enum format_kind roaring =
        is_delta_native(bytes, n_bytes) ? FORMAT_AUTO : recognise_roaring(bytes, n_bytes);
    return roaring == FORMAT_AUTO ? refuse(bytes, n_bytes, error_out) : roaring;
}
