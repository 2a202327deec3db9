/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows make a picture, and what a spec says besides its axis. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "figure_data.h"
#include "figure_rows.h"
#include "figures.h"
#include "spec_parts.h"
#include "summary_fixture.h"

static void expect_without(const char *spec, const char *keys, const char *rest)
{
    char *found = spec_without(spec, keys);
    assert_string_equal(found, rest);
    free(found);
}

static void spec_loses_the_keys_of_its_axis(void **state)
{
    (void)state;
    expect_without("uniform:rate=0.05:rows=100:seed=1", "rate,bp", "uniform:rows=100:seed=1");
    expect_without("article:bp=610:file=0", "rate,bp", "article:file=0");
    expect_without("article:file=0:bp=610", "rate,bp", "article:file=0");
    expect_without("uniform:rate=0.05:rows=100", "", "uniform:rate=0.05:rows=100");
    expect_without("uniform:rows=100", "row,rowss,ows", "uniform:rows=100");
    expect_without("none", "rate", "none");
    expect_without("", "rate", "");
    expect_without("/data/rate=1/a%3Ab.bin#2", "rate", "/data/rate=1/a%3Ab.bin#2");
}

static void spec_tells_its_rate(void **state)
{
    (void)state;
    assert_true(spec_rate("uniform:rate=0.05:rows=100") == 0.05);
    assert_true(spec_rate("article:bp=610:file=0") == 0.061);
    assert_true(isnan(spec_rate("none:rows=100")));
    assert_true(isnan(spec_rate("x:notrate=0.5")));
}

#define LOW  "uniform:rate=0.01:rows=100"
#define HIGH "uniform:rate=0.5:rows=100"
#define ROW(dv_, rate_, kernel_, ns_)                                                                        \
    {                                                                                                        \
        .dv = dv_, .axis = "rate", .rate = rate_, .kernel = kernel_, .ns_per_row = ns_, .noise_pct = 1       \
    }

#define VARIANT(dv_, rate_, technique_, isa_, ns_)                                                           \
    {                                                                                                        \
        .dv = dv_, .axis = "rate", .rate = rate_, .kernel = technique_ "_" isa_, .technique = technique_,    \
        .isa = isa_, .ns_per_row = ns_, .noise_pct = 1                                                       \
    }

static struct figure_groups group(const struct fixture_row *rows, size_t n_rows, enum figure_axis axis,
                                  enum figure_choice choice)
{
    struct figure_groups groups;
    char *folder = fixture_make(rows, n_rows);
    struct csv_table *table = fixture_load(folder);
    assert_int_equal(figure_rows_group(&groups, table, axis, CSV_summary_ns_per_row, choice, NULL), 0);
    csv_free(table);
    fixture_remove(folder);
    return groups;
}

static void one_kernel_stands_for_a_technique(void **state)
{
    static const struct fixture_row rows[] = {
        ROW(HIGH, 0.5, "per_row", 10),
        ROW(LOW, 0.01, "per_row", 12),
        ROW(LOW, 0.01, "for_each_in_range", 2),
        ROW(HIGH, 0.5, "for_each_in_range", 3),
        ROW(LOW, 0.01, "for_each_in_range_inline", 1),
        ROW(HIGH, 0.5, "for_each_in_range_inline", 1),
        VARIANT(LOW, 0.01, "for_each_in_range_inline", "avx2", 0.5),
        VARIANT(HIGH, 0.5, "for_each_in_range_inline", "avx2", 0.5),
        /* Faster where it ran, but it did not run everywhere. */
        VARIANT(LOW, 0.01, "for_each_in_range_inline", "avx512", 0.1),
    };
    (void)state;
    struct figure_groups groups =
        group(rows, sizeof rows / sizeof *rows, FIGURE_AXIS_RATE, FIGURE_CHOICE_TECHNIQUES);
    assert_int_equal(groups.n_items, 1);
    assert_string_equal(groups.items[0].rest, "uniform:rows=100");
    assert_string_equal(groups.items[0].kernels, "per_row for_each_in_range for_each_in_range_inline_avx2");
    assert_int_equal(groups.items[0].n_points, 6);
    /* By kernel, then along the axis, whatever the order of the file. */
    assert_int_equal(groups.items[0].points[0].row, 1);
    assert_int_equal(groups.items[0].points[1].row, 0);
    assert_int_equal(groups.items[0].points[5].row, 7);
    figure_groups_free(&groups);
    groups = group(rows, sizeof rows / sizeof *rows, FIGURE_AXIS_RATE, FIGURE_CHOICE_ALL);
    assert_int_equal(groups.items[0].n_points, 9);
    figure_groups_free(&groups);
}

static void instruction_sets_are_compared_where_there_are_two(void **state)
{
    static const struct fixture_row rows[] = {
        ROW(LOW, 0.01, "per_row", 10),
        ROW(HIGH, 0.5, "per_row", 10),
        VARIANT(LOW, 0.01, "direct", "generic", 2),
        VARIANT(HIGH, 0.5, "direct", "generic", 2),
        VARIANT(LOW, 0.01, "direct", "avx2", 1),
        VARIANT(HIGH, 0.5, "direct", "avx2", 1),
    };
    (void)state;
    struct figure_groups groups = group(rows, 6, FIGURE_AXIS_RATE, FIGURE_CHOICE_ISA);
    assert_int_equal(groups.n_items, 1);
    assert_string_equal(groups.items[0].kernels, "direct_generic direct_avx2");
    figure_groups_free(&groups);
    groups = group(rows, 4, FIGURE_AXIS_RATE, FIGURE_CHOICE_ISA);
    assert_int_equal(groups.n_items, 0);
    figure_groups_free(&groups);
}

