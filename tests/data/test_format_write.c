/* SPDX-License-Identifier: Apache-2.0 */
/* Writers: the golden frames byte for byte, and each format read back to the same payload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format_fixture.h"
#include "format_write.h"
#include "payload_writer.h"

struct range {
    uint64_t start;
    uint64_t end;
};

struct golden {
    const char *name;
    const char *hex; /* of the blob */
    struct range ranges[6];
    size_t n_ranges;
};

static const struct golden golden[] = {
    {"empty", HEX_EMPTY, {{0, 0}}, 0},
    {"{5}", HEX_FIVE, {{5, 6}}, 1},
    {"0..9999", HEX_0_TO_9999, {{0, 10000}}, 1},
    {"key 5 alone", HEX_SPARSE_KEY_5, {{(5ull << 32) + 1, (5ull << 32) + 2}}, 1},
    {"1 3 5 7 9", HEX_ALTERNATING, {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}, 5},
    {"chunks 0 and 0x8000", HEX_SMALL_AND_LARGE, {{100, 102}, {2147483747, 2147483749}}, 2},
    {"arrays and runs under two keys",
     HEX_ALL_KINDS,
     {{5, 6}, {7, 8}, {65537, 66536}, {131073, 196607}, {4294967306, 4294967307}, {4294967316, 4294967317}},
     6},
};

/* HEX_ALL_KINDS has two ranges more than a row holds. */
static const struct range all_kinds_rest[] = {{4295032842, 4295033332}, {4295098369, 4295163903}};

static void add_ranges(struct payload_writer *writer, const struct range *ranges, size_t n_ranges)
{
    struct dv_error error;
    for (size_t i = 0; i < n_ranges; i++)
        assert_int_equal(payload_writer_add_range(writer, ranges[i].start, ranges[i].end, &error), 0);
}

static uint8_t *golden_payload(const struct golden *row, size_t *n_out)
{
    struct payload_writer writer;
    struct dv_error error;
    uint8_t *payload = NULL;
    payload_writer_init(&writer, PAYLOAD_OPTIMIZE);
    add_ranges(&writer, row->ranges, row->n_ranges);
    if (row->n_ranges == 6)
        add_ranges(&writer, all_kinds_rest, 2);
    assert_int_equal(payload_writer_finish(&writer, &payload, n_out, &error), 0);
    return payload;
}

static void assert_bytes(const char *name, const uint8_t *found, size_t n_found, const char *hex)
{
    size_t n_bytes = 0;
    uint8_t *bytes = fixture_bytes(hex, &n_bytes);
    if (n_found != n_bytes || memcmp(found, bytes, n_bytes) != 0)
        fail_msg("%s: %zu bytes differ from the %zu golden ones", name, n_found, n_bytes);
    free(bytes);
}

static void writes_golden_frames(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct format_output output = {0};
        struct format_write_options options = {.format = FORMAT_BLOB};
        struct dv_error error;
        uint8_t *bytes = NULL;
        size_t n_bytes = 0;
        uint8_t *payload = golden_payload(&golden[i], &output.n_payload_bytes);
        output.payload = payload;
        assert_int_equal(format_encode(&output, 1, &options, &bytes, &n_bytes, &error), 0);
        assert_bytes(golden[i].name, bytes, n_bytes, golden[i].hex);
        free(bytes);
        free(payload);
    }
}

/* The whole of iceberg-go's fixture single-blob-dv.puffin, which Iceberg's Java library wrote. */
static void writes_javas_puffin_file(void **state)
{
    (void)state;
    static const char footer[] =
        "PFA1{\"blobs\":[{\"type\":\"deletion-vector-v1\",\"fields\":[2147483645],\"snapshot-id\":-1,"
        "\"sequence-number\":-1,\"offset\":4,\"length\":50,\"properties\":{\"referenced-data-file\":"
        "\"s3://warehouse/db/table/data/"
        "00000-0-abc.parquet\",\"cardinality\":\"5\"}}],\"properties\":{\"created-by\":"
        "\"iceberg-go DV cross-client fixtures (apache/iceberg)\"}}\x3a\x01\0\0\0\0\0\0PFA1";
    struct format_output output = {.cardinality = 5,
                                   .data_file = "s3://warehouse/db/table/data/00000-0-abc.parquet"};
    struct format_write_options options = {
        .format = FORMAT_PUFFIN, .created_by = "iceberg-go DV cross-client fixtures (apache/iceberg)"};
    struct dv_error error;
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    uint8_t *payload = golden_payload(&golden[4], &output.n_payload_bytes);
    output.payload = payload;
    assert_int_equal(format_encode(&output, 1, &options, &bytes, &n_bytes, &error), 0);
    assert_int_equal(n_bytes, 4 + 50 + sizeof footer - 1);
    assert_memory_equal(bytes, "PFA1", 4);
    assert_bytes("blob", bytes + 4, 50, HEX_ALTERNATING);
    assert_memory_equal(bytes + 54, footer, sizeof footer - 1);
    free(bytes);
    free(payload);
}

