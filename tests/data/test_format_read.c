/* SPDX-License-Identifier: Apache-2.0 */
/* Readers on golden files: what is in them, how they are recognised, which vector an option chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format_fixture.h"

struct accepted {
    const char *name;
    const char *hex;
    enum format_kind format;
    size_t n_vectors;
    uint64_t cardinality; /* of the first vector */
    size_t n_containers;
};

static const struct accepted accepted[] = {
    {"empty blob", HEX_EMPTY, FORMAT_BLOB, 1, 0, 0},
    {"{5}", HEX_FIVE, FORMAT_BLOB, 1, 1, 1},
    {"0..9999", HEX_0_TO_9999, FORMAT_BLOB, 1, 10000, 1},
    {"key 5 alone", HEX_SPARSE_KEY_5, FORMAT_BLOB, 1, 1, 1},
    {"1 3 5 7 9", HEX_ALTERNATING, FORMAT_BLOB, 1, 5, 1},
    {"chunks 0 and 0x8000", HEX_SMALL_AND_LARGE, FORMAT_BLOB, 1, 4, 2},
    {"arrays and runs under two keys", HEX_ALL_KINDS, FORMAT_BLOB, 1, 132561, 6},
    {"Delta, one vector", HEX_DELTA_0_AND_9, FORMAT_DELTA, 1, 2, 1},
    {"Delta, two vectors", HEX_DELTA_TWO, FORMAT_DELTA, 2, 1, 1},
    {"Puffin, no blob", HEX_PUFFIN_EMPTY, FORMAT_PUFFIN, 0, 0, 0},
    {"64-bit 0..9", HEX_ROARING64_10, FORMAT_ROARING64, 1, 10, 1},
    {"64-bit, empty", HEX_ROARING64_NONE, FORMAT_ROARING64, 1, 0, 0},
    {"32-bit, no offset table", HEX_ROARING32_3_RUNS, FORMAT_ROARING32, 1, 3, 3},
    {"32-bit, offset table", HEX_ROARING32_4_RUNS, FORMAT_ROARING32, 1, 4, 4},
    {"32-bit, full chunk", HEX_ROARING32_FULL_CHUNK, FORMAT_ROARING32, 1, 65536, 1},
    {"32-bit, empty", "3a30000000000000", FORMAT_ROARING32, 1, 0, 0},
    {"64-bit, an empty bucket", "0100000000000000000000003a30000000000000", FORMAT_ROARING64, 1, 0, 0},
    {"touching runs",
     "3b3000000100000900020000000400"
     "05000400",
     FORMAT_ROARING32, 1, 10, 1},
};

static void recognises_and_reads_golden_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        const struct accepted *row = &accepted[i];
        struct format_options options = {0};
        struct format_file file;
        struct dv_error error = {0};
        if (fixture_parse(&file, row->hex, &options, &error) != 0)
            fail_msg("%s: %s", row->name, error.message);
        assert_int_equal(file.format, row->format);
        assert_int_equal(file.n_vectors, row->n_vectors);
        assert_int_equal(file.n_vectors_in_file, row->n_vectors);
        if (row->n_vectors) {
            assert_int_equal(file.vectors[0].view.cardinality, row->cardinality);
            assert_int_equal(file.vectors[0].view.n_containers, row->n_containers);
        }
        format_close(&file);
    }
}

static void reads_delta_vectors_at_their_places(void **state)
{
    (void)state;
    struct format_options options = {0};
    struct format_file file;
    struct dv_error error = {0};
    assert_int_equal(fixture_parse(&file, HEX_DELTA_TWO, &options, &error), 0);
    assert_int_equal(file.vectors[0].frame_offset, 1);
    assert_int_equal(file.vectors[1].frame_offset, 43);
    assert_int_equal(file.vectors[1].index, 1);
    assert_int_equal(file.vectors[1].crc_stored, 0x8351d3dc);
    assert_int_equal(file.vectors[1].view.cardinality, 2);
    format_close(&file);
}

struct choice {
    const char *name;
    struct format_options options;
    int code;
    const char *message; /* NULL: accepted */
};

