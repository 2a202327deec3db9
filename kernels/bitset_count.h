/* SPDX-License-Identifier: Apache-2.0 */
/* How many bits of a bitset container are set: the only check that reads all its 8 KiB.
 *
 * Place in the data flow: dv_view_validate asks it once a bitset; the count is most of what opening a dense
 * vector costs. */
#ifndef DVBENCH_BITSET_COUNT_H
#define DVBENCH_BITSET_COUNT_H

#include <stdint.h>

/* The set bits of 1,024 words at any address: 0 .. 65536. By the widest count of this CPU. */
uint32_t bitset_count(const uint8_t *bytes);

#endif
