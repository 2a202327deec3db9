/* SPDX-License-Identifier: Apache-2.0 */
/* Callgrind's dumps: columns by name, totals, labels, what ran in the C library, and files that are no
 * counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim_parse.h"

static const char whole[] = "# callgrind format\n"
                            "version: 1\n"
                            "desc: Timerange: Basic block 20712 - 12603905\n"
                            "desc: Trigger: Client Request: k12\n"
                            "\n"
                            "positions: line\n"
                            "events: Ir Bc Bcm Bi Bim\n"
                            "summary: 1 1 1 1 1\n"
                            "\n"
                            "ob=(1) /home/someone/libcast/dvbench\n"
                            "fl=(1) ???\n"
                            "fn=(60) counters_pass_run\n"
                            "0 100 10 1\n"
                            "cob=(2) /usr/lib/x86_64-linux-gnu/libc.so.6\n"
                            "cfn=(70) memset\n"
                            "calls=4 0\n"
                            "0 5000 40\n"
                            "+3 20\n"
                            "\n"
                            "ob=(2)\n"
                            "fn=(70)\n"
                            "0 450 30\n"
                            "* 50 10\n"
                            "cob=(1)\n"
                            "cfn=(60)\n"
                            "calls=1 0\n"
                            "0 7000\n"
                            "\n"
                            "ob=(1)\n"
                            "fn=(61) other\n"
                            "0 80 9 8 7 6\n"
                            "\n"
                            "totals: 700 59 9 7 6\n";

static void test_whole(void **state)
{
    (void)state;
    struct sim_dump dump;
    assert_int_equal(sim_parse(&dump, whole, NULL), 0);
    assert_string_equal(dump.label, "k12");
    assert_int_equal(dump.instructions, 700);
    assert_int_equal(dump.conditional_branches, 59);
    assert_int_equal(dump.conditional_misses, 9);
    assert_int_equal(dump.indirect_branches, 7);
    assert_int_equal(dump.indirect_misses, 6);
    /* Its own lines, not what was called from it or what it called; and no other path with "/libc" in it. */
    assert_int_equal(dump.libc_instructions, 500);
}

/* Columns that are 0 at the end of a line are left out; their order is the events: line's. */
static void test_columns(void **state)
{
    (void)state;
    struct sim_dump dump;
    assert_int_equal(sim_parse(&dump, "events: Ir Bc Bcm Bi Bim\n\ntotals: 65018 63600 133\n", NULL), 0);
    assert_int_equal(dump.indirect_branches, 0);
    assert_int_equal(dump.indirect_misses, 0);
    assert_string_equal(dump.label, "");
    assert_int_equal(sim_parse(&dump, "events: Bc Dr Ir\ntotals: 5 6 7000000000000\n", NULL), 0);
    assert_int_equal(dump.instructions, 7000000000000);
    assert_int_equal(dump.conditional_branches, 5);
}

static void test_no_counts(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "# callgrind format\n",
        "events: Ir Bc\n", /* killed before its totals */
        "totals: 5\n",
        "events: Bc Bcm\ntotals: 5 6\n", /* no instructions among them */
        "events: Ir\ntotals: five\n",
        "events: Ir\ntotals: 5 6\n", /* more numbers than columns */
        "events: Ir\ntotals: -5\n",
        "events: Ir\ntotals: 0\n", /* a simulator that counts nothing has failed */
        "events: Ir\ntotals:\n",
        "events: Ir\nsummary: 7\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct sim_dump dump;
        struct dv_error error = {0};
        assert_int_equal(sim_parse(&dump, bad[i], &error), DV_ERROR_INPUT);
        assert_true(error.message[0] != '\0');
    }
}

/* Cut anywhere, a dump is read or refused, never read past its end. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    for (size_t n_bytes = 0; n_bytes < sizeof whole; n_bytes++) {
        struct sim_dump dump;
        char text[sizeof whole];
        memcpy(text, whole, n_bytes);
        text[n_bytes < sizeof whole - 1 ? n_bytes : sizeof whole - 1] = '\0';
        int code = sim_parse(&dump, text, NULL);
        assert_true(code == 0 || code == DV_ERROR_INPUT);
        if (n_bytes + sizeof "totals: 700 59 9 7 6\n" < sizeof whole)
            assert_int_equal(code, DV_ERROR_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_no_counts),
        cmocka_unit_test(test_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
