/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are the same for the same seed on every machine, for orders and test cases: one word of state.
 *
 * Place in the data flow: a seed -> the order of a round, a random vector, the state of recipe_random.h. */
#ifndef DVBENCH_RANDOM_H
#define DVBENCH_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The next output of splitmix64 (Steele, Lea and Flood); any state is a seed. */
uint64_t random_next(uint64_t *state);

/* In [0, n), n > 0, by remainder: a bias of n / 2^64, too small for orders and test cases to show. */
uint64_t random_below(uint64_t *state, uint64_t n);

/* Puts the items into a random order (Fisher and Yates). An item has at most 64 bytes. */
void random_shuffle(void *items, size_t n_items, size_t n_item_bytes, uint64_t seed);

#endif
