/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

#include <assert.h>
#include <string.h>

enum { ITEM_MAX_BYTES = 64 };

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint64_t random_below(uint64_t *state, uint64_t n)
{
    return random_next(state) % n;
}

void random_shuffle(void *items, size_t n_items, size_t n_item_bytes, uint64_t seed)
{
    assert(n_item_bytes <= ITEM_MAX_BYTES);
    for (size_t i = n_items; i > 1; i--) {
        unsigned char kept[ITEM_MAX_BYTES];
        unsigned char *last = (unsigned char *)items + (i - 1) * n_item_bytes;
        unsigned char *other = (unsigned char *)items + random_below(&seed, i) * n_item_bytes;
        memcpy(kept, last, n_item_bytes);
        memmove(last, other, n_item_bytes);
        memcpy(other, kept, n_item_bytes);
    }
}
