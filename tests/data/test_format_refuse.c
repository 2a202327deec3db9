/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers refuse, one fault a row: where it is reported and what the message says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format_fixture.h"

/* A frame whose CRC is right and whose payload is the hex in between. */
#define FRAME(length, payload, crc) "000000" length "d1d33964" payload crc

#define KEY_TOO_LARGE_FRAME                                                                                  \
    FRAME("22",                                                                                              \
          "0100000000000000ffffff7f3a300000010000000000000010000000"                                         \
          "0500",                                                                                            \
          "4716d6bf")
#define KEY_LARGEST_FRAME                                                                                    \
    FRAME("22", "0100000000000000feffff7f3a3000000100000000000000100000000500", "503eb27f")
#define KEY_NEGATIVE_FRAME                                                                                   \
    FRAME("22", "0100000000000000000000803a3000000100000000000000100000000500", "10c098a0")
#define WRONG_OFFSET_FRAME                                                                                   \
    FRAME("22", "0100000000000000000000003a3000000100000000000000000000000500", "8907426b")
#define UNSORTED_FRAME                                                                                       \
    FRAME("24", "0100000000000000000000003a30000001000000000001001000000007000500", "1b056ff3")
#define PADDED_FRAME                                                                                         \
    FRAME("26", "0100000000000000000000003a300000010000000000000010000000050000000000", "42f6da1b")
#define RUN_CARDINALITY_FRAME                                                                                \
    FRAME("1f",                                                                                              \
          "0100000000000000000000003b300000010000000001000000"                                               \
          "0900",                                                                                            \
          "494af15c")

struct refused {
    const char *name;
    const char *hex;
    enum format_kind format;
    uint64_t offset_bytes;
    const char *message;
    bool is_lenient_fine; /* --lenient mends it or steps over it, and warns */
};

