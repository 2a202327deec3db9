/* SPDX-License-Identifier: Apache-2.0 */
/* The library and CRoaring in one program, as in an engine that has both: each calls its own functions. */
#include <dvkernels.h>
#include <roaring/roaring.h>
#if __has_include(<roaring/bitset/bitset.h>)
#include <roaring/bitset/bitset.h>
#define HAS_BITSET 1
#endif
#include <stdio.h>
#include <string.h>

/* What CRoaring counts in {3}, by a function whose plain name any library may have. */
static size_t count_in_croaring(void)
{
#ifdef HAS_BITSET
    bitset_t *bitset = bitset_create();
    bitset_set(bitset, 3);
    size_t n = bitset_count(bitset);
    bitset_free(bitset);
    return n;
#else
    roaring_bitmap_t *bitmap = roaring_bitmap_of(1, 3);
    size_t n = roaring_bitmap_get_cardinality(bitmap);
    roaring_bitmap_free(bitmap);
    return n;
#endif
}

int main(void)
{
    /* One bitset container of the even values: opening it counts its bits. */
    static uint8_t payload[28 + 8192] = {1, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0,  0, 0x3a, 0x30,
                                         0, 0, 1, 0, 0, 0, 0, 0, 0xff, 0x7f, 16, 0, 0,    0};
    memset(payload + 28, 0x55, 8192);
    struct dv_error error;
    struct dv_reader *reader;
    if (dv_reader_open(&reader, payload, sizeof payload, &error) != 0) {
        printf("%s\n", error.message);
        return 1;
    }
    const uint64_t n_deleted = dv_reader_cardinality(reader);
    dv_reader_close(reader);
    const size_t n_counted = count_in_croaring();
    printf("%llu deleted rows; CRoaring counts %zu in {3}\n", (unsigned long long)n_deleted, n_counted);
    return n_deleted != 32768 || n_counted != 1;
}
