/* SPDX-License-Identifier: Apache-2.0 */
/* What the view takes and what it refuses, one case a row: the bytes, where the fault is, and what is said
 * about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dv.h"
#include "payload.h"

/* One bucket of key 0: 8 + 4 bytes, so that its bitmap starts at 12. */
#define BUCKET     "0100000000000000 00000000 "
#define NO_RUNS(n) "3a300000 " n "000000 "

enum stage { ACCEPTED, INDEX, VALIDATE };

struct hex_case {
    const char *name;
    const char *hex;
    enum stage stage; /* which of the two refuses */
    uint64_t offset_bytes;
    const char *message; /* a part of it */
};

static const struct hex_case cases[] = {
    /* The frame of buckets. */
    {"nothing", "", INDEX, 0, "bucket count needs 8 bytes, 0 are left"},
    {"half a count", "01000000", INDEX, 0, "bucket count needs 8 bytes, 4 are left"},
    {"no bucket", "0000000000000000", ACCEPTED, 0, ""},
    {"a byte behind no bucket", "0000000000000000 00", INDEX, 8,
     "1 trailing bytes after the last of 0 buckets"},
    {"2^40 buckets of nothing", "0000000000010000", INDEX, 0, "bucket count 1099511627776, at most 0 fit"},
    {"2^64 - 1 buckets", "ffffffffffffffff 00000000 3a300000 00000000", INDEX, 0, "at most 1 fit"},
    {"a bucket too many", "0200000000000000 00000000 3a300000 00000000", INDEX, 0,
     "bucket count 2, at most 1 fit"},
    {"empty bucket", BUCKET "3a300000 00000000", ACCEPTED, 0, ""},
    {"two empty buckets", "0200000000000000 00000000 3a300000 00000000 01000000 3a300000 00000000", ACCEPTED,
     0, ""},
    {"key twice", "0200000000000000 00000000 3a300000 00000000 00000000 3a300000 00000000", INDEX, 20,
     "key 0 after key 0, expected ascending"},
    {"keys descend", "0200000000000000 01000000 3a300000 00000000 00000000 3a300000 00000000", INDEX, 20,
     "key 0 after key 1, expected ascending"},
    {"keys are unsigned", "0200000000000000 ffffff7f 3a300000 00000000 00000080 3a300000 00000000", ACCEPTED,
     0, ""},
    {"keys are not signed", "0200000000000000 00000080 3a300000 00000000 ffffff7f 3a300000 00000000", INDEX,
     20, "key 2147483647 after key 2147483648"},
    {"highest key", "0100000000000000 ffffffff 3a300000 00000000", ACCEPTED, 0, ""},
    {"bytes behind the last bucket", BUCKET "3a300000 00000000 0000", INDEX, 20,
     "2 trailing bytes after the last of 1 buckets"},
    {"a bucket behind the last", BUCKET "3a300000 00000000 01000000 3a300000 00000000", INDEX, 20,
     "12 trailing bytes"},
    /* The header of a bitmap. */
    {"unknown cookie", BUCKET "39300000 00000000", INDEX, 12, "cookie 12345 of a bitmap, expected 12346"},
    {"cookie without runs with a high half", BUCKET "3a300100 00000000", INDEX, 12,
     "cookie 77882 of a bitmap"},
    {"65,537 containers", BUCKET "3a300000 01000100", INDEX, 16, "container count 65537, at most 65536"},
    {"2^32 - 1 containers", BUCKET "3a300000 ffffffff", INDEX, 16,
     "container count 4294967295, at most 65536"},
    {"65,536 containers of nothing", BUCKET "3a300000 00000100", INDEX, 20,
     "the header of a bitmap needs 524288 bytes"},
    {"65,536 run containers of nothing", BUCKET "3b30ffff 00000000", INDEX, 16,
     "the header of a bitmap needs 532480 bytes"},
    {"header without a body", BUCKET NO_RUNS("01") "00000000 10000000", INDEX, 28,
     "the containers of a bitmap needs 2 bytes"},
    {"no offset table", BUCKET NO_RUNS("01") "00000000 0500", INDEX, 20,
     "the header of a bitmap needs 8 bytes, 6 are left"},
    {"chunk twice", BUCKET NO_RUNS("02") "00000000 00000000 18000000 1a000000 0100 0200", INDEX, 24,
     "chunk 0 after chunk 0, expected ascending"},
    {"chunks descend", BUCKET NO_RUNS("02") "05000000 04000000 18000000 1a000000 0100 0200", INDEX, 24,
     "chunk 4 after chunk 5, expected ascending"},
    {"chunks are unsigned", BUCKET NO_RUNS("02") "05000000 faff0000 18000000 1a000000 0100 0200", ACCEPTED, 0,
     ""},
    {"offset 0 instead of 16", BUCKET NO_RUNS("01") "00000000 00000000 0000", INDEX, 24,
     "offset 0 of container 0, expected 16"},
    {"offset one too far", BUCKET NO_RUNS("01") "00000000 11000000 0000", INDEX, 24,
     "offset 17 of container 0, expected 16"},
    {"second offset wrong", BUCKET NO_RUNS("02") "00000000 01000000 18000000 18000000 0100 0200", INDEX, 32,
     "offset 24 of container 1, expected 26"},
    {"runs, 3 containers, no table",
     BUCKET "3b300200 07 00000000 01000000 02000000 010000000000 010000000000 010000000000", ACCEPTED, 0, ""},
    {"runs, 4 containers, table",
     BUCKET "3b300300 0f 00000000 01000000 02000000 03000000 25000000 2b000000 31000000 37000000"
            "010000000000 010000000000 010000000000 010000000000",
     ACCEPTED, 0, ""},
    {"runs, 4 containers, no table",
     BUCKET
     "3b300300 0f 00000000 01000000 02000000 03000000 010000000000 010000000000 010000000000 010000000000",
     INDEX, 33, "offset 1 of container 0, expected 37"},
    {"runs, 4 containers, wrong table",
     BUCKET "3b300300 0f 00000000 01000000 02000000 03000000 25000000 2b000000 31000000 38000000"
            "010000000000 010000000000 010000000000 010000000000",
     INDEX, 45, "offset 56 of container 3, expected 55"},
    {"run beside array", BUCKET "3b300100 02 00000100 01000200 0500 0900 0100 0400 0200", ACCEPTED, 0, ""},
    /* Bodies: their length. */
    {"one row", BUCKET NO_RUNS("01") "00000000 10000000 0500", ACCEPTED, 0, ""},
    {"array cut", BUCKET NO_RUNS("01") "00000100 10000000 0500 06", INDEX, 28,
     "an array container needs 4 bytes, 3 are left"},
    {"bitset cut", BUCKET NO_RUNS("01") "00000010 10000000 0500", INDEX, 28,
     "a bitset container needs 8192 bytes, 2 are left"},
    {"no run", BUCKET "3b300000 01 00000000 0000", INDEX, 21, "run container with 0 runs"},
    {"run count cut", BUCKET "3b300100 03 00000000 01000000 0100 0000 0000", INDEX, 31,
     "run count of a container needs 2"},
    {"run cut", BUCKET "3b300000 01 00000000 0100 0000", INDEX, 21,
     "a run container needs 6 bytes, 4 are left"},
    {"32,768 runs of nothing", BUCKET "3b300000 01 00000000 0080", INDEX, 21,
     "a run container needs 131074 bytes"},
    {"65,535 runs of nothing", BUCKET "3b300000 01 00000000 ffff", INDEX, 21,
     "a run container needs 262142 bytes"},
    {"byte behind the body", BUCKET NO_RUNS("01") "00000000 10000000 0500 00", INDEX, 30, "1 trailing bytes"},
    /* Bodies: their content. */
    {"array value twice", BUCKET NO_RUNS("01") "00000100 10000000 0500 0500", VALIDATE, 30,
     "array value 5 after 5"},
    {"array descends", BUCKET NO_RUNS("01") "00000100 10000000 0700 0500", VALIDATE, 30,
     "array value 5 after 7"},
    {"array descends late", BUCKET NO_RUNS("01") "00000300 10000000 0100 0200 ffff 0080", VALIDATE, 34,
     "array value 32768 after 65535"},
    {"full run", BUCKET "3b300000 01 0000ffff 0100 0000ffff", ACCEPTED, 0, ""},
    {"touching runs", BUCKET "3b300000 01 00000900 0200 00000400 05000400", ACCEPTED, 0, ""},
    {"overlapping runs", BUCKET "3b300000 01 00000900 0200 00000400 04000400", VALIDATE, 27,
     "run starts at 4, expected 5"},
    {"runs descend", BUCKET "3b300000 01 00000900 0200 0a000400 00000400", VALIDATE, 27,
     "run starts at 0, expected 15"},
    {"run leaves its chunk", BUCKET "3b300000 01 00000100 0100 ffff0100", VALIDATE, 23,
     "run ends at 65537, its chunk ends at"},
    {"run of 65,536 not from 0", BUCKET "3b300000 01 0000ffff 0100 0100ffff", VALIDATE, 23,
     "run ends at 65537"},
    {"header says 1, runs hold 10", BUCKET "3b300000 01 00000000 0100 00000900", VALIDATE, 21,
     "runs hold 10 values, their header says 1"},
    {"header says 10, runs hold 1", BUCKET "3b300000 01 00000900 0100 00000000", VALIDATE, 21,
     "runs hold 1 values, their header says 10"},
};

