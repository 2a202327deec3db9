/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes: golden lines, the article's published counts, and what a spec may say. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "digest.h"
#include "recipe.h"
#include "recipe_job.h"
#include "recipe_line.h"
#include "source.h"

/* --- golden lines --- */

static FILE *open_golden(void)
{
    FILE *file = fopen(RECIPES_GOLDEN, "r"); /* set by the build: the path in the sources */
    assert_non_null(file);
    return file;
}

static void golden_lines_are_reproduced(void **state)
{
    (void)state;
    FILE *file = open_golden();
    char expected[512], spec[256], found[512];
    size_t n_lines = 0;
    while (fgets(expected, sizeof expected, file)) {
        if (expected[0] == '#')
            continue;
        expected[strcspn(expected, "\n")] = '\0';
        assert_int_equal(sscanf(expected, "%255s", spec), 1);
        struct dv_error error = {0};
        if (recipe_line(found, sizeof found, spec, &error))
            fail_msg("%s: %s", spec, error.message);
        assert_string_equal(found, expected);
        n_lines++;
    }
    fclose(file);
    assert_true(n_lines > recipes_count());
}

static void every_recipe_has_golden_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < recipes_count(); i++) {
        FILE *file = open_golden();
        char line[512];
        size_t n_chars = strlen(recipe_at(i)->id), n_lines = 0;
        while (fgets(line, sizeof line, file))
            n_lines += strncmp(line, recipe_at(i)->id, n_chars) == 0 && line[n_chars] == ':';
        fclose(file);
        if (n_lines == 0)
            fail_msg("tests/data/recipes.golden has no line of %s: write the recipe a second time in "
                     "tests/reference/recipes.py and add the lines that it prints for some specs",
                     recipe_at(i)->id);
    }
}

/* --- the article --- */

enum { UNKNOWN = -1 };

/* What the article's evidence states of its four files together; UNKNOWN where it states nothing. */
struct article_fact {
    const char *spec;
    int64_t cardinality;
    int64_t n_array, n_bitset, n_run;
    int64_t container_bytes; /* without headers */
};

static const struct article_fact article_facts[] = {
    {"bp=0", 0, 0, 0, 0, 0},
    {"bp=50", 40154, 124, 0, 0, 80308},
    {"bp=500", 400010, UNKNOWN, UNKNOWN, 0, UNKNOWN},
    {"bp=590", 472096, UNKNOWN, UNKNOWN, 0, UNKNOWN},
    {"bp=610", 488161, 118, 6, 0, 975950},
    {"bp=625", 500213, 60, 64, 0, 994346},
    {"bp=640", 512357, 11, 113, 0, UNKNOWN},
    {"bp=660", 528360, 4, 120, 0, UNKNOWN},
    {"bp=700", 560446, UNKNOWN, UNKNOWN, 0, UNKNOWN},
    {"bp=800", 640367, 4, 120, 0, UNKNOWN},
    {"bp=1200", 959685, UNKNOWN, UNKNOWN, 0, 1015194},
    {"bp=5000", 4002668, 0, 124, 0, 1015808},
    {"axis=runs:bp=50:length=1", UNKNOWN, 124, 0, 0, UNKNOWN},
    {"axis=runs:bp=50:length=2", 39824, 48, 0, 76, 79400},
    {"axis=runs:bp=50:length=4", UNKNOWN, 0, 0, 124, 40344},
    {"axis=runs:bp=50:length=8", UNKNOWN, 0, 0, UNKNOWN, 20232},
    {"axis=runs:bp=50:length=64", UNKNOWN, 0, 0, 120, 2480},
    {"axis=runs:bp=50:length=512", UNKNOWN, 0, 0, 68, 456},
    {"axis=runs:bp=50:length=4096", UNKNOWN, 0, 0, 12, 72},
    {"axis=runs:bp=1200:length=8", UNKNOWN, 0, 0, UNKNOWN, 421816},
    {"axis=runs:bp=1200:length=64", UNKNOWN, 0, 0, UNKNOWN, 53080},
    {"axis=runs:bp=1200:length=512", UNKNOWN, 0, 0, UNKNOWN, 7176},
    {"axis=runs:bp=1200:length=4096", UNKNOWN, 0, 0, UNKNOWN, 1072},
    {"axis=occupancy:bp=50:percent=100", UNKNOWN, 492, 0, 0, UNKNOWN},
    {"axis=occupancy:bp=50:percent=50", UNKNOWN, 256, 0, 0, UNKNOWN},
    {"axis=occupancy:bp=50:percent=25", UNKNOWN, 136, 0, 0, UNKNOWN},
    {"axis=occupancy:bp=50:percent=10", UNKNOWN, 68, 0, 0, UNKNOWN},
};

