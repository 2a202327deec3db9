/* SPDX-License-Identifier: Apache-2.0 */
/* The accounting of `scan` with an engine that is a fake: it hands the function rows as the test lays them out, and
 * answers with the sums over what the function kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scan_function.h"
#include "scan_options.h"
#include "scan_query.h"
#include "scan_run.h"

enum { FILE_ROWS = 70000, N_FILES = 2, READING_NS = 100 };

/* The linker puts these two in place of clock_gettime. In fake time nothing takes long but reading the clock. */
int __real_clock_gettime(clockid_t clock, struct timespec *time_out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time_out);
static bool is_fake_time;
static clockid_t clock_read; /* by the last reading of fake time */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time_out)
{
    static long now_ns;
    if (!is_fake_time)
        return __real_clock_gettime(clock, time_out);
    clock_read = clock;
    *time_out = (struct timespec){.tv_sec = 1, .tv_nsec = now_ns += READING_NS};
    return 0;
}

struct fake {
    struct engine engine;
    engine_function *function;
    void *user;
    int n_deleting;   /* queries so far whose function answered that something is deleted */
    int wrong_answer; /* which of them is answered wrongly; 0: none */
};

static int fake_add(struct engine *engine, const char *name, engine_function *function, void *user,
                    struct dv_error *error_out)
{
    struct fake *fake = (struct fake *)engine;
    (void)error_out;
    assert_string_equal(name, SCAN_FUNCTION_NAME);
    fake->function = function;
    fake->user = user;
    return 0;
}

/* What a scan of both files without deletes gives to scan_expect: value = row + 10 x file, NULL where row is 3. */
static int fake_stream(struct engine *engine, const char *sql, engine_part_fn *part, void *user,
                       struct dv_error *error_out)
{
    enum { N = 1000 };
    static int64_t file[N], row[N], one[N], value[N];
    uint64_t valid[N / 64 + 1];
    (void)engine;
    assert_non_null(strstr(sql, "file_row_number"));
    for (int64_t f = 0; f < N_FILES; f++)
        for (int64_t begin = 0; begin < FILE_ROWS; begin += N) {
            memset(valid, 0xff, sizeof valid);
            for (int64_t i = 0; i < N; i++) {
                file[i] = f;
                row[i] = begin + i;
                one[i] = 1;
                value[i] = row[i] + 10 * f;
            }
            if (begin == 0)
                valid[0] &= ~(UINT64_C(1) << 3);
            const struct engine_column columns[] = {
                {file, NULL, NULL}, {row, NULL, NULL}, {one, NULL, NULL}, {value, NULL, valid}};
            const int status = part(user, columns, 4, N, error_out);
            if (status < 0)
                return status;
        }
    return 0;
}

static int answer_two(struct engine_answer *answer_out, uint64_t n_rows, int64_t sum)
{
    *answer_out = (struct engine_answer){calloc(2, sizeof *answer_out->values), 1, 2};
    assert_non_null(answer_out->values);
    assert_true(asprintf(&answer_out->values[0], "%llu", (unsigned long long)n_rows) > 0);
    assert_true(asprintf(&answer_out->values[1], "%lld", (long long)sum) > 0);
    return 0;
}

/* Count and sum over the rows that the function kept, where the statement names it; over all rows elsewhere. */
static int fake_query(struct engine *engine, const char *sql, struct engine_answer *answer_out,
                      struct dv_error *error_out)
{
    enum { N = 2000 };
    struct fake *fake = (struct fake *)engine;
    const bool asks = strstr(sql, SCAN_FUNCTION_NAME) != NULL;
    uint64_t file[N], n_kept = 0;
    int64_t row[N], sum = 0;
    uint8_t deleted[N] = {0};
    if (!answer_out || strstr(sql, "parquet_metadata"))
        return answer_out ? answer_two(answer_out, 100, 0) : 0;
    for (int64_t begin = 0; begin < N_FILES * FILE_ROWS; begin += N) {
        for (int64_t i = 0; i < N; i++) {
            file[i] = (uint64_t)(begin / FILE_ROWS);
            row[i] = begin % FILE_ROWS + i;
        }
        const struct engine_rows rows = {file, row, N};
        if (asks && fake->function(fake->user, &rows, deleted, error_out) < 0)
            return DV_ERROR_IO;
        for (int64_t i = 0; i < N; i++) {
            n_kept += !deleted[i];
            sum += deleted[i] || row[i] == 3 ? 0 : row[i] + 10 * (int64_t)file[i];
        }
    }
    if (n_kept < N_FILES * FILE_ROWS && ++fake->n_deleting == fake->wrong_answer)
        sum++;
    return answer_two(answer_out, n_kept, sum);
}

