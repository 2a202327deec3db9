/* SPDX-License-Identifier: Apache-2.0 */
/* The shared options: what they take, and which names open what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "file_write.h"
#include "options.h"
#include "vector_options.h"

/* A Delta file of two vectors: row 30; rows 0 and 18. */
static const uint8_t two_vectors[] = {
    0x01, 0x00, 0x00, 0x00, 0x22, 0xd1, 0xd3, 0x39, 0x64, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x30, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x1e, 0x00, 0x23, 0xe7, 0x8b, 0x6a, 0x00, 0x00,
    0x00, 0x24, 0xd1, 0xd3, 0x39, 0x64, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x3a, 0x30, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00,
    0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x12, 0x00, 0x83, 0x51, 0xd3, 0xdc};

/* Works in a folder of its own, so that relative names are known. */
static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/dvbench-options-XXXXXX");
    struct dv_error error;
    *state = folder;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    return file_write("a,b.bin", two_vectors, sizeof two_vectors, &error) |
           file_write("two%41.bin", two_vectors, sizeof two_vectors, &error) |
           file_write("twoA.bin", two_vectors, 43, &error) |
           file_write("uniform", two_vectors, sizeof two_vectors, &error);
}

static int leave_folder(void **state)
{
    unlink("a,b.bin");
    unlink("two%41.bin");
    unlink("twoA.bin");
    unlink("uniform");
    int code = chdir("/") | rmdir(*state);
    free(*state);
    return code;
}

struct named {
    const char *name;
    size_t n_sources;
    const char *spec; /* of the last source; NULL: refused with `code` */
    int code;
};

static const struct named named[] = {
    {"a,b.bin", 2, "a%2Cb.bin#1", 0},
    {"a%2Cb.bin", 2, "a%2Cb.bin#1", 0},
    {"a%2Cb.bin#0", 1, "a%2Cb.bin#0", 0},
    {"./a,b.bin#1", 1, "./a%2Cb.bin#1", 0},
    {"two%41.bin#1", 1, "two%2541.bin#1", 0}, /* the file of that name, not twoA.bin, which has one vector */
    {"two%2541.bin#1", 1, "two%2541.bin#1", 0},
    {"two%41.bin", 2, "two%2541.bin#1", 0},
    {"a,b.bin#2", 0, NULL, DV_ERROR_INPUT},
    {"a,b.bin#", 0, NULL, DV_ERROR_INPUT},
    {"a,b.bin#-1", 0, NULL, DV_ERROR_INPUT},
    {"nowhere.bin", 0, NULL, DV_ERROR_INPUT},
    {"nowhere", 0, NULL, DV_ERROR_USAGE},
    {"s3://bucket/a.puffin", 0, NULL, DV_ERROR_USAGE},
    {"file:///tmp/a.puffin", 0, NULL, DV_ERROR_USAGE},
    {"uniform", 2, "uniform#1", 0},
    {"uniform:rate=0.5:rows=10", 1, "uniform:rate=0.5:rows=10:seed=1:base=0:optimize=1", 0},
    {"uniform:rate=2", 0, NULL, DV_ERROR_USAGE},
};

static void loads_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct vector_options options = {0};
        struct dv_source *sources = NULL;
        size_t n_sources = 0;
        struct dv_error error = {0};
        int code = vector_options_load(&options, named[i].name, &sources, &n_sources, &error);
        if (code != named[i].code || n_sources != named[i].n_sources)
            fail_msg("%s: code %d, %zu sources: %s", named[i].name, code, n_sources, error.message);
        if (code == 0)
            assert_string_equal(sources[n_sources - 1].spec, named[i].spec);
        format_free_sources(sources, n_sources);
        vector_options_free(&options);
    }
}

static void states_rows(void **state)
{
    (void)state;
    struct vector_options options = {.format = {.has_rows = true, .n_rows = 5}};
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    struct dv_error error;
    assert_int_equal(vector_options_load(&options, "a,b.bin", &sources, &n_sources, &error), 0);
    assert_int_equal(sources[1].n_rows, 5);
    format_free_sources(sources, n_sources);
    options.format.has_rows = false;
    assert_int_equal(vector_options_load(&options, "a,b.bin", &sources, &n_sources, &error), 0);
    assert_int_equal(sources[0].n_rows, 31);
    assert_int_equal(sources[1].n_rows, 19);
    assert_string_equal(sources[1].format, "delta");
    assert_int_equal(sources[1].crc_stored, 0x8351d3dc);
    format_free_sources(sources, n_sources);
    options.format.has_rows = true;
    options.format.n_rows = UINT64_MAX;
    assert_int_equal(vector_options_load(&options, "a,b.bin", &sources, &n_sources, &error), DV_ERROR_USAGE);
    vector_options_free(&options);
}