static void writes_golden_inline_text(void **state)
{
    (void)state;
    struct format_options options = {0};
    struct format_file file;
    struct dv_error error;
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    assert_int_equal(format_open_inline(&file, Z85_SIX_ROWS, &options, &error), 0);
    struct format_output output = {.payload = file.vectors[0].payload,
                                   .n_payload_bytes = file.vectors[0].n_payload_bytes};
    struct format_write_options write_options = {.format = FORMAT_DELTA_INLINE};
    assert_int_equal(format_encode(&output, 1, &write_options, &bytes, &n_bytes, &error), 0);
    assert_int_equal(n_bytes, strlen(Z85_SIX_ROWS));
    assert_memory_equal(bytes, Z85_SIX_ROWS, n_bytes);
    free(bytes);
    format_close(&file);
}

static void check_round_trip(const struct format_output *output, const struct format_write_options *options)
{
    struct format_options read_options = {.has_cardinality = true, .cardinality = output->cardinality};
    struct format_file file;
    struct dv_error error;
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    int code = format_encode(output, 1, options, &bytes, &n_bytes, &error);
    if (code != 0 && options->format == FORMAT_ROARING32)
        return; /* positions of 2^32 and above */
    assert_int_equal(code, 0);
    if (options->format == FORMAT_DELTA_INLINE) {
        char *text = strndup((const char *)bytes, n_bytes);
        free(bytes);
        code = format_open_inline(&file, text, &read_options, &error);
        free(text);
    } else {
        code = format_parse(&file, bytes, n_bytes, &read_options, &error);
    }
    if (code != 0)
        fail_msg("%s: %s", format_id(options->format), error.message);
    assert_int_equal(file.format, options->format);
    assert_int_equal(file.n_vectors, 1);
    assert_int_equal(file.n_warnings, 0);
    assert_int_equal(file.vectors[0].n_payload_bytes, output->n_payload_bytes);
    assert_memory_equal(file.vectors[0].payload, output->payload, output->n_payload_bytes);
    format_close(&file);
}

static void reads_back_each_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct format_output output = {.data_file = "data/\xc3\xa4 \"1\".parquet"};
        struct format_options options = {0};
        struct format_file file;
        struct dv_error error;
        assert_int_equal(fixture_parse(&file, golden[i].hex, &options, &error), 0);
        output.payload = file.vectors[0].payload;
        output.n_payload_bytes = file.vectors[0].n_payload_bytes;
        output.cardinality = file.vectors[0].view.cardinality;
        for (int kind = FORMAT_AUTO + 1; kind < N_FORMATS; kind++) {
            check_round_trip(&output, &(struct format_write_options){.format = (enum format_kind)kind});
            check_round_trip(&output, &(struct format_write_options){.format = (enum format_kind)kind,
                                                                     .lz4_footer = true});
        }
        format_close(&file);
    }
}

static void refuses_what_a_format_cannot_hold(void **state)
{
    (void)state;
    size_t n_payload_bytes = 0;
    uint8_t *payload =
        fixture_bytes("0100000000000000ffffffff3a3000000100000000000000100000000500", &n_payload_bytes);
    struct format_output outputs[2] = {
        {.payload = payload, .n_payload_bytes = n_payload_bytes, .data_file = "a"}};
    outputs[1] = outputs[0];
    static const enum format_kind narrow[] = {FORMAT_PUFFIN, FORMAT_BLOB, FORMAT_DELTA, FORMAT_DELTA_INLINE,
                                              FORMAT_ROARING32};
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    struct dv_error error;
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        struct format_write_options options = {.format = narrow[i]};
        assert_int_equal(format_encode(outputs, 1, &options, &bytes, &n_bytes, &error), DV_ERROR_INPUT);
    }
    struct format_write_options options = {.format = FORMAT_ROARING64};
    assert_int_equal(format_encode(outputs, 2, &options, &bytes, &n_bytes, &error), DV_ERROR_USAGE);
    payload[8] = payload[9] = payload[10] = payload[11] = 0;
    outputs[0].data_file = NULL;
    options.format = FORMAT_PUFFIN;
    assert_int_equal(format_encode(outputs, 1, &options, &bytes, &n_bytes, &error), DV_ERROR_USAGE);
    assert_non_null(strstr(error.message, "referenced-data-file"));
    free(payload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_golden_frames),
        cmocka_unit_test(writes_javas_puffin_file),
        cmocka_unit_test(writes_golden_inline_text),
        cmocka_unit_test(reads_back_each_format),
        cmocka_unit_test(refuses_what_a_format_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