struct fixture {
    struct fake fake;
    struct scan_function *function;
    struct scan_vector vectors[N_FILES];
    char folder[40];
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/dvbench-scan-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    fixture->fake.engine =
        (struct engine){.name = "fake", .query = fake_query, .add_function = fake_add, .stream = fake_stream};
    assert_int_equal(scan_function_new(&fixture->function, &fixture->fake.engine, 1, NULL), 0);
    for (size_t file = 0; file < N_FILES; file++)
        assert_int_equal(scan_vector_make(&fixture->vectors[file], "uniform:rate=0.1", file, FILE_ROWS,
                                          "part.parquet", fixture->folder, NULL),
                         0);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    scan_function_free(fixture->function);
    for (size_t file = 0; file < N_FILES; file++) {
        unlink(fixture->vectors[file].path);
        scan_vector_free(&fixture->vectors[file]);
    }
    assert_int_equal(rmdir(fixture->folder), 0);
    free(fixture);
    return 0;
}

static bool is_deleted(const struct scan_vector *vector, uint64_t row)
{
    for (size_t i = 0; i < vector->intervals.n_items; i++)
        if (vector->intervals.items[i].start <= row && row < vector->intervals.items[i].end)
            return true;
    return false;
}

/* Asks for rows of a layout and compares each answer with the intervals. */
static void ask(struct fixture *fixture, const uint64_t *file, const int64_t *row, size_t n_rows)
{
    uint8_t deleted[4096];
    const struct engine_rows rows = {file, row, n_rows};
    memset(deleted, 7, sizeof deleted);
    assert_int_equal(fixture->fake.function(fixture->fake.user, &rows, deleted, NULL), 0);
    for (size_t i = 0; i < n_rows; i++)
        assert_int_equal(deleted[i], is_deleted(&fixture->vectors[file[i]], (uint64_t)row[i]));
    assert_int_equal(deleted[n_rows], 7); /* nothing past the engine's buffer */
}

static void fill(uint64_t *file, int64_t *row, size_t n, uint64_t of_file, int64_t first, int64_t step)
{
    for (size_t i = 0; i < n; i++) {
        file[i] = of_file;
        row[i] = first + step * (int64_t)i;
    }
}

static void test_pieces(void **state)
{
    struct fixture *fixture = *state;
    static const char *const kernels[] = {"per_row", "direct_scalar", "expand_positions",
                                          "batch_iterator_file"};
    uint64_t file[2048];
    int64_t row[2048];
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const struct kernel *kernel = kernel_find(kernels[k]);
        if (kernel_unavailable(kernel, SINK_is_deleted))
            continue;
        scan_function_begin(fixture->function, fixture->vectors, N_FILES, kernel, SINK_is_deleted);
        fill(file, row, 2048, 0, 65000, 1); /* one piece, across a chunk */
        ask(fixture, file, row, 2048);
        fill(file, row, 1000, 0, 69000, 1); /* the end of one file and the beginning of the next */
        fill(file + 1000, row + 1000, 1048, 1, 0, 1);
        ask(fixture, file, row, 2048);
        fill(file, row, 100, 1, 500, 2); /* every second row: a filter took the others */
        ask(fixture, file, row, 100);
        const struct scan_counts counts = scan_function_end(fixture->function);
        assert_int_equal(counts.n_vectors, 3);
        assert_int_equal(counts.n_pieces, 1 + 2 + 100);
        assert_int_equal(counts.n_rows, 2048 + 2048 + 100);
        assert_int_equal(counts.n_opened, 2);
        assert_true(counts.open_ns > 0 && counts.apply_ns >= 0 && counts.clock_ns > 0);
    }
}

/* What has no is_deleted answers through row_ids. */
static void test_row_ids_are_spread(void **state)
{
    struct fixture *fixture = *state;
    uint64_t file[2048];
    int64_t row[2048];
    scan_function_begin(fixture->function, fixture->vectors, N_FILES, kernel_find("direct_scalar"),
                        SINK_row_ids);
    fill(file, row, 2047, 1, 4096, 1);
    ask(fixture, file, row, 2047);
    (void)scan_function_end(fixture->function);
}

static void test_without_kernel_nothing_is_deleted(void **state)
{
    struct fixture *fixture = *state;
    uint64_t file[4] = {0};
    int64_t row[4] = {0, 1, 2, 3};
    uint8_t deleted[4] = {9, 9, 9, 9};
    const struct engine_rows rows = {file, row, 4};
    scan_function_begin(fixture->function, fixture->vectors, N_FILES, NULL, SINK_is_deleted);
    assert_int_equal(fixture->fake.function(fixture->fake.user, &rows, deleted, NULL), 0);
    assert_memory_equal(deleted, "\0\0\0\0", 4);
    const struct scan_counts counts = scan_function_end(fixture->function);
    assert_int_equal(counts.n_opened, 0);
    assert_int_equal(counts.n_vectors, 1);
}

