/* SPDX-License-Identifier: Apache-2.0 */
/* CSV written, read again, cut short, and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "csv.h"

static char folder[] = "/tmp/dvbench-csv-XXXXXX";
static char path[sizeof folder + 16];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/x.csv", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static char *read_all(void)
{
    static char bytes[65536];
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    bytes[fread(bytes, 1, sizeof bytes - 1, stream)] = 0;
    fclose(stream);
    return bytes;
}

static void write_all(const char *bytes)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, strlen(bytes), stream), strlen(bytes));
    assert_int_equal(fclose(stream), 0);
}

#define COUNTERS_HEADER "schema,run,cell,event,encoding,source,pass,value_per_row,status\n"

static void test_columns_of_a_file_are_together(void **state)
{
    (void)state;
    for (int c = 1; c < CSV_N_COLUMNS; c++)
        assert_true(csv_column_info((enum csv_column)c)->file >=
                    csv_column_info((enum csv_column)(c - 1))->file);
    assert_string_equal(csv_column_info(CSV_samples_mhz)->name, "mhz");
    assert_int_equal(csv_column_info(CSV_samples_mhz)->kind, CSV_KIND_real);
    assert_int_equal(csv_column_info(CSV_summary_rows)->kind, CSV_KIND_integer);
}

static void test_bytes_written(void **state)
{
    (void)state;
    struct csv_writer *writer;
    struct dv_error error = {0};
    assert_int_equal(csv_create(&writer, path, CSV_FILE_counters, &error), 0);
    assert_string_equal(read_all(), COUNTERS_HEADER);
    csv_set_text(writer, CSV_counters_event, "a,b\"c;d\ne");
    csv_set_text(writer, CSV_counters_run, "first");
    csv_set_text(writer, CSV_counters_run, "second"); /* the last one counts */
    csv_set_integer(writer, CSV_counters_pass, -3);
    csv_set_real(writer, CSV_counters_value_per_row, 0.1);
    assert_int_equal(csv_end_row(writer, &error), 0);
    assert_string_equal(read_all(),
                        COUNTERS_HEADER "2,second,,\"a,b\"\"c;d\ne\",,,-3,0.1,\n"); /* before the close */
    assert_int_equal(csv_end_row(writer, &error), 0); /* nothing is carried over */
    static const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 1e300, 123456789.0, 1.0 / 3};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        csv_set_real(writer, CSV_counters_value_per_row, 5);
        csv_set_real(writer, CSV_counters_value_per_row, odd[i]);
        csv_set_text(writer, CSV_counters_status, "x");
        csv_set_text(writer, CSV_counters_status, NULL);
        assert_int_equal(csv_end_row(writer, &error), 0);
    }
    assert_int_equal(csv_close(writer, &error), 0);
    assert_string_equal(strstr(read_all(), ",-3,0.1,\n") + 9,
                        "2,,,,,,,,\n2,,,,,,,,\n2,,,,,,,,\n2,,,,,,,,\n2,,,,,,,0,\n2,,,,,,,1e+300,\n"
                        "2,,,,,,,123456789,\n2,,,,,,,0.333333333,\n");
}

static void test_locale_does_not_matter(void **state)
{
    (void)state;
    struct csv_writer *writer;
    struct csv_table *table;
    struct dv_error error = {0};
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "de_DE"};
    const char *got = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !got; i++)
        got = setlocale(LC_ALL, names[i]);
    if (!got)
        skip(); /* no locale with a decimal comma on this machine */
    assert_int_equal(csv_create(&writer, path, CSV_FILE_counters, &error), 0);
    csv_set_real(writer, CSV_counters_value_per_row, 1234.5);
    assert_int_equal(csv_end_row(writer, &error), 0);
    assert_int_equal(csv_close(writer, &error), 0);
    assert_int_equal(csv_load(&table, path, CSV_FILE_counters, &error), 0);
    assert_string_equal(csv_text(table, 0, CSV_counters_value_per_row), "1234.5");
    assert_true(csv_real(table, 0, CSV_counters_value_per_row) == 1234.5);
    csv_free(table);
    setlocale(LC_ALL, "C");
}