static void sinks_and_vector_families_are_pictures_of_their_own(void **state)
{
    static const struct fixture_row rows[] = {
        ROW(LOW, 0.01, "per_row", 1),
        ROW(HIGH, 0.5, "per_row", 1),
        {.dv = LOW, .axis = "rate", .rate = 0.01, .kernel = "per_row", .sink = "is_deleted", .ns_per_row = 1},
        {.dv = HIGH, .axis = "rate", .rate = 0.5, .kernel = "per_row", .sink = "is_deleted", .ns_per_row = 1},
        ROW("uniform:rate=0.01:rows=999", 0.01, "per_row", 1),
        ROW("uniform:rate=0.5:rows=999", 0.5, "per_row", 1),
    };
    (void)state;
    struct figure_groups groups =
        group(rows, sizeof rows / sizeof *rows, FIGURE_AXIS_RATE, FIGURE_CHOICE_ALL);
    assert_int_equal(groups.n_items, 3);
    figure_groups_free(&groups);
}

static void no_picture_of_one_point_or_of_what_was_not_measured(void **state)
{
    static const struct fixture_row rows[] = {
        ROW(LOW, 0.01, "per_row", 1),
        {.dv = HIGH, .axis = "rate", .rate = 0.5, .kernel = "per_row", .verdict = "unavailable"},
        {.dv = HIGH, .axis = "rate", .rate = 0.5, .kernel = "per_row", .verdict = "wrong"},
        {.dv = "none:rows=1", .axis = "", .kernel = "per_row", .ns_per_row = 1},
    };
    (void)state;
    struct figure_groups groups =
        group(rows, sizeof rows / sizeof *rows, FIGURE_AXIS_RATE, FIGURE_CHOICE_ALL);
    assert_int_equal(groups.n_items, 0);
    figure_groups_free(&groups);
    groups = group(rows, sizeof rows / sizeof *rows, FIGURE_AXIS_LENGTH, FIGURE_CHOICE_ALL);
    assert_int_equal(groups.n_items, 0);
    figure_groups_free(&groups);
    groups = group(rows, sizeof rows / sizeof *rows, FIGURE_AXIS_VECTOR, FIGURE_CHOICE_ALL);
    assert_int_equal(groups.n_items, 1);
    assert_int_equal(groups.items[0].n_points, 1);
    figure_groups_free(&groups);
}

static void names_are_unique_in_a_run(void **state)
{
    static const struct fixture_row rows[] = {
        ROW("uniform:rate=0.01:rows=100", 0.01, "per_row", 1),
        ROW("uniform:rate=0.5:rows=100", 0.5, "per_row", 1),
        ROW("uniform:rate=0.01:rows=101", 0.01, "per_row", 1),
        ROW("uniform:rate=0.5:rows=101", 0.5, "per_row", 1),
        ROW("a b/../c:rate=0.01:rows=101", 0.01, "per_row", 1),
        ROW("a b/../c:rate=0.5:rows=101", 0.5, "per_row", 1),
        ROW("a b/../c:rate=0.01:rows:101", 0.01, "per_row", 1),
        ROW("a b/../c:rate=0.5:rows:101", 0.5, "per_row", 1),
    };
    (void)state;
    struct figures figures;
    char *folder = fixture_make(rows, sizeof rows / sizeof *rows);
    assert_int_equal(figures_plan(&figures, folder, NULL, NULL), 0);
    assert_true(figures.n_items >= 8);
    for (size_t i = 0; i < figures.n_items; i++) {
        assert_null(strchr(figures.items[i].name, '/'));
        assert_null(strchr(figures.items[i].name, ' '));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(figures.items[i].name, figures.items[j].name);
    }
    figures_free(&figures);
    fixture_remove(folder);
}

static void lead_inside_the_noise_is_no_lead(void **state)
{
    static const struct fixture_row rows[] = {
        {.dv = LOW, .kernel = "a", .ns_per_row = 1.00, .noise_pct = 2},
        {.dv = LOW, .kernel = "b", .ns_per_row = 1.01, .noise_pct = 2},
        {.dv = LOW, .kernel = "c", .ns_per_row = 1.10, .noise_pct = 2},
        {.dv = LOW, .kernel = "d", .ns_per_row = 1.10, .noise_pct = 12},
        {.dv = LOW, .kernel = "e", .ns_per_row = 1.0015, .noise_pct = 0.01},
    };
    (void)state;
    char *folder = fixture_make(rows, 5);
    struct csv_table *table = fixture_load(folder);
    assert_true(isnan(figure_data_lead_pct(table, 0, 1)));
    assert_true(fabs(figure_data_lead_pct(table, 0, 2) - 10) < 0.001);
    assert_true(isnan(figure_data_lead_pct(table, 0, 3)));
    /* More than the noise, but the intervals overlap. */
    assert_true(isnan(figure_data_lead_pct(table, 0, 4)));
    csv_free(table);
    fixture_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spec_loses_the_keys_of_its_axis),
        cmocka_unit_test(spec_tells_its_rate),
        cmocka_unit_test(one_kernel_stands_for_a_technique),
        cmocka_unit_test(instruction_sets_are_compared_where_there_are_two),
        cmocka_unit_test(sinks_and_vector_families_are_pictures_of_their_own),
        cmocka_unit_test(no_picture_of_one_point_or_of_what_was_not_measured),
        cmocka_unit_test(names_are_unique_in_a_run),
        cmocka_unit_test(lead_inside_the_noise_is_no_lead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
