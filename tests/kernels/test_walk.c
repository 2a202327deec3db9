/* SPDX-License-Identifier: Apache-2.0 */
/* The range walks by themselves: which callbacks they make, how many, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dv.h"
#include "payload.h"
#include "range_walk.h"

#define KEY (UINT64_C(1) << 32)

/* Calls of a RelativeRangeConsumer, counted, and checked to leave no hole. */
struct calls {
    unsigned present;
    unsigned absent;
    unsigned all_present;
    unsigned all_absent;
    uint64_t n_deleted;
    uint32_t next;
};

static void go_on(struct calls *calls, uint32_t from, uint32_t to)
{
    assert_int_equal(from, calls->next);
    assert_true(to > from);
    calls->next = to;
}

static void present(void *context, uint32_t offset)
{
    struct calls *calls = context;
    go_on(calls, offset, offset + 1);
    calls->present++;
    calls->n_deleted++;
}

static void absent(void *context, uint32_t offset)
{
    struct calls *calls = context;
    go_on(calls, offset, offset + 1);
    calls->absent++;
}

static void all_present(void *context, uint32_t from, uint32_t to)
{
    struct calls *calls = context;
    go_on(calls, from, to);
    assert_true(to - from > 1);
    calls->all_present++;
    calls->n_deleted += to - from;
}

static void all_absent(void *context, uint32_t from, uint32_t to)
{
    struct calls *calls = context;
    go_on(calls, from, to);
    assert_true(to - from > 1);
    calls->all_absent++;
}

static const struct range_consumer consumer = {
    .present = present, .absent = absent, .all_present = all_present, .all_absent = all_absent};

struct count_case {
    const char *name;
    struct payload_container container;
    uint64_t start;
    uint32_t n_rows;
    unsigned present, absent, all_present, all_absent;
};

/* Ranges of one container with key 0; what the four counts must be. */
static const struct count_case count_cases[] = {
    {"no rows", {0, 0, DV_ARRAY, {{5, 6, 1}}}, 5, 0, 0, 0, 0, 0},
    {"before any container", {0, 9, DV_ARRAY, {{5, 6, 1}}}, 0, 5000, 0, 0, 0, 1},
    {"one live row", {0, 9, DV_ARRAY, {{5, 6, 1}}}, 0, 1, 0, 1, 0, 0},
    {"array: one delete", {0, 0, DV_ARRAY, {{5, 6, 1}}}, 0, 10, 1, 0, 0, 2},
    {"array: neighbours are one run", {0, 0, DV_ARRAY, {{5, 9, 1}, {10, 11, 1}}}, 4, 8, 1, 3, 1, 0},
    {"array: two are a run", {0, 0, DV_ARRAY, {{5, 7, 1}}}, 3, 6, 0, 0, 1, 2},
    {"array: cut at both ends", {0, 0, DV_ARRAY, {{0, 4000, 1}}}, 1000, 2000, 0, 0, 1, 0},
    {"bitset: alternating", {0, 0, DV_BITSET, {{0, 65536, 2}}}, 0, 65536, 32768, 32768, 0, 0},
    {"bitset: across a word", {0, 0, DV_BITSET, {{60, 70, 1}, {1000, 9000, 1}}}, 0, 128, 0, 0, 1, 2},
    {"bitset: whole words are one run", {0, 0, DV_BITSET, {{64, 6400, 1}}}, 0, 6464, 0, 0, 1, 2},
    {"bitset: full", {0, 0, DV_BITSET, {{0, 65536, 1}}}, 0, 65536, 0, 0, 1, 0},
    {"bitset: full, inside", {0, 0, DV_BITSET, {{0, 65536, 1}}}, 63, 66, 0, 0, 1, 0},
    {"bitset: starts inside a run", {0, 0, DV_BITSET, {{0, 5000, 1}, {5001, 5002, 1}}}, 4990, 20, 1, 1, 1, 1},
    {"bitset: starts where a run starts", {0, 0, DV_BITSET, {{100, 9000, 1}}}, 100, 10, 0, 0, 1, 0},
    {"bitset: starts where a run ends", {0, 0, DV_BITSET, {{0, 5000, 1}}}, 5000, 10, 0, 0, 0, 1},
    {"bitset: starts at bit 63", {0, 0, DV_BITSET, {{0, 64, 1}, {128, 9000, 1}}}, 63, 66, 2, 0, 0, 1},
    {"bitset: ends with the word", {0, 0, DV_BITSET, {{64, 9000, 1}}}, 0, 64, 0, 0, 0, 1},
    {"bitset: last bit of the chunk",
     {0, 0, DV_BITSET, {{0, 5000, 1}, {65535, 65536, 1}}},
     65530,
     6,
     1,
     0,
     0,
     1},
    {"run: one", {0, 0, DV_RUN, {{100, 200, 1}}}, 0, 300, 0, 0, 1, 2},
    {"run: touching ones are one", {0, 0, DV_RUN, {{100, 200, 1}, {200, 300, 1}}}, 50, 300, 0, 0, 1, 2},
    {"run: of one row", {0, 0, DV_RUN, {{7, 8, 1}, {9, 10, 1}}}, 7, 3, 2, 1, 0, 0},
    {"run: all rows of a batch", {0, 0, DV_RUN, {{0, 65536, 1}}}, 30268, 5000, 0, 0, 1, 0},
    {"run: behind the last", {0, 0, DV_RUN, {{0, 10, 1}}}, 10, 5000, 0, 0, 0, 1},
    {"run: and what follows the container", {0, 0, DV_RUN, {{65530, 65536, 1}}}, 65500, 100, 0, 0, 1, 2},
};

