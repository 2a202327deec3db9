/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers by integer arithmetic only: the same on every machine, compiler and build.
 *
 * Place in the data flow: seed -> these -> the recipes. What each function draws is part of its contract,
 * since the bytes of a spec depend on it. */
#ifndef DVBENCH_RECIPE_RANDOM_H
#define DVBENCH_RECIPE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* xoshiro256** (Blackman and Vigna), its state the first four of random_next from `seed`. */
struct recipe_random {
    uint64_t state[4];
};

void recipe_random_init(struct recipe_random *random, uint64_t seed);

uint64_t recipe_random_next(struct recipe_random *random);

/* Uniform in [0, n), n > 0, without bias: the high word of next * n (Lemire); draws again while the low word
 * is below 2^64 mod n. */
uint64_t recipe_random_below(struct recipe_random *random, uint64_t n);

/* Number of failures before a success. The binary digits of a geometric variate are independent: digit k is 1
 * with probability q^(2^k) / (1 + q^(2^k)), q the probability of failure. So one draw a digit is enough,
 * whatever the mean, and no logarithm is taken. All probabilities are fixed point, 2^64 standing for 1. */
struct recipe_geometric {
    uint64_t digit[63]; /* probability that digit k is 1 */
    unsigned n_digits;
};

/* Success has probability numerator / denominator in (0, 1], denominator < 2^127. Rounds q down to a multiple
 * of 2^-64 and each square and quotient likewise; digits end where their probability is 0. */
void recipe_geometric_init(struct recipe_geometric *geometric, unsigned __int128 numerator,
                           unsigned __int128 denominator);

/* Below 2^63. Draws one number for each digit, the lowest first. */
uint64_t recipe_geometric_next(const struct recipe_geometric *geometric, struct recipe_random *random);

/* A random set of exactly n_chosen of the numbers [0, n), as bits; the caller gives room for n of them.
 * Floyd's method: for j from n - n_chosen to n - 1, draw t below j + 1 and take t, or j where t is taken
 * already. */
void recipe_random_subset(struct recipe_random *random, uint64_t *bits, uint32_t n, uint32_t n_chosen);

#endif
