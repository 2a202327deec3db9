/* SPDX-License-Identifier: Apache-2.0 */
/* What inspect counts, against vectors small enough to count by hand; and which reference it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "inspect.h"
#include "payload_ranges.h"
#include "payload_writer.h"

struct range {
    uint64_t start;
    uint64_t end;
};

/* A vector of ranges, open until close_vector. */
struct vector {
    uint8_t *bytes;
    size_t n_bytes;
    struct dv_view view;
};

static struct vector open_vector(unsigned options, const struct range *ranges, size_t n_ranges)
{
    struct vector vector = {0};
    struct payload_writer writer;
    struct dv_error error;
    payload_writer_init(&writer, options);
    for (size_t i = 0; i < n_ranges; i++)
        assert_int_equal(payload_writer_add_range(&writer, ranges[i].start, ranges[i].end, &error), 0);
    assert_int_equal(payload_writer_finish(&writer, &vector.bytes, &vector.n_bytes, &error), 0);
    assert_int_equal(dv_view_index(&vector.view, vector.bytes, vector.n_bytes, &error), 0);
    assert_int_equal(dv_view_validate(&vector.view, vector.bytes, &error), 0);
    return vector;
}

static void close_vector(struct vector *vector)
{
    dv_view_free(&vector->view);
    free(vector->bytes);
}

/* Three chunks under two keys: an array just under the cliff, a run of a whole chunk, a bitset just over
 * it. */
static const struct range mixed[] = {{10, 4106}, {65536, 131072}, {(1ull << 32) + 5, (1ull << 32) + 4102}};

static void counts_a_mixed_vector(void **state)
{
    (void)state;
    struct inspect_summary summary;
    struct vector vector = open_vector(0, mixed, 3); /* no run containers: the full chunk is a bitset too */
    inspect_summarise(&summary, &vector.view, 0, 100000);
    assert_int_equal(summary.cardinality, 4096 + 65536 + 4097);
    assert_int_equal(summary.first, 10);
    assert_int_equal(summary.last, (1ull << 32) + 4101);
    assert_int_equal(summary.n_keys, 2);
    assert_int_equal(summary.kinds[DV_ARRAY].n_containers, 1);
    assert_int_equal(summary.kinds[DV_ARRAY].n_bytes, 8192);
    assert_int_equal(summary.kinds[DV_BITSET].n_positions, 65536 + 4097);
    assert_int_equal(summary.n_runs, 3);
    assert_int_equal(summary.n_body_bytes, 3 * 8192);
    assert_int_equal(summary.n_optimized_bytes, 18);
    assert_int_equal(summary.n_near_below, 1);
    assert_int_equal(summary.n_near_above, 1);
    assert_int_equal(summary.nearest_below, 4096);
    assert_int_equal(summary.nearest_above, 4097);
    assert_int_equal(summary.n_chunks[5], 1);
    assert_int_equal(summary.n_chunks[6], 1);
    assert_int_equal(summary.n_chunks[9], 1);
    assert_int_equal(summary.n_deleted_rows, 4096 + 100000 - 65536);
    close_vector(&vector);
    vector = open_vector(PAYLOAD_OPTIMIZE, mixed, 3);
    inspect_summarise(&summary, &vector.view, 4000, 100);
    assert_int_equal(summary.kinds[DV_RUN].n_containers, 3);
    assert_int_equal(summary.kinds[DV_RUN].n_bytes, 18);
    assert_int_equal(summary.n_deleted_rows, 100);
    close_vector(&vector);
}

static void counts_what_is_allowed_but_odd(void **state)
{
    (void)state;
    /* Bucket 0 empty; bucket 1: runs 0..4 and 5..9, which touch, and 20. */
    static const uint8_t bytes[] = {2, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0, 0,  0x3a, 0x30, 0, 0,
                                    0, 0, 0, 0, 1, 0, 0, 0, 0x3b, 0x30, 0, 0,  1,    0,    0, 10,
                                    0, 3, 0, 0, 0, 4, 0, 5, 0,    4,    0, 20, 0,    0,    0};
    struct inspect_summary summary;
    struct dv_view view;
    struct dv_error error = {0};
    if (dv_view_index(&view, bytes, sizeof bytes, &error) != 0 || dv_view_validate(&view, bytes, &error) != 0)
        fail_msg("%s", error.message);
    inspect_summarise(&summary, &view, 0, 0);
    assert_int_equal(summary.n_buckets - summary.n_keys, 1);
    assert_int_equal(summary.n_runs, 2);
    assert_int_equal(summary.n_touching_runs, 1);
    assert_int_equal(summary.n_body_bytes, 14);
    assert_int_equal(summary.n_optimized_bytes, 10);
    assert_int_equal(summary.n_deleted_rows, 0);
    dv_view_free(&view);
}