static void for_all_calls_once_per_run_and_gap(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof count_cases / sizeof *count_cases; i++) {
        const struct count_case *c = &count_cases[i];
        size_t n_bytes;
        uint8_t *bytes = payload_write(&c->container, 1, &n_bytes);
        struct dv dv;
        assert_int_equal(dv_open(&dv, bytes, n_bytes, DV_NEEDS_VIEW, NULL), 0);
        struct calls calls = {0};
        dv_for_all_in_range(&dv.view, c->start, c->n_rows, &consumer, &calls);
        if (calls.next != c->n_rows || calls.present != c->present || calls.absent != c->absent ||
            calls.all_present != c->all_present || calls.all_absent != c->all_absent)
            fail_msg("%s: told %u rows with %u present, %u absent, %u all present, %u all absent", c->name,
                     calls.next, calls.present, calls.absent, calls.all_present, calls.all_absent);
        assert_int_equal(calls.n_deleted, dv_range_cardinality(&dv.view, c->start, c->start + c->n_rows));
        dv_close(&dv);
        free(bytes);
    }
}

static const struct payload_container three_keys[] = {
    {0, 65535, DV_ARRAY, {{65534, 65536, 1}}},
    {1, 0, DV_RUN, {{0, 2, 1}}},
    {1, 7, DV_BITSET, {{0, 65536, 13}}},
    {2, 0, DV_ARRAY, {{0, 10, 3}}},
};
#define N_THREE_KEYS (sizeof three_keys / sizeof *three_keys)

struct positions {
    uint64_t n;
    uint64_t last;
    uint64_t first;
};

static void collect(void *context, uint64_t position)
{
    struct positions *positions = context;
    assert_true(positions->n == 0 || position > positions->last);
    assert_true(payload_has(three_keys, N_THREE_KEYS, position));
    if (positions->n++ == 0)
        positions->first = position;
    positions->last = position;
}

