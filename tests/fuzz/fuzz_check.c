/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DVBENCH_HAVE_ROARING
#include <roaring/roaring.h>
#endif

#include "format_words.h"
#include "fuzz_target.h"
#include "payload_ranges.h"
#include "payload_writer.h"

#define FAIL_UNLESS(condition)                                                                               \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* A set as a digest of its joined ranges. */
struct digest {
    uint64_t value;
    uint64_t n_positions;
    bool is_open;
    uint64_t first;
    uint64_t last;
};

static void mix(struct digest *digest)
{
    if (digest->is_open)
        digest->value =
            (digest->value * 0x9e3779b97f4a7c15u ^ digest->first) * 0xff51afd7ed558ccdu ^ digest->last;
}

static int add_range(void *user, uint64_t first, uint64_t last, struct dv_error *error_out)
{
    (void)error_out;
    struct digest *digest = user;
    FAIL_UNLESS(first <= last);
    FAIL_UNLESS(first >> 16 == last >> 16);
    FAIL_UNLESS(!digest->is_open || first > digest->last);
    digest->n_positions += last - first + 1;
    if (digest->is_open && first == digest->last + 1) {
        digest->last = last;
        return 0;
    }
    mix(digest);
    digest->is_open = true;
    digest->first = first;
    digest->last = last;
    return 0;
}

static struct digest digest_of(const struct dv_view *view)
{
    struct digest digest = {0};
    FAIL_UNLESS(payload_ranges(view, add_range, &digest, NULL) == 0);
    mix(&digest);
    FAIL_UNLESS(digest.n_positions == view->cardinality);
    return digest;
}

/* Empty buckets far apart would make dense keys long: sparse ones only. */
static void check_rewrite(const struct dv_view *view, struct digest expected, unsigned options)
{
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    struct dv_view again = {0};
    struct dv_error error;
    if (view->n_containers && payload_last(view) == UINT64_MAX)
        return;
    FAIL_UNLESS(payload_rewrite(view, options, &bytes, &n_bytes, &error) == 0);
    FAIL_UNLESS(dv_view_index(&again, bytes, n_bytes, &error) == 0);
    FAIL_UNLESS(dv_view_validate(&again, bytes, &error) == 0);
    FAIL_UNLESS(digest_of(&again).value == expected.value);
    dv_view_free(&again);
    free(bytes);
}

#ifdef DVBENCH_HAVE_ROARING
/* A rank costs a walk over the bitmap; beyond so many ranges one walk over the values is cheaper. */
enum { MANY_RANGES = 5000 };

struct bucket {
    roaring_bitmap_t *bitmap;
    uint64_t base; /* key << 32 */
    uint64_t n_ranges;
    uint64_t n_positions;
    struct digest digest; /* of CRoaring's values */
};

static uint64_t rank_before(const roaring_bitmap_t *bitmap, uint32_t low)
{
    return low ? roaring_bitmap_rank(bitmap, low - 1) : 0;
}

static int count_range(void *user, uint64_t first, uint64_t last, struct dv_error *error_out)
{
    (void)error_out;
    struct bucket *bucket = user;
    bucket->n_ranges++;
    bucket->n_positions += last - first + 1;
    return 0;
}

static int find_range(void *user, uint64_t first, uint64_t last, struct dv_error *error_out)
{
    (void)error_out;
    const struct bucket *bucket = user;
    uint64_t n_found =
        roaring_bitmap_rank(bucket->bitmap, (uint32_t)last) - rank_before(bucket->bitmap, (uint32_t)first);
    FAIL_UNLESS(n_found == last - first + 1);
    return 0;
}

static bool add_value(uint32_t value, void *user)
{
    struct bucket *bucket = user;
    add_range(&bucket->digest, bucket->base + value, bucket->base + value, NULL);
    return true;
}

/* The containers of one key against CRoaring's bitmap of it. */
static void check_bucket(struct bucket *bucket, const struct dv_container *containers, size_t n_containers)
{
    const struct dv_view view = {.containers = (struct dv_container *)containers,
                                 .n_containers = n_containers};
    FAIL_UNLESS(payload_ranges(&view, count_range, bucket, NULL) == 0);
    FAIL_UNLESS(roaring_bitmap_get_cardinality(bucket->bitmap) == bucket->n_positions);
    if (bucket->n_ranges <= MANY_RANGES) {
        FAIL_UNLESS(payload_ranges(&view, find_range, bucket, NULL) == 0);
        return;
    }
    struct digest ours = {0};
    FAIL_UNLESS(payload_ranges(&view, add_range, &ours, NULL) == 0);
    roaring_iterate(bucket->bitmap, add_value, bucket);
    mix(&ours);
    mix(&bucket->digest);
    FAIL_UNLESS(ours.value == bucket->digest.value);
}

/* Follows the buckets by the sizes that CRoaring finds, not by our own walk. */
static void check_croaring(const struct format_vector *vector)
{
    const struct dv_view *view = &vector->view;
    size_t at = 8;
    size_t i = 0;
    for (uint64_t n = 0; n < view->n_buckets; n++) {
        FAIL_UNLESS(vector->n_payload_bytes - at > 4);
        uint32_t key = words_le32(vector->payload + at);
        at += 4;
        const char *bytes = (const char *)vector->payload + at;
        size_t n_bytes = roaring_bitmap_portable_deserialize_size(bytes, vector->n_payload_bytes - at);
        FAIL_UNLESS(n_bytes > 0);
        struct bucket bucket = {.bitmap = roaring_bitmap_portable_deserialize_safe(bytes, n_bytes),
                                .base = (uint64_t)key << 32};
        FAIL_UNLESS(bucket.bitmap != NULL);
        size_t i_first = i;
        while (i < view->n_containers && view->containers[i].key == key)
            i++;
        check_bucket(&bucket, i > i_first ? &view->containers[i_first] : NULL, i - i_first);
        roaring_bitmap_free(bucket.bitmap);
        at += n_bytes;
    }
    FAIL_UNLESS(at == vector->n_payload_bytes && i == view->n_containers);
}
#else
static void check_croaring(const struct format_vector *vector)
{
    (void)vector;
}
#endif

static int count_call(void *user, uint64_t first, uint64_t last, struct dv_error *error_out)
{
    (void)first, (void)last, (void)error_out;
    ++*(uint32_t *)user;
    return 0;
}

static void check_run_counts(const struct dv_view *view)
{
    for (size_t i = 0; i < view->n_containers; i++) {
        uint32_t n_calls = 0;
        FAIL_UNLESS(payload_container_ranges(&view->containers[i], count_call, &n_calls, NULL) == 0);
        FAIL_UNLESS(payload_container_runs(&view->containers[i]) == n_calls);
    }
}

void fuzz_check_vector(const struct format_vector *vector)
{
    const struct dv_view *view = &vector->view;
    struct digest digest = digest_of(view);
    if (view->n_containers) {
        FAIL_UNLESS(payload_first(view) <= payload_last(view));
        FAIL_UNLESS(payload_last(view) == digest.last);
    }
    check_run_counts(view);
    check_rewrite(view, digest, PAYLOAD_OPTIMIZE);
    check_rewrite(view, digest, 0);
    check_croaring(vector);
}