static int nibble(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* In a block of exactly its length, so that a sanitizer sees a read behind it. */
static uint8_t *bytes_of(const char *hex, size_t *n_bytes_out)
{
    uint8_t *bytes = malloc(strlen(hex) / 2 + 1);
    size_t n = 0;
    assert_non_null(bytes);
    for (; *hex; hex += *hex == ' ' ? 1 : 2)
        if (*hex != ' ')
            bytes[n++] = (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]));
    *n_bytes_out = n;
    uint8_t *exact = realloc(bytes, n ? n : 1);
    return exact ? exact : bytes;
}

static void check_view_is_empty(const struct dv_view *view)
{
    const struct dv_view empty = {0};
    assert_memory_equal(view, &empty, sizeof empty);
}

/* The stage that refuses, its error in `error_out`. */
static enum stage stage_of(const uint8_t *bytes, size_t n_bytes, struct dv_error *error_out)
{
    struct dv_view view;
    enum stage stage = ACCEPTED;
    if (dv_view_index(&view, bytes, n_bytes, error_out) != 0) {
        check_view_is_empty(&view);
        return INDEX;
    }
    if (dv_view_validate(&view, bytes, error_out) != 0)
        stage = VALIDATE;
    dv_view_free(&view);
    check_view_is_empty(&view);
    return stage;
}