static int64_t container_bytes(const struct dv_container *container)
{
    switch (container->kind) {
    case DV_ARRAY:
        return 2 * (int64_t)container->cardinality;
    case DV_BITSET:
        return 8192;
    default:
        return 2 + 4 * (int64_t)container->n_runs;
    }
}

static void add_article_file(struct article_fact *sum, const char *spec)
{
    struct dv_source source;
    struct dv_view view;
    assert_return_code(source_open_spec(&source, spec, NULL), 0);
    assert_return_code(dv_view_index(&view, source.payload, source.n_payload_bytes, NULL), 0);
    sum->cardinality += (int64_t)view.cardinality;
    sum->n_array += (int64_t)view.n_kind[DV_ARRAY];
    sum->n_bitset += (int64_t)view.n_kind[DV_BITSET];
    sum->n_run += (int64_t)view.n_kind[DV_RUN];
    for (size_t i = 0; i < view.n_containers; i++)
        sum->container_bytes += container_bytes(&view.containers[i]);
    dv_view_free(&view);
    source_free(&source);
}

static void assert_fact(const char *spec, const char *what, int64_t found, int64_t stated)
{
    if (stated != UNKNOWN && found != stated)
        fail_msg("article:%s: %s %" PRId64 ", the article has %" PRId64, spec, what, found, stated);
}

static void article_counts_are_the_published_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof article_facts / sizeof article_facts[0]; i++) {
        const struct article_fact *fact = &article_facts[i];
        struct article_fact sum = {0};
        for (int file = 0; file < 4; file++) {
            char spec[128];
            snprintf(spec, sizeof spec, "article:%s:file=%d", fact->spec, file);
            add_article_file(&sum, spec);
        }
        assert_fact(fact->spec, "cardinality", sum.cardinality, fact->cardinality);
        assert_fact(fact->spec, "array containers", sum.n_array, fact->n_array);
        assert_fact(fact->spec, "bitset containers", sum.n_bitset, fact->n_bitset);
        assert_fact(fact->spec, "run containers", sum.n_run, fact->n_run);
        assert_fact(fact->spec, "container bytes", sum.container_bytes, fact->container_bytes);
    }
}

/* Cardinality, kind and live rows of the batch of 5,000 at 30,268, as the benchmark's author published
 * them. */
static void microbenchmark_is_the_published_one(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        enum dv_kind kind;
        uint32_t cardinality, n_runs, n_live;
    } facts[] = {
        {"sparse_0_5", DV_ARRAY, 327, 0, 4973},  {"medium_5", DV_ARRAY, 3276, 0, 4767},
        {"dense_12", DV_BITSET, 7864, 0, 4415},  {"run_contig", DV_RUN, 19661, 1, 0},
        {"run_partial", DV_RUN, 3264, 51, 4744}, {"empty_batch", DV_RUN, 30268, 1, 5000},
    };
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        char spec[64];
        struct dv_source source;
        struct dv dv;
        snprintf(spec, sizeof spec, "microbench:pattern=%s", facts[i].pattern);
        assert_return_code(source_open_spec(&source, spec, NULL), 0);
        assert_return_code(dv_open(&dv, source.payload, source.n_payload_bytes, DV_NEEDS_INTERVALS, NULL), 0);
        assert_int_equal(dv.view.n_containers, 1);
        assert_int_equal(dv.view.containers[0].kind, facts[i].kind);
        assert_int_equal(dv.view.containers[0].cardinality, facts[i].cardinality);
        assert_int_equal(dv.view.containers[0].n_runs, facts[i].n_runs);
        uint64_t n_live = 5000;
        for (size_t j = 0; j < dv.intervals.n_items; j++) {
            for (uint64_t row = dv.intervals.items[j].start; row < dv.intervals.items[j].end; row++)
                n_live -= row >= 30268 && row < 35268;
        }
        assert_int_equal(n_live, facts[i].n_live);
        dv_close(&dv);
        source_free(&source);
    }
}

