/* SPDX-License-Identifier: Apache-2.0 */
/* summary.csv from samples made by hand: medians, intervals, paired ratios, the bound, the noise floor, and
 * what a resumed run finds. */
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

#define PER_ROW "0000000000000001"
#define FAST    "0000000000000002"
#define TWIN    "a000000000000002"
#define MISSING "0000000000000003"
#define BOUND   "0000000000000009"
#define OPENING 2.0 /* ns per row of expand_bits */

static const struct plan_block shape = {.axis = (char *)"rate",
                                        .axis_value = (char *)"0.5",
                                        .sink = SINK_row_ids,
                                        .batch_rows = 5000,
                                        .mode = MODE_stream};
static const struct strings none = {0};

/* A block of per_row, expand_bits and one that cannot run. */
struct fixture {
    char *folder;
    struct samples samples;
    struct block_cell cells[3];
    struct block_result result;
    struct summary_facts facts;
};

static struct fixture open_fixture(void)
{
    struct fixture fixture = {.folder = fixture_folder()};
    fixture.cells[0] =
        (struct block_cell){.kernel = kernel_find("per_row"), .hash = PER_ROW, .open_ns = 1000};
    fixture.cells[1] = (struct block_cell){
        .kernel = kernel_find("expand_bits"), .hash = FAST, .open_ns = OPENING * 20000, .state_bytes = 12};
    fixture.cells[2] = (struct block_cell){.kernel = kernel_find("direct_scalar"),
                                           .hash = MISSING,
                                           .open_ns = NAN,
                                           .verdict = {.kind = VERDICT_UNAVAILABLE, .reason = "not here"}};
    fixture.result = (struct block_result){.plan = &shape,
                                           .dv = (char *)"uniform:rate=0.5",
                                           .recipe = "uniform",
                                           .n_rows = 20000,
                                           .n_deleted = 10000,
                                           .validate_ns = 77,
                                           .crc_ns = NAN,
                                           .bound_hash = BOUND,
                                           .n_cells = 3};
    fixture.facts = (struct summary_facts){
        .dir = fixture.folder, .run = "run", .machine = "m", .cpu = "c", .compiler = "gcc"};
    assert_int_equal(samples_open(&fixture.samples, fixture.folder, "run", NULL), 0);
    return fixture;
}

static void close_fixture(struct fixture *fixture)
{
    assert_int_equal(samples_close(&fixture->samples, NULL), 0);
    fixture_folder_remove(fixture->folder);
}

/* One round of one start, in an order that differs by round. */
static void add_round(struct fixture *fixture, int start, int round, double per_row, double fast, double twin,
                      double bound)
{
    const char *dv = fixture->result.dv;
    if (round % 2)
        fixture_add(&fixture->samples, dv, "per_row", PER_ROW, start, round, per_row);
    fixture_add(&fixture->samples, dv, "expand_bits_aa", TWIN, start, round, twin);
    fixture_add(&fixture->samples, dv, "expand_bits", FAST, start, round, fast);
    fixture_add(&fixture->samples, dv, "bound", BOUND, start, round, bound);
    if (round % 2 == 0)
        fixture_add(&fixture->samples, dv, "per_row", PER_ROW, start, round, per_row);
}

static void update(struct fixture *fixture, const struct strings *replaced)
{
    fixture->result.cells = fixture->cells;
    const struct summary_block block = {fixture->result, *replaced};
    assert_int_equal(summary_update(&fixture->facts, &block, 1, &fixture->samples, NULL, NULL), 0);
}

static double real(const struct csv_table *table, const char *kernel, enum csv_column column)
{
    return csv_real(table, fixture_row_of(table, kernel), column);
}

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-8 * fabs(expected)))
        fail_msg("%.10g instead of %.10g", value, expected);
}