static void each_case_is_taken_or_refused_where_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct hex_case *c = &cases[i];
        size_t n_bytes;
        uint8_t *bytes = bytes_of(c->hex, &n_bytes);
        struct dv_error error = {0};
        enum stage stage = stage_of(bytes, n_bytes, &error);
        if (stage != c->stage || error.offset_bytes != c->offset_bytes ||
            !strstr(error.message, c->message) || error.code != (stage == ACCEPTED ? 0 : DV_ERROR_INPUT))
            fail_msg("%s: stage %d, offset %llu, code %d: %s", c->name, stage,
                     (unsigned long long)error.offset_bytes, error.code, error.message);
        free(bytes);
    }
}

static const struct payload_container mixed[] = {
    {0, 0, DV_ARRAY, {{7, 8, 1}, {100, 160, 3}}},
    {0, 3, DV_RUN, {{0, 10, 1}, {20, 30, 1}, {65530, 65536, 1}}},
    {0, 4, DV_BITSET, {{0, 5000, 1}}},
    {0, 65535, DV_ARRAY, {{65535, 65536, 1}}},
    {7, 1, DV_ARRAY, {{5, 6, 1}}},
};
#define N_MIXED (sizeof mixed / sizeof *mixed)

static void a_view_tells_its_containers(void **state)
{
    (void)state;
    size_t n_bytes;
    uint8_t *bytes = payload_write(mixed, N_MIXED, &n_bytes);
    struct dv_view view;
    assert_int_equal(dv_view_index(&view, bytes, n_bytes, NULL), 0);
    assert_int_equal(dv_view_validate(&view, bytes, NULL), 0);
    assert_int_equal(view.n_containers, N_MIXED);
    assert_int_equal(view.n_buckets, 2);
    assert_int_equal(view.cardinality, 21 + 26 + 5000 + 1 + 1);
    assert_int_equal(view.n_kind[DV_ARRAY], 3);
    assert_int_equal(view.n_kind[DV_BITSET], 1);
    assert_int_equal(view.n_kind[DV_RUN], 1);
    for (size_t i = 0; i < N_MIXED; i++) {
        assert_int_equal(view.containers[i].key, mixed[i].key);
        assert_int_equal(view.containers[i].chunk, mixed[i].chunk);
        assert_int_equal(view.containers[i].kind, mixed[i].kind);
        assert_int_equal(view.containers[i].n_runs, mixed[i].kind == DV_RUN ? 3 : 0);
    }
    assert_int_equal(dv_container_start(&view.containers[4]), (UINT64_C(7) << 32) + 65536);
    dv_view_free(&view);
    free(bytes);
}

