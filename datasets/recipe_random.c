/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "random.h"
#include "recipe_random.h"

typedef unsigned __int128 uint128;

void recipe_random_init(struct recipe_random *random, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++)
        random->state[i] = random_next(&seed);
}

static uint64_t rotate_left(uint64_t x, unsigned n_bits)
{
    return x << n_bits | x >> (64 - n_bits);
}

uint64_t recipe_random_next(struct recipe_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t recipe_random_below(struct recipe_random *random, uint64_t n)
{
    assert(n > 0);
    uint128 product = (uint128)recipe_random_next(random) * n;
    if ((uint64_t)product < n) {
        uint64_t biased_below = -n % n; /* 2^64 mod n */
        while ((uint64_t)product < biased_below)
            product = (uint128)recipe_random_next(random) * n;
    }
    return (uint64_t)(product >> 64);
}

/* floor(2^64 * numerator / denominator), by long division: the product would not fit. numerator < denominator
 * < 2^127. */
static uint64_t fixed_point(uint128 numerator, uint128 denominator)
{
    uint64_t quotient = 0;
    for (unsigned i = 0; i < 64; i++) {
        numerator <<= 1;
        quotient <<= 1;
        if (numerator >= denominator) {
            numerator -= denominator;
            quotient |= 1;
        }
    }
    return quotient;
}

void recipe_geometric_init(struct recipe_geometric *geometric, uint128 numerator, uint128 denominator)
{
    assert(numerator > 0 && numerator <= denominator && denominator >> 127 == 0);
    const uint128 one = (uint128)1 << 64;
    uint64_t power = fixed_point(denominator - numerator, denominator); /* q^(2^k) */
    geometric->n_digits = 0;
    while (power > 0 && geometric->n_digits < sizeof geometric->digit / sizeof geometric->digit[0]) {
        geometric->digit[geometric->n_digits++] = (uint64_t)(((uint128)power << 64) / (one + power));
        power = (uint64_t)((uint128)power * power >> 64);
    }
}

uint64_t recipe_geometric_next(const struct recipe_geometric *geometric, struct recipe_random *random)
{
    uint64_t n_failures = 0;
    for (unsigned k = 0; k < geometric->n_digits; k++)
        n_failures |= (uint64_t)(recipe_random_next(random) < geometric->digit[k]) << k;
    return n_failures;
}

static bool take(uint64_t *bits, uint64_t i)
{
    bool is_new = !(bits[i / 64] >> i % 64 & 1);
    bits[i / 64] |= UINT64_C(1) << i % 64;
    return is_new;
}

void recipe_random_subset(struct recipe_random *random, uint64_t *bits, uint32_t n, uint32_t n_chosen)
{
    assert(n_chosen <= n);
    memset(bits, 0, ((size_t)n + 63) / 64 * sizeof *bits);
    for (uint32_t j = n - n_chosen; j < n; j++) {
        if (!take(bits, recipe_random_below(random, (uint64_t)j + 1)))
            take(bits, j);
    }
}
