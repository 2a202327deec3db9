/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel x sink of the registry on small vectors made by hand, against the table that they were made
 * from: nothing of kernels/ has a part in what is expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dv.h"
#include "kernel.h"
#include "payload.h"

#define MAX_CONTAINERS 8
#define MAX_ROWS       6000u
#define CANARY_BYTES   64u
#define BUFFER_BYTES   (8 * (size_t)MAX_ROWS + SINK_SLACK_BYTES + CANARY_BYTES)
#define N_RANGES       (sizeof ranges / sizeof *ranges)
#define STREAM_START   11u
#define STREAM_ROWS    5777u
#define N_STREAM       34u
#define CHUNK          UINT64_C(65536)
#define KEY            (UINT64_C(1) << 32)

struct vector {
    const char *name;
    size_t n_containers;
    struct payload_container containers[MAX_CONTAINERS];
};

static const struct vector vectors[] = {
    {"none", 0, {{0}}},
    {"one", 1, {{0, 0, DV_ARRAY, {{7, 8, 1}}}}},
    {"last of chunk", 2, {{0, 0, DV_ARRAY, {{65535, 65536, 1}}}, {0, 2, DV_ARRAY, {{0, 1, 1}}}}},
    {"array at the cliff", 2, {{0, 0, DV_ARRAY, {{0, 65536, 16}}}, {0, 1, DV_ARRAY, {{5, 4101, 1}}}}},
    {"bitset above the cliff", 1, {{0, 0, DV_BITSET, {{0, 65536, 16}, {65535, 65536, 1}}}}},
    {"bitset alternating", 1, {{0, 0, DV_BITSET, {{1, 65536, 2}}}}},
    {"bitset all", 2, {{0, 0, DV_BITSET, {{0, 65536, 1}}}, {0, 1, DV_BITSET, {{0, 65535, 1}}}}},
    {"bitset of words",
     1,
     {{0, 0, DV_BITSET, {{64, 128, 1}, {190, 194, 1}, {255, 30001, 1}, {65472, 65536, 1}}}}},
    {"run all", 2, {{0, 0, DV_RUN, {{0, 65536, 1}}}, {0, 1, DV_RUN, {{0, 65536, 1}}}}},
    {"runs touching", 1, {{0, 0, DV_RUN, {{0, 5, 1}, {5, 10, 1}, {20, 21, 1}, {65000, 65536, 1}}}}},
    {"runs of one", 1, {{0, 0, DV_RUN, {{3, 9000, 3}, {30000, 31000, 1}}}}},
    {"signed line",
     4,
     {{0, 0x7fff, DV_RUN, {{65000, 65536, 1}}},
      {0, 0x8000, DV_ARRAY, {{0, 3, 1}}},
      {0, 0xffff, DV_RUN, {{0, 65536, 1}}},
      {1, 0, DV_ARRAY, {{0, 2, 1}, {9, 10, 1}}}}},
    {"keys apart",
     3,
     {{0, 3, DV_ARRAY, {{1, 2, 1}}}, {5, 0, DV_BITSET, {{0, 60000, 7}}}, {9, 1, DV_RUN, {{2, 4, 1}}}}},
    {"highest key", 2, {{0, 0, DV_ARRAY, {{1, 9, 2}}}, {2147483646, 0x8000, DV_ARRAY, {{0, 1, 1}}}}},
};

struct range {
    uint64_t start;
    uint32_t n_rows;
};

/* Not in order, and with gaps: every kernel must take them so. */
static const struct range ranges[] = {
    {0, 0},
    {0, 1},
    {7, 1},
    {0, 5000},
    {30268, 5000},
    {1, 63},
    {63, 2},
    {64, 64},
    {100, 129},
    {65535, 1},
    {65535, 2},
    {CHUNK - 7, 5001},
    {CHUNK, 0},
    {CHUNK, 4096},
    {2 * CHUNK - 3000, 6000},
    {3 * CHUNK - 1, 3},
    {12, 8},
    {4, 3},
    {0x7fff0000 + 64990, 600},
    {0x7fffffff, 1},
    {0x7fffffff, 10},
    {0x80000000, 4},
    {KEY - 5000, 5000},
    {KEY - 5000, 5012},
    {KEY - 1, 2},
    {KEY, 11},
    {5 * KEY - 10, 5000},
    {5 * KEY + 3000, 777},
    {9 * KEY + CHUNK, 6},
    {10 * KEY, 100},
    {UINT64_C(0x7ffffffe80000000) - 10, 21},
    {UINT64_C(0x7fffffffffffffff) - 99, 100},
    {3000, 5000},
};

