/* SPDX-License-Identifier: Apache-2.0 */
/* samples.csv: flushed row by row, read back as written, and what is taken out of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "block_fixture.h"

#define CELL_A "a000000000000001"
#define TWIN_A "b000000000000001"
#define CELL_B "0000000000000002"

static struct samples open_samples(const char *folder)
{
    struct samples samples;
    assert_int_equal(samples_open(&samples, folder, "run", NULL), 0);
    return samples;
}

static void a_row_is_in_the_file_when_it_is_added(void **state)
{
    (void)state;
    char *folder = fixture_folder();
    struct samples samples = open_samples(folder);
    for (int round = 0; round < 3; round++) {
        fixture_add(&samples, "dv", "per_row", CELL_A, 0, round, 1.5);
        char *text = fixture_text(folder, "samples.csv");
        assert_int_equal(fixture_count(text, "\n"), round + 2);
        free(text);
    }
    assert_int_equal(samples_close(&samples, NULL), 0);
    fixture_folder_remove(folder);
}

/* A run of before the column taint goes on: its rows have none, the new ones are not torn. */
static void a_file_without_taint_is_completed(void **state)
{
    (void)state;
    char *folder = fixture_folder(), path[4096];
    snprintf(path, sizeof path, "%s/samples.csv", folder);
    FILE *old = fopen(path, "w");
    assert_non_null(old);
    fputs(
        "schema,run,cell,dv,kernel,sink,batch_rows,mode,start,round,order,iterations,ns_per_row,page_faults,"
        "cpu_migrations,mhz\n" COLUMNS_SCHEMA ",run," CELL_A
        ",dv,per_row,live_mask,64,stream,0,0,0,1,1.5,0,0,\n",
        old);
    assert_int_equal(fclose(old), 0);
    struct samples samples = open_samples(folder);
    assert_int_equal(samples.n_rows, 1);
    fixture_add(&samples, "dv", "per_row", CELL_A, 0, 1, 2.5);
    assert_int_equal(samples_close(&samples, NULL), 0);
    samples = open_samples(folder);
    assert_int_equal(samples.n_rows, 2);
    assert_true(samples.rows[0].sample.ns_per_row == 1.5 && samples.rows[1].sample.ns_per_row == 2.5);
    assert_string_equal(samples.rows[0].sample.taint, "");
    assert_int_equal(samples_close(&samples, NULL), 0);
    fixture_folder_remove(folder);
}

static void rows_come_back_as_they_were(void **state)
{
    (void)state;
    char *folder = fixture_folder();
    struct samples samples = open_samples(folder);
    struct sample_row row = {.cell = CELL_A,
                             .dv = (char *)"uniform:rate=0.5",
                             .kernel = (char *)"per_row",
                             .sink = SINK_live_mask,
                             .batch_rows = 64,
                             .mode = MODE_cold,
                             .start = 2,
                             .round = 8,
                             .order = 11,
                             .sample = {.ns_per_row = 0.123456789,
                                        .n_iterations = INT64_C(30000000000),
                                        .n_page_faults = 3,
                                        .n_cpu_migrations = 7,
                                        .mhz = 3692.5,
                                        .taint = "migrated stolen"}};
    assert_int_equal(samples_add(&samples, &row, NULL), 0);
    row.round = 9;
    row.sample = (struct measure_sample){.ns_per_row = 1,
                                         .n_iterations = 1,
                                         .n_page_faults = -1,
                                         .n_cpu_migrations = -1,
                                         .mhz = NAN}; /* unknown is empty, not 0 */
    assert_int_equal(samples_add(&samples, &row, NULL), 0);
    assert_int_equal(samples_close(&samples, NULL), 0);

    samples = open_samples(folder);
    assert_int_equal(samples.n_rows, 2);
    const struct sample_row *back = &samples.rows[0];
    assert_string_equal(back->cell, CELL_A);
    assert_string_equal(back->dv, "uniform:rate=0.5");
    assert_string_equal(back->kernel, "per_row");
    assert_true(back->sink == SINK_live_mask && back->batch_rows == 64 && back->mode == MODE_cold);
    assert_true(back->start == 2 && back->round == 8 && back->order == 11);
    assert_true(back->sample.ns_per_row == 0.123456789 && back->sample.mhz == 3692.5);
    assert_true(back->sample.n_iterations == INT64_C(30000000000));
    assert_true(back->sample.n_page_faults == 3 && back->sample.n_cpu_migrations == 7);
    assert_string_equal(back->sample.taint, "migrated stolen");
    back = &samples.rows[1];
    assert_string_equal(back->sample.taint, "");
    assert_true(back->sample.n_page_faults == -1 && back->sample.n_cpu_migrations == -1 &&
                isnan(back->sample.mhz));

    /* Written anew, as after a drop, they are the same bytes. */
    char *before = fixture_text(folder, "samples.csv");
    fixture_add(&samples, "other", "per_row", CELL_B, 0, 0, 1);
    assert_int_equal(samples_drop_cell(&samples, CELL_B, NULL), 0);
    char *after = fixture_text(folder, "samples.csv");
    assert_string_equal(after, before);
    free(before);
    free(after);
    assert_int_equal(samples_close(&samples, NULL), 0);
    fixture_folder_remove(folder);
}

