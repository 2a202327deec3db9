/* SPDX-License-Identifier: Apache-2.0 */
/* From flags and plan lines to blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan.h"
#include "plan_text.h"

#define MAX_WORDS 16

/* Of one test at a time. */
static struct sweep_options options;
static struct plan plan;

/* Parses "sweep ..." and expands; returns the code of whichever failed. */
static int try_expand(const char *line, struct dv_error *error)
{
    static char text[512]; /* options borrow the plan's name from argv */
    char *words[MAX_WORDS + 1] = {NULL};
    int n = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *rest = text, *word; n < MAX_WORDS && (word = strtok_r(rest, " ", &rest)) != NULL;)
        words[n++] = word;
    plan = (struct plan){0};
    int status = sweep_options_parse(&options, n, words, error);
    return status < 0 ? status : plan_expand(&plan, &options, NULL, error);
}

static void expand(const char *line)
{
    struct dv_error error = {0};
    if (try_expand(line, &error) != 0)
        fail_msg("%s: %s", line, error.message);
}

static void release(void)
{
    plan_free(&plan);
    sweep_options_free(&options);
}

static void assert_usage(const char *line, const char *expected_part)
{
    struct dv_error error = {0};
    assert_int_equal(try_expand(line, &error), DV_ERROR_USAGE);
    assert_non_null(strstr(error.message, expected_part));
    release();
}

static void quick_is_24_blocks_of_the_article(void **state)
{
    (void)state;
    expand("sweep");
    assert_string_equal(options.plan_name, "quick");
    assert_int_equal(options.rounds, 9);
    assert_int_equal(plan.n_blocks, 24);
    assert_string_equal(plan.blocks[10].dv, "article:axis=rate:bp=610:file=0:rows=2000000:base=0:optimize=1");
    assert_string_equal(plan.blocks[10].axis, "rate");
    assert_string_equal(plan.blocks[10].axis_value, "0.061");
    assert_int_equal(plan.blocks[10].sink, SINK_row_ids);
    assert_int_equal(plan.blocks[11].sink, SINK_is_deleted);
    assert_int_equal(plan.blocks[10].batch_rows, 5000);
    assert_int_equal(plan.blocks[10].mode, MODE_stream);
    release();
}

/* In a CI every block costs seconds of every change: a tenth one is a decision. */
static void ci_is_9_blocks(void **state)
{
    (void)state;
    expand("sweep --plan ci");
    assert_int_equal(options.starts, 1);
    assert_int_equal(options.rounds, 9); /* the gate needs 6 common samples */
    assert_int_equal(plan.n_blocks, 9);
    release();
}

static void every_plan_parses(void **state)
{
    (void)state;
    for (size_t i = 0; i < plan_text_count(); i++) {
        char line[64];
        snprintf(line, sizeof line, "sweep --plan %s", plan_text_at(i)->id);
        expand(line);
        assert_true(plan.n_blocks > 0);
        release();
    }
}

static void by_hand_goes_over_the_plan(void **state)
{
    (void)state;
    expand("sweep --plan quick --rounds 6 --sink touch --kernel per_row --batch 64,128");
    assert_int_equal(options.rounds, 6);
    assert_int_equal(plan.n_blocks, 24); /* 12 rates x 2 batch sizes */
    assert_int_equal(plan.blocks[0].sink, SINK_touch);
    assert_int_equal(plan.blocks[0].n_kernels, 1);
    assert_string_equal(plan.blocks[0].axis, "rate");
    release();
}

static void rates_of_the_article_are_basis_points(void **state)
{
    (void)state;
    expand("sweep --recipe article:file=1 --rates 0.061,7% --sink row_ids");
    assert_int_equal(plan.n_blocks, 2);
    assert_string_equal(plan.blocks[0].dv, "article:axis=rate:bp=610:file=1:rows=2000000:base=0:optimize=1");
    assert_string_equal(plan.blocks[1].dv, "article:axis=rate:bp=700:file=1:rows=2000000:base=0:optimize=1");
    assert_string_equal(plan.blocks[1].axis_value, "0.07");
    release();
}

static void axes_multiply_and_batch_is_one(void **state)
{
    (void)state;
    expand("sweep --recipe runs --vary length=1,8 --rates 0.01,0.05,0.1 --sink row_ids --rows 1000");
    assert_int_equal(plan.n_blocks, 6);
    assert_string_equal(plan.blocks[5].dv, "runs:rate=0.1:length=8:rows=1000:seed=1:base=0:optimize=1");
    assert_string_equal(plan.blocks[5].axis, "length");
    assert_string_equal(plan.blocks[5].axis_value, "8");
    release();
    expand("sweep --recipe none --sink row_ids --batch 64,256");
    assert_string_equal(plan.blocks[1].axis, "batch_rows");
    assert_string_equal(plan.blocks[1].axis_value, "256");
    release();
}

static void no_block_comes_twice(const struct plan *of)
{
    for (size_t i = 0; i < of->n_blocks; i++)
        for (size_t j = 0; j < i; j++) {
            const struct plan_block *a = &of->blocks[i], *b = &of->blocks[j];
            assert_false(a->sink == b->sink && a->mode == b->mode && a->batch_rows == b->batch_rows &&
                         strcmp(a->dv, b->dv) == 0);
        }
}

static bool is_next_block(const struct plan *of, size_t index, const struct plan_block *block)
{
    const struct plan_block *next = index < of->n_blocks ? &of->blocks[index] : NULL;
    return next && next->sink == block->sink && next->mode == block->mode &&
           next->batch_rows == block->batch_rows && next->n_kernels == block->n_kernels &&
           strcmp(next->dv, block->dv) == 0;
}