/* --- specs --- */

static void specs_print_every_parameter(void **state)
{
    (void)state;
    static const struct {
        const char *given, *canonical;
    } pairs[] = {
        {"none", "none:rows=2000000:seed=1:base=0:optimize=1"},
        {"uniform:seed=9:rate=6.10%:rows=070000", "uniform:rate=0.061:rows=70000:seed=9:base=0:optimize=1"},
        {"uniform:rate=100%:rows=5", "uniform:rate=1:rows=5:seed=1:base=0:optimize=1"},
        {"uniform:rate=1.000:rows=5", "uniform:rate=1:rows=5:seed=1:base=0:optimize=1"},
        {"uniform:rate=0.00%:rows=5", "uniform:rate=0:rows=5:seed=1:base=0:optimize=1"},
        {"uniform:rate=0.000000000000000010:rows=5",
         "uniform:rate=0.00000000000000001:rows=5:seed=1:base=0:optimize=1"},
        {"uniform:rate=0.0000000000000001%:rows=5",
         "uniform:rate=0.000000000000000001:rows=5:seed=1:base=0:optimize=1"},
        {"article:bp=610:rows=9", "article:axis=rate:bp=610:file=0:rows=9:base=0:optimize=1"},
        {"article:length=8:axis=runs",
         "article:axis=runs:bp=500:file=0:length=8:rows=2000000:base=0:optimize=1"},
        {"article:percent=10:axis=occupancy:bp=0",
         "article:axis=occupancy:bp=0:file=0:percent=10:rows=8000000:base=0:optimize=1"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct dv_source source, again;
        assert_return_code(source_open_spec(&source, pairs[i].given, NULL), 0);
        assert_string_equal(source.spec, pairs[i].canonical);
        assert_return_code(source_open_spec(&again, source.spec, NULL), 0);
        assert_string_equal(again.spec, pairs[i].canonical);
        assert_int_equal(again.digest, source.digest);
        source_free(&source);
        source_free(&again);
    }
}

static void sources_say_what_they_are(void **state)
{
    (void)state;
    struct dv_source source;
    assert_return_code(source_open_spec(&source, "stride:rows=100:base=50:seed=3", NULL), 0);
    assert_string_equal(source.recipe, "stride");
    assert_string_equal(source.format, "recipe");
    assert_int_equal(source.n_rows, 100);
    assert_int_equal(source.base, 50);
    assert_int_equal(source.seed, 3);
    assert_int_equal(source.has_crc, 0);
    assert_int_equal(source.digest, digest_bytes(source.payload, source.n_payload_bytes));
    source_free(&source);
    assert_null(source.payload);
    assert_return_code(source_open_spec(&source, "article:rows=1", NULL), 0);
    assert_int_equal(source.seed, 0);
    source_free(&source);
}

static void wrong_specs_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *message;
    } pairs[] = {
        {"", "no recipe is called ''"},
        {"unifrom:rate=0.1", "known: uniform, exact, article"},
        {"uniform:rat=0.1", "known: rate, rows, seed, base, optimize"},
        {"uniform:", "key=value is expected"},
        {"uniform:rate", "key=value is expected"},
        {"uniform:=3", "key=value is expected"},
        {"uniform:rate=0.1:rate=0.1", "'rate' is given twice"},
        {"uniform:rate=1.01", "rate=1.01"},
        {"uniform:rate=101%", "rate=101%"},
        {"uniform:rate=-0.1", "rate=-0.1"},
        {"uniform:rate=.1", "rate=.1"},
        {"uniform:rate=0.1.1", "rate=0.1.1"},
        {"uniform:rate=1e-3", "rate=1e-3"},
        {"uniform:rate=", "fraction"},
        {"uniform:rate=%", "fraction"},
        {"uniform:rate=0.1%5", "fraction"},
        {"uniform:rate=18446744073709551617", "fraction"},
        {"uniform:rate=1.0000000000000000000", "18 decimals"},
        {"uniform:rate=6%%", "fraction"},
        {"uniform:rate=0.0000000000000000001", "18 decimals"},
        {"uniform:rate=0.00000000000000001%", "18 decimals"},
        {"uniform:rows=0", "an integer from 1 to"},
        {"uniform:rows=1099511627777", "an integer from 1 to 1099511627776"},
        {"uniform:rows=18446744073709551617", "integer"},
        {"uniform:rows=-1", "integer"},
        {"uniform:rows= 5", "integer"},
        {"uniform:rows=5x", "integer"},
        {"uniform:rows=", "integer"},
        {"uniform:optimize=2", "from 0 to 1"},
        {"uniform:base=9223372030412324865", "base"},
        {"uniform:base=9223372030412324864:rows=2", "pass the last position, 9223372030412324864"},
        {"exact:count=65537", "from 0 to 65536"},
        {"article:seed=1",
         "article takes no 'seed'; known: axis, bp, file, length, percent, rows, base, optimize"},
        {"article:length=8", "only where axis=runs"},
        {"article:axis=runs:percent=8", "only where axis=occupancy"},
        {"article:axis=run", "rate|runs|occupancy"},
        {"article:axis=", "rate|runs|occupancy"},
        {"runs:rate=0.5001:length=1", "length / (length + 1)"},
        {"bursts:rate=1:length=7", "length / (length + 1)"},
        {"clustered:rate=0.5:fill=0.4", "do not fit"},
        {"clustered:rate=0.5:fill=0.00001", "do not fit"},
        {"one:row=5:rows=5", "not below rows=5"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        struct dv_source source;
        struct dv_error error = {0};
        int code = source_open_spec(&source, pairs[i].spec, &error);
        assert_int_equal(code, DV_ERROR_USAGE);
        assert_int_equal(error.code, code);
        if (!strstr(error.message, pairs[i].message))
            fail_msg("%s: \"%s\" does not say \"%s\"", pairs[i].spec, error.message, pairs[i].message);
        assert_null(source.spec);
        assert_null(source.payload);
    }
}

