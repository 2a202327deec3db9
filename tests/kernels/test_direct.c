/* SPDX-License-Identifier: Apache-2.0 */
/* What the general checker does not reach: the direct kernels' cursors over thousands of jumps (their flags'
 * numbers run out after 255 blocks), the limits of expanding, and the store bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock_chain.h"
#include "kernel.h"
#include "payload.h"
#include "store_bound.h"

#define MAX_ROWS 9000

static const struct payload_container jumps[] = {
    {0, 0, DV_ARRAY, {{0, 1, 1}, {5, 60000, 17}, {65535, 65536, 1}}},
    {0, 1, DV_BITSET, {{0, 40000, 3}, {40001, 40900, 1}, {65535, 65536, 1}}},
    {0, 2, DV_RUN, {{0, 10, 1}, {100, 5000, 1}, {5001, 5002, 1}, {65000, 65536, 1}}},
    {0, 3, DV_ARRAY, {{0, 4000, 1}, {65000, 65500, 90}}},
    {0, 7, DV_ARRAY, {{63, 65000, 64}}},
    {1, 0, DV_ARRAY, {{1000, 1001, 1}}},
};
#define N_JUMPS (sizeof jumps / sizeof *jumps)

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* A start in or between the chunks, sometimes far behind all of them. */
static uint64_t random_start(uint64_t *state)
{
    uint64_t start = next_random(state) % (9 * 65536);
    return next_random(state) % 16 == 0 ? (UINT64_C(1) << 32) - 3000 + start % 6000 : start;
}

static void check_batch(const struct kernel *kernel, const struct dv *dv, struct kernel_state *state,
                        uint64_t start, uint32_t n_rows)
{
    static _Alignas(64) uint32_t ids[MAX_ROWS + 16], offsets[MAX_ROWS + 16];
    struct sink live = {.out = ids}, deleted = {.out = offsets};
    uint32_t n_live = kernel->run[SINK_row_ids](dv, &state[0], start, n_rows, &live);
    assert_int_equal(n_live, live.n_out);
    assert_int_equal(kernel->run[SINK_deleted_offsets](dv, &state[1], start, n_rows, &deleted), n_live);
    assert_int_equal(deleted.n_out, n_rows - n_live);
    uint32_t i_live = 0, i_deleted = 0;
    for (uint32_t row = 0; row < n_rows; row++) {
        if (payload_has(jumps, N_JUMPS, start + row))
            assert_true(i_deleted < deleted.n_out && offsets[i_deleted++] == row);
        else
            assert_true(i_live < live.n_out && ids[i_live++] == row);
    }
}

/* Three batches in a row from each of 300 places, so that the numbers of flags run out more than once. */
static void cursors_survive_jumps(void **unused)
{
    (void)unused;
    size_t n_bytes;
    uint8_t *bytes = payload_write(jumps, N_JUMPS, &n_bytes);
    struct dv dv;
    assert_int_equal(dv_open(&dv, bytes, n_bytes, DV_NEEDS_VIEW, NULL), 0);
    size_t n_checked = 0;
    for (size_t i = 0; i < kernels_count(); i++) {
        const struct kernel *kernel = kernel_at(i);
        if (strncmp(kernel->id, "direct_", 7) != 0 && strncmp(kernel->id, "expand_", 7) != 0)
            continue;
        if (kernel_unavailable(kernel, SINK_row_ids))
            continue;
        struct kernel_state state[2] = {{0}, {0}};
        uint64_t random = i;
        assert_int_equal(kernel->open(&dv, &state[0], NULL), 0);
        assert_int_equal(kernel->open(&dv, &state[1], NULL), 0);
        assert_true(state[0].n_bytes > 0);
        for (int i_jump = 0; i_jump < 300; i_jump++) {
            uint64_t start = random_start(&random);
            for (int i_batch = 0; i_batch < 3; i_batch++) {
                uint32_t n_rows = (uint32_t)(next_random(&random) % (i_jump % 8 == 0 ? MAX_ROWS : 300));
                check_batch(kernel, &dv, state, start, n_rows);
                start += n_rows;
            }
        }
        kernel->close(&state[0]);
        kernel->close(&state[1]);
        n_checked++;
    }
    assert_true(n_checked >= 3);
    dv_close(&dv);
    free(bytes);
}

/* 2^32 positions apart and more: a bit for each row between them is refused, not allocated. */
static void expanding_is_refused_beyond_4_gib(void **unused)
{
    (void)unused;
    const struct payload_container apart[] = {{0, 0, DV_ARRAY, {{0, 1, 1}}}, {9, 0, DV_ARRAY, {{0, 1, 1}}}};
    size_t n_bytes;
    uint8_t *bytes = payload_write(apart, 2, &n_bytes);
    struct dv dv;
    assert_int_equal(dv_open(&dv, bytes, n_bytes, DV_NEEDS_VIEW, NULL), 0);
    struct kernel_state state = {0};
    struct dv_error error = {0};
    assert_int_equal(kernel_find("expand_bits")->open(&dv, &state, &error), DV_ERROR_UNAVAILABLE);
    assert_int_equal(error.code, DV_ERROR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "4 GiB"));
    assert_null(state.data);
    assert_int_equal(kernel_find("expand_positions")->open(&dv, &state, &error), 0);
    kernel_find("expand_positions")->close(&state);
    dv_close(&dv);
    free(bytes);
}

static void store_bound_writes_n_elements_and_no_more(void **unused)
{
    (void)unused;
    static _Alignas(64) uint8_t out[5200 * 8];
    for (uint32_t n = 0; n <= 5000; n += n < 300 ? 1 : 47) {
        for (int kind = SINK_row_ids; kind <= SINK_live_mask; kind++) {
            size_t n_bytes = n * sink_element_bytes(kind);
            memset(out, 0x55, sizeof out);
            store_bound(kind)(out, n);
            for (uint32_t i = 0; i < n && kind == SINK_row_ids; i++)
                assert_int_equal(((int32_t *)out)[i], i);
            for (size_t i = 0; i < n_bytes && kind != SINK_row_ids; i++)
                assert_int_equal(out[i], kind == SINK_is_deleted ? 0 : 0xff);
            for (size_t i = n_bytes; i < n_bytes + 64; i++)
                assert_int_equal(out[i], 0x55);
        }
    }
    assert_null(store_bound(SINK_deleted_offsets));
    assert_null(store_bound(SINK_live_runs));
    assert_null(store_bound(SINK_touch));
}

static void clock_chain_counts_its_adds(void **unused)
{
    (void)unused;
    const uint64_t counts[] = {0, 1, 15, 16, 17, 1000003};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_equal(clock_chain_run(counts[i]), counts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cursors_survive_jumps),
        cmocka_unit_test(expanding_is_refused_beyond_4_gib),
        cmocka_unit_test(store_bound_writes_n_elements_and_no_more),
        cmocka_unit_test(clock_chain_counts_its_adds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