static void for_each_spans_keys(void **state)
{
    (void)state;
    size_t n_bytes;
    uint8_t *bytes = payload_write(three_keys, N_THREE_KEYS, &n_bytes);
    struct dv dv;
    assert_int_equal(dv_open(&dv, bytes, n_bytes, DV_NEEDS_VIEW, NULL), 0);
    struct positions all = {0};
    dv_for_each_in_range(&dv.view, 0, UINT64_MAX, collect, &all);
    assert_int_equal(all.n, dv.view.cardinality);
    assert_int_equal(all.first, KEY - 2);
    assert_int_equal(all.last, 2 * KEY + 9);
    /* A whole key between, whose length does not fit 32 bits. */
    struct positions inner = {0};
    dv_for_each_in_range(&dv.view, KEY - 1, 2 * KEY + 1, collect, &inner);
    assert_int_equal(inner.n, dv.view.cardinality - 1 - 3);
    assert_int_equal(inner.first, KEY - 1);
    assert_int_equal(inner.last, 2 * KEY);
    assert_int_equal(dv_range_cardinality(&dv.view, KEY - 1, 2 * KEY + 1), inner.n);
    dv_close(&dv);
    free(bytes);
}

static void never(void *context, uint64_t position)
{
    (void)context;
    fail_msg("called for %llu", (unsigned long long)position);
}

static void empty_ranges_make_no_call(void **state)
{
    (void)state;
    size_t n_bytes;
    uint8_t *bytes = payload_write(three_keys, N_THREE_KEYS, &n_bytes);
    struct dv dv;
    assert_int_equal(dv_open(&dv, bytes, n_bytes, DV_NEEDS_VIEW, NULL), 0);
    dv_for_each_in_range(&dv.view, KEY, KEY, never, NULL);
    dv_for_each_in_range(&dv.view, KEY + 1, KEY, never, NULL);
    dv_for_each_in_range(&dv.view, KEY + 2, KEY + 65536 * 7, never, NULL);
    dv_for_each_in_range(&dv.view, 3 * KEY, UINT64_MAX, never, NULL);
    assert_int_equal(dv_range_cardinality(&dv.view, KEY + 1, KEY), 0);
    assert_int_equal(dv_range_cardinality(&dv.view, 3 * KEY, UINT64_MAX), 0);
    dv_close(&dv);
    free(bytes);
}

struct range_count {
    struct payload_container container;
    uint64_t start, end, expected;
};

/* Counts that other libraries got wrong once. */
static void range_cardinality_is_right_at_edges(void **state)
{
    (void)state;
    static const struct range_count cases[] = {
        {{0, 1, DV_ARRAY, {{0, 1, 1}}}, 27, 42, 0},
        {{0, 0, DV_ARRAY, {{65535, 65536, 1}}}, 65535, 65536, 1},
        {{0, 1, DV_ARRAY, {{700, 701, 1}}}, 60000, 70000, 1},
        {{0, 0, DV_RUN, {{0, 10, 1}, {20, 30, 1}}}, 12, 15, 0},
        {{0, 0, DV_RUN, {{0, 10, 1}, {20, 30, 1}}}, 9, 21, 2},
        {{0, 0, DV_BITSET, {{0, 128, 1}, {1000, 9000, 1}}}, 0, 128, 128},
        {{0, 0, DV_BITSET, {{0, 65536, 1}}}, 0, UINT64_C(1) << 32, 65536},
        {{0, 0, DV_BITSET, {{0, 65536, 1}}}, 1, 65535, 65534},
        {{0, 65535, DV_RUN, {{0, 65536, 1}}}, UINT64_C(4294901761), UINT64_C(1) << 32, 65535},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n_bytes;
        uint8_t *bytes = payload_write(&cases[i].container, 1, &n_bytes);
        struct dv dv;
        assert_int_equal(dv_open(&dv, bytes, n_bytes, DV_NEEDS_VIEW, NULL), 0);
        assert_int_equal(dv_range_cardinality(&dv.view, cases[i].start, cases[i].end), cases[i].expected);
        dv_close(&dv);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_all_calls_once_per_run_and_gap),
        cmocka_unit_test(for_each_spans_keys),
        cmocka_unit_test(empty_ranges_make_no_call),
        cmocka_unit_test(range_cardinality_is_right_at_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