/* Of a measured time as much is taken off as measuring nothing would give. Several threads share the CPUs: each counts
 * what it ran. */
static void test_the_clock_is_not_in_the_time(void **state)
{
    enum { N_CALLS = 3 };
    struct fixture *fixture = *state;
    uint64_t file[4] = {0};
    int64_t row[4] = {0, 1, 2, 3};
    uint8_t deleted[4];
    const struct engine_rows rows = {file, row, 4};
    for (uint64_t n_threads = 1; n_threads <= 2; n_threads++) {
        struct scan_function *function = NULL;
        is_fake_time = true;
        assert_int_equal(scan_function_new(&function, &fixture->fake.engine, n_threads, NULL), 0);
        scan_function_begin(function, fixture->vectors, N_FILES, NULL, SINK_is_deleted);
        for (int i = 0; i < N_CALLS; i++)
            assert_int_equal(fixture->fake.function(fixture->fake.user, &rows, deleted, NULL), 0);
        const struct scan_counts counts = scan_function_end(function);
        is_fake_time = false;
        scan_function_free(function);
        assert_true(counts.clock_ns == N_CALLS * READING_NS);
        assert_true(counts.apply_ns == 0);
        assert_int_equal(clock_read, n_threads > 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC);
    }
}

static void test_what_the_engine_may_not_ask(void **state)
{
    struct fixture *fixture = *state;
    uint8_t deleted[1];
    struct dv_error error = {0};
    const uint64_t files[] = {N_FILES, 0};
    const int64_t numbers[] = {0, -1};
    for (int i = 0; i < 2; i++) {
        const struct engine_rows rows = {&files[i], &numbers[i], 1};
        scan_function_begin(fixture->function, fixture->vectors, N_FILES, kernel_find("direct_scalar"),
                            SINK_is_deleted);
        assert_int_equal(fixture->fake.function(fixture->fake.user, &rows, deleted, &error), DV_ERROR_IO);
        assert_string_not_equal(error.message, "");
        (void)scan_function_end(fixture->function);
    }
}

static void *ask_in_thread(void *argument)
{
    uint64_t file[2048];
    int64_t row[2048];
    for (int64_t begin = 0; begin + 2048 <= FILE_ROWS; begin += 2048) {
        fill(file, row, 2048, (uint64_t)begin / 2048 % N_FILES, begin, 1);
        ask(argument, file, row, 2048);
    }
    return NULL;
}

static void test_threads_have_states_of_their_own(void **state)
{
    struct fixture *fixture = *state;
    pthread_t threads[4];
    scan_function_begin(fixture->function, fixture->vectors, N_FILES, kernel_find("expand_positions"),
                        SINK_is_deleted);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_in_thread, fixture), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    const struct scan_counts counts = scan_function_end(fixture->function);
    assert_int_equal(counts.n_vectors, 4 * (FILE_ROWS / 2048));
    assert_int_equal(counts.n_opened, N_FILES);
}

static void test_expected_sums(void **state)
{
    struct fixture *fixture = *state;
    struct scan_column column = {"v", SCAN_INT};
    const struct scan_table table = {.n_rows_all = N_FILES * FILE_ROWS, .columns = &column, .n_columns = 1};
    struct scan_query query;
    struct scan_expected expected;
    assert_int_equal(scan_query_parse(&query, &table, SCAN_KIND_scan, "1int", NULL), 0);
    assert_int_equal(
        scan_expect(&expected, &fixture->fake.engine, &table, &query, fixture->vectors, N_FILES, NULL), 0);
    __int128 sum = 0;
    uint64_t n_rows = 0;
    for (size_t file = 0; file < N_FILES; file++)
        for (uint64_t row = 0; row < FILE_ROWS; row += 1)
            if (!is_deleted(&fixture->vectors[file], row)) {
                n_rows++;
                sum += row == 3 ? 0 : (int64_t)(row + 10 * file);
            }
    assert_int_equal(expected.n_rows, n_rows);
    assert_true(expected.integers[0] == sum);

    char count[24], right[48], wrong[48], reason[160];
    char *values[] = {count, right};
    const struct engine_answer answer = {values, 1, 2};
    snprintf(count, sizeof count, "%llu", (unsigned long long)n_rows);
    snprintf(right, sizeof right, "%lld", (long long)sum);
    assert_true(scan_answer_is_right(&query, &expected, &answer, reason, sizeof reason));
    snprintf(wrong, sizeof wrong, "%lld", (long long)sum + 1);
    values[1] = wrong;
    assert_false(scan_answer_is_right(&query, &expected, &answer, reason, sizeof reason));
    assert_non_null(strstr(reason, "the sum of v"));
    snprintf(count, sizeof count, "%llu", (unsigned long long)n_rows - 1);
    assert_false(scan_answer_is_right(&query, &expected, &answer, reason, sizeof reason));
    assert_non_null(strstr(reason, "count is"));

    const struct scan_table longer = {
        .n_rows_all = N_FILES * FILE_ROWS + 1, .columns = &column, .n_columns = 1};
    assert_int_equal(scan_expect(&expected, &fixture->fake.engine, &longer, &query, NULL, 0, NULL),
                     DV_ERROR_IO);
}