static void runs_have_their_length_and_a_gap(void **state)
{
    (void)state;
    struct dv_source source;
    struct dv_view view;
    assert_return_code(source_open_spec(&source, "runs:rate=0.2:length=10:rows=60000", NULL), 0);
    assert_return_code(dv_view_index(&view, source.payload, source.n_payload_bytes, NULL), 0);
    assert_int_equal(view.n_containers, 1);
    uint32_t n_runs = view.containers[0].n_runs, cardinality = view.containers[0].cardinality;
    assert_in_range(cardinality, 10 * (n_runs - 1) + 1, 10 * n_runs);
    assert_in_range(cardinality, 11000, 13000);
    dv_view_free(&view);
    source_free(&source);
}

/* --- the registry --- */

static void registry_describes_every_parameter(void **state)
{
    (void)state;
    for (size_t i = 0; i < recipes_count(); i++) {
        const struct recipe *recipe = recipe_at(i);
        assert_ptr_equal(recipe_find(recipe->id), recipe);
        assert_true(strlen(recipe->description) > 0 &&
                    strlen(recipe->id) < sizeof((struct dv_source *)0)->recipe);
        assert_in_range(recipe->n_params, 3, RECIPE_MAX_PARAMS);
        for (size_t j = 0; j < recipe->n_params; j++)
            assert_true(strlen(recipe->params[j].description) > 0 && recipe->params[j].fallback);
        static const char *const common[] = {"rows", "base", "optimize"};
        for (size_t j = 0; j < sizeof common / sizeof common[0]; j++)
            assert_non_null(recipe_find_param(recipe, common[j]));
        bool is_fixed = strcmp(recipe->id, "article") == 0 || strcmp(recipe->id, "microbench") == 0;
        assert_int_equal(recipe_find_param(recipe, "seed") == NULL, is_fixed);
    }
    assert_null(recipe_find("unknown"));
    assert_null(recipe_find_param(recipe_at(0), "unknown"));
}

