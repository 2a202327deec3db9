/* SPDX-License-Identifier: Apache-2.0 */
/* Which batches a pass visits: all of a small file, an even choice of a large one, half of it where the
 * deletes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "batches.h"
#include "source.h"

static struct batches plan(const char *spec, uint32_t batch_rows, size_t max_batches, struct dv_view *view)
{
    struct dv_source source;
    struct dv_error error = {0};
    struct batches batches;
    assert_int_equal(source_open_spec(&source, spec, &error), 0);
    assert_int_equal(dv_view_index(view, source.payload, source.n_payload_bytes, &error), 0);
    assert_int_equal(
        batches_plan(&batches, view, source.base, source.n_rows, batch_rows, max_batches, &error), 0);
    source_free(&source); /* the chunks' places are in the view */
    return batches;
}

static void assert_ascending(const struct batches *batches)
{
    uint64_t n_rows = 0;
    for (size_t i = 0; i < batches->n_items; i++) {
        if (i > 0)
            assert_true(batches->items[i].start >=
                        batches->items[i - 1].start + batches->items[i - 1].n_rows);
        n_rows += batches->items[i].n_rows;
    }
    assert_int_equal(n_rows, batches->n_rows);
}

static bool touches_deletes(const struct dv_view *view, const struct batch *batch)
{
    const size_t i = dv_view_seek(view, batch->start);
    return i < view->n_containers && dv_container_start(&view->containers[i]) < batch->start + batch->n_rows;
}

static void small_file_is_visited_whole(void **state)
{
    (void)state;
    struct dv_view view;
    struct batches batches = plan("uniform:rate=0.1:rows=12345", 5000, 1600, &view);
    assert_int_equal(batches.n_items, 3);
    assert_int_equal(batches.n_rows, 12345);
    assert_int_equal(batches.items[2].start, 10000);
    assert_int_equal(batches.items[2].n_rows, 2345);
    assert_false(batches.is_sample);
    batches_free(&batches);
    dv_view_free(&view);
}

static void base_moves_the_batches(void **state)
{
    (void)state;
    struct dv_view view;
    struct batches batches = plan("uniform:rate=0.1:rows=10001:base=4294967290", 5000, 1600, &view);
    assert_int_equal(batches.n_items, 3);
    assert_int_equal(batches.items[0].start, 4294967290);
    assert_int_equal(batches.items[2].n_rows, 1);
    assert_ascending(&batches);
    batches_free(&batches);
    dv_view_free(&view);
}

static void half_of_a_choice_has_deletes(void **state)
{
    (void)state;
    struct dv_view view;
    struct batches batches = plan("occupancy:rows=655360000:percent=10:rate=0.01", 5000, 100, &view);
    size_t n_touched = 0;
    assert_int_equal(batches.n_items, 100);
    assert_true(batches.is_sample);
    assert_ascending(&batches);
    for (size_t i = 0; i < batches.n_items; i++)
        n_touched += touches_deletes(&view, &batches.items[i]);
    assert_int_equal(n_touched, 50);
    batches_free(&batches);
    dv_view_free(&view);
}

static void few_deletes_are_all_visited(void **state)
{
    (void)state;
    struct dv_view view;
    struct batches batches = plan("one:rows=1000000000", 5000, 100, &view);
    size_t n_touched = 0;
    assert_int_equal(batches.n_items, 100);
    assert_ascending(&batches);
    for (size_t i = 0; i < batches.n_items; i++)
        n_touched += touches_deletes(&view, &batches.items[i]);
    assert_true(n_touched >= 14); /* the 14 batches of the one chunk with a delete */
    batches_free(&batches);
    dv_view_free(&view);
}

static void nothing_but_deletes_fills_the_choice(void **state)
{
    (void)state;
    struct dv_view view;
    struct batches batches = plan("all:rows=10000000000", 5000, 1600, &view);
    assert_int_equal(batches.n_items, 1600);
    assert_ascending(&batches);
    batches_free(&batches);
    dv_view_free(&view);
}

static void spread_keeps_order_and_bounds(void **state)
{
    (void)state;
    struct dv_view view;
    struct dv_error error = {0};
    struct batches all = plan("uniform:rate=0.1:rows=2000000", 5000, 1600, &view), few, more, before, none;
    assert_int_equal(batches_spread(&few, &before, &all, 40, &error), 0);
    assert_int_equal(few.n_items, 40);
    assert_ascending(&few);
    assert_ascending(&before);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(before.items[i].start + before.items[i].n_rows, few.items[i].start);
    assert_int_equal(batches_spread(&more, &none, &few, 1000, &error), 0);
    assert_int_equal(more.n_items, 40);
    assert_int_equal(none.n_rows, 0); /* all are visited */
    batches_free(&before);
    batches_free(&none);
    batches_free(&all);
    batches_free(&few);
    batches_free(&more);
    dv_view_free(&view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_file_is_visited_whole),
        cmocka_unit_test(base_moves_the_batches),
        cmocka_unit_test(half_of_a_choice_has_deletes),
        cmocka_unit_test(few_deletes_are_all_visited),
        cmocka_unit_test(nothing_but_deletes_fills_the_choice),
        cmocka_unit_test(spread_keeps_order_and_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