static size_t count_blocks(const char *line)
{
    expand(line);
    const size_t n_blocks = plan.n_blocks;
    release();
    return n_blocks;
}

/* One long block weighs as much as all the short ones, wherever it stands; blocks of equal cost are dealt evenly. */
static void shards_take_about_the_same_time(void **state)
{
    (void)state;
    const char *rows = "sweep --recipe uniform --vary rows=100000,200000,4000000000,300000 --sink row_ids";
    char line[160];
    for (int i = 1; i <= 2; i++) {
        snprintf(line, sizeof line, "%s --shard %d/2", rows, i);
        assert_int_equal(count_blocks(line), i == 1 ? 1 : 3);
    }
    for (int i = 1; i <= 5; i++) {
        snprintf(line, sizeof line, "sweep --plan quick --shard %d/5", i);
        assert_in_range(count_blocks(line), 4, 5); /* of 24 */
    }
    assert_usage("sweep --recipe uniform --sink row_ids --shard 2/2", "nothing to do");
}

static void shards_are_disjoint_and_complete(void **state)
{
    (void)state;
    for (size_t p = 0; p < plan_text_count(); p++) {
        struct sweep_options all_options[4]; /* of the whole plan, then of its shards */
        struct plan plans[4];
        for (size_t i = 0; i < 4; i++) {
            char line[64], shard[24] = "";
            if (i > 0)
                snprintf(shard, sizeof shard, " --shard %zu/3", i);
            snprintf(line, sizeof line, "sweep --plan %s%s", plan_text_at(p)->id, shard);
            expand(line);
            all_options[i] = options;
            plans[i] = plan;
        }
        no_block_comes_twice(&plans[0]);
        assert_int_equal(plans[1].n_blocks + plans[2].n_blocks + plans[3].n_blocks, plans[0].n_blocks);
        size_t next[4] = {0}; /* of each part, which keeps the order of the plan */
        for (size_t b = 0; b < plans[0].n_blocks; b++) {
            size_t i = 1;
            while (i < 4 && !is_next_block(&plans[i], next[i], &plans[0].blocks[b]))
                i++;
            assert_true(i < 4);
            next[i]++;
        }
        for (size_t i = 0; i < 4; i++) {
            plan_free(&plans[i]);
            sweep_options_free(&all_options[i]);
        }
    }
}

/* Two lines of a plan that meet in one block: it is measured once, with the kernels of both. */
static void lines_that_meet_share_the_block(void **state)
{
    (void)state;
    const char *path = "test_plan.lines";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("--recipe none --sink row_ids --kernel direct_scalar\n"
          "--recipe none --sink row_ids --kernel per_row_bulk,direct_scalar --batch 64,5000\n",
          file);
    fclose(file);
    expand("sweep --plan test_plan.lines");
    remove(path);
    assert_int_equal(plan.n_blocks, 2);
    assert_int_equal(plan.blocks[0].batch_rows, 5000);
    assert_int_equal(plan.blocks[0].n_kernels, 3);
    assert_string_equal(plan.blocks[0].kernels[0]->id, "per_row");
    assert_string_equal(plan.blocks[0].kernels[1]->id, "per_row_bulk");
    assert_string_equal(plan.blocks[0].kernels[2]->id, "direct_scalar");
    release();
}

static void per_row_is_always_there(void **state)
{
    (void)state;
    expand("sweep --recipe none --sink row_ids --kernel direct_*");
    assert_string_equal(plan.blocks[0].kernels[0]->id, "per_row");
    assert_true(plan.blocks[0].n_kernels > 1);
    for (size_t i = 1; i < plan.blocks[0].n_kernels; i++)
        assert_int_equal(strncmp(plan.blocks[0].kernels[i]->id, "direct_", 7), 0);
    release();
}

static void wrong_words_are_usage_errors(void **state)
{
    (void)state;
    assert_usage("sweep --sink rowids", "rowids");
    assert_usage("sweep --mode fast", "fast");
    assert_usage("sweep --kernel per_raw", "per_raw");
    assert_usage("sweep --batch 0", "batch");
    assert_usage("sweep --batch 5000,", "empty");
    assert_usage("sweep --rounds -1", "rounds");
    assert_usage("sweep --min-time 5q", "5q");
    assert_usage("sweep --shard 3/2", "3/2");
    assert_usage("sweep --plan nothing", "nothing");
    assert_usage("sweep --plan quick --recipe none", "exclude");
    assert_usage("sweep --rates 0.1", "--recipe");
    assert_usage("sweep --recipe article --rates 0.00001", "basis points");
    assert_usage("sweep --counters perf", "perf");
    assert_usage("sweep --counters none --events caches", "caches");
    assert_usage("sweep --nonsense", "--nonsense");
    assert_usage("sweep --recipe unifrom", "unifrom");
    assert_usage("sweep --recipe uniform:rate=2", "rate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_is_24_blocks_of_the_article),
        cmocka_unit_test(ci_is_9_blocks),
        cmocka_unit_test(every_plan_parses),
        cmocka_unit_test(by_hand_goes_over_the_plan),
        cmocka_unit_test(rates_of_the_article_are_basis_points),
        cmocka_unit_test(axes_multiply_and_batch_is_one),
        cmocka_unit_test(shards_are_disjoint_and_complete),
        cmocka_unit_test(shards_take_about_the_same_time),
        cmocka_unit_test(lines_that_meet_share_the_block),
        cmocka_unit_test(per_row_is_always_there),
        cmocka_unit_test(wrong_words_are_usage_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
