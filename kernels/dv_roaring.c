/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <roaring/roaring.h>

#include "bytes.h"
#include "dv_roaring.h"

/* A longer array of bitmaps is mapped rather than taken from the heap. */
#define MAX_HEAP_BITMAPS 65536u
#define PAGE_BYTES       4096u
/* What CRoaring holds of a container besides its values: the struct, and pointer, key and type in the top
 * level. */
#define CONTAINER_BYTES (16u + 8u + 2u + 1u)

/* Gives `bitmaps` room for n_bitmaps pointers, all NULL. */
static int reserve_bitmaps(struct dv_roaring *roaring, uint64_t n_bitmaps, struct dv_error *error_out)
{
    roaring->n_bitmaps = n_bitmaps;
    if (n_bitmaps <= MAX_HEAP_BITMAPS) {
        roaring->bitmaps = calloc(n_bitmaps ? n_bitmaps : 1, sizeof *roaring->bitmaps);
        return roaring->bitmaps ? 0 : dv_no_memory(error_out);
    }
    if (n_bitmaps > SIZE_MAX / sizeof *roaring->bitmaps)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "key %" PRIu64 " needs 64-bit pointers",
                       n_bitmaps - 1);
    size_t n_bytes = n_bitmaps * sizeof *roaring->bitmaps;
    void *mapping =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                       "an array of bitmaps up to key %" PRIu64
                       " needs %zu bytes of address space, refused here",
                       n_bitmaps - 1, n_bytes);
    /* A huge page after each touched pointer would make the array real. Old kernels lack the advice: no
     * harm. */
    madvise(mapping, n_bytes, MADV_NOHUGEPAGE);
    roaring->bitmaps = mapping;
    roaring->n_mapped_bytes = n_bytes;
    return 0;
}

/* Deserializes the bucket at `*at` and moves it past. */
static int add_bucket(struct dv_roaring *roaring, const struct dv *dv, size_t *at, struct dv_error *error_out)
{
    uint32_t key = load_le32(dv->bytes + *at);
    const char *bitmap = (const char *)dv->bytes + *at + 4;
    size_t n_left = dv->n_bytes - *at - 4;
    size_t n_bytes = roaring_bitmap_portable_deserialize_size(bitmap, n_left);
    if (n_bytes == 0)
        return dv_fail_at(error_out, DV_ERROR_INPUT, *at, "CRoaring refuses the bitmap of key %" PRIu32, key);
    roaring->bitmaps[key] = roaring_bitmap_portable_deserialize_safe(bitmap, n_bytes);
    if (!roaring->bitmaps[key])
        return dv_fail_at(error_out, DV_ERROR_MEMORY, *at, "CRoaring cannot hold the bitmap of key %" PRIu32,
                          key);
    roaring->keys[roaring->n_keys++] = key;
    *at += 4 + n_bytes;
    return 0;
}

/* One more than the highest key that has a container. Empty buckets need no bitmap, as keys beyond the array
 * need none. */
static uint64_t count_bitmaps(const struct dv_view *view)
{
    return view->n_containers ? (uint64_t)view->containers[view->n_containers - 1].key + 1 : 0;
}

static int add_buckets(struct dv_roaring *roaring, const struct dv *dv, struct dv_error *error_out)
{
    int status = reserve_bitmaps(roaring, count_bitmaps(&dv->view), error_out);
    if (status)
        return status;
    roaring->keys = reallocarray(NULL, dv->view.n_buckets + 1, sizeof *roaring->keys);
    roaring->empty = roaring_bitmap_create();
    if (!roaring->keys || !roaring->empty)
        return dv_no_memory(error_out);
    size_t at = 8;
    while (!status && at < dv->n_bytes && load_le32(dv->bytes + at) < roaring->n_bitmaps)
        status = add_bucket(roaring, dv, &at, error_out);
    return status;
}

int dv_roaring_new(struct dv_roaring **roaring_out, const struct dv *dv, struct dv_error *error_out)
{
    *roaring_out = NULL;
    struct dv_roaring *roaring = calloc(1, sizeof *roaring);
    if (!roaring)
        return dv_no_memory(error_out);
    int status = add_buckets(roaring, dv, error_out);
    if (status)
        dv_roaring_free(roaring);
    else
        *roaring_out = roaring;
    return status;
}

void dv_roaring_free(struct dv_roaring *roaring)
{
    if (!roaring)
        return;
    for (size_t i = 0; i < roaring->n_keys; i++)
        roaring_bitmap_free(roaring->bitmaps[roaring->keys[i]]);
    if (roaring->empty)
        roaring_bitmap_free(roaring->empty);
    if (roaring->n_mapped_bytes)
        munmap(roaring->bitmaps, roaring->n_mapped_bytes);
    else
        free(roaring->bitmaps);
    free(roaring->keys);
    free(roaring);
}

static size_t container_bytes(const struct dv_view *view)
{
    size_t n_bytes = view->n_kind[DV_BITSET] * DV_BITSET_BYTES;
    for (size_t i = 0; i < view->n_containers; i++) {
        const struct dv_container *container = &view->containers[i];
        if (container->kind == DV_ARRAY)
            n_bytes += 2 * (size_t)container->cardinality;
        else if (container->kind == DV_RUN)
            n_bytes += 4 * (size_t)container->n_runs;
    }
    return n_bytes;
}

/* Of a mapping, only the pages that hold a pointer count. */
static size_t array_bytes(const struct dv_roaring *roaring)
{
    size_t n_bytes = sizeof *roaring + roaring->n_keys * sizeof *roaring->keys;
    if (!roaring->n_mapped_bytes)
        return n_bytes + roaring->n_bitmaps * sizeof *roaring->bitmaps;
    uint64_t last_page = UINT64_MAX;
    for (size_t i = 0; i < roaring->n_keys; i++) {
        uint64_t page = roaring->keys[i] / (PAGE_BYTES / sizeof *roaring->bitmaps);
        n_bytes += page != last_page ? PAGE_BYTES : 0;
        last_page = page;
    }
    return n_bytes;
}

size_t dv_roaring_bytes(const struct dv *dv)
{
    return array_bytes(dv->roaring) + dv->roaring->n_keys * sizeof(roaring_bitmap_t) +
           container_bytes(&dv->view) + dv->view.n_containers * CONTAINER_BYTES;
}

#if DVBENCH_HAVE_ROARING64

#include <roaring/roaring64.h>

/* The struct of a container and its leaf in the radix tree; inner nodes are not counted. */
#define LEAF_BYTES (16u + 16u)

int dv_roaring64_new(struct dv_roaring64 **roaring64_out, const struct dv *dv, struct dv_error *error_out)
{
    *roaring64_out = NULL;
    struct dv_roaring64 *roaring64 = calloc(1, sizeof *roaring64);
    if (!roaring64)
        return dv_no_memory(error_out);
    roaring64->bitmap = roaring64_bitmap_portable_deserialize_safe((const char *)dv->bytes, dv->n_bytes);
    if (!roaring64->bitmap) {
        free(roaring64);
        return dv_fail(error_out, DV_ERROR_INPUT, "CRoaring's roaring64 refuses the bytes");
    }
    *roaring64_out = roaring64;
    return 0;
}

void dv_roaring64_free(struct dv_roaring64 *roaring64)
{
    if (roaring64)
        roaring64_bitmap_free(roaring64->bitmap);
    free(roaring64);
}

size_t dv_roaring64_bytes(const struct dv *dv)
{
    return sizeof *dv->roaring64 + container_bytes(&dv->view) + dv->view.n_containers * LEAF_BYTES;
}

#endif