static struct csv_table *parse_good(const char *text)
{
    struct csv_table *table;
    struct dv_error error = {0};
    const int code = csv_parse(&table, text, strlen(text), CSV_FILE_counters, &error);
    if (code != 0)
        fail_msg("%s", error.message);
    return table;
}

static void test_reading_by_name(void **state)
{
    (void)state;
    /* Other order, a column that this build does not know, CRLF, quotes, a byte order mark, an empty line. */
    struct csv_table *table =
        parse_good("\xEF\xBB\xBFstatus,new,run,\"schema\",cell,event,encoding,source,pass,value_per_row\r\n"
                   "ok,?,r,2,c,\"e\"\"1,\r\n2\",,pmu,18446744073709551615,-2.5e-3\r\n"
                   "\r\n"
                   ",,,2,,,,,,\r\n"
                   "\"\",,,\"2\",,,,,\"\",\r\n");
    uint64_t value;
    assert_int_equal(csv_n_rows(table), 3);
    assert_string_equal(csv_text(table, 0, CSV_counters_status), "ok");
    assert_string_equal(csv_text(table, 0, CSV_counters_run), "r");
    assert_string_equal(csv_text(table, 0, CSV_counters_event), "e\"1,\r\n2");
    assert_string_equal(csv_text(table, 0, CSV_counters_encoding), "");
    assert_true(csv_real(table, 0, CSV_counters_value_per_row) == -2.5e-3);
    assert_true(csv_unsigned(table, 0, CSV_counters_pass, &value));
    assert_true(value == UINT64_MAX);
    for (size_t row = 1; row < 3; row++) {
        assert_true(isnan(csv_real(table, row, CSV_counters_value_per_row)));
        assert_false(csv_unsigned(table, row, CSV_counters_pass, &value));
        assert_int_equal(value, 0);
    }
    assert_string_equal(csv_text(table, 2, CSV_counters_status), "");
    csv_free(table);
}

static void write_file(const char *bytes, size_t n_bytes)
{
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, n_bytes, stream), n_bytes);
    assert_int_equal(fclose(stream), 0);
}

/* Whatever byte a killed run stopped at, a run that continues has the whole rows, and nobody else takes the file. */
static void test_every_cut_of_a_file(void **state)
{
    (void)state;
    static const char whole[] = COUNTERS_HEADER "2,r,c,e1,,pmu,0,12.5,ok\n2,r,c,\"e,\n2\",,pmu,1,13.5,ok\n";
    const size_t n_header = strlen(COUNTERS_HEADER), n_first = n_header + strlen("1,r,c,e1,,pmu,0,12.5,ok\n"),
                 n_whole = sizeof whole - 1;
    for (size_t n = 0; n <= n_whole; n++) {
        struct csv_table *table;
        struct dv_error error = {0};
        write_file(whole, n);
        const bool is_whole = n == n_header || n == n_first || n == n_whole;
        assert_int_equal(csv_load(&table, path, CSV_FILE_counters, &error), is_whole ? 0 : DV_ERROR_INPUT);
        if (!is_whole)
            assert_non_null(strstr(error.message, n == 0 ? "no header" : "no line end"));
        csv_free(table);
        assert_int_equal(csv_load_begun(&table, path, CSV_FILE_counters, &error), 0);
        assert_int_equal(csv_n_rows(table), n == n_whole ? 2 : n >= n_first);
        csv_free(table);
    }
    struct csv_table *none;
    unlink(path);
    assert_int_equal(csv_load_begun(&none, path, CSV_FILE_counters, NULL), 0);
    assert_null(none);
}

