/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: what is read, from files and pipes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "file_read.h"
#include "file_write.h"

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/dvbench-read-XXXXXX");
    *state = folder;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    unlink("file");
    unlink("pipe");
    int code = chdir("/") | rmdir(*state);
    free(*state);
    return code;
}

static void reads_up_to_the_bound(void **state)
{
    (void)state;
    struct dv_error error = {0};
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    assert_int_equal(file_write("file", "ab\0d", 4, &error), 0);
    assert_int_equal(file_read("file", 4, &bytes, &n_bytes, &error), 0);
    assert_int_equal(n_bytes, 4);
    assert_memory_equal(bytes, "ab\0d\0", 5);
    free(bytes);
    assert_int_equal(file_read("file", 3, &bytes, &n_bytes, &error), DV_ERROR_INPUT);
    assert_null(bytes);
    assert_string_equal(error.where, "file");
    assert_non_null(strstr(error.message, "more than 3 bytes"));
    error = (struct dv_error){0};
    assert_null(file_read_text("file", 4, &error));
    assert_non_null(strstr(error.message, "NUL"));
}

/* 200,000 bytes: more than a pipe holds and more than the first guess of its size. */
static void reads_pipes(void **state)
{
    (void)state;
    enum { N_BYTES = 200000 };
    struct dv_error error = {0};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (int round = 0; round < 2; round++) {
        FILE *writer = popen("head -c 200000 /dev/zero | tr '\\0' x >pipe", "r");
        assert_non_null(writer);
        char *text = file_read_text("pipe", round == 0 ? N_BYTES : N_BYTES - 1, &error);
        pclose(writer);
        if (round == 0) {
            assert_non_null(text);
            assert_int_equal(strlen(text), N_BYTES);
        } else {
            assert_null(text);
            assert_non_null(strstr(error.message, "more than 199999 bytes"));
        }
        free(text);
    }
}

static void refuses_what_is_no_file(void **state)
{
    (void)state;
    static const char *const paths[][2] = {
        {"nowhere", "cannot open"}, {".", "a directory"}, {"/dev/zero", "a device"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct dv_error error = {0};
        uint8_t *bytes;
        size_t n_bytes;
        assert_int_equal(file_read(paths[i][0], FILE_READ_MOST, &bytes, &n_bytes, &error), DV_ERROR_INPUT);
        assert_non_null(strstr(error.message, paths[i][1]));
        assert_string_equal(error.where, paths[i][0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_up_to_the_bound),
        cmocka_unit_test(reads_pipes),
        cmocka_unit_test(refuses_what_is_no_file),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