/* What a call must return and write. */
struct answer {
    struct range range;
    uint32_t n_live;
    uint32_t n_out;
    uint8_t *elements;
};

/* The answers to `ranges`, then to N_STREAM batches in order, in all sinks. */
struct fixture {
    const struct vector *vector;
    struct dv dv;
    uint8_t *bytes;
    uint8_t *got;
    struct answer answers[N_RANGES + N_STREAM][N_SINKS];
};

static void expect_row(struct answer *answer, enum sink_kind kind, void *out, uint32_t row, bool deleted,
                       bool after_live)
{
    if (kind == SINK_is_deleted)
        ((uint8_t *)out)[row] = deleted;
    if (kind == SINK_live_mask && !deleted)
        ((uint64_t *)out)[row / 64] |= UINT64_C(1) << row % 64;
    if (kind == SINK_touch && deleted)
        *(uint64_t *)out += row;
    if (kind == SINK_row_ids && !deleted)
        ((int32_t *)out)[answer->n_out++] = (int32_t)row;
    if (kind == SINK_deleted_offsets && deleted)
        ((uint32_t *)out)[answer->n_out++] = row;
    if (kind == SINK_live_runs && !deleted) {
        if (!after_live)
            ((struct sink_run *)out)[answer->n_out++].start = row;
        ((struct sink_run *)out)[answer->n_out - 1].length++;
    }
}

static struct answer expect(const bool *deleted, enum sink_kind kind, struct range range)
{
    struct answer answer = {.range = range, .elements = calloc(1, dv_sink_bytes(kind, range.n_rows) + 1)};
    assert_non_null(answer.elements);
    bool after_live = false;
    for (uint32_t row = 0; row < range.n_rows; row++) {
        expect_row(&answer, kind, answer.elements, row, deleted[row], after_live);
        answer.n_live += !deleted[row];
        after_live = !deleted[row];
    }
    if (kind == SINK_is_deleted)
        answer.n_out = range.n_rows;
    if (kind == SINK_live_mask)
        answer.n_out = (range.n_rows + 63) / 64;
    if (kind == SINK_touch)
        answer.n_out = 1;
    return answer;
}

static void expect_all(struct fixture *fixture)
{
    static bool deleted[MAX_ROWS];
    for (size_t i = 0; i < N_RANGES + N_STREAM; i++) {
        struct range range = {STREAM_START + (i - N_RANGES) * STREAM_ROWS, STREAM_ROWS};
        if (i < N_RANGES)
            range = ranges[i];
        for (uint32_t row = 0; row < range.n_rows; row++)
            deleted[row] =
                payload_has(fixture->vector->containers, fixture->vector->n_containers, range.start + row);
        for (int kind = 0; kind < N_SINKS; kind++)
            fixture->answers[i][kind] = expect(deleted, kind, range);
    }
}

static void check_range(struct fixture *fixture, const struct kernel *kernel, enum sink_kind kind,
                        struct kernel_state *state, size_t index)
{
    const struct answer *answer = &fixture->answers[index][kind];
    struct range range = answer->range;
    size_t n_writable = dv_sink_bytes(kind, range.n_rows) + SINK_SLACK_BYTES;
    struct sink sink = {.out = fixture->got, .n_out = 12345};
    memset(fixture->got, 0xa5, n_writable + CANARY_BYTES);
    uint32_t n_live = kernel->run[kind](&fixture->dv, state, range.start, range.n_rows, &sink);
    if (n_live != answer->n_live || sink.n_out != answer->n_out ||
        memcmp(fixture->got, answer->elements, answer->n_out * sink_element_bytes(kind)) != 0)
        fail_msg(
            "%s/%s on '%s': rows [%llu, +%u): live %u and n_out %u, expected %u and %u, or other elements",
            kernel->id, sink_id(kind), fixture->vector->name, (unsigned long long)range.start, range.n_rows,
            n_live, sink.n_out, answer->n_live, answer->n_out);
    for (size_t i = n_writable; i < n_writable + CANARY_BYTES; i++)
        if (fixture->got[i] != 0xa5)
            fail_msg("%s/%s on '%s': wrote behind the slack", kernel->id, sink_id(kind),
                     fixture->vector->name);
}

