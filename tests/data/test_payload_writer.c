/* SPDX-License-Identifier: Apache-2.0 */
/* The payload writer: bytes of other writers, the choice of containers at its thresholds, random round
 * trips. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dv.h"
#include "format_fixture.h"
#include "payload_writer.h"
#include "recipe_random.h"

struct payload {
    uint8_t *bytes;
    size_t n_bytes;
};

static struct payload write_ranges(const struct dv_interval *ranges, size_t n_ranges, unsigned options)
{
    struct payload_writer writer;
    struct payload payload;
    struct dv_error error = {0};
    payload_writer_init(&writer, options);
    for (size_t i = 0; i < n_ranges; i++)
        assert_return_code(payload_writer_add_range(&writer, ranges[i].start, ranges[i].end, &error), 0);
    assert_return_code(payload_writer_finish(&writer, &payload.bytes, &payload.n_bytes, &error), 0);
    return payload;
}

/* Opens the payload, which validates it, and compares its intervals with the ranges: disjoint, ascending, not
 * touching. */
static void assert_holds(struct payload payload, const struct dv_interval *ranges, size_t n_ranges)
{
    struct dv dv;
    struct dv_error error = {0};
    if (dv_open(&dv, payload.bytes, payload.n_bytes, DV_NEEDS_INTERVALS, &error))
        fail_msg("%s", error.message);
    assert_int_equal(dv.intervals.n_items, n_ranges);
    for (size_t i = 0; i < n_ranges; i++) {
        assert_int_equal(dv.intervals.items[i].start, ranges[i].start);
        assert_int_equal(dv.intervals.items[i].end, ranges[i].end);
    }
    dv_close(&dv);
}

/* --- bytes of other writers --- */

/* `hex` holds the expected payload between n_before and n_after other bytes. */
static void assert_bytes(struct payload payload, const char *hex, size_t n_before, size_t n_after)
{
    size_t n_bytes = 0;
    uint8_t *bytes = fixture_bytes(hex, &n_bytes);
    assert_int_equal(payload.n_bytes, n_bytes - n_before - n_after);
    assert_memory_equal(payload.bytes, bytes + n_before, payload.n_bytes);
    free(bytes);
    free(payload.bytes);
}

enum { FRAME_BEFORE = 8, FRAME_AFTER = 4, ROARING64_HEADER = 12 };

static void java_writers_bytes_are_reproduced(void **state)
{
    (void)state;
    const uint64_t key1 = UINT64_C(1) << 32, key5 = UINT64_C(5) << 32;
    const struct dv_interval five[] = {{5, 6}}, prefix[] = {{0, 10000}}, sparse[] = {{key5 + 1, key5 + 2}};
    const struct dv_interval odd[] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}};
    const struct dv_interval large[] = {{100, 102}, {2147483747, 2147483749}};
    const struct dv_interval kinds[] = {{5, 6},
                                        {7, 8},
                                        {65537, 66536},
                                        {131073, 196607},
                                        {key1 + 10, key1 + 11},
                                        {key1 + 20, key1 + 21},
                                        {key1 + 65546, key1 + 66036},
                                        {key1 + 131073, key1 + 196607}};
    const unsigned java = PAYLOAD_OPTIMIZE | PAYLOAD_DENSE_KEYS;
    assert_bytes(write_ranges(NULL, 0, java), HEX_EMPTY, FRAME_BEFORE, FRAME_AFTER);
    assert_bytes(write_ranges(five, 1, java), HEX_FIVE, FRAME_BEFORE, FRAME_AFTER);
    assert_bytes(write_ranges(prefix, 1, java), HEX_0_TO_9999, FRAME_BEFORE, FRAME_AFTER);
    assert_bytes(write_ranges(odd, 5, java), HEX_ALTERNATING, FRAME_BEFORE, FRAME_AFTER);
    assert_bytes(write_ranges(large, 2, java), HEX_SMALL_AND_LARGE, FRAME_BEFORE, FRAME_AFTER);
    assert_bytes(write_ranges(kinds, 8, java), HEX_ALL_KINDS, FRAME_BEFORE, FRAME_AFTER);
    assert_bytes(write_ranges(sparse, 1, PAYLOAD_OPTIMIZE), HEX_SPARSE_KEY_5, FRAME_BEFORE, FRAME_AFTER);
}