/* The row of a competitor; all of them are there once. */
static size_t row_of(const struct csv_table *table, const char *kernel)
{
    for (size_t row = 0; row < csv_n_rows(table); row++)
        if (strcmp(csv_text(table, row, CSV_scan_kernel), kernel) == 0)
            return row;
    fail_msg("no row of %s", kernel);
    return 0;
}

/* One block, measured or resumed, into scan.csv of the fixture's folder; returns how many were wrong. */
static size_t run_block(struct fixture *fixture, const char *path, struct csv_table *done)
{
    static volatile sig_atomic_t interrupted;
    char *patterns[] = {"per_row"}, *paths[] = {"a.parquet", "b.parquet"};
    struct scan_column column = {"v", SCAN_INT};
    const struct scan_options options = {
        .kernels = {.items = patterns, .n_items = 1}, .rounds = 6, .n_threads = 1, .seed = 1};
    const struct scan_block block = {
        .study = "custom", .vector = "uniform:rate=0.1", .columns = "1int", .table = {.n_files = N_FILES}};
    const struct scan_table table = {.name = "t",
                                     .files = {.items = paths, .n_items = N_FILES},
                                     .n_rows_all = N_FILES * FILE_ROWS,
                                     .columns = &column,
                                     .n_columns = 1};
    struct progress progress;
    struct csv_writer *writer = NULL;
    assert_int_equal(done ? csv_append(&writer, path, CSV_FILE_scan, NULL)
                          : csv_create(&writer, path, CSV_FILE_scan, NULL),
                     0);
    progress_begin(&progress, 1, true);
    struct scan_run run = {.engine = &fixture->fake.engine,
                           .function = fixture->function,
                           .options = &options,
                           .writer = writer,
                           .done = done,
                           .progress = &progress,
                           .interrupted = &interrupted,
                           .run = "r",
                           .machine = "m"};
    struct dv_error error = {0};
    if (scan_run_block(&run, &block, &table, fixture->vectors, N_FILES, &error) != 0)
        fail_msg("%s", error.message);
    progress_end(&progress);
    assert_int_equal(csv_close(writer, NULL), 0);
    return run.n_wrong_out;
}

/* Wrong in the last round only: no time, no gain of others against it, and it stays wrong in a resumed run. */
static void test_a_wrong_answer_has_no_time(void **state)
{
    struct fixture *fixture = *state;
    char path[64];
    struct csv_table *table = NULL;
    if (kernel_unavailable(kernel_find("per_row"), SINK_is_deleted))
        skip();
    snprintf(path, sizeof path, "%s/scan.csv", fixture->folder);
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        fixture->fake.n_deleting = 0;
        fixture->fake.wrong_answer = is_wrong ? 1 + 6 : 0; /* the check, then the rounds */
        /* The fake joins with nothing: the engine's own way keeps all rows and is wrong. */
        assert_int_equal(run_block(fixture, path, NULL), 1 + is_wrong);
        assert_int_equal(csv_load(&table, path, CSV_FILE_scan, NULL), 0);
        const size_t per_row = row_of(table, "per_row");
        assert_string_equal(csv_text(table, per_row, CSV_scan_verdict), is_wrong ? "wrong" : "ok");
        assert_int_equal(*csv_text(table, per_row, CSV_scan_ns_per_row) == '\0', is_wrong);
        assert_int_equal(*csv_text(table, per_row, CSV_scan_gain_vs_per_row) == '\0', is_wrong);
        assert_string_not_equal(csv_text(table, row_of(table, "none"), CSV_scan_ns_per_row), "");
        if (!is_wrong)
            csv_free(table);
    }
    const int n_asked = fixture->fake.n_deleting;
    assert_int_equal(run_block(fixture, path, table), 2);
    assert_int_equal(fixture->fake.n_deleting, n_asked); /* nothing was measured again */
    csv_free(table);
    unlink(path);
}