static void check_kernel(struct fixture *fixture, const struct kernel *kernel, enum sink_kind kind)
{
    struct kernel_state state = {0};
    if (kernel->open) {
        struct dv_error error = {0};
        int status = kernel->open(&fixture->dv, &state, &error);
        if (status == DV_ERROR_UNAVAILABLE)
            return;
        assert_int_equal(status, 0);
    }
    for (size_t i = 0; i < N_RANGES; i++)
        check_range(fixture, kernel, kind, &state, i);
    if (kernel->close)
        kernel->close(&state);
    state = (struct kernel_state){0};
    if (kernel->open)
        assert_int_equal(kernel->open(&fixture->dv, &state, NULL), 0);
    for (size_t i = N_RANGES; i < N_RANGES + N_STREAM; i++)
        check_range(fixture, kernel, kind, &state, i);
    if (kernel->close)
        kernel->close(&state);
}

static void check_vector(const struct vector *vector, unsigned *n_checked)
{
    static struct fixture fixture;
    fixture.vector = vector;
    expect_all(&fixture);
    size_t n_bytes;
    fixture.bytes = payload_write(vector->containers, vector->n_containers, &n_bytes);
    fixture.got = aligned_alloc(64, (BUFFER_BYTES + 63) / 64 * 64);
    struct dv_error error = {0};
    if (dv_open(&fixture.dv, fixture.bytes, n_bytes, DV_NEEDS_VIEW, &error) != 0)
        fail_msg("%s: %s", vector->name, error.message);
    for (size_t i = 0; i < kernels_count(); i++) {
        const struct kernel *kernel = kernel_at(i);
        if (kernel->missing || dv_add(&fixture.dv, kernel->needs, &error) == DV_ERROR_UNAVAILABLE)
            continue;
        for (int kind = 0; kind < N_SINKS; kind++) {
            if (kernel_unavailable(kernel, kind))
                continue;
            check_kernel(&fixture, kernel, kind);
            ++*n_checked;
        }
    }
    dv_close(&fixture.dv);
    free(fixture.bytes);
    free(fixture.got);
    for (size_t i = 0; i < N_RANGES + N_STREAM; i++)
        for (int kind = 0; kind < N_SINKS; kind++)
            free(fixture.answers[i][kind].elements);
}

static void every_kernel_and_sink_tells_what_the_table_says(void **state)
{
    (void)state;
    unsigned n_checked = 0;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        check_vector(&vectors[i], &n_checked);
    /* At the least the walks, in all sinks, on all vectors. */
    assert_true(n_checked >= 6 * N_SINKS * sizeof vectors / sizeof *vectors);
}

static void the_registry_is_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < kernels_count(); i++) {
        const struct kernel *kernel = kernel_at(i);
        assert_ptr_equal(kernel_find(kernel->id), kernel);
        assert_true(strncmp(kernel->id, kernel->technique, strlen(kernel->technique)) == 0);
        assert_true(strlen(kernel->id) < 40 &&
                    strspn(kernel->id, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(kernel->id));
        assert_true(kernel->sinks != 0 && (kernel->sinks & ~SINK_ALL) == 0);
        assert_true(strlen(kernel->description) > 0 && strlen(kernel->stands_for) > 0);
        assert_true(!kernel->open == !kernel->close);
        for (int kind = 0; kind < N_SINKS; kind++) {
            assert_true((kernel->run[kind] != NULL) == (!kernel->missing && (kernel->sinks >> kind & 1)));
            const char *reason = kernel_unavailable(kernel, kind);
            assert_true(kernel->run[kind] || (reason && strlen(reason) > 0));
        }
    }
    assert_null(kernel_find("no_such_kernel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_registry_is_sound),
        cmocka_unit_test(every_kernel_and_sink_tells_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