static void counts_an_empty_vector(void **state)
{
    (void)state;
    struct inspect_summary summary;
    struct vector vector = open_vector(0, NULL, 0);
    inspect_summarise(&summary, &vector.view, 0, 10);
    assert_int_equal(summary.cardinality, 0);
    assert_int_equal(summary.n_keys, 0);
    assert_int_equal(summary.n_deleted_rows, 0);
    close_vector(&vector);
}

static char *printed(const struct vector *vector, enum inspect_dump form)
{
    char *text = NULL;
    size_t n_bytes = 0;
    struct dv_error error;
    FILE *out = open_memstream(&text, &n_bytes);
    assert_int_equal(inspect_dump(out, &vector->view, form, &error), 0);
    fclose(out);
    return text;
}

static void dumps_ranges_over_chunks(void **state)
{
    (void)state;
    static const struct range ranges[] = {{63, 66}, {65535, 65537}, {131071, 131072}};
    struct vector vector = open_vector(0, ranges, 3);
    char *text = printed(&vector, INSPECT_DUMP_RANGES);
    assert_string_equal(text, "63 66\n65535 65537\n131071 131072\n");
    free(text);
    text = printed(&vector, INSPECT_DUMP_POSITIONS);
    assert_string_equal(text, "63\n64\n65\n65535\n65536\n131071\n");
    free(text);
    close_vector(&vector);
}

/* Bits of a bitset container alone, in pairs around word limits, and all of them. */
static void dumps_bitsets(void **state)
{
    (void)state;
    struct range ranges[4200];
    size_t n_ranges = 0;
    for (uint64_t row = 0; row < 8300 && n_ranges < 4150; row += 2)
        ranges[n_ranges++] = (struct range){row, row + 1};
    ranges[n_ranges++] = (struct range){65536 - 65, 65536};
    struct vector vector = open_vector(0, ranges, n_ranges);
    assert_int_equal(vector.view.containers[0].kind, DV_BITSET);
    char *text = printed(&vector, INSPECT_DUMP_RANGES);
    assert_string_equal(strstr(text, "8298 8299\n"), "8298 8299\n65471 65536\n");
    assert_int_equal(payload_first(&vector.view), 0);
    assert_int_equal(payload_last(&vector.view), 65535);
    free(text);
    close_vector(&vector);
}

static void prints_positions_that_json_integers_lack(void **state)
{
    (void)state;
    /* Key 2^32 - 1, chunk 65535, position 65535: the last of all. */
    static const uint8_t bytes[] = {1, 0, 0, 0, 0, 0,    0,    0, 0xff, 0xff, 0xff, 0xff, 0x3a, 0x30, 0,
                                    0, 1, 0, 0, 0, 0xff, 0xff, 0, 0,    16,   0,    0,    0,    0xff, 0xff};
    struct inspect_subject subject = {.spec = "a\xff,b", .format = "roaring64"};
    struct dv_view view;
    struct dv_error error;
    char *text = NULL;
    size_t n_bytes = 0;
    assert_int_equal(dv_view_index(&view, bytes, sizeof bytes, &error), 0);
    subject.view = &view;
    inspect_summarise(&subject.summary, &view, 0, UINT64_MAX);
    FILE *out = open_memstream(&text, &n_bytes);
    assert_int_equal(inspect_print_json(out, &subject, &error), 0);
    assert_int_equal(inspect_dump(out, &view, INSPECT_DUMP_RANGES, &error), 0);
    fclose(out);
    char *rest = strchr(text, '\n');
    *rest++ = '\0';
    assert_string_equal(rest, "18446744073709551615 18446744073709551616\n");
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "last")), "18446744073709551615");
    assert_string_equal(json_string_value(json_object_get(json, "spec")), "a%FF,b");
    assert_int_equal(json_integer_value(json_object_get(json, "beyond_rows")), 0);
    assert_string_equal(json_string_value(json_object_get(json, "rows")), "18446744073709551616");
    json_decref(json);
    free(text);
    dv_view_free(&view);
}