static void seek_finds_the_first_container_that_ends_later(void **state)
{
    (void)state;
    size_t n_bytes;
    uint8_t *bytes = payload_write(mixed, N_MIXED, &n_bytes);
    struct dv_view view;
    assert_int_equal(dv_view_index(&view, bytes, n_bytes, NULL), 0);
    assert_int_equal(dv_view_seek(&view, 0), 0);
    assert_int_equal(dv_view_seek(&view, 65535), 0);
    assert_int_equal(dv_view_seek(&view, 65536), 1);
    assert_int_equal(dv_view_seek(&view, 3 * 65536), 1);
    assert_int_equal(dv_view_seek(&view, 5 * 65536), 3);
    assert_int_equal(dv_view_seek(&view, UINT32_MAX), 3);
    assert_int_equal(dv_view_seek(&view, UINT64_C(1) << 32), 4);
    assert_int_equal(dv_view_seek(&view, (UINT64_C(7) << 32) + 2 * 65536), 5);
    assert_int_equal(dv_view_seek(&view, UINT64_MAX), 5);
    dv_view_free(&view);
    free(bytes);
}

static void every_prefix_is_refused(void **state)
{
    (void)state;
    size_t n_bytes;
    uint8_t *bytes = payload_write(mixed, N_MIXED, &n_bytes);
    for (size_t n = 0; n < n_bytes; n += n < 200 || n + 200 > n_bytes ? 1 : 61) {
        uint8_t *prefix = malloc(n ? n : 1);
        assert_non_null(prefix);
        memcpy(prefix, bytes, n);
        struct dv_error error = {0};
        assert_int_equal(stage_of(prefix, n, &error), INDEX);
        assert_true(error.offset_bytes <= n);
        free(prefix);
    }
    free(bytes);
}

/* What is accepted after a flip must be walkable: the intervals are read and every container is asked for its
 * bytes. */
static void every_flipped_bit_is_refused_or_harmless(void **state)
{
    (void)state;
    const struct payload_container small[] = {{0, 0, DV_ARRAY, {{7, 8, 1}, {100, 106, 3}}},
                                              {0, 3, DV_RUN, {{0, 10, 1}, {20, 30, 1}}},
                                              {7, 1, DV_ARRAY, {{5, 6, 1}}}};
    size_t n_bytes;
    unsigned n_refused = 0;
    uint8_t *bytes = payload_write(small, 3, &n_bytes);
    for (size_t bit = 0; bit < 8 * n_bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        struct dv dv;
        struct dv_error error = {0};
        if (dv_open(&dv, bytes, n_bytes, DV_NEEDS_INTERVALS, &error) != 0) {
            assert_int_equal(error.code, DV_ERROR_INPUT);
            n_refused++;
        } else {
            uint64_t n_deleted = 0;
            for (size_t i = 0; i < dv.intervals.n_items; i++)
                n_deleted += dv.intervals.items[i].end - dv.intervals.items[i].start;
            assert_int_equal(n_deleted, dv.view.cardinality);
            dv_close(&dv);
        }
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    /* Counts, cookies, cardinalities and offsets have no bit to spare. */
    assert_true(n_refused > 8 * n_bytes / 2);
    free(bytes);
}

static void bytes_may_lie_anywhere(void **state)
{
    (void)state;
    size_t n_bytes;
    uint8_t *bytes = payload_write(mixed, N_MIXED, &n_bytes);
    uint8_t *moved = malloc(n_bytes + 8);
    assert_non_null(moved);
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(moved + shift, bytes, n_bytes);
        struct dv dv;
        assert_int_equal(dv_open(&dv, moved + shift, n_bytes, DV_NEEDS_INTERVALS, NULL), 0);
        assert_int_equal(dv.view.cardinality, 5049);
        assert_ptr_equal(dv.view.containers[0].bytes,
                         moved + shift + (dv.view.containers[0].bytes - moved - shift));
        dv_close(&dv);
    }
    free(moved);
    free(bytes);
}