static void a_torn_line_is_cut_off(void **state)
{
    (void)state;
    char path[64];
    char *folder = fixture_folder();
    struct samples samples = open_samples(folder);
    fixture_add(&samples, "dv", "per_row", CELL_A, 0, 0, 1);
    assert_int_equal(samples_close(&samples, NULL), 0);
    snprintf(path, sizeof path, "%s/samples.csv", folder);
    FILE *file = fopen(path, "a");
    fputs("2,run,a00000", file);
    fclose(file);
    samples = open_samples(folder);
    assert_int_equal(samples.n_rows, 1);
    fixture_add(&samples, "dv", "per_row", CELL_A, 0, 1, 1);
    assert_int_equal(samples_close(&samples, NULL), 0);
    samples = open_samples(folder);
    assert_int_equal(samples.n_rows, 2);
    assert_int_equal(samples_close(&samples, NULL), 0);
    fixture_folder_remove(folder);
}

static void a_block_goes_for_one_start_or_for_all(void **state)
{
    (void)state;
    const struct plan_block block = {.sink = SINK_row_ids, .batch_rows = 5000, .mode = MODE_stream};
    const struct plan_block elsewhere = {.sink = SINK_row_ids, .batch_rows = 5000, .mode = MODE_replay};
    char *folder = fixture_folder();
    struct samples samples = open_samples(folder);
    for (int start = 0; start < 3; start++) {
        fixture_add(&samples, "a", "per_row", CELL_A, start, 0, 1);
        fixture_add(&samples, "b", "per_row", CELL_B, start, 0, 1);
    }
    assert_int_equal(samples_close(&samples, NULL), 0); /* what is dropped was measured before */
    samples = open_samples(folder);
    assert_int_equal(samples_drop_block(&samples, "a", &elsewhere, -1, NULL), 0);
    assert_int_equal(samples.n_rows, 6);
    assert_int_equal(samples_drop_block(&samples, "a", &block, 1, NULL), 0);
    assert_int_equal(samples_count(&samples, CELL_A, -1), 2);
    assert_int_equal(samples_count(&samples, CELL_A, 1), 0);
    assert_int_equal(samples_count(&samples, CELL_B, 1), 1);
    assert_int_equal(samples_drop_block(&samples, "a", &block, -1, NULL), 0);
    assert_int_equal(samples_close(&samples, NULL), 0);
    samples = open_samples(folder); /* gone from the disk too */
    assert_int_equal(samples.n_rows, 3);
    assert_int_equal(samples_count(&samples, CELL_B, -1), 3);
    assert_int_equal(samples_close(&samples, NULL), 0);
    fixture_folder_remove(folder);
}

/* A replaced block's rows leave the disk with the next writing of the summary, not with each block. */
static void rows_of_all_starts_leave_the_disk_later(void **state)
{
    (void)state;
    const struct plan_block block = {.sink = SINK_row_ids, .batch_rows = 5000, .mode = MODE_stream};
    char *folder = fixture_folder();
    struct samples samples = open_samples(folder);
    fixture_add(&samples, "a", "per_row", CELL_A, 0, 0, 1);
    fixture_add(&samples, "b", "per_row", CELL_B, 0, 0, 1);
    assert_int_equal(samples_close(&samples, NULL), 0);
    samples = open_samples(folder);
    assert_int_equal(samples_drop_block(&samples, "a", &block, -1, NULL), 0);
    fixture_add(&samples, "a", "per_row", CELL_A, 0, 0, 2);
    char *text = fixture_text(folder, "samples.csv");
    assert_int_equal(fixture_count(text, "\n"), 4); /* both samples of the cell */
    free(text);
    assert_int_equal(samples_tidy(&samples, NULL), 0);
    text = fixture_text(folder, "samples.csv");
    assert_int_equal(fixture_count(text, "\n"), 3);
    free(text);
    assert_int_equal(samples_count(&samples, CELL_A, -1), 1);
    assert_int_equal(samples_close(&samples, NULL), 0);
    fixture_folder_remove(folder);
}

