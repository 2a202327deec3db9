/* SPDX-License-Identifier: Apache-2.0 */
/* One number for many bytes: names vectors, cells and programs, and keeps no secret.
 *
 * Place in the data flow: payloads, specs, a program's file -> hashes in CSV and run.json. */
#ifndef DVBENCH_DIGEST_H
#define DVBENCH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* 64-bit FNV-1a. */
static inline uint64_t digest_bytes(const void *bytes, size_t n_bytes)
{
    uint64_t digest = 0xcbf29ce484222325;
    for (size_t i = 0; i < n_bytes; i++)
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
    return digest;
}

#endif