static const struct refused refused[] = {
    /* Recognised by no magic, or named and refused. */
    {"empty file", "", FORMAT_AUTO, DV_NO_OFFSET, "empty file", false},
    {"noise", "00000000000000010a", FORMAT_AUTO, 0, "no magic of a known format", false},
    {"native file", "0100000022d0d33964010000", FORMAT_AUTO, 0, "old native layout", false},
    {"native blob", "00000022d0d33964010000000000000000000000", FORMAT_AUTO, 0, "old native layout", false},
    {"native, blob stated", "00000010d0d3396401000000000000000000000000000000", FORMAT_BLOB, 4, "1681511376",
     false},
    {"native, bare",
     "d0d339640100000012000000"
     "3a300000010000000000000010000000"
     "0500",
     FORMAT_AUTO, 0, "old native layout", false},
    {"big-endian native", "6439d3d000000001", FORMAT_AUTO, 0, "big-endian", false},
    {"legacy Java", "0000000001000000003a30000001000000", FORMAT_AUTO, 0, "Java's legacy 64-bit", false},
    {"Paimon", "010000001a5e43f2d03a3000000100000000000200100000000100020003001d745108", FORMAT_AUTO, 0,
     "Paimon's deletion file (magic 1581511376)", false},
    {"Paimon, one entry", "0000001a5e43f2d03a3000000100000000000200100000000100020003001d745108", FORMAT_AUTO,
     0, "Paimon's deletion file", false},
    {"blob, unknown magic", "0000000cd2d339640000000000000000bf18480c", FORMAT_AUTO, 4,
     "unknown magic d2 d3 39 64", false},
    {"Delta, unknown magic", "010000000cd2d339640000000000000000bf18480c", FORMAT_AUTO, 5,
     "unknown magic d2 d3 39 64", false},
    {"Delta, version 2, recognised", "0200000022d1d33964", FORMAT_AUTO, 0, "found version byte 2, expected 1",
     false},
    {"Delta, no vector", "01", FORMAT_AUTO, 0, "--format delta", false},
    {"frozen", "0500000000010002c6b50000", FORMAT_AUTO, 0, "CRoaring's frozen layout", false},
    {"native CRoaring, values", "010100000005000000", FORMAT_AUTO, 0, "native serialization", false},
    {"native CRoaring", "023a3000000100000000000000100000000500", FORMAT_AUTO, 0, "native serialization",
     false},
    {"mangled by a text decoder", "0a00000000000000efbfbdefbfbdefbfbdefbfbd3a300000", FORMAT_AUTO, 0,
     "text decoder", false},
    {"Puffin, first magic damaged", "50464132504641317b22626c6f6273223a5b5d7d0c0000000000000050464131",
     FORMAT_AUTO, 0, "expected the first magic", false},
    {"Parquet", "5041523100000000", FORMAT_AUTO, 0, "Parquet", false},
    {"binary inline",
     "d1d33964"
     "0000000000000000",
     FORMAT_AUTO, 0, "--inline", false},
    /* Frames. */
    {"CRC flipped", "00000022d1d339640100000000000000000000003a30000001000000000000001000000005008ad140f1",
     FORMAT_AUTO, 38, "found CRC 8ad140f1 stored, expected 8ad140f0", false},
    {"vector bit flipped",
     "00000022d1d339640100000000000000000000003a30000001000000000000001000000004008ad140f0", FORMAT_AUTO, 38,
     "found CRC 8ad140f0 stored, expected", false},
    {"CRC without the magic",
     "00000022d1d339640100000000000000000000003a300000010000000000000010000000050087584035", FORMAT_AUTO, 38,
     "found CRC 87584035 stored, expected 8ad140f0", false},
    {"length counts the frame",
     "0000002ad1d339640100000000000000000000003a30000001000000000000001000000005008ad140f0", FORMAT_AUTO, 0,
     "found length word 42, expected at most 34", false},
    {"length -1", "ffffffffd1d339640100000000000000000000003a30000001000000000000001000000005008ad140f0",
     FORMAT_AUTO, 0, "found length word 4294967295", false},
    {"length 0", "00000000d1d339640100000000000000000000003a30000001000000000000001000000005008ad140f0",
     FORMAT_BLOB, 8, "bytes after the last vector", false},
    {"blob, trailing byte", HEX_FIVE "00", FORMAT_AUTO, 42, "found 1 bytes after the last vector", true},
    {"blob, truncated", "00000022d1d33964010000000000000000000000", FORMAT_AUTO, 0, "expected at most 12",
     false},
    {"blob, four bytes", "00000022", FORMAT_BLOB, 0, "found 4 bytes left", false},
    {"Delta, version 2", "0200000022d1d33964", FORMAT_DELTA, 0, "found version byte 2, expected 1", false},
    {"Delta, trailing byte", HEX_DELTA_0_AND_9 "00", FORMAT_AUTO, 45, "found 1 bytes after the last vector",
     true},
    {"Delta, second cut off", HEX_DELTA_0_AND_9 "00000024d1d339640100000000000000", FORMAT_AUTO, 45,
     "found 16 bytes left", false},
    /* Payloads, at offsets of the file. */
    {"offset table entry 0", WRONG_OFFSET_FRAME, FORMAT_AUTO, 32, "offset", true},
    {"array 7 5", UNSORTED_FRAME, FORMAT_AUTO, 38, "5", false},
    {"padded with zeros", PADDED_FRAME, FORMAT_AUTO, 38, "4", true},
    {"run header says 1, body 10", RUN_CARDINALITY_FRAME, FORMAT_AUTO, 29, "runs hold 10 values", true},
    {"bucket count 2^40", FRAME("0c", "0000000000010000", "beda223b"), FORMAT_AUTO, 8, "1099511627776",
     false},
    {"key 2^31 - 1 in a blob", KEY_TOO_LARGE_FRAME, FORMAT_AUTO, 16,
     "found key 2147483647, expected at most 2147483646", false},
    {"key 2^31 - 1, empty bucket", FRAME("18", "0100000000000000ffffff7f3a30000000000000", "8a86556a"),
     FORMAT_AUTO, 16, "found key 2147483647", false},
    {"key 2^31 in Delta", "01" KEY_NEGATIVE_FRAME, FORMAT_AUTO, 17,
     "expected at most 2147483647 in format delta", false},
    {"run cookie, header cut off", "3b303b30ff000075", FORMAT_AUTO, 4, "truncated", false},
    {"0 runs",
     "3b3000000100000000"
     "0000",
     FORMAT_AUTO, 9, "0 runs", false},
    {"count 65537", "3a30000001000100", FORMAT_AUTO, 4, "65537", false},
    {"32-bit, trailing byte", HEX_ROARING32_FULL_CHUNK "00", FORMAT_AUTO, 15, "1", true},
    {"64-bit, descending keys",
     "0200000000000000010000003a30000001000000000000001000000005000000"
     "00003a3000000100000000000000100000000500",
     FORMAT_AUTO, 30, "key", false},
};

static void check_row(const struct refused *row)
{
    struct format_options options = {.format = row->format};
    struct format_file file;
    struct dv_error error = {0};
    int code = fixture_parse(&file, row->hex, &options, &error);
    if (code != DV_ERROR_INPUT || error.code != code || error.offset_bytes != row->offset_bytes ||
        !strstr(error.message, row->message))
        fail_msg("%s: code %d, byte %lld: %s", row->name, code, (long long)error.offset_bytes, error.message);
    assert_null(file.vectors);
    options.lenient = true;
    code = fixture_parse(&file, row->hex, &options, &error);
    if ((code == 0) != row->is_lenient_fine)
        fail_msg("%s, lenient: code %d: %s", row->name, code, error.message);
    if (code == 0) {
        assert_int_equal(file.n_warnings, 1);
        format_close(&file);
    }
}