/* Drops the bucket count and the key, so that the 32-bit bitmap is left. */
static void assert_bitmap32(struct payload payload, const char *hex)
{
    assert_true(payload.n_bytes > ROARING64_HEADER);
    payload.n_bytes -= ROARING64_HEADER;
    memmove(payload.bytes, payload.bytes + ROARING64_HEADER, payload.n_bytes);
    assert_bytes(payload, hex, 0, 0);
}

static void offset_table_is_left_out_below_four_containers_with_runs(void **state)
{
    (void)state;
    /* The known files hold single values as runs, which no writer chooses; four values are the fewest that
     * become one. */
    const struct dv_interval ranges[] = {{0, 4}, {65536, 65540}, {131072, 131076}, {196608, 196612}};
    assert_bitmap32(write_ranges(ranges, 3, PAYLOAD_OPTIMIZE), "3b30020007"
                                                               "00000300"
                                                               "01000300"
                                                               "02000300"
                                                               "010000000300"
                                                               "010000000300"
                                                               "010000000300");
    assert_bitmap32(write_ranges(ranges, 4, PAYLOAD_OPTIMIZE), "3b3003000f"
                                                               "00000300"
                                                               "01000300"
                                                               "02000300"
                                                               "03000300"
                                                               "25000000"
                                                               "2b000000"
                                                               "31000000"
                                                               "37000000"
                                                               "010000000300"
                                                               "010000000300"
                                                               "010000000300"
                                                               "010000000300");
    const struct dv_interval full[] = {{0, 65536}};
    assert_bitmap32(write_ranges(full, 1, PAYLOAD_OPTIMIZE), HEX_ROARING32_FULL_CHUNK);
}

static void dense_keys_have_empty_buckets(void **state)
{
    (void)state;
    const struct dv_interval ranges[] = {{(UINT64_C(5) << 32) + 1, (UINT64_C(5) << 32) + 2}};
    struct payload payload = write_ranges(ranges, 1, PAYLOAD_DENSE_KEYS);
    assert_int_equal(payload.n_bytes,
                     8 + 5 * 12 + 4 + 18); /* five empty buckets before the one of 18 bytes */
    assert_holds(payload, ranges, 1);
    free(payload.bytes);
}

/* --- the choice of containers --- */

/* Writes n_runs runs of `length` values, a gap of one between them, from position `base` on, and compares the
 * container's kind without and with optimization. */
static void assert_kinds(uint32_t n_runs, uint32_t length, enum dv_kind plain, enum dv_kind optimized)
{
    const uint64_t base = UINT64_C(3) << 32 | 65536 * 7;
    struct dv_interval *ranges = calloc(n_runs, sizeof *ranges);
    assert_non_null(ranges);
    for (uint32_t i = 0; i < n_runs; i++)
        ranges[i] = (struct dv_interval){base + i * (length + 1), base + i * (length + 1) + length};
    for (unsigned options = 0; options <= PAYLOAD_OPTIMIZE; options++) {
        struct payload payload = write_ranges(ranges, n_runs, options);
        struct dv_view view;
        assert_holds(payload, ranges, n_runs);
        assert_return_code(dv_view_index(&view, payload.bytes, payload.n_bytes, NULL), 0);
        assert_int_equal(view.n_containers, 1);
        assert_int_equal(view.containers[0].kind, options ? optimized : plain);
        assert_int_equal(view.containers[0].cardinality, n_runs * length);
        assert_int_equal(view.containers[0].chunk, 7);
        dv_view_free(&view);
        free(payload.bytes);
    }
    free(ranges);
}