static void a_file_has_rows_of_its_own(void **state)
{
    (void)state;
    struct vector_options options = {0};
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    struct dv_error error;
    assert_int_equal(vector_options_take(&options, VECTOR_OPTION_ROWS, "a,b.bin=77", &error), 1);
    assert_int_equal(vector_options_take(&options, VECTOR_OPTION_ROWS, "500", &error), 1);
    assert_int_equal(vector_options_take(&options, VECTOR_OPTION_ROWS, "a,b.bin#1=88", &error), 1);
    assert_int_equal(vector_options_take(&options, VECTOR_OPTION_ROWS, "a,b.bin=x", &error), DV_ERROR_USAGE);
    assert_int_equal(vector_options_load(&options, "a,b.bin#0", &sources, &n_sources, &error), 0);
    assert_int_equal(sources[0].n_rows, 77);
    format_free_sources(sources, n_sources);
    assert_int_equal(vector_options_load(&options, "a,b.bin#1", &sources, &n_sources, &error), 0);
    assert_int_equal(sources[0].n_rows, 88);
    format_free_sources(sources, n_sources);
    assert_int_equal(vector_options_format(&options, "other.bin").n_rows, 500);
    vector_options_free(&options);
}

static void refuses_positions_that_no_row_has(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0x80, 0x3a, 0x30, 0,
                                    0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0,    0,    5,    0};
    struct vector_options options = {0};
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    struct dv_error error;
    assert_int_equal(file_write("high", bytes, sizeof bytes, &error), 0);
    assert_int_equal(vector_options_load(&options, "high", &sources, &n_sources, &error), DV_ERROR_INPUT);
    assert_string_equal(error.where, "high");
    assert_string_equal(error.message,
                        "found position 9223372036854775813, expected less than 2^63: no row has it");
    assert_null(sources);
    unlink("high");
}

static void the_inline_text_has_a_name(void **state)
{
    (void)state;
    struct vector_options options = {.inline_text =
                                         "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"};
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    struct dv_error error;
    assert_int_equal(vector_options_load(&options, NULL, &sources, &n_sources, &error), 0);
    assert_string_equal(sources[0].spec, "inline");
    format_free_sources(sources, n_sources);
    assert_int_equal(vector_options_load(&options, "inline", &sources, &n_sources, &error), 0);
    assert_int_equal(sources[0].n_rows, 30);
    format_free_sources(sources, n_sources);
}

static void keeps_each_warning_once(void **state)
{
    (void)state;
    struct vector_options options = {.format = {.lenient = true}};
    struct dv_error error;
    uint8_t longer[sizeof two_vectors + 1] = {0};
    memcpy(longer, two_vectors, sizeof two_vectors);
    assert_int_equal(file_write("longer", longer, sizeof longer, &error), 0);
    for (int i = 0; i < 3; i++) {
        struct format_file file;
        assert_int_equal(vector_options_open(&options, "longer", &file, &error), 0);
        format_close(&file);
    }
    assert_int_equal(options.n_warnings, 1);
    assert_non_null(strstr(options.warnings[0], "longer: byte 87: found 1 bytes after the last vector"));
    vector_options_free(&options);
    unlink("longer");
}

static void takes_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "-1", "+1", " 1", "1 ", "1x", "010", "0x", "1.0", "18446744073709551616", "1e3"};
    struct dv_error error;
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (option_number("rows", bad[i], 0, UINT64_MAX, &value, &error) != DV_ERROR_USAGE ||
            !strstr(error.message, "--rows"))
            fail_msg("\"%s\" was taken as %llu", bad[i], (unsigned long long)value);
    assert_int_equal(option_number("rows", "18446744073709551615", 0, UINT64_MAX, &value, &error), 0);
    assert_int_equal(value, UINT64_MAX);
    assert_int_equal(option_number("rows", "0x10", 0, UINT64_MAX, &value, &error), 0);
    assert_int_equal(value, 16);
    assert_int_equal(option_number("rows", "0", 0, UINT64_MAX, &value, &error), 0);
    assert_int_equal(value, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_by_name),
        cmocka_unit_test(states_rows),
        cmocka_unit_test(a_file_has_rows_of_its_own),
        cmocka_unit_test(the_inline_text_has_a_name),
        cmocka_unit_test(keeps_each_warning_once),
        cmocka_unit_test(takes_numbers),
        cmocka_unit_test(refuses_positions_that_no_row_has),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
