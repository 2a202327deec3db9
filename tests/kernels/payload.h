/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads for tests, written container by container in the kind that the test asks for, and the truth about
 * them.
 *
 * Place in the data flow: a table in a test -> bytes for dv_open, and a plain answer to every question about
 * a position. */
#ifndef DVBENCH_TEST_PAYLOAD_H
#define DVBENCH_TEST_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"

#define PAYLOAD_RANGES 4

/* The values from, from + step, ... below `to` of a chunk; step 0 is 1. from == to: nothing. */
struct payload_range {
    uint32_t from;
    uint32_t to;
    uint32_t step;
};

/* Ranges ascend and do not overlap. An array must hold at most 4,096 values and a bitset more, as the format
 * has it. */
struct payload_container {
    uint32_t key;
    uint16_t chunk;
    enum dv_kind kind;
    struct payload_range ranges[PAYLOAD_RANGES];
};

/* Writes the containers, ascending by (key, chunk), as one payload of *n_bytes_out bytes; the caller frees
 * it. */
uint8_t *payload_write(const struct payload_container *containers, size_t n_containers, size_t *n_bytes_out);

/* Whether the table has the position: every range of every container is asked. */
bool payload_has(const struct payload_container *containers, size_t n_containers, uint64_t position);

#endif
