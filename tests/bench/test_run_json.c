/* SPDX-License-Identifier: Apache-2.0 */
/* run.json written, read again, and refused; and the versions that stand in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#include "csv.h"
#include "run_json.h"

static char folder[] = "/tmp/dvbench-run-XXXXXX";
static char path[sizeof folder + 16];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/run.json", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder); /* fails where a file was left beside run.json */
}

/* The value at a path of keys such as "held.pinned_cpu". */
static const json_t *find(const json_t *value, const char *key_path)
{
    while (value && *key_path) {
        char key[64];
        const size_t n = strcspn(key_path, ".");
        snprintf(key, sizeof key, "%.*s", (int)n, key_path);
        value = json_object_get(value, key);
        key_path += n + (key_path[n] == '.');
    }
    return value;
}

static const char *text_at(const json_t *run, const char *key_path)
{
    const char *text = json_string_value(find(run, key_path));
    return text ? text : "";
}

static void check_text(const json_t *run, const char *key_path, const char *expected)
{
    if (strcmp(text_at(run, key_path), expected) != 0)
        fail_msg("%s is '%s' instead of '%s'", key_path, text_at(run, key_path), expected);
}

static void check_null(const json_t *run, const char *key_path)
{
    if (!json_is_null(find(run, key_path)))
        fail_msg("%s is not null", key_path);
}

static void check_item(const json_t *run, const char *key, size_t index, const char *expected)
{
    assert_string_equal(json_string_value(json_array_get(json_object_get(run, key), index)), expected);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct machine machine;
    json_t *run;
    struct dv_error error = {0};
    char id[256];
    machine_read(&machine);
    machine.governor[0] = 0;
    machine.l3_bytes = 0;
    strcpy(machine.turbo, "off");
    const struct run_pair events[] = {{"perf::CYCLES", "type=0 config=0x0"}, {"odd \"name\"", NULL}};
    const struct run_pair settings[] = {{"rounds", "9"}, {"min_time", "0.01"}};
    const char *const warnings[] = {"first", "a path \xff of no UTF-8", "\xc3\xa9"};
    const char *const arguments[] = {"sweep", "--plan", "quick"};
    const struct run_info info = {
        .run = "r1",
        .status = "complete",
        .plan = "quick",
        .arguments = arguments,
        .n_arguments = 3,
        .started = 1753900000,
        .benchmark_version = "1.7.1",
        .machine = &machine,
        .pinned_cpu = 0,
        .steal_pct = NAN,
        .malloc_trim_threshold_bytes = 4096,
        .counter_source = "none",
        .events = events,
        .n_events = 2,
        .settings = settings,
        .n_settings = 2,
        .warnings = warnings,
        .n_warnings = 3,
    };
    for (int i = 0; i < 2; i++) { /* the second time replaces the first */
        assert_int_equal(run_json_write(folder, &info, &error), 0);
        assert_int_equal(run_json_load(&run, folder, &error), 0);
        if (i == 0)
            json_decref(run);
    }
    machine_id(&machine, id, sizeof id);
    check_text(run, "schema", COLUMNS_SCHEMA);
    check_text(run, "run", "r1");
    check_text(run, "status", "complete");
    check_text(run, "machine", id);
    check_text(run, "cpu", machine.cpu_model);
    check_text(run, "started", "2025-07-30T18:26:40Z");
    check_null(run, "ended"); /* unknown is null, not 1970 */
    assert_true(json_is_integer(find(run, "held.pinned_cpu")));
    check_null(run, "held.steal_pct");
    assert_int_equal(json_integer_value(find(run, "held.malloc_trim_threshold_bytes")), 4096);
    check_text(run, "machine_details.turbo", "off");
    check_null(run, "machine_details.l3_bytes"); /* unknown, not 0 */
    check_text(run, "counters.source", "none");
    check_null(run, "counters.status");
    check_text(run, "settings.rounds", "9");
    check_null(run, "versions.libpfm");
    check_text(run, "croaring", dv_croaring_version());
    check_text(run, "versions.croaring", dv_croaring_version());
    assert_true(*text_at(run, "builds.dvbench.compiler") != 0);
    assert_true(*text_at(run, "builds.dvbench.git_commit") != 0);
    assert_non_null(strstr(text_at(run, "builds.dvbench.flags"), "-std=gnu11"));
    assert_true(*text_at(run, "builds.croaring.flags") != 0);
    assert_true(*text_at(run, "versions.libbenchmark") != 0);
    assert_int_equal(json_array_size(json_object_get(run, "warnings")), 3);
    check_item(run, "warnings", 0, "first");
    check_item(run, "warnings", 1, "a path %FF of no UTF-8");
    check_item(run, "warnings", 2, "\xc3\xa9");
    check_item(run, "arguments", 2, "quick");
    json_decref(run);
}

