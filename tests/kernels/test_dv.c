/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a DV, and its representations one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dv.h"
#include "dv_roaring.h"
#include "kernel.h"
#include "payload.h"

static const struct payload_container two_keys[] = {
    {0, 0, DV_ARRAY, {{3, 6, 1}, {7, 8, 1}}},
    {0, 1, DV_RUN, {{0, 65536, 1}}},
    {0, 2, DV_BITSET, {{0, 5000, 1}}},
    {6, 0, DV_ARRAY, {{65535, 65536, 1}}},
};
#define N_TWO_KEYS (sizeof two_keys / sizeof *two_keys)

static void intervals_are_maximal_and_ascend(void **state)
{
    (void)state;
    static const struct dv_interval expected[] = {{3, 6},
                                                  {7, 8},
                                                  {65536, 3 * 65536 - 65536 + 5000},
                                                  {(UINT64_C(6) << 32) + 65535, (UINT64_C(6) << 32) + 65536}};
    size_t n_bytes;
    uint8_t *bytes = payload_write(two_keys, N_TWO_KEYS, &n_bytes);
    struct dv dv;
    assert_int_equal(dv_open(&dv, bytes, n_bytes, DV_NEEDS_INTERVALS, NULL), 0);
    assert_int_equal(dv.intervals.n_items, 4);
    assert_memory_equal(dv.intervals.items, expected, sizeof expected);
    assert_int_equal(dv_state_bytes(&dv, DV_NEEDS_INTERVALS), sizeof expected);
    assert_int_equal(dv_state_bytes(&dv, DV_NEEDS_VIEW), 4 * sizeof(struct dv_container));
    dv_drop(&dv, DV_NEEDS_INTERVALS);
    assert_null(dv.intervals.items);
    assert_int_equal(dv_state_bytes(&dv, DV_NEEDS_INTERVALS), 0);
    dv_drop(&dv, DV_NEEDS_VIEW);
    assert_int_equal(dv.view.n_containers, 4);
    dv_close(&dv);
    free(bytes);
}

static void a_refused_dv_holds_nothing(void **state)
{
    (void)state;
    const struct dv zero = {0};
    struct dv_error error = {0};
    struct dv dv;
    size_t n_bytes;
    uint8_t *bytes = payload_write(two_keys, N_TWO_KEYS, &n_bytes);
    assert_int_equal(dv_open(&dv, bytes, n_bytes - 1, DV_NEEDS_VIEW, &error), DV_ERROR_INPUT);
    assert_memory_equal(&dv, &zero, sizeof zero);
    assert_int_equal(error.code, DV_ERROR_INPUT);
    dv_close(&dv);
    free(bytes);
}

/* Where the build has the representation: present after dv_add, counted, gone after dv_drop; else refused
 * with a reason. */
static void representations_come_and_go(void **state)
{
    (void)state;
    size_t n_bytes;
    uint8_t *bytes = payload_write(two_keys, N_TWO_KEYS, &n_bytes);
    struct dv dv;
    assert_int_equal(dv_open(&dv, bytes, n_bytes, DV_NEEDS_VIEW, NULL), 0);
    assert_null(dv.roaring);
    assert_null(dv.roaring64);
    const unsigned needs[] = {DV_NEEDS_ROARING, DV_NEEDS_ROARING64};
    for (int i = 0; i < 2; i++) {
        struct dv_error error = {0};
        int status = dv_add(&dv, needs[i], &error);
        if (status != 0) {
            assert_int_equal(status, DV_ERROR_UNAVAILABLE);
            assert_non_null(strstr(error.message, "CRoaring"));
            assert_int_equal(dv_state_bytes(&dv, needs[i]), 0);
            continue;
        }
        /* The bodies at the least: 4 values, 1 run, 8,192 bytes, 1 value. */
        assert_true(dv_state_bytes(&dv, needs[i]) > 8 + 4 + 8192 + 2);
        assert_true(dv_state_bytes(&dv, needs[i]) < 10000);
        const void *before =
            needs[i] == DV_NEEDS_ROARING ? (const void *)dv.roaring : (const void *)dv.roaring64;
        assert_int_equal(dv_add(&dv, needs[i], NULL), 0);
        assert_ptr_equal(before, needs[i] == DV_NEEDS_ROARING ? (const void *)dv.roaring
                                                              : (const void *)dv.roaring64);
        dv_drop(&dv, needs[i]);
        assert_int_equal(dv_state_bytes(&dv, needs[i]), 0);
    }
    assert_null(dv.roaring);
    assert_null(dv.roaring64);
    dv_close(&dv);
    free(bytes);
}

/* An array up to Iceberg's highest key is 16 GiB of addresses and a page or two of memory. */
static void a_high_key_costs_no_memory(void **state)
{
    (void)state;
    if (kernel_unavailable(kernel_find("per_row"), SINK_row_ids))
        skip();
    const struct payload_container high[] = {{0, 0, DV_ARRAY, {{1, 2, 1}}},
                                             {2147483646, 0, DV_ARRAY, {{9, 10, 1}}}};
    size_t n_bytes;
    uint8_t *bytes = payload_write(high, 2, &n_bytes);
    struct dv dv;
    struct dv_error error = {0};
    int status = dv_open(&dv, bytes, n_bytes, DV_NEEDS_ROARING, &error);
    if (status == DV_ERROR_UNAVAILABLE) {
        /* An address space limit, as under some sanitizers: the message must say so. */
        assert_non_null(strstr(error.message, "key 2147483646 needs 17179869176 bytes of address space"));
        free(bytes);
        skip();
    }
    assert_int_equal(status, 0);
    assert_int_equal(dv.roaring->n_bitmaps, 2147483647);
    assert_null(dv.roaring->bitmaps[1000000000]);
    assert_true(dv_state_bytes(&dv, DV_NEEDS_ROARING) < 16384);
    dv_close(&dv);
    free(bytes);
}

/* Iceberg's writer makes a bucket for every key from 0 on; those above the last container need no bitmap. */
static void empty_buckets_are_taken(void **state)
{
    (void)state;
    uint8_t bytes[8 + 3 * 12] = {3};
    for (int i = 0; i < 3; i++) {
        bytes[8 + 12 * i] = (uint8_t)i;
        bytes[8 + 12 * i + 4] = 0x3a;
        bytes[8 + 12 * i + 5] = 0x30;
    }
    struct dv dv;
    assert_int_equal(dv_open(&dv, bytes, sizeof bytes, DV_NEEDS_INTERVALS, NULL), 0);
    assert_int_equal(dv.view.n_buckets, 3);
    assert_int_equal(dv.view.n_containers, 0);
    assert_int_equal(dv.intervals.n_items, 0);
    int status = dv_add(&dv, DV_NEEDS_ROARING | DV_NEEDS_ROARING64, NULL);
    assert_true(status == 0 || status == DV_ERROR_UNAVAILABLE);
    dv_close(&dv);
}

static void the_version_of_croaring_is_three_numbers(void **state)
{
    (void)state;
    const char *version = dv_croaring_version();
    bool is_built = !kernel_find("per_row")->missing;
    unsigned major, minor, revision;
    char rest;
    if (is_built)
        assert_int_equal(sscanf(version, "%u.%u.%u%c", &major, &minor, &revision, &rest), 3);
    else
        assert_string_equal(version, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_maximal_and_ascend),
        cmocka_unit_test(a_refused_dv_holds_nothing),
        cmocka_unit_test(representations_come_and_go),
        cmocka_unit_test(a_high_key_costs_no_memory),
        cmocka_unit_test(empty_buckets_are_taken),
        cmocka_unit_test(the_version_of_croaring_is_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