static void put(uint8_t **at, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        *(*at)++ = (uint8_t)(value >> 8 * i);
}

/* All 2^32 positions of key 0, in 65,536 run containers. */
static void a_bitmap_can_be_full(void **state)
{
    (void)state;
    size_t n_bytes = 8 + 4 + 4 + 8192 + (4 + 4 + 6) * (size_t)65536;
    uint8_t *bytes = malloc(n_bytes);
    assert_non_null(bytes);
    uint8_t *at = bytes;
    put(&at, 1, 8);
    put(&at, 0, 4);
    put(&at, 12347 | 65535u << 16, 4);
    for (int i = 0; i < 8192; i++)
        put(&at, 255, 1);
    for (uint32_t chunk = 0; chunk < 65536; chunk++)
        put(&at, chunk | 65535u << 16, 4);
    for (uint32_t chunk = 0; chunk < 65536; chunk++)
        put(&at, 4 + 8192 + 8 * 65536 + 6 * chunk, 4);
    for (uint32_t chunk = 0; chunk < 65536; chunk++)
        put(&at, 1 | UINT64_C(0xffff) << 32, 6);
    assert_ptr_equal(at, bytes + n_bytes);
    struct dv dv;
    struct dv_error error = {0};
    if (dv_open(&dv, bytes, n_bytes, DV_NEEDS_INTERVALS, &error) != 0)
        fail_msg("%s at %llu", error.message, (unsigned long long)error.offset_bytes);
    assert_int_equal(dv.view.n_containers, 65536);
    assert_int_equal(dv.view.cardinality, UINT64_C(1) << 32);
    assert_int_equal(dv.intervals.n_items, 1);
    assert_int_equal(dv.intervals.items[0].end, UINT64_C(1) << 32);
    dv_close(&dv);
    free(bytes);
}

static void a_bitset_must_hold_what_its_header_says(void **state)
{
    (void)state;
    const struct payload_container bitset[] = {{0, 0, DV_BITSET, {{0, 5000, 1}}}};
    size_t n_bytes;
    uint8_t *bytes = payload_write(bitset, 1, &n_bytes);
    struct dv_error error = {0};
    assert_int_equal(stage_of(bytes, n_bytes, &error), ACCEPTED);
    memset(bytes + 28 + 8, 0, 8192 - 8);
    assert_int_equal(stage_of(bytes, n_bytes, &error), VALIDATE);
    assert_int_equal(error.offset_bytes, 28);
    assert_string_equal(error.message, "bitset has 64 bits set, its header says 5000");
    /* One bit too many, the last. */
    memset(bytes + 28, 0xff, 625);
    bytes[28 + 8191] = 0x80;
    assert_int_equal(stage_of(bytes, n_bytes, &error), VALIDATE);
    assert_string_equal(error.message, "bitset has 5001 bits set, its header says 5000");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_is_taken_or_refused_where_it_says),
        cmocka_unit_test(a_view_tells_its_containers),
        cmocka_unit_test(seek_finds_the_first_container_that_ends_later),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(every_flipped_bit_is_refused_or_harmless),
        cmocka_unit_test(bytes_may_lie_anywhere),
        cmocka_unit_test(a_bitmap_can_be_full),
        cmocka_unit_test(a_bitset_must_hold_what_its_header_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
