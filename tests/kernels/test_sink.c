/* SPDX-License-Identifier: Apache-2.0 */
/* The sinks' own functions: sizes, ids, gap fills of every ISA, and the writing of runs at every length and
 * place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu.h"
#include "sink.h"
#include "sink_fill.h"
#include "sink_write.h"

#define MAX_IDS 100u

static void ids_are_found(void **state)
{
    (void)state;
    for (int kind = 0; kind < N_SINKS; kind++) {
        assert_int_equal(sink_find(sink_id(kind)), kind);
        assert_true(strlen(sink_description(kind)) > 0);
    }
    assert_int_equal(sink_find("row_id"), -1);
    assert_int_equal(sink_find(""), -1);
}

static void bytes_are_those_of_the_fullest_batch(void **state)
{
    (void)state;
    assert_int_equal(dv_sink_bytes(SINK_row_ids, 5000), 20000);
    assert_int_equal(dv_sink_bytes(SINK_is_deleted, 5000), 5000);
    assert_int_equal(dv_sink_bytes(SINK_live_mask, 5000), 79 * 8);
    assert_int_equal(dv_sink_bytes(SINK_live_mask, 64), 8);
    assert_int_equal(dv_sink_bytes(SINK_deleted_offsets, 5000), 20000);
    assert_int_equal(dv_sink_bytes(SINK_live_runs, 5001), 2501 * 8);
    assert_int_equal(dv_sink_bytes(SINK_touch, 5000), 8);
    assert_int_equal(dv_sink_bytes(SINK_row_ids, INT32_MAX), UINT64_C(4) * INT32_MAX);
}

static void generic(int32_t *out, uint32_t first, uint32_t n)
{
    fill_generic(out, first, n);
}

#if defined(__x86_64__)
static TARGET_AVX2 void avx2(int32_t *out, uint32_t first, uint32_t n)
{
    fill_avx2(out, first, n);
}

static TARGET_AVX512 void avx512(int32_t *out, uint32_t first, uint32_t n)
{
    fill_avx512(out, first, n);
}
#elif defined(__aarch64__)
static void neon(int32_t *out, uint32_t first, uint32_t n)
{
    fill_neon(out, first, n);
}
#endif

static void check_fill(sink_fill_fn *fill, enum isa isa)
{
    const uint32_t n_slack = SINK_SLACK_BYTES / 4;
    int32_t ids[MAX_IDS + 2 * SINK_SLACK_BYTES / 4 + 1];
    if (!cpu_has(isa))
        return;
    for (uint32_t n = 0; n <= MAX_IDS; n++) {
        memset(ids, 0xa5, sizeof ids);
        fill(ids + 1, INT32_MAX - MAX_IDS, n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(ids[1 + i], INT32_MAX - MAX_IDS + i);
        assert_int_equal(ids[0], (int32_t)0xa5a5a5a5);
        for (uint32_t i = 1 + n + n_slack; i < sizeof ids / sizeof *ids; i++)
            assert_int_equal(ids[i], (int32_t)0xa5a5a5a5);
    }
}

static void fills_write_ids_and_scribble_on_slack_alone(void **state)
{
    (void)state;
    check_fill(generic, ISA_GENERIC);
#if defined(__x86_64__)
    check_fill(avx2, ISA_AVX2);
    check_fill(avx512, ISA_AVX512);
#elif defined(__aarch64__)
    check_fill(neon, ISA_NEON);
#endif
}

static void ones_fill_exactly_their_bytes(void **state)
{
    (void)state;
    uint8_t bytes[128];
    for (uint32_t n = 0; n <= 100; n++) {
        memset(bytes, 0, sizeof bytes);
        sink_put_ones(bytes + 3, n);
        for (uint32_t i = 0; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], i >= 3 && i < 3 + n);
    }
}

static void bits_are_cleared_exactly(void **state)
{
    (void)state;
    for (uint32_t start = 0; start < 256; start++)
        for (uint32_t end = start + 1; end <= 256; end++) {
            uint64_t words[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
            sink_clear_bits(words, start, end);
            for (uint32_t i = 0; i < 256; i++)
                if ((words[i / 64] >> i % 64 & 1) != !(i >= start && i < end))
                    fail_msg("[%u, %u): bit %u", start, end, i);
        }
}

/* The three vocabularies say the same batch: rows 2, 3, 4 and 69 of 70 deleted. */
#define N_ROWS 70u