static void numbers_of_a_block(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    /* per_row drifts by a factor of two; the ratio, with what opening costs, stays 4, but for one round. */
    const double per_row[] = {12, 16, 20, 24, 28, 14};
    for (int round = 0; round < 6; round++) {
        const double fast = per_row[round] / (round == 2 ? 3 : 4) - OPENING;
        add_round(&fixture, 0, round, per_row[round], fast, fast * 1.02, 1);
    }
    update(&fixture, &none);
    struct csv_table *table = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    assert_int_equal(csv_n_rows(table), 3);
    assert_close(real(table, "per_row", CSV_summary_samples), 6);
    assert_close(real(table, "per_row", CSV_summary_ns_per_row), 18);
    assert_close(real(table, "per_row", CSV_summary_ns_per_row_mad), 5);
    assert_close(real(table, "per_row", CSV_summary_ns_per_row_low), 12); /* of six: the extremes, 96.9 % */
    assert_close(real(table, "per_row", CSV_summary_ns_per_row_high), 28);
    assert_close(real(table, "per_row", CSV_summary_us_per_batch), 90);
    assert_close(real(table, "per_row", CSV_summary_speedup_vs_per_row), 1);
    assert_close(real(table, "expand_bits", CSV_summary_speedup_vs_per_row),
                 4); /* not the ratio of medians */
    assert_close(real(table, "expand_bits", CSV_summary_speedup_low), 3);
    assert_close(real(table, "expand_bits", CSV_summary_speedup_high), 4);
    assert_close(real(table, "expand_bits", CSV_summary_bound_ns_per_row), 1);
    const double ns = real(table, "expand_bits", CSV_summary_ns_per_row);
    assert_close(real(table, "expand_bits", CSV_summary_pct_of_bound), 100 / ns);
    assert_close(real(table, "expand_bits", CSV_summary_total_ns_per_row), ns + OPENING);
    assert_close(real(table, "expand_bits", CSV_summary_state_bytes), 12);
    assert_close(real(table, "expand_bits", CSV_summary_validate_ns), 77);
    assert_true(isnan(real(table, "expand_bits", CSV_summary_crc_ns)));
    assert_close(real(table, "expand_bits", CSV_summary_noise_floor_pct), 2);
    assert_close(real(table, "per_row", CSV_summary_rate), 0.5);
    const size_t row = fixture_row_of(table, "direct_scalar");
    assert_string_equal(csv_text(table, row, CSV_summary_verdict), "unavailable");
    assert_string_equal(csv_text(table, row, CSV_summary_reason), "not here");
    assert_string_equal(csv_text(table, row, CSV_summary_samples), "");
    assert_string_equal(csv_text(table, row, CSV_summary_ns_per_row), "");
    assert_string_equal(csv_text(table, row, CSV_summary_noise_floor_pct), "");
    assert_string_equal(csv_text(table, row, CSV_summary_counter_status), "not-asked");
    csv_free(table);
    close_fixture(&fixture);
}

static void no_interval_under_six_samples(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    for (int round = 0; round < 5; round++)
        add_round(&fixture, 0, round, 8 + round, 2, 2, 1);
    update(&fixture, &none);
    struct csv_table *table = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    static const enum csv_column empty[] = {CSV_summary_ns_per_row_low, CSV_summary_ns_per_row_high,
                                            CSV_summary_speedup_low, CSV_summary_speedup_high};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        assert_string_equal(csv_text(table, fixture_row_of(table, "per_row"), empty[i]), "");
    assert_close(real(table, "per_row", CSV_summary_ns_per_row), 10);
    csv_free(table);
    close_fixture(&fixture);
}

/* Starts differ by a constant factor: pairs must be of one start. */
static void ratios_pair_samples_of_one_start(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    for (int start = 0; start < 2; start++)
        for (int round = 0; round < 3; round++)
            add_round(&fixture, start, round, start ? 20 : 16, start ? 3 : 2, start ? 3 : 2, 1);
    update(&fixture, &none);
    struct csv_table *table = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    assert_close(real(table, "expand_bits", CSV_summary_samples), 6);
    assert_close(real(table, "expand_bits", CSV_summary_speedup_low), 4);
    assert_close(real(table, "expand_bits", CSV_summary_speedup_high), 4);
    csv_free(table);
    close_fixture(&fixture);
}

