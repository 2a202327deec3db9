/* SPDX-License-Identifier: Apache-2.0 */
/* One reader under random bytes. fuzz_target.c is compiled once a format, as FUZZ_FORMAT says; libFuzzer or
 * replay.c drives it.
 *
 * Place in the data flow: bytes -> format_parse -> checks of what it accepted -> abort() where one fails. */
#ifndef DVBENCH_FUZZ_TARGET_H
#define DVBENCH_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "format.h"

/* The format under test. */
extern const enum format_kind fuzz_format;

/* Parses the bytes as fuzz_format, strictly and leniently, as they are and with the checksums set right, so
 * that a mutation reaches what lies after them. Returns 0, as libFuzzer wants. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Checks one accepted vector: ranges ascend and add up, what is written anew holds the same positions, and
 * CRoaring, where built with it, reads the same set. Aborts with a line on standard error where not. */
void fuzz_check_vector(const struct format_vector *vector);

/* Files to start from: the golden payloads framed as `format`. Calls `each` for every one. */
void fuzz_seeds(enum format_kind format, void (*each)(void *user, const uint8_t *bytes, size_t n_bytes),
                void *user);

#endif