static void refuses_each_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        check_row(&refused[i]);
}

static void takes_the_largest_keys(void **state)
{
    (void)state;
    static const char *const files[] = {KEY_LARGEST_FRAME, "01" KEY_TOO_LARGE_FRAME,
                                        "0100000000000000ffffffff3a3000000100000000000000100000000500"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct format_options options = {0};
        struct format_file file;
        struct dv_error error = {0};
        if (fixture_parse(&file, files[i], &options, &error) != 0)
            fail_msg("%zu: %s", i, error.message);
        format_close(&file);
    }
}

static void mends_to_what_the_containers_say(void **state)
{
    (void)state;
    struct format_options options = {.lenient = true};
    struct format_file file;
    struct dv_error error = {0};
    assert_int_equal(fixture_parse(&file, RUN_CARDINALITY_FRAME, &options, &error), 0);
    assert_true(file.vectors[0].is_repaired);
    assert_int_equal(file.vectors[0].view.cardinality, 10);
    format_close(&file);
    assert_int_equal(fixture_parse(&file, PADDED_FRAME, &options, &error), 0);
    assert_int_equal(file.vectors[0].n_payload_bytes, 30);
    format_close(&file);
}

struct refused_inline {
    const char *text;
    uint64_t length_bytes; /* 0: not stated */
    const char *message;
};

static const struct refused_inline refused_inline[] = {
    {Z85_BIG_ENDIAN, 0, "big-endian"},
    {"%nSc1%nSc1%nSc1", 0, "4294967296, expected at most 4294967295"},
    {"%nSc0%nSc0%nSc0", 0, "found magic ff ff ff ff"},
    {"^Bg9", 0, "found 4 characters, expected a multiple of 5"},
    {"^Bg9\"", 0, "found byte 22"},
    {"^Bg9\xc3", 0, "found byte c3"},
    {"vBn[lx{q8@P<9BNH/isA", 0, "deletion_vector_61d16c75-6994-46b7-a15b-8b538852e50e.bin"},
    {"ab^-aqEH.-t@S}K{vb[*k^", 0, "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"},
    {"", 0, "found 0 bytes, expected at least 12"},
    {Z85_SIX_ROWS, 40, "expected 40 and up to 3 of padding"},
    {Z85_SIX_ROWS, 45, "expected 45"},
    {Z85_SIX_ROWS, 43, "truncated"},
    {Z85_SIX_ROWS "00001", 44, "expected 44 and up to 3"},
    {Z85_SIX_ROWS "00000", 0, "4"},
};

static void refuses_bad_inline_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused_inline / sizeof *refused_inline; i++) {
        const struct refused_inline *row = &refused_inline[i];
        struct format_options options = {.has_length = row->length_bytes != 0,
                                         .length_bytes = row->length_bytes};
        struct format_file file;
        struct dv_error error = {0};
        int code = format_open_inline(&file, row->text, &options, &error);
        if (code != DV_ERROR_INPUT || !strstr(error.message, row->message) ||
            strcmp(error.where, "inline vector") != 0)
            fail_msg("%s: code %d: %s", row->text, code, error.message);
    }
}

/* Every cut of a good file is refused, and nothing reads past the end (run under sanitizers). The format is
 * stated: one byte 01 of a 64-bit bitmap alone would be a Delta file without vectors. */
static void refuses_every_cut(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        enum format_kind format;
    } files[] = {{HEX_ALL_KINDS, FORMAT_BLOB},
                 {HEX_SMALL_AND_LARGE, FORMAT_BLOB},
                 {HEX_PUFFIN_EMPTY, FORMAT_PUFFIN},
                 {HEX_ROARING64_10, FORMAT_ROARING64},
                 {HEX_ROARING32_4_RUNS, FORMAT_ROARING32}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t n_bytes = strlen(files[i].hex) / 2;
        for (size_t n_kept = 0; n_kept < n_bytes; n_kept++) {
            char *cut = strndup(files[i].hex, 2 * n_kept);
            struct format_options options = {.format = files[i].format};
            struct format_file file;
            struct dv_error error = {0};
            if (fixture_parse(&file, cut, &options, &error) != DV_ERROR_INPUT)
                fail_msg("file %zu cut to %zu bytes was accepted", i, n_kept);
            free(cut);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_each_fault),      cmocka_unit_test(takes_the_largest_keys),
        cmocka_unit_test(refuses_bad_inline_text), cmocka_unit_test(mends_to_what_the_containers_say),
        cmocka_unit_test(refuses_every_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