/* As a process leaves them that was killed while it measured a block again. */
static void of_two_samples_the_later_counts(void **state)
{
    (void)state;
    char *folder = fixture_folder();
    struct samples samples = open_samples(folder);
    for (int pass = 1; pass <= 2; pass++)
        for (int round = 0; round < 3 * pass; round++)
            fixture_add(&samples, "dv", "per_row", CELL_A, 0, round, pass);
    fixture_add(&samples, "dv", "per_row", CELL_A, 1, 0, 5);
    fixture_add(&samples, "dv", "per_row", CELL_B, 0, 0, 5);
    assert_int_equal(samples_close(&samples, NULL), 0);
    for (int i = 0; i < 2; i++) { /* in memory and then on the disk */
        samples = open_samples(folder);
        assert_int_equal(samples.n_rows, 8);
        assert_int_equal(samples_count(&samples, CELL_A, 0), 6);
        assert_int_equal(samples_count(&samples, CELL_A, -1), 7);
        for (size_t row = samples_last_of(&samples, CELL_A); row; row = samples.rows[row - 1].n_before)
            assert_true(samples.rows[row - 1].sample.ns_per_row == (samples.rows[row - 1].start ? 5 : 2));
        assert_int_equal(samples_last_of(&samples, "0123456789abcdef"), 0);
        char *text = fixture_text(folder, "samples.csv");
        assert_int_equal(fixture_count(text, "\n"), 9);
        free(text);
        assert_int_equal(samples_close(&samples, NULL), 0);
    }
    fixture_folder_remove(folder);
}

/* A full disk may leave a file without its header. */
static void an_empty_file_begins_again(void **state)
{
    (void)state;
    char path[64];
    char *folder = fixture_folder();
    snprintf(path, sizeof path, "%s/samples.csv", folder);
    static const char *const contents[] = {"", "schema,run,ce"};
    for (size_t i = 0; i < 2; i++) {
        FILE *file = fopen(path, "w");
        fputs(contents[i], file);
        fclose(file);
        struct samples samples = open_samples(folder);
        fixture_add(&samples, "dv", "per_row", CELL_A, 0, 0, 1);
        assert_int_equal(samples_close(&samples, NULL), 0);
        samples = open_samples(folder);
        assert_int_equal(samples.n_rows, 1);
        assert_int_equal(samples_close(&samples, NULL), 0);
    }
    fixture_folder_remove(folder);
}

static void a_cell_goes_with_its_twin(void **state)
{
    (void)state;
    char *folder = fixture_folder();
    struct samples samples = open_samples(folder);
    fixture_add(&samples, "dv", "per_row", CELL_A, 0, 0, 1);
    fixture_add(&samples, "dv", "per_row_aa", TWIN_A, 0, 0, 1);
    fixture_add(&samples, "dv", "per_row_bulk", TWIN_A, 0, 0, 1); /* no twin: a cell with such a hash */
    assert_int_equal(samples_drop_cell(&samples, CELL_A, NULL), 0);
    assert_int_equal(samples.n_rows, 1);
    assert_string_equal(samples.rows[0].kernel, "per_row_bulk");
    assert_int_equal(samples_close(&samples, NULL), 0);
    fixture_folder_remove(folder);
}

static void a_stretch_is_one_block_of_one_start(void **state)
{
    (void)state;
    size_t first, end;
    char *folder = fixture_folder();
    struct samples samples = open_samples(folder);
    for (int start = 0; start < 2; start++)
        for (int round = 0; round < 4; round++)
            fixture_add(&samples, start == 1 && round >= 2 ? "b" : "a", "per_row", CELL_A, start, round, 1);
    samples_stretch(&samples, 1, &first, &end);
    assert_true(first == 0 && end == 4);
    samples_stretch(&samples, 5, &first, &end);
    assert_true(first == 4 && end == 6);
    samples_stretch(&samples, 7, &first, &end);
    assert_true(first == 6 && end == 8);
    assert_int_equal(samples_close(&samples, NULL), 0);
    fixture_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_in_the_file_when_it_is_added),
        cmocka_unit_test(a_file_without_taint_is_completed),
        cmocka_unit_test(rows_come_back_as_they_were),
        cmocka_unit_test(a_torn_line_is_cut_off),
        cmocka_unit_test(a_block_goes_for_one_start_or_for_all),
        cmocka_unit_test(rows_of_all_starts_leave_the_disk_later),
        cmocka_unit_test(a_cell_goes_with_its_twin),
        cmocka_unit_test(of_two_samples_the_later_counts),
        cmocka_unit_test(an_empty_file_begins_again),
        cmocka_unit_test(a_stretch_is_one_block_of_one_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