static bool row_is_deleted(uint32_t row)
{
    return (row >= 2 && row < 5) || row == 69;
}

enum vocabulary { DELETES, DELETED_RUNS, TOLD, ROWS, ROWS_BRANCHLESS, N_VOCABULARIES };

static void say(struct sink_writer *writer, enum sink_kind kind, enum vocabulary vocabulary)
{
    switch (vocabulary) {
    case DELETES:
        for (uint32_t row = 0; row < N_ROWS; row++)
            if (row_is_deleted(row))
                sink_deleted(writer, kind, fill_generic, row);
        break;
    case DELETED_RUNS:
        sink_deleted_run(writer, kind, fill_generic, 2, 5);
        sink_deleted_run(writer, kind, fill_generic, 69, 70);
        break;
    case TOLD:
        /* The live rows in two pieces, as at the end of a container. */
        sink_told_live(writer, kind, fill_generic, 0, 2);
        sink_told_deleted(writer, kind, fill_generic, 2, 5);
        sink_told_live(writer, kind, fill_generic, 5, 40);
        sink_told_live(writer, kind, fill_generic, 40, 69);
        sink_told_deleted(writer, kind, fill_generic, 69, 70);
        break;
    case ROWS:
        for (uint32_t row = 0; row < N_ROWS; row++)
            sink_row(writer, kind, row, row_is_deleted(row));
        break;
    default:
        for (uint32_t row = 0; row < N_ROWS; row++)
            sink_row_branchless(writer, kind, row, row_is_deleted(row));
        break;
    }
}

static void check_elements(enum sink_kind kind, const struct sink *sink)
{
    static const uint32_t offsets[] = {2, 3, 4, 69};
    static const struct sink_run runs[] = {{0, 2}, {5, 64}};
    static const uint64_t mask[] = {~UINT64_C(0x1c), 0x1f};
    const uint64_t sum = 2 + 3 + 4 + 69;
    uint32_t n_live = 0;
    switch (kind) {
    case SINK_row_ids:
        assert_int_equal(sink->n_out, 66);
        for (uint32_t row = 0; row < N_ROWS; row++)
            if (!row_is_deleted(row))
                assert_int_equal(((int32_t *)sink->out)[n_live++], row);
        break;
    case SINK_is_deleted:
        assert_int_equal(sink->n_out, N_ROWS);
        for (uint32_t row = 0; row < N_ROWS; row++)
            assert_int_equal(((uint8_t *)sink->out)[row], row_is_deleted(row));
        break;
    case SINK_live_mask:
        assert_int_equal(sink->n_out, 2);
        assert_memory_equal(sink->out, mask, sizeof mask);
        break;
    case SINK_deleted_offsets:
        assert_int_equal(sink->n_out, 4);
        assert_memory_equal(sink->out, offsets, sizeof offsets);
        break;
    case SINK_live_runs:
        assert_int_equal(sink->n_out, 2);
        assert_memory_equal(sink->out, runs, sizeof runs);
        break;
    default:
        assert_int_equal(sink->n_out, 1);
        assert_memory_equal(sink->out, &sum, sizeof sum);
        break;
    }
}

static void all_vocabularies_say_the_same(void **state)
{
    (void)state;
    _Alignas(64) uint8_t out[4 * N_ROWS + SINK_SLACK_BYTES];
    for (int kind = 0; kind < N_SINKS; kind++)
        for (int vocabulary = 0; vocabulary < N_VOCABULARIES; vocabulary++) {
            memset(out, 0xa5, sizeof out);
            struct sink sink = {.out = out};
            struct sink_writer writer = sink_begin(&sink, kind, N_ROWS);
            say(&writer, kind, vocabulary);
            assert_int_equal(sink_finish(&writer, &sink, kind, fill_generic), 66);
            check_elements(kind, &sink);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_found),
        cmocka_unit_test(bytes_are_those_of_the_fullest_batch),
        cmocka_unit_test(fills_write_ids_and_scribble_on_slack_alone),
        cmocka_unit_test(ones_fill_exactly_their_bytes),
        cmocka_unit_test(bits_are_cleared_exactly),
        cmocka_unit_test(all_vocabularies_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
