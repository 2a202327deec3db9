/* SPDX-License-Identifier: Apache-2.0 */
/* The guards must see what they are there for: one byte too far in either direction, by writing or by
 * reading. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "guard.h"
#include "sink.h"

static const size_t sizes[] = {0, 1, 8, 63, 64, 65, 4000, 4096, 20000};
#define FOR_EACH_SIZE(i) for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)

static void whole_buffer_and_slack_are_writable(void **state)
{
    (void)state;
    FOR_EACH_SIZE(i)
    {
        struct guard_buffer buffer;
        assert_int_equal(guard_open(&buffer, sizes[i], NULL), 0);
        for (int placement = GUARD_AT_END; placement <= GUARD_AT_START; placement++) {
            guard_place(&buffer, sizes[i], (enum guard_placement)placement);
            assert_int_equal((uintptr_t)buffer.data % 64, 0);
            guard_fill(&buffer, 0x5A);
            assert_int_equal(guard_check(&buffer), 0);
        }
        guard_close(&buffer);
    }
}

static void each_byte_of_a_canary_counts(void **state)
{
    (void)state;
    FOR_EACH_SIZE(i)
    {
        struct guard_buffer buffer;
        assert_int_equal(guard_open(&buffer, 20000, NULL), 0);
        guard_place(&buffer, sizes[i], GUARD_AT_END);
        uint8_t *behind = (uint8_t *)buffer.data + sizes[i] + SINK_SLACK_BYTES;
        for (int n = 1; n <= 64; n++) {
            behind[n - 1] ^= 1;
            assert_int_equal(guard_check(&buffer), n);
            behind[n - 1] ^= 1;
            uint8_t *before = (uint8_t *)buffer.data - n;
            *before ^= 1;
            assert_int_equal(guard_check(&buffer), -n);
            *before ^= 1;
        }
        assert_int_equal(guard_check(&buffer), 0);
        guard_close(&buffer);
    }
}

static void write_byte(void *place)
{
    *(volatile uint8_t *)place = 1;
}

static void read_byte(void *place)
{
    (void)*(volatile const uint8_t *)place;
}

static void run_undefined_instruction(void *unused)
{
    (void)unused;
    raise(SIGILL);
}

static void pages_around_a_buffer_fault(void **state)
{
    (void)state;
    struct guard_fault fault;
    struct guard_buffer buffer;
    struct guard_handlers previous;
    guard_catch(&previous);
    assert_int_equal(guard_open(&buffer, 5000, NULL), 0);
    uint8_t *data = buffer.data;
    assert_int_equal(guard_call(write_byte, data + 5000 + SINK_SLACK_BYTES - 1, &fault), 0);
    assert_int_equal(guard_call(write_byte, data + 5000 + SINK_SLACK_BYTES + 128, &fault), SIGSEGV);
    assert_ptr_equal(fault.address, data + 5000 + SINK_SLACK_BYTES + 128);
    guard_place(&buffer, 5000, GUARD_AT_START);
    data = buffer.data;
    assert_int_equal(guard_call(write_byte, data - 1, &fault), SIGSEGV);
    assert_int_equal(guard_call(read_byte, data - 1, &fault), SIGSEGV);
    assert_int_equal(guard_call(read_byte, data, &fault), 0);
    guard_close(&buffer);
    guard_release(&previous);
}

static void copy_faults_one_byte_behind_and_on_writes(void **state)
{
    (void)state;
    uint8_t bytes[20000];
    struct guard_handlers previous;
    guard_catch(&previous);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    FOR_EACH_SIZE(i)
    {
        struct guard_copy copy;
        struct guard_fault fault;
        assert_int_equal(guard_copy_open(&copy, bytes, sizes[i], NULL), 0);
        assert_memory_equal(copy.data, bytes, sizes[i]);
        assert_int_equal(guard_call(read_byte, (void *)(copy.data + sizes[i]), &fault), SIGSEGV);
        if (sizes[i] > 0) {
            assert_int_equal(guard_call(read_byte, (void *)(copy.data + sizes[i] - 1), &fault), 0);
            assert_int_equal(guard_call(write_byte, (void *)copy.data, &fault), SIGSEGV);
        }
        guard_copy_close(&copy);
    }
    guard_release(&previous);
}

static void what_was_caught_is_released_again(void **state)
{
    (void)state;
    struct sigaction before, after;
    struct guard_handlers previous;
    struct guard_fault fault;
    sigset_t mask_before, mask_after;
    sigaction(SIGILL, NULL, &before);
    sigprocmask(SIG_BLOCK, NULL, &mask_before);
    guard_catch(&previous);
    for (int i = 0; i < 3; i++)
        assert_int_equal(guard_call(run_undefined_instruction, NULL, &fault), SIGILL);
    guard_release(&previous);
    sigaction(SIGILL, NULL, &after);
    assert_true(before.sa_handler == after.sa_handler);
    sigprocmask(SIG_BLOCK, NULL, &mask_after);
    assert_int_equal(sigismember(&mask_before, SIGILL), sigismember(&mask_after, SIGILL));
}

static void absurd_sizes_are_refused(void **state)
{
    (void)state;
    struct guard_buffer buffer;
    struct dv_error error = {0};
    assert_int_equal(guard_open(&buffer, SIZE_MAX - 10, &error), DV_ERROR_MEMORY);
    assert_int_equal(error.code, DV_ERROR_MEMORY);
    assert_null(buffer.data);
    guard_close(&buffer);
    assert_int_equal(guard_open(&buffer, SIZE_MAX / 2, &error), DV_ERROR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_buffer_and_slack_are_writable),
        cmocka_unit_test(each_byte_of_a_canary_counts),
        cmocka_unit_test(pages_around_a_buffer_fault),
        cmocka_unit_test(copy_faults_one_byte_behind_and_on_writes),
        cmocka_unit_test(what_was_caught_is_released_again),
        cmocka_unit_test(absurd_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