static void kinds_change_at_their_thresholds(void **state)
{
    (void)state;
    assert_kinds(4095, 1, DV_ARRAY, DV_ARRAY);
    assert_kinds(4096, 1, DV_ARRAY, DV_ARRAY);
    assert_kinds(4097, 1, DV_BITSET, DV_BITSET);
    assert_kinds(32768, 1, DV_BITSET, DV_BITSET);
    assert_kinds(1, 4095, DV_ARRAY, DV_RUN);
    assert_kinds(1, 4096, DV_ARRAY, DV_RUN);
    assert_kinds(1, 4097, DV_BITSET, DV_RUN);
    assert_kinds(1, 65536, DV_BITSET, DV_RUN);
    assert_kinds(1, 3, DV_ARRAY, DV_ARRAY); /* 6 bytes each: a run has to be smaller */
    assert_kinds(1, 4, DV_ARRAY, DV_RUN);
    assert_kinds(2, 2, DV_ARRAY, DV_ARRAY);      /* 8 against 10 */
    assert_kinds(1000, 2, DV_ARRAY, DV_ARRAY);   /* 4000 against 4002 */
    assert_kinds(2047, 3, DV_BITSET, DV_RUN);    /* 8192 against 8190 */
    assert_kinds(2048, 3, DV_BITSET, DV_BITSET); /* 8192 against 8194 */
}

/* --- places --- */

static void ranges_across_borders_are_held(void **state)
{
    (void)state;
    const uint64_t key = UINT64_C(1) << 32, top = UINT64_C(0x7FFFFFFE80000000);
    const struct dv_interval sets[][3] = {
        {{65535, 65537}, {key - 1, key + 1}, {2 * key - 1, 3 * key + 1}},
        {{0, 1}, {2147418112, 2147483648}, {key - 65536, key}},
        {{2147483647, 2147483648}, {key + 2147483647, key + 2147483649}, {top, top + 1}},
        {{key - 1, key},
         {UINT64_C(2147483646) * key, UINT64_C(2147483646) * key + 1},
         {top - 65537, top + 1}},
        {{3 * key, 3 * key + 1},
         {65539 * key + 65536, 65539 * key + 65537},
         {131075 * key, 131075 * key + 9}},
        {{0, 65536}, {131072, 131073}, {UINT64_MAX - 70000, UINT64_MAX}},
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        for (unsigned options = 0; options <= PAYLOAD_OPTIMIZE; options++) {
            if (i == 0 && options == 0)
                continue; /* half a gibibyte of bitsets: the next test writes a full key once */
            struct payload payload = write_ranges(sets[i], 3, options);
            assert_holds(payload, sets[i], 3);
            free(payload.bytes);
        }
    }
}

static void a_full_key_costs_per_container(void **state)
{
    (void)state;
    const struct dv_interval full[] = {{0, UINT64_C(1) << 32}};
    struct payload payload = write_ranges(full, 1, PAYLOAD_OPTIMIZE);
    assert_int_equal(payload.n_bytes, ROARING64_HEADER + 925700);
    assert_holds(payload, full, 1);
    free(payload.bytes);
}

/* --- random sets --- */

/* Random ranges of one style: their lengths and gaps are below 2^n_length_bits and 2^n_gap_bits. */
static size_t random_ranges(struct recipe_random *random, struct dv_interval *ranges_out, size_t n_ranges)
{
    uint64_t position = recipe_random_below(random, UINT64_C(1) << recipe_random_below(random, 40));
    unsigned n_length_bits = (unsigned)recipe_random_below(random, 19);
    unsigned n_gap_bits = (unsigned)recipe_random_below(random, 34);
    for (size_t i = 0; i < n_ranges; i++) {
        uint64_t start = position + 1 + recipe_random_below(random, UINT64_C(1) << n_gap_bits);
        uint64_t end = start + 1 + recipe_random_below(random, UINT64_C(1) << n_length_bits);
        ranges_out[i] = (struct dv_interval){start, end};
        position = end;
    }
    return n_ranges;
}

/* Adds the range in random pieces, empty ones among them. */
static void add_in_pieces(struct payload_writer *writer, struct dv_interval range,
                          struct recipe_random *random)
{
    while (range.start < range.end) {
        uint64_t end = range.start + recipe_random_below(random, range.end - range.start + 1);
        assert_return_code(payload_writer_add_range(writer, range.start, end, NULL), 0);
        range.start = end;
    }
}