/* Below the bound by more than the twins differ, 2 per cent, is doubted; by less is noise. */
static void a_time_below_the_bound_is_doubted(void **state)
{
    (void)state;
    static const struct {
        double bound;
        const char *doubts;
    } cases[] = {{2.03, ""}, {2.05, "below the store bound"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture = open_fixture();
        for (int round = 0; round < 6; round++)
            add_round(&fixture, 0, round, 8, 2, 2.04, cases[i].bound);
        update(&fixture, &none);
        struct csv_table *table = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
        assert_string_equal(csv_text(table, fixture_row_of(table, "expand_bits"), CSV_summary_doubts),
                            cases[i].doubts);
        assert_string_equal(csv_text(table, fixture_row_of(table, "per_row"), CSV_summary_doubts), "");
        csv_free(table);
        close_fixture(&fixture);
    }
}

/* 2 ns at 3 GHz are 6 cycles: 60 instructions are what a CPU may retire in them, 61 are not, whatever their source. What is
 * doubted stays so when the file is written anew with other blocks. */
static void more_instructions_than_a_cpu_retires_are_doubted(void **state)
{
    (void)state;
    static const struct {
        double instructions, bound;
        const char *doubts;
    } cases[] = {{59, 1, ""},
                 {61, 1, "more instructions per cycle than a CPU retires"},
                 {61, 3, "below the store bound; more instructions per cycle than a CPU retires"},
                 {NAN, 1, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture = open_fixture();
        for (int round = 0; round < 6; round++)
            add_round(&fixture, 0, round, 8, 2, 2, cases[i].bound);
        fixture.cells[1].counters = (struct counters_result){
            .source = "sim", .status = "ok", .instructions_per_row = cases[i].instructions};
        update(&fixture, &none);
        const struct summary_block nothing = {0};
        for (int pass = 0; pass < 2; pass++) {
            struct csv_table *table = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
            assert_string_equal(csv_text(table, fixture_row_of(table, "expand_bits"), CSV_summary_doubts),
                                cases[i].doubts);
            assert_string_equal(csv_text(table, fixture_row_of(table, "per_row"), CSV_summary_doubts), "");
            csv_free(table);
            assert_int_equal(summary_update(&fixture.facts, &nothing, 0, &fixture.samples, NULL, NULL), 0);
        }
        close_fixture(&fixture);
    }
}

/* Of a cell's own samples, whatever disturbed them; kept when the file is written anew with other blocks. */
static void disturbed_samples_are_counted_in_their_row(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    for (int round = 0; round < 6; round++)
        add_round(&fixture, 0, round, 8, 2, 2, 1);
    for (size_t i = 0; i < fixture.samples.n_rows; i++) {
        struct sample_row *row = &fixture.samples.rows[i];
        if (strcmp(row->cell, FAST) == 0 ? row->round < 4 : strcmp(row->cell, TWIN) == 0)
            strcpy(row->sample.taint, row->round ? "stolen clock" : "migrated");
    }
    update(&fixture, &none);
    const struct summary_block nothing = {0};
    for (int pass = 0; pass < 2; pass++) {
        struct csv_table *table = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
        assert_close(real(table, "expand_bits", CSV_summary_tainted_samples), 4);
        assert_string_equal(csv_text(table, fixture_row_of(table, "per_row"), CSV_summary_tainted_samples),
                            "0");
        assert_string_equal(
            csv_text(table, fixture_row_of(table, "direct_scalar"), CSV_summary_tainted_samples), "");
        csv_free(table);
        assert_int_equal(summary_update(&fixture.facts, &nothing, 0, &fixture.samples, NULL, NULL), 0);
    }
    close_fixture(&fixture);
}

static void without_per_row_no_speedup(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    fixture.cells[0].verdict = (struct verdict){.kind = VERDICT_WRONG, .reason = "a reason"};
    for (int round = 0; round < 6; round++)
        add_round(&fixture, 0, round, 8, 2, 2, 1);
    update(&fixture, &none);
    struct csv_table *table = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    assert_true(isnan(real(table, "expand_bits", CSV_summary_speedup_vs_per_row)));
    assert_close(real(table, "expand_bits", CSV_summary_ns_per_row), 2);
    assert_true(isnan(real(table, "per_row", CSV_summary_ns_per_row)));
    assert_int_equal(summary_count_verdict(fixture.folder, "wrong"), 1);
    csv_free(table);
    close_fixture(&fixture);
}

/* A file shorter than a batch has batches of its own size. */
static void a_batch_is_no_longer_than_the_file(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    fixture.result.n_rows = 100;
    add_round(&fixture, 0, 0, 8, 2, 2, 1);
    update(&fixture, &none);
    struct csv_table *table = fixture_table(fixture.folder, "summary.csv", CSV_FILE_summary);
    assert_close(real(table, "per_row", CSV_summary_us_per_batch), 0.8);
    csv_free(table);
    close_fixture(&fixture);
}

static bool find(struct fixture *fixture, int start, size_t n_rounds, struct strings *replaced_out)
{
    struct summary_found found;
    bool is_done;
    struct summary_block block = {.result = fixture->result};
    const struct sweep_options options = {.rounds = (int)n_rounds};
    assert_int_equal(summary_load(&found, fixture->folder, NULL), 0);
    assert_int_equal(summary_find_block(&block, &is_done, &found, &fixture->samples, start, &options, NULL),
                     0);
    summary_found_free(&found);
    if (replaced_out)
        *replaced_out = block.replaced;
    else
        assert_int_equal(block.replaced.n_items, 0);
    return is_done;
}

static void done_is_what_has_all_samples_of_the_start_and_its_costs(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    fixture.result.cells = fixture.cells;
    assert_false(find(&fixture, 0, 3, NULL)); /* no file yet */
    for (int round = 0; round < 3; round++)
        add_round(&fixture, 0, round, 8, 2, 2, 1);
    update(&fixture, &none);
    assert_true(find(&fixture, 0, 3, NULL));
    assert_false(find(&fixture, 0, 4, NULL));
    assert_false(find(&fixture, 1, 3, NULL));
    fixture.cells[1].open_ns = NAN; /* as an interruption leaves it */
    update(&fixture, &none);
    assert_false(find(&fixture, 0, 3, NULL));
    close_fixture(&fixture);
}

static void wrong_stays_wrong(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    fixture.cells[1].verdict = (struct verdict){.kind = VERDICT_WRONG, .reason = "a reason"};
    update(&fixture, &none);
    fixture.cells[1].verdict = (struct verdict){.kind = VERDICT_OK, .reason = ""};
    (void)find(&fixture, 1, 3, NULL);
    assert_int_equal(fixture.cells[1].verdict.kind, VERDICT_WRONG);
    assert_string_equal(fixture.cells[1].verdict.reason, "a reason");
    assert_int_equal(fixture.cells[0].verdict.kind, VERDICT_OK);
    close_fixture(&fixture);
}

static void rows_of_other_hashes_are_found_and_go(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    update(&fixture, &none);
    struct plan_block elsewhere = shape;
    elsewhere.batch_rows = 64;
    fixture.result.plan = &elsewhere;
    for (int i = 0; i < 3; i++)
        fixture.cells[i].hash[0] = 'e';
    update(&fixture, &none); /* another block */
    fixture.result.plan = &shape;
    for (int i = 0; i < 3; i++)
        fixture.cells[i].hash[0] = 'f'; /* another program */
    struct strings replaced;
    assert_false(find(&fixture, 0, 1, &replaced));
    assert_int_equal(replaced.n_items, 3);
    assert_string_equal(replaced.items[0], PER_ROW);
    update(&fixture, &replaced);
    strings_free(&replaced);
    assert_int_equal(summary_count(fixture.folder), 6);
    char *text = fixture_text(fixture.folder, "summary.csv");
    assert_int_equal(fixture_count(text, "," PER_ROW ","), 0);
    assert_int_equal(fixture_count(text, ",e000000000000001,"), 1);
    assert_int_equal(fixture_count(text, ",f000000000000001,"), 1);
    free(text);
    close_fixture(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_block),
        cmocka_unit_test(no_interval_under_six_samples),
        cmocka_unit_test(ratios_pair_samples_of_one_start),
        cmocka_unit_test(a_time_below_the_bound_is_doubted),
        cmocka_unit_test(more_instructions_than_a_cpu_retires_are_doubted),
        cmocka_unit_test(disturbed_samples_are_counted_in_their_row),
        cmocka_unit_test(without_per_row_no_speedup),
        cmocka_unit_test(a_batch_is_no_longer_than_the_file),
        cmocka_unit_test(done_is_what_has_all_samples_of_the_start_and_its_costs),
        cmocka_unit_test(wrong_stays_wrong),
        cmocka_unit_test(rows_of_other_hashes_are_found_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