/* On HEX_DELTA_TWO, whose vectors start at 1 (34 bytes) and 43 (36 bytes). */
static const struct choice choices[] = {
    {"by offset and length",
     {.has_offset = true, .offset_bytes = 43, .has_length = true, .length_bytes = 36},
     0,
     NULL},
    {"by number", {.has_blob = true, .blob = 1}, 0, NULL},
    {"stated cardinality", {.has_blob = true, .blob = 1, .has_cardinality = true, .cardinality = 2}, 0, NULL},
    {"length counts the frame",
     {.has_offset = true, .offset_bytes = 43, .has_length = true, .length_bytes = 44},
     DV_ERROR_INPUT,
     "found a vector of 36 bytes, expected 44"},
    {"version byte", {.has_offset = true, .offset_bytes = 0}, DV_ERROR_INPUT, "no vector starts here"},
    {"inside a vector", {.has_offset = true, .offset_bytes = 5}, DV_ERROR_INPUT, "no vector starts here"},
    {"past the end",
     {.has_offset = true, .offset_bytes = UINT64_MAX},
     DV_ERROR_INPUT,
     "no vector starts here"},
    {"no such number", {.has_blob = true, .blob = 2}, DV_ERROR_INPUT, "no vector number 2: the file has 2"},
    {"wrong cardinality",
     {.has_blob = true, .blob = 1, .has_cardinality = true, .cardinality = 0},
     DV_ERROR_INPUT,
     "found 2 positions, expected 0"},
    {"cardinality of which", {.has_cardinality = true, .cardinality = 1}, DV_ERROR_INPUT, "expected 1"},
    {"data file", {.data_file = "x.parquet"}, DV_ERROR_INPUT, "only Puffin files name data files"},
    {"number against offset",
     {.has_blob = true, .blob = 0, .has_offset = true, .offset_bytes = 43},
     DV_ERROR_INPUT,
     "chosen by number and by offset"},
};

static void chooses_by_options(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct format_file file;
        struct dv_error error = {0};
        int code = fixture_parse(&file, HEX_DELTA_TWO, &choices[i].options, &error);
        if (code != choices[i].code || (code != 0 && !strstr(error.message, choices[i].message)))
            fail_msg("%s: %d %s", choices[i].name, code, error.message);
        if (code != 0)
            continue;
        assert_int_equal(file.n_vectors, 1);
        assert_int_equal(file.vectors[0].index, 1);
        assert_int_equal(file.n_vectors_in_file, 2);
        format_close(&file);
    }
}

static void reads_a_blob_inside_a_file(void **state)
{
    (void)state;
    struct format_options options = {
        .format = FORMAT_BLOB, .has_offset = true, .offset_bytes = 2, .has_length = true, .length_bytes = 42};
    struct format_file file;
    struct dv_error error = {0};
    assert_int_equal(fixture_parse(&file, "ffff" HEX_FIVE "ffff", &options, &error), 0);
    assert_int_equal(file.vectors[0].frame_offset, 2);
    assert_int_equal(file.vectors[0].n_frame_bytes, 42);
    format_close(&file);
    options.length_bytes = 34; /* Delta's way of counting */
    assert_int_equal(fixture_parse(&file, "ffff" HEX_FIVE "ffff", &options, &error), DV_ERROR_INPUT);
    assert_int_equal(error.offset_bytes, 2);
}

static void reads_inline_vectors(void **state)
{
    (void)state;
    struct format_options options = {
        .has_length = true, .length_bytes = 44, .has_cardinality = true, .cardinality = 6};
    struct format_file file;
    struct dv_error error = {0};
    assert_int_equal(format_open_inline(&file, Z85_SIX_ROWS, &options, &error), 0);
    assert_int_equal(file.format, FORMAT_DELTA_INLINE);
    assert_int_equal(file.vectors[0].view.cardinality, 6);
    assert_int_equal(dv_container_start(&file.vectors[0].view.containers[0]), 0);
    format_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recognises_and_reads_golden_files),
        cmocka_unit_test(reads_delta_vectors_at_their_places),
        cmocka_unit_test(chooses_by_options),
        cmocka_unit_test(reads_a_blob_inside_a_file),
        cmocka_unit_test(reads_inline_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