static void random_sets_round_trip_however_they_are_cut(void **state)
{
    (void)state;
    struct recipe_random random;
    recipe_random_init(&random, 20260817);
    for (unsigned round = 0; round < 300; round++) {
        struct dv_interval ranges[400];
        size_t n_ranges = random_ranges(&random, ranges, 1 + recipe_random_below(&random, 400));
        unsigned options = (unsigned)recipe_random_below(&random, 4);
        struct payload whole = write_ranges(ranges, n_ranges, options), cut;
        assert_holds(whole, ranges, n_ranges);

        struct payload_writer writer;
        payload_writer_init(&writer, options);
        for (size_t i = 0; i < n_ranges; i++)
            add_in_pieces(&writer, ranges[i], &random);
        assert_return_code(payload_writer_finish(&writer, &cut.bytes, &cut.n_bytes, NULL), 0);
        assert_int_equal(cut.n_bytes, whole.n_bytes);
        assert_memory_equal(cut.bytes, whole.bytes, whole.n_bytes);
        free(whole.bytes);
        free(cut.bytes);
    }
}

/* --- errors --- */

static void ranges_out_of_order_are_refused(void **state)
{
    (void)state;
    struct payload_writer writer;
    struct dv_error error = {0};
    payload_writer_init(&writer, 0);
    assert_int_equal(payload_writer_add_range(&writer, 6, 5, &error), DV_ERROR_USAGE);
    assert_return_code(payload_writer_add_range(&writer, 5, 5, &error), 0);
    assert_return_code(payload_writer_add_range(&writer, 5, 10, &error), 0);
    assert_int_equal(payload_writer_add_range(&writer, 9, 12, &error), DV_ERROR_USAGE);
    assert_int_equal(payload_writer_add_range(&writer, 0, 1, &error), DV_ERROR_USAGE);
    assert_non_null(strstr(error.message, "after position 10"));
    assert_int_equal(error.code, DV_ERROR_USAGE);
    payload_writer_free(&writer);
    payload_writer_free(&writer);
}

static void dense_keys_beyond_readers_fail_at_once(void **state)
{
    (void)state;
    struct payload_writer writer;
    struct dv_error error = {0};
    payload_writer_init(&writer, PAYLOAD_DENSE_KEYS);
    assert_int_equal(payload_writer_add_range(&writer, UINT64_MAX - 1, UINT64_MAX, &error), DV_ERROR_MEMORY);
    assert_non_null(strstr(error.message, "2147483635 bytes"));
    payload_writer_free(&writer);
}

static void a_finished_writer_starts_afresh(void **state)
{
    (void)state;
    const struct dv_interval second[] = {{1, 2}};
    struct payload_writer writer;
    struct payload payload;
    payload_writer_init(&writer, PAYLOAD_OPTIMIZE);
    assert_return_code(payload_writer_add_range(&writer, 500000, 600000, NULL), 0);
    assert_return_code(payload_writer_finish(&writer, &payload.bytes, &payload.n_bytes, NULL), 0);
    free(payload.bytes);
    assert_return_code(payload_writer_add_range(&writer, 1, 2, NULL), 0);
    assert_return_code(payload_writer_finish(&writer, &payload.bytes, &payload.n_bytes, NULL), 0);
    assert_holds(payload, second, 1);
    free(payload.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(java_writers_bytes_are_reproduced),
        cmocka_unit_test(offset_table_is_left_out_below_four_containers_with_runs),
        cmocka_unit_test(dense_keys_have_empty_buckets),
        cmocka_unit_test(kinds_change_at_their_thresholds),
        cmocka_unit_test(ranges_across_borders_are_held),
        cmocka_unit_test(a_full_key_costs_per_container),
        cmocka_unit_test(random_sets_round_trip_however_they_are_cut),
        cmocka_unit_test(ranges_out_of_order_are_refused),
        cmocka_unit_test(dense_keys_beyond_readers_fail_at_once),
        cmocka_unit_test(a_finished_writer_starts_afresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
