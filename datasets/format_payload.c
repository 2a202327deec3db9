/* SPDX-License-Identifier: Apache-2.0 */
/* The payload inside a frame: how long it is, whether it is right, and what of it can be repaired.
 *
 *   u64 n_buckets | bucket: u32 key | u32 cookie [u32 n] [run flags] | n x (u16 chunk, u16 cardinality - 1) |
 *                                   [n x u32 offset] | containers | ...
 *
 * dv_view_index and dv_view_validate judge a payload. The walk here exists for what they must refuse: it
 * follows the headers and container bodies only, as readers do that ignore the offset table. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "format_internal.h"

enum { N_CHUNKS = 65536 };

/* The headers of one 32-bit bitmap, all places counted from the payload's start. */
struct bitmap {
    uint64_t start;
    uint32_t n_containers;
    uint64_t flags;       /* of the run flag bytes, 0 where there are none */
    uint64_t descriptors; /* of the (chunk, cardinality - 1) pairs */
    uint64_t offsets;     /* of the offset table, 0 where there is none */
};

struct walk {
    const uint8_t *bytes;
    uint8_t *repair; /* NULL: look only; else the same bytes, writable */
    uint64_t n_bytes;
    uint64_t at;
    struct format_extent extent;
};

static bool has_bytes(const struct walk *walk, uint64_t n_bytes)
{
    return n_bytes <= walk->n_bytes - walk->at;
}

/* Reads the headers at walk->at and moves to the first container. */
static bool walk_headers(struct walk *walk, struct bitmap *bitmap)
{
    *bitmap = (struct bitmap){.start = walk->at};
    if (!has_bytes(walk, 4))
        return false;
    uint32_t cookie = words_le32(walk->bytes + walk->at);
    walk->at += 4;
    bool has_runs = (cookie & 0xffff) == COOKIE_RUNS;
    if (has_runs) {
        bitmap->n_containers = (cookie >> 16) + 1;
        bitmap->flags = walk->at;
        if (!has_bytes(walk, (bitmap->n_containers + 7) / 8))
            return false;
        walk->at += (bitmap->n_containers + 7) / 8;
    } else {
        if (cookie != COOKIE_NO_RUNS || !has_bytes(walk, 4))
            return false;
        bitmap->n_containers = words_le32(walk->bytes + walk->at);
        walk->at += 4;
    }
    bool has_table = !has_runs || bitmap->n_containers >= 4;
    if (bitmap->n_containers > N_CHUNKS || !has_bytes(walk, bitmap->n_containers * (has_table ? 8ull : 4ull)))
        return false;
    bitmap->descriptors = walk->at;
    walk->at += bitmap->n_containers * 4ull;
    if (has_table) {
        bitmap->offsets = walk->at;
        walk->at += bitmap->n_containers * 4ull;
    }
    return true;
}

/* Moves over the run container at walk->at; repairs the cardinality in its descriptor. */
static bool walk_runs(struct walk *walk, uint64_t descriptor)
{
    if (!has_bytes(walk, 2))
        return false;
    uint64_t n_runs = words_le16(walk->bytes + walk->at);
    walk->at += 2;
    if (!has_bytes(walk, n_runs * 4))
        return false;
    uint64_t cardinality = 0;
    for (uint64_t i = 0; i < n_runs; i++)
        cardinality += words_le16(walk->bytes + walk->at + i * 4 + 2) + 1ull;
    walk->at += n_runs * 4;
    /* A cardinality out of range is a fault of the runs: dv_view_validate will say so. */
    if (walk->repair && cardinality >= 1 && cardinality <= DV_CHUNK_ROWS)
        words_put_le16(walk->repair + descriptor + 2, (uint16_t)(cardinality - 1));
    return true;
}

static bool walk_container(struct walk *walk, const struct bitmap *bitmap, uint32_t i)
{
    uint64_t descriptor = bitmap->descriptors + i * 4ull;
    if (walk->repair && bitmap->offsets)
        words_put_le32(walk->repair + bitmap->offsets + i * 4ull, (uint32_t)(walk->at - bitmap->start));
    if (bitmap->flags && walk->bytes[bitmap->flags + i / 8] >> i % 8 & 1)
        return walk_runs(walk, descriptor);
    uint64_t cardinality = words_le16(walk->bytes + descriptor + 2) + 1ull;
    uint64_t n_bytes = cardinality <= DV_ARRAY_MAX ? cardinality * 2 : DV_BITSET_BYTES;
    if (!has_bytes(walk, n_bytes))
        return false;
    walk->at += n_bytes;
    return true;
}

static bool walk_payload(struct walk *walk)
{
    if (!has_bytes(walk, 8))
        return false;
    uint64_t n_buckets = words_le64(walk->bytes);
    walk->at = 8;
    for (uint64_t i = 0; i < n_buckets; i++) {
        struct bitmap bitmap;
        if (!has_bytes(walk, 4))
            return false;
        walk->extent.last_key = words_le32(walk->bytes + walk->at);
        walk->extent.last_key_at = walk->at;
        walk->at += 4;
        if (!walk_headers(walk, &bitmap))
            return false;
        for (uint32_t c = 0; c < bitmap.n_containers; c++)
            if (!walk_container(walk, &bitmap, c))
                return false;
    }
    walk->extent.n_bytes = walk->at;
    return true;
}

bool format_payload_extent(const uint8_t *bytes, size_t n_bytes, struct format_extent *extent_out)
{
    struct walk walk = {.bytes = bytes, .n_bytes = n_bytes};
    bool is_inside = walk_payload(&walk);
    *extent_out = walk.extent;
    return is_inside;
}

uint8_t *format_payload_repair(const uint8_t *bytes, size_t n_bytes, size_t *n_out)
{
    uint8_t *copy = malloc(n_bytes ? n_bytes : 1);
    if (!copy)
        return NULL;
    memcpy(copy, bytes, n_bytes);
    struct walk walk = {.bytes = copy, .repair = copy, .n_bytes = n_bytes};
    if (!walk_payload(&walk)) {
        free(copy);
        return NULL;
    }
    *n_out = walk.at;
    return copy;
}