/* What a spreadsheet leaves must not vanish, nor become the fastest. */
static void test_cells_that_are_not_numbers(void **state)
{
    (void)state;
    static const char *const reals[] = {"#DIV/0!", "nan", "inf", "0x1p3", "1.5ms", "-", " 1"};
    static const char *const counts[] = {"1.0", "-1x", "1e3", "9,1"};
    char text[1024];
    struct csv_table *table;
    for (size_t i = 0; i < 11; i++) {
        struct dv_error error = {0};
        snprintf(text, sizeof text, "%s2,r,c,e,,pmu,0,1,ok\n2,r,c,e,,pmu,\"%s\",\"%s\",ok\n", COUNTERS_HEADER,
                 i < 7 ? "" : counts[i - 7], i < 7 ? reals[i] : "");
        assert_int_equal(csv_parse(&table, text, strlen(text), CSV_FILE_counters, &error), DV_ERROR_INPUT);
        snprintf(text, sizeof text, "line 3, column %s: '%s'", i < 7 ? "value_per_row" : "pass",
                 i < 7 ? reals[i] : counts[i - 7]);
        assert_non_null(strstr(error.message, text));
    }
    static const char negative[] =
        "schema,run,cell,dv,kernel,sink,batch_rows,mode,start,round,order,iterations,"
        "ns_per_row,page_faults,cpu_migrations,mhz\n2,,,,,,,,,,,,-0.133,,,\n";
    struct dv_error error = {0};
    assert_int_equal(csv_parse(&table, negative, strlen(negative), CSV_FILE_samples, &error), DV_ERROR_INPUT);
    assert_string_equal(error.message, "line 2, column ns_per_row: '-0.133' is not a number of 0 or more");
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "no header"},
        {"schema,run\n2,r\n", "no column cell"},
        {COUNTERS_HEADER "2,r,c,e,,pmu,0,1\n", "8 cells under a header of 9"},
        {COUNTERS_HEADER "2,r,c,e,,pmu,0,1,ok,\n", "10 cells under a header of 9"},
        {COUNTERS_HEADER "2,r,c,e,,pmu,0,1,ok\n1,r,c,e,,pmu,0,1,ok\n", "schema '1'"},
        {COUNTERS_HEADER ",r,c,e,,pmu,0,1,ok\n", "schema ''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct csv_table *table;
        struct dv_error error = {0};
        assert_int_equal(csv_parse(&table, rows[i].text, strlen(rows[i].text), CSV_FILE_counters, &error),
                         DV_ERROR_INPUT);
        assert_null(table);
        assert_non_null(strstr(error.message, rows[i].message));
    }
    struct csv_table *table;
    struct dv_error error = {0};
    assert_int_equal(
        csv_parse(&table, COUNTERS_HEADER "1\0\n", strlen(COUNTERS_HEADER) + 3, CSV_FILE_counters, &error),
        DV_ERROR_INPUT);
    assert_int_equal(error.offset_bytes, strlen(COUNTERS_HEADER) + 1);
    unlink(path);
    assert_int_equal(csv_load(&table, path, CSV_FILE_counters, &error), DV_ERROR_INPUT);
    assert_int_equal(csv_load(&table, folder, CSV_FILE_counters, &error), DV_ERROR_INPUT);
}

