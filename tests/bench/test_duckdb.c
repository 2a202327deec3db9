/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that `scan` cannot work with are told apart from broken ones: unavailable, with what is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "duckdb.h"

static void refuses(const char *library, const char *reason)
{
    struct engine *engine = NULL;
    struct dv_error error = {0};
    assert_int_equal(duckdb_engine_open(&engine, library, NULL, &error), DV_ERROR_UNAVAILABLE);
    assert_null(engine);
    if (!strstr(error.message, reason) || !strstr(error.message, "--duckdb=FOLDER"))
        fail_msg("'%s' does not say '%s' and what to do", error.message, reason);
}

static void test_a_library_before_1_3(void **state)
{
    (void)state;
    refuses(DUCKDB_OLD, "version v1.2.2 is too old");
}

static void test_a_library_without_a_function(void **state)
{
    (void)state;
    refuses(DUCKDB_LACKING, "it has no duckdb_interrupt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_library_before_1_3),
        cmocka_unit_test(test_a_library_without_a_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
