/* SPDX-License-Identifier: Apache-2.0 */
/* Small files for the tests of the formats, written down in hex: the golden frames that Iceberg's and Delta's
 * writers make, decoded and recomputed by independent parsers.
 *
 * Place in the data flow: hex -> bytes -> format_parse. */
#ifndef DVBENCH_FORMAT_FIXTURE_H
#define DVBENCH_FORMAT_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "format.h"

/* Frames: length, magic, payload, CRC. */
#define HEX_EMPTY     "0000000cd1d339640000000000000000bf18480c"
#define HEX_FIVE      "00000022d1d339640100000000000000000000003a30000001000000000000001000000005008ad140f0"
#define HEX_0_TO_9999 "0000001fd1d339640100000000000000000000003b3000000100000f27010000000f276920f60f"
#define HEX_SPARSE_KEY_5                                                                                     \
    "00000022d1d339640100000000000000050000003a3000000100000000000000100000000100a5347234"
#define HEX_ALTERNATING                                                                                      \
    "0000002ad1d339640100000000000000000000003a3000000100000000000400100000000100030005000700"               \
    "0900b3fb20be"
#define HEX_SMALL_AND_LARGE                                                                                  \
    "00000030d1d339640100000000000000000000003a3000000200000000000100008001001800"                           \
    "00001c000000640065006300640015eb1c7c"
#define HEX_ALL_KINDS                                                                                        \
    "00000056d1d339640200000000000000000000003b30020006000001000100e6030200fdff05000700010001"               \
    "00e60301000100fdff010000003b30020006000001000100e9010200fdff0a00140001000a00e90101000100"               \
    "fdffc89be397"

/* Whole files. */
#define HEX_DELTA_0_AND_9                                                                                    \
    "0100000024d1d339640100000000000000000000003a300000010000000000010010000000000009002a671846"
#define HEX_DELTA_TWO                                                                                        \
    "0100000022d1d339640100000000000000000000003a3000000100000000000000100000001e0023e78b6a"                 \
    "00000024d1d339640100000000000000000000003a300000010000000000010010000000000012008351d3dc"
#define HEX_PUFFIN_EMPTY "50464131504641317b22626c6f6273223a5b5d7d0c0000000000000050464131"
#define HEX_ROARING64_10                                                                                     \
    "0100000000000000000000003a3000000100000000000900100000000000010002000300040005000600070008000900"
#define HEX_ROARING64_NONE "0000000000000000"
/* Run cookie with 3 containers: no offset table; with 4: one. */
#define HEX_ROARING32_3_RUNS "3b30020007000000000100000002000000010000000000010000000000010000000000"
#define HEX_ROARING32_4_RUNS                                                                                 \
    "3b3003000f00000000010000000200000003000000250000002b0000003100000037000000010000000000010000"           \
    "000000010000000000010000000000"
#define HEX_ROARING32_FULL_CHUNK "3b300000010000ffff01000000ffff"

#define Z85_SIX_ROWS   "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
#define Z85_BIG_ENDIAN "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"

/* Decodes hex into malloc'ed bytes (never NULL; a test fails where the text is bad). */
uint8_t *fixture_bytes(const char *hex, size_t *n_out);

/* format_parse of hex. */
int fixture_parse(struct format_file *file_out, const char *hex, const struct format_options *options,
                  struct dv_error *error_out);

#endif