static void test_append(void **state)
{
    (void)state;
    struct csv_writer *writer;
    struct dv_error error = {0};
    static const struct {
        const char *before, *after;
    } rows[] = {
        {"", COUNTERS_HEADER "2,new,,,,,,,\n"},
        {"schema,ru", COUNTERS_HEADER "2,new,,,,,,,\n"},
        {COUNTERS_HEADER, COUNTERS_HEADER "2,new,,,,,,,\n"},
        {COUNTERS_HEADER "2,r,c,e,,pmu,0,1,ok\n2,r,c,ha",
         COUNTERS_HEADER "2,r,c,e,,pmu,0,1,ok\n2,new,,,,,,,\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_all(rows[i].before);
        if (i == 0)
            unlink(path);
        assert_int_equal(csv_append(&writer, path, CSV_FILE_counters, &error), 0);
        csv_set_text(writer, CSV_counters_run, "new");
        assert_int_equal(csv_end_row(writer, &error), 0);
        assert_int_equal(csv_close(writer, &error), 0);
        assert_string_equal(read_all(), rows[i].after);
    }
    static const char *const refused[] = {
        "schema,run\n",
        "run,schema,cell,event,encoding,source,pass,value_per_row,status\n",
        "schema,run,cell,event,encoding,source,pass,value_per_row,status,more\n",
        COUNTERS_HEADER "7,r,c,e,,pmu,0,1,ok\n1,r",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        write_all(refused[i]);
        assert_int_equal(csv_append(&writer, path, CSV_FILE_counters, &error), DV_ERROR_INPUT);
        assert_null(writer);
        assert_string_equal(read_all(), refused[i]); /* untouched */
    }
}

static void test_round_trip_and_copy(void **state)
{
    (void)state;
    struct csv_writer *writer;
    struct csv_table *table, *copy;
    struct dv_error error = {0};
    assert_int_equal(csv_create(&writer, path, CSV_FILE_samples, &error), 0);
    for (unsigned i = 0; i < 3000; i++) {
        csv_set_text(writer, CSV_samples_dv, i % 2 ? "uniform:rate=0.5:rows=8:seed=1" : "quoted, \"and\"\n");
        csv_set_unsigned(writer, CSV_samples_iterations, UINT64_MAX - i);
        csv_set_real(writer, CSV_samples_ns_per_row, i / 7.0);
        assert_int_equal(csv_end_row(writer, &error), 0);
    }
    assert_int_equal(csv_close(writer, &error), 0);
    assert_int_equal(csv_load(&table, path, CSV_FILE_samples, &error), 0);
    assert_int_equal(csv_n_rows(table), 3000);
    assert_int_equal(csv_create(&writer, path, CSV_FILE_samples, &error), 0);
    for (size_t i = 0; i < 3000; i++) {
        csv_copy_row(writer, table, i);
        assert_int_equal(csv_end_row(writer, &error), 0);
    }
    assert_int_equal(csv_close(writer, &error), 0);
    assert_int_equal(csv_load(&copy, path, CSV_FILE_samples, &error), 0);
    for (size_t i = 0; i < 3000; i++) {
        uint64_t value;
        assert_string_equal(csv_text(copy, i, CSV_samples_dv), csv_text(table, i, CSV_samples_dv));
        assert_string_equal(csv_text(copy, i, CSV_samples_dv),
                            i % 2 ? "uniform:rate=0.5:rows=8:seed=1" : "quoted, \"and\"\n");
        assert_true(csv_unsigned(copy, i, CSV_samples_iterations, &value) && value == UINT64_MAX - i);
        assert_true(fabs(csv_real(copy, i, CSV_samples_ns_per_row) - (double)i / 7) <= 1e-9 * (double)i);
    }
    csv_free(table);
    csv_free(copy);
}

static void test_a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct csv_writer *writer;
    struct dv_error error = {0};
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(csv_create(&writer, "/dev/full", CSV_FILE_samples, &error), DV_ERROR_IO);
    assert_null(writer);
    assert_non_null(strstr(error.message, "cannot write"));
    assert_int_equal(csv_create(&writer, folder, CSV_FILE_samples, &error), DV_ERROR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_of_a_file_are_together),
        cmocka_unit_test(test_bytes_written),
        cmocka_unit_test(test_locale_does_not_matter),
        cmocka_unit_test(test_reading_by_name),
        cmocka_unit_test(test_every_cut_of_a_file),
        cmocka_unit_test(test_cells_that_are_not_numbers),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_round_trip_and_copy),
        cmocka_unit_test(test_a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
