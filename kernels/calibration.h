/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration: loops whose instructions, branches and mispredicted branches are known beforehand.
 *
 * Place in the data flow: bench/ counts these loops to learn what a counter is worth here, before it counts a
 * kernel. They are written in assembly, so that no compiler changes the counts. */
#ifndef DVBENCH_CALIBRATION_H
#define DVBENCH_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False where this architecture has no assembly for them: then nothing is known and no counter can be
 * trusted. */
bool calibration_is_known(void);

/* Exactly CALIBRATION_LOOP_INSTRUCTIONS x n instructions and n branches, plus a constant of the call. n >=
 * 1. */
#define CALIBRATION_LOOP_INSTRUCTIONS 2
void calibration_loop(uint64_t n);

/* Branches on each byte of bits[0, n): where it is 0, one more instruction runs. n >= 1. Instructions:
 * CALIBRATION_BRANCH_INSTRUCTIONS x n + the number of zero bytes; branches: 2 x n; mispredicts: n / 2 on
 * random bits, whatever the predictor, and next to none on sorted ones. */
#define CALIBRATION_BRANCH_INSTRUCTIONS 5
void calibration_branches(const uint8_t *bits, size_t n);

/* Fills bits[0, n) with exactly n / 2 ones and n - n / 2 zeros: zeros first, or shuffled by `seed`. */
void calibration_fill_sorted(uint8_t *bits, size_t n);
void calibration_fill_shuffled(uint8_t *bits, size_t n, uint64_t seed);

#endif