/* Every recipe with its defaults, at the places where positions change their key or end: a new row of the
 * registry is tested before anyone writes a test for it. */
static void every_recipe_works_at_the_edges(void **state)
{
    (void)state;
    static const char *const places[] = {
        "rows=1:base=0",
        "rows=1:base=65535",
        "rows=65536:base=65536",
        "rows=65537:base=1",
        "rows=70000:base=4294932296",
        "rows=65536:base=9223372030412259329",
        "rows=3:base=4294967294",
        "rows=131072:base=2147418112:optimize=0",
    };
    for (size_t i = 0; i < recipes_count(); i++) {
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            char spec[128], line[512];
            struct dv_error error = {0};
            snprintf(spec, sizeof spec, "%s:%s", recipe_at(i)->id, places[j]);
            if (recipe_line(line, sizeof line, spec, &error))
                fail_msg("%s: %s", spec, error.message);
        }
    }
}

/* --- names of files --- */

static void file_names_survive_escaping(void **state)
{
    (void)state;
    static const struct {
        const char *path, *escaped;
    } pairs[] = {
        {"", ""},
        {"plain/path.bin", "plain/path.bin"},
        {"a,b\"c\r\n%20#3:=", "a%2Cb%22c%0D%0A%2520%233:="},
        {"\xc3\xa9 \x7f", "\xc3\xa9 %7F"},
        /* Alone, cut short, overlong, a surrogate, above U+10FFFF: no UTF-8. Then the greatest that is. */
        {"\xff\xa9 \xe2\x82", "%FF%A9 %E2%82"},
        {"\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80", "%C0%AF%ED%A0%80%F4%90%80%80"},
        {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char *escaped = source_spec_escape(pairs[i].path);
        assert_string_equal(escaped, pairs[i].escaped);
        char *path = source_spec_unescape(escaped);
        assert_string_equal(path, pairs[i].path);
        free(escaped);
        free(path);
    }
    char *lower = source_spec_unescape("%2c%c3");
    assert_string_equal(lower, ",\xc3");
    free(lower);
    static const char *const wrong[] = {"%", "a%2", "%2G", "%G2", "%00", "%%"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_null(source_spec_unescape(wrong[i]));
}

static void digest_is_fnv1a(void **state)
{
    (void)state;
    assert_true(digest_bytes("", 0) == 0xcbf29ce484222325);
    assert_true(digest_bytes("a", 1) == 0xaf63dc4c8601ec8c);
    assert_true(digest_bytes("foobar", 6) == 0x85944171f73967e8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_lines_are_reproduced),
        cmocka_unit_test(every_recipe_has_golden_lines),
        cmocka_unit_test(article_counts_are_the_published_ones),
        cmocka_unit_test(microbenchmark_is_the_published_one),
        cmocka_unit_test(specs_print_every_parameter),
        cmocka_unit_test(sources_say_what_they_are),
        cmocka_unit_test(wrong_specs_are_refused_by_name),
        cmocka_unit_test(runs_have_their_length_and_a_gap),
        cmocka_unit_test(registry_describes_every_parameter),
        cmocka_unit_test(every_recipe_works_at_the_edges),
        cmocka_unit_test(file_names_survive_escaping),
        cmocka_unit_test(digest_is_fnv1a),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