static json_int_t start_of(const json_t *root, size_t i)
{
    return json_integer_value(json_object_get(json_array_get(json_object_get(root, "starts"), i), "start"));
}

/* Each process start writes the file; the times of the others stay in it. */
static void test_starts_are_kept(void **state)
{
    (void)state;
    struct machine machine;
    struct dv_error error = {0};
    static const int written[] = {1, 0, 2, 1}; /* the last one again, as --resume does */
    machine_read(&machine);
    unlink(path);
    for (size_t i = 0; i < 4; i++) {
        const struct run_info info = {.run = "r",
                                      .status = "complete",
                                      .program = "abc",
                                      .machine = &machine,
                                      .steal_pct = 1.5,
                                      .start = written[i],
                                      .started = 1753900000 + (time_t)i};
        assert_int_equal(run_json_write(folder, &info, &error), 0);
    }
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *starts = json_object_get(root, "starts");
    assert_int_equal(json_array_size(starts), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(start_of(root, i), i);
    const char *again = json_string_value(json_object_get(json_array_get(starts, 1), "started"));
    assert_string_equal(again, "2025-07-30T18:26:43Z");
    check_text(root, "started", "2025-07-30T18:26:40Z"); /* the run's is that of its first process */
    assert_true(json_real_value(json_object_get(json_array_get(starts, 0), "steal_pct")) == 1.5);
    json_decref(root);
    const struct run_info other = {
        .run = "r", .program = "another", .machine = &machine, .steal_pct = 1.5, .started = 1753900009};
    assert_int_equal(run_json_write(folder, &other, &error), 0);
    root = json_load_file(path, 0, NULL);
    check_text(root, "started", "2025-07-30T18:26:49Z");
    json_decref(root);
}

/* No host name may reach a file that is committed with reference runs. */
static void test_no_host_name(void **state)
{
    (void)state;
    char host[256] = "", quoted[300], bytes[32768];
    struct machine machine;
    struct dv_error error = {0};
    if (gethostname(host, sizeof host - 1) != 0 || !*host)
        skip();
    machine_read(&machine);
    const struct run_info info = {.run = "r", .machine = &machine, .steal_pct = NAN};
    assert_int_equal(run_json_write(folder, &info, &error), 0);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    bytes[fread(bytes, 1, sizeof bytes - 1, stream)] = 0;
    fclose(stream);
    snprintf(quoted, sizeof quoted, "\"%s\"", host);
    assert_null(strstr(bytes, quoted));
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "not a JSON object"},
        {"{\"schema\": \"1\"", "not a JSON object"},
        {"[]", "not a JSON object"},
        {"{\"schema\": \"1\", \"schema\": \"1\"}", "duplicate"},
        {"{\"schema\": \"99\"}", "schema '99'"},
        {"{}", "schema ''"},
    };
    json_t *run;
    struct dv_error error = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        FILE *stream = fopen(path, "wb");
        assert_non_null(stream);
        fputs(rows[i].text, stream);
        fclose(stream);
        assert_int_equal(run_json_load(&run, folder, &error), DV_ERROR_INPUT);
        assert_null(run);
        assert_non_null(strstr(error.message, rows[i].message));
        assert_string_equal(error.where, path);
    }
    unlink(path);
    assert_int_equal(run_json_load(&run, folder, &error), DV_ERROR_INPUT);
    char missing[sizeof path + 16];
    struct machine machine;
    machine_read(&machine);
    const struct run_info info = {.run = "r", .machine = &machine, .steal_pct = NAN};
    snprintf(missing, sizeof missing, "%s/none", folder);
    assert_int_equal(run_json_write(missing, &info, &error), DV_ERROR_IO);
}

/* The first line of what the tools on the PATH print; null for one that is missing. */
static void test_tool_versions(void **state)
{
    (void)state;
    struct machine machine;
    struct dv_error error = {0};
    json_t *run;
    char tool[sizeof folder + 16];
    snprintf(tool, sizeof tool, "%s/valgrind", folder);
    FILE *stream = fopen(tool, "w");
    assert_non_null(stream);
    fputs("#!/bin/sh\nprintf 'tool 1.2\\nmore\\n'\n", stream);
    fclose(stream);
    assert_int_equal(chmod(tool, 0755), 0);
    assert_int_equal(setenv("PATH", folder, 1), 0);
    machine_read(&machine);
    const struct run_info info = {.run = "r", .machine = &machine, .steal_pct = NAN};
    assert_int_equal(run_json_write(folder, &info, &error), 0);
    assert_int_equal(run_json_load(&run, folder, &error), 0);
    check_text(run, "versions.valgrind", "tool 1.2");
    check_null(run, "versions.gnuplot");
    json_decref(run);
    unlink(tool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_starts_are_kept),
        cmocka_unit_test(test_no_host_name),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_tool_versions),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