static void test_projections(void **state)
{
    (void)state;
    struct scan_column columns[] = {
        {"i1", SCAN_INT}, {"s1", SCAN_TEXT}, {"i2", SCAN_INT}, {"a \"b\"", SCAN_DOUBLE}};
    const struct scan_table table = {.columns = columns, .n_columns = 4};
    struct scan_query query;
    assert_int_equal(scan_query_parse(&query, &table, SCAN_KIND_scan, "2int+1md5", NULL), 0);
    assert_int_equal(query.n_columns, 3);
    assert_string_equal(query.columns[1]->name, "i2");
    assert_int_equal(scan_query_parse(&query, &table, SCAN_KIND_small, "a \"b\"", NULL), 0);
    char *sql = scan_query_sql(&query, SCAN_WAY_FUNCTION);
    assert_non_null(strstr(sql, "sum(\"a \"\"b\"\"\"::DOUBLE)"));
    assert_non_null(strstr(sql, "% 16"));
    free(sql);
    assert_int_equal(scan_query_parse(&query, &table, SCAN_KIND_scan, "3int", NULL), DV_ERROR_INPUT);
    assert_int_equal(scan_query_parse(&query, &table, SCAN_KIND_scan, "nothing", NULL), DV_ERROR_INPUT);
    assert_int_equal(scan_query_parse(&query, &table, SCAN_KIND_small, "count", NULL), DV_ERROR_USAGE);
}

static void test_every_study_has_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < scan_studies_count(); i++) {
        struct scan_options options;
        char *words[] = {"scan", "--study", (char *)scan_study_at(i)->id, NULL};
        assert_int_equal(scan_options_parse(&options, 3, words, NULL), 0);
        assert_true(options.n_blocks > 0);
        for (size_t b = 0; b < options.n_blocks; b++) {
            assert_string_equal(options.blocks[b].study, scan_study_at(i)->id);
            assert_true(options.blocks[b].table.n_files > 0 && (int)options.blocks[b].kind >= 0);
        }
        assert_true(options.blocks[0].table.n_columns[SCAN_INT] > 0);
        scan_options_free(&options);
    }
}

/* A study's table is the same whatever else is measured with it, so that a later run finds it again. */
static void test_a_table_has_what_its_study_reads(void **state)
{
    (void)state;
    char *words[] = {"scan", "--study", "sizes,columns", NULL};
    struct scan_options options;
    assert_int_equal(scan_options_parse(&options, 3, words, NULL), 0);
    const size_t sizes[] = {6, 0, 0, 1}, columns[] = {20, 5, 5, 5};
    const struct scan_block *first = &options.blocks[0], *last = &options.blocks[options.n_blocks - 1];
    assert_memory_equal(first->table.n_columns, sizes, sizeof sizes);
    assert_memory_equal(last->table.n_columns, columns, sizeof columns);
    assert_int_equal(first->table.n_rows, 16 * first[4].table.n_rows); /* the smallest files: of fewer rows */
    assert_int_equal(first[4].table.n_files, 862);
    scan_options_free(&options);
}

static void test_mixed_columns_take_turns(void **state)
{
    (void)state;
    struct scan_column columns[] = {{"s1", SCAN_TEXT},      {"i1", SCAN_INT}, {"i2", SCAN_INT},
                                    {"t1", SCAN_TIMESTAMP}, {"i3", SCAN_INT}, {"d1", SCAN_DOUBLE}};
    const struct scan_table table = {.columns = columns, .n_columns = 6};
    const char *const names[] = {"i1", "d1", "t1", "s1", "i2"};
    struct scan_query query;
    assert_int_equal(scan_query_parse(&query, &table, SCAN_KIND_scan, "5mixed", NULL), 0);
    assert_int_equal(query.n_columns, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(query.columns[i]->name, names[i]);
    assert_int_equal(scan_query_parse(&query, &table, SCAN_KIND_scan, "6mixed", NULL), DV_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_row_ids_are_spread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_without_kernel_nothing_is_deleted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_clock_is_not_in_the_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_the_engine_may_not_ask, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads_have_states_of_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_expected_sums, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_wrong_answer_has_no_time, set_up, tear_down),
        cmocka_unit_test(test_projections),
        cmocka_unit_test(test_every_study_has_blocks),
        cmocka_unit_test(test_a_table_has_what_its_study_reads),
        cmocka_unit_test(test_mixed_columns_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