struct measured {
    const char *dv;
    double rate;
    int n_array;
    int n_run;
    const char *kernel;
    const char *sink;
    const char *verdict;
    const char *ns_per_row;
};

static const struct measured measured[] = {
    {"uniform:rate=0.05", 0.05, 31, 0, "per_row", "row_ids", "ok", "10"},
    {"uniform:rate=0.05", 0.05, 31, 0, "direct_avx2", "row_ids", "ok", "0.2"},
    {"uniform:rate=0.05", 0.05, 31, 0, "direct_avx512", "row_ids", "wrong", "0.1"},
    {"uniform:rate=0.05", 0.05, 31, 0, "direct_neon", "row_ids", "unavailable", ""},
    {"uniform:rate=0.05", 0.05, 31, 0, "direct_scalar", "is_deleted", "ok", "0.01"},
    {"runs:rate=0.05", 0.05, 0, 31, "for_each_in_range", "row_ids", "ok", "0.3"},
    {"uniform:rate=0.0001", 0.0001, 31, 0, "expand_positions", "row_ids", "ok", "0.05"},
};

/* A summary.csv of the rows, its other columns empty. */
static struct csv_table *make_table(void)
{
    char path[] = "/tmp/dvbench-inspect-XXXXXX";
    struct csv_writer *writer = NULL;
    struct csv_table *table = NULL;
    struct dv_error error;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(csv_create(&writer, path, CSV_FILE_summary, &error), 0);
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        csv_set_text(writer, CSV_summary_dv, measured[i].dv);
        csv_set_real(writer, CSV_summary_rate, measured[i].rate);
        csv_set_integer(writer, CSV_summary_array_containers, measured[i].n_array);
        csv_set_integer(writer, CSV_summary_bitset_containers, 0);
        csv_set_integer(writer, CSV_summary_run_containers, measured[i].n_run);
        csv_set_text(writer, CSV_summary_kernel, measured[i].kernel);
        csv_set_text(writer, CSV_summary_sink, measured[i].sink);
        csv_set_text(writer, CSV_summary_mode, "stream");
        csv_set_text(writer, CSV_summary_verdict, measured[i].verdict);
        if (measured[i].ns_per_row[0])
            csv_set_real(writer, CSV_summary_ns_per_row, strtod(measured[i].ns_per_row, NULL));
        assert_int_equal(csv_end_row(writer, &error), 0);
    }
    assert_int_equal(csv_close(writer, &error), 0);
    assert_int_equal(csv_load(&table, path, CSV_FILE_summary, &error), 0);
    remove(path);
    return table;
}

static struct inspect_fastest fastest_of(const struct csv_table *table, uint64_t n_deleted, enum dv_kind kind)
{
    struct inspect_summary summary = {.n_rows = 1000000, .n_deleted_rows = n_deleted};
    struct inspect_fastest fastest = {0};
    summary.kinds[kind].n_containers = 15;
    inspect_fastest_search(&fastest, table, &summary);
    return fastest;
}

static void favours_the_fastest_on_the_nearest(void **state)
{
    (void)state;
    struct csv_table *table = make_table();
    assert_string_equal(fastest_of(table, 60000, DV_ARRAY).kernel, "direct_avx2");
    assert_string_equal(fastest_of(table, 60000, DV_RUN).kernel, "for_each_in_range");
    assert_string_equal(fastest_of(table, 90, DV_ARRAY).kernel, "expand_positions");
    assert_string_equal(fastest_of(table, 600000, DV_ARRAY).kernel, "");
    assert_string_equal(fastest_of(table, 60000, DV_BITSET).kernel, "");
    csv_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_a_mixed_vector),
        cmocka_unit_test(counts_an_empty_vector),
        cmocka_unit_test(dumps_ranges_over_chunks),
        cmocka_unit_test(counts_what_is_allowed_but_odd),
        cmocka_unit_test(dumps_bitsets),
        cmocka_unit_test(favours_the_fastest_on_the_nearest),
        cmocka_unit_test(prints_positions_that_json_integers_lack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
