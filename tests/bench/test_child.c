/* SPDX-License-Identifier: Apache-2.0 */
/* Children of a pinned parent: where they may run, what they inherit, how they end. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "child.h"
#include "file_read.h"
#include "machine.h"

/* Runs a shell's `script` in a new folder; its standard output is the caller's to free. */
static char *run(const char *script, const cpu_set_t *cpus, double seconds, int *exit_code_out)
{
    char folder[] = "/tmp/test_child-XXXXXX", out[64], err[64], sh[] = "/bin/sh", flag[] = "-c";
    char *argv[] = {sh, flag, strdup(script), NULL};
    struct dv_error error = {0};
    struct child child;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(child_start(&child, argv, folder, cpus, &error), 0);
    *exit_code_out = child_wait(&child, seconds);
    snprintf(out, sizeof out, "%s/stdout", folder);
    snprintf(err, sizeof err, "%s/stderr", folder);
    char *text = file_read_text(out, FILE_READ_MOST, &error);
    assert_non_null(text);
    unlink(out);
    unlink(err);
    rmdir(folder);
    free(argv[2]);
    return text;
}

static void runs_where_it_may_though_the_parent_is_pinned(void **state)
{
    (void)state;
    cpu_set_t all, now;
    int exit_code;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        skip();
    assert_int_equal(machine_pin_cpu(machine_default_cpu(), NULL), 0);
    char *text = run("exec nproc", &all, 60, &exit_code);
    assert_int_equal(exit_code, 0);
    assert_int_equal(atoi(text), CPU_COUNT(&all));
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_int_equal(CPU_COUNT(&now), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    free(text);
}

static void gets_what_chooses_code_and_nothing_else(void **state)
{
    (void)state;
    cpu_set_t all;
    int exit_code;
    sched_getaffinity(0, sizeof all, &all);
    setenv("DVBENCH_CPU_MASK", "generic", 1);
    setenv("SECRET", "1", 1);
    char *text = run("echo \"$DVBENCH_CPU_MASK,$LC_ALL,$SECRET\"", &all, 60, &exit_code);
    unsetenv("DVBENCH_CPU_MASK");
    assert_int_equal(exit_code, 0);
    assert_string_equal(text, "generic,C,\n");
    free(text);
}

static void tells_how_it_ended(void **state)
{
    (void)state;
    cpu_set_t all;
    int exit_code;
    sched_getaffinity(0, sizeof all, &all);
    free(run("exit 7", &all, 60, &exit_code));
    assert_int_equal(exit_code, 7);
    free(run("kill -9 $$", &all, 60, &exit_code));
    assert_int_equal(exit_code, -9);
    free(run("exec sleep 600", &all, 0.05, &exit_code));
    assert_int_equal(exit_code, -1000);
}

static void a_folder_is_no_program(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_child-XXXXXX", name[64], path[128], found[256];
    char *old = strdup(getenv("PATH"));
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/sh", folder);
    assert_int_equal(mkdir(name, 0700), 0);
    snprintf(path, sizeof path, "relative:%s:/bin", folder);
    setenv("PATH", path, 1);
    assert_int_equal(child_find(found, sizeof found, "sh", NULL), 0);
    assert_string_equal(found, "/bin/sh");
    assert_int_equal(child_find(found, sizeof found, "no-such-program", NULL), DV_ERROR_UNAVAILABLE);
    setenv("PATH", old, 1);
    free(old);
    rmdir(name);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_where_it_may_though_the_parent_is_pinned),
        cmocka_unit_test(gets_what_chooses_code_and_nothing_else),
        cmocka_unit_test(tells_how_it_ended),
        cmocka_unit_test(a_folder_is_no_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
