/* SPDX-License-Identifier: Apache-2.0 */
/* The checker's own tests: kernels broken on purpose, one mistake each, must all be caught; the right one
 * must pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "broken_kernels.h"
#include "verify.h"

/* A vector made by hand: neither its bytes nor its view matter here, its intervals do. */
struct subject {
    struct guard_copy bytes;
    struct dv dv;
    struct batches batches;
};

static struct dv_interval subject_intervals[] = {{3, 4},
                                                 {64, 65},
                                                 {127, 130},
                                                 {199, 200},
                                                 {320, 384},
                                                 {500, 601},
                                                 {777, 778},
                                                 {999, 1000},
                                                 {1050, 1051},
                                                 {1055, 1056},
                                                 {1059, 1060},
                                                 {4999, 5001},
                                                 {UINT64_C(1) << 32, (UINT64_C(1) << 32) + 7}};
static struct batch subject_batches[] = {{0, 200},   {200, 200}, {400, 200},  {601, 177},
                                         {778, 222}, {1000, 60}, {4900, 130}, {UINT64_C(1) << 32, 64}};
#define N_ITEMS(array) (sizeof(array) / sizeof *(array))

static int open_subject(void **state)
{
    static struct subject subject;
    static const uint8_t bytes[777] = {1};
    if (guard_copy_open(&subject.bytes, bytes, sizeof bytes, NULL) != 0)
        return -1;
    subject.dv = (struct dv){.bytes = subject.bytes.data, .n_bytes = subject.bytes.n_bytes};
    subject.dv.intervals = (struct dv_intervals){subject_intervals, N_ITEMS(subject_intervals)};
    subject.batches = (struct batches){.items = subject_batches, .n_items = N_ITEMS(subject_batches)};
    *state = &subject;
    return 0;
}

static int close_subject(void **state)
{
    guard_copy_close(&((struct subject *)*state)->bytes);
    return 0;
}

static const struct verify_options everything = {.seed = 1, .shuffled = 1, .gaps = 1};

static void right_kernel_is_ok(void **state)
{
    const struct subject *subject = *state;
    for (int sink = 0; sink < N_SINKS; sink++) {
        struct verdict verdict;
        struct dv_error error;
        assert_int_equal(verify_kernel(right_kernel(), &subject->dv, &subject->batches, (enum sink_kind)sink,
                                       &everything, &verdict, &error),
                         0);
        assert_string_equal(verdict.reason, "");
        assert_int_equal(verdict.kind, VERDICT_OK);
    }
}

static void every_broken_kernel_is_caught(void **state)
{
    const struct subject *subject = *state;
    for (size_t i = 0; i < broken_kernels_count(); i++) {
        for (int sink = 0; sink < N_SINKS; sink++) {
            struct verdict verdict;
            if (!(broken_kernel_at(i)->sinks & 1u << sink))
                continue;
            assert_int_equal(verify_kernel(broken_kernel_at(i), &subject->dv, &subject->batches,
                                           (enum sink_kind)sink, &everything, &verdict, NULL),
                             0);
            if (verdict.kind != VERDICT_WRONG)
                fail_msg("%s into %s was not caught", broken_kernel_at(i)->id, sink_id((enum sink_kind)sink));
        }
    }
}

static const struct kernel *find_broken(const char *id)
{
    for (size_t i = 0; i < broken_kernels_count(); i++)
        if (strcmp(broken_kernel_at(i)->id, id) == 0)
            return broken_kernel_at(i);
    fail_msg("no broken kernel %s", id);
    return NULL;
}

static const char *reason_of(const struct subject *subject, const struct kernel *kernel, enum sink_kind sink)
{
    static struct verdict verdict;
    assert_int_equal(verify_kernel(kernel, &subject->dv, &subject->batches, sink, NULL, &verdict, NULL), 0);
    return verdict.reason;
}

static void reasons_say_what_where_and_what_was_right(void **state)
{
    const struct subject *subject = *state;
    assert_string_equal(reason_of(subject, find_broken("count_too_high"), SINK_row_ids),
                        "195 live rows, oracle 194 (batch at 0, 200 rows)");
    assert_string_equal(reason_of(subject, find_broken("n_out_too_high"), SINK_touch),
                        "n_out = 2, oracle 1 (batch at 0, 200 rows)");
    assert_string_equal(reason_of(subject, find_broken("true_is_not_1"), SINK_is_deleted),
                        "is_deleted[3] = 255, oracle 1 (batch at 0, 200 rows)");
    assert_string_equal(reason_of(subject, find_broken("runs_split_at_words"), SINK_live_runs),
                        "n_out = 5, oracle 4 (batch at 0, 200 rows)");
    assert_string_equal(reason_of(subject, find_broken("offsets_are_absolute"), SINK_row_ids),
                        "row_ids[0] = 200, oracle 0 (batch at 200, 200 rows)");
    assert_string_equal(reason_of(subject, find_broken("writes_behind_the_slack"), SINK_row_ids),
                        "wrote 1 bytes after the slack of the sink's buffer (batch at 0, 200 rows)");
    assert_non_null(strstr(reason_of(subject, find_broken("reads_behind_the_vector"), SINK_row_ids),
                           "at byte 777 of the vector's 777 (batch at 0, 200 rows)"));
}

static int open_refused(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    (void)dv, (void)state;
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "would take 8 TiB");
}

static int open_without_memory(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    (void)dv, (void)state;
    return dv_no_memory(error_out);
}

static void missing_and_refusing_kernels_are_unavailable(void **state)
{
    const struct subject *subject = *state;
    struct verdict verdict;
    struct kernel kernel = *right_kernel();
    kernel.open = open_refused;
    assert_int_equal(
        verify_kernel(&kernel, &subject->dv, &subject->batches, SINK_row_ids, NULL, &verdict, NULL), 0);
    assert_int_equal(verdict.kind, VERDICT_UNAVAILABLE);
    assert_string_equal(verdict.reason, "would take 8 TiB");

    kernel.open = open_without_memory;
    assert_int_equal(
        verify_kernel(&kernel, &subject->dv, &subject->batches, SINK_row_ids, NULL, &verdict, NULL), 0);
    assert_int_equal(verdict.kind, VERDICT_UNAVAILABLE);
    assert_string_equal(verdict.reason, "out of memory");

    kernel = *right_kernel();
    kernel.missing = "not in this build";
    memset(kernel.run, 0, sizeof kernel.run);
    assert_int_equal(
        verify_kernel(&kernel, &subject->dv, &subject->batches, SINK_row_ids, NULL, &verdict, NULL), 0);
    assert_int_equal(verdict.kind, VERDICT_UNAVAILABLE);
    assert_string_equal(verdict.reason, "not in this build");
}

static void vector_without_intervals_is_refused(void **state)
{
    const struct subject *subject = *state;
    struct dv bare = {.bytes = subject->dv.bytes, .n_bytes = subject->dv.n_bytes, .view = {.cardinality = 5}};
    struct verdict verdict;
    struct dv_error error = {0};
    assert_int_equal(
        verify_kernel(right_kernel(), &bare, &subject->batches, SINK_row_ids, NULL, &verdict, &error),
        DV_ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_kernel_is_ok),
        cmocka_unit_test(every_broken_kernel_is_caught),
        cmocka_unit_test(reasons_say_what_where_and_what_was_right),
        cmocka_unit_test(missing_and_refusing_kernels_are_unavailable),
        cmocka_unit_test(vector_without_intervals_is_refused),
    };
    return cmocka_run_group_tests(tests, open_subject, close_subject);
}
