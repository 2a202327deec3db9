/* SPDX-License-Identifier: Apache-2.0 */
/* Puffin: footers made by hand around the golden blobs, each with one fault or one freedom of the format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format_fixture.h"
#include "format_words.h"
#include "format_write.h"

/* Two blobs: {5} at 4, 42 bytes, and 0..9999 at 46, 39 bytes; the footer starts at 85, its payload at 89. */
enum { FIRST_AT = 4, FIRST_BYTES = 42, SECOND_AT = 46, SECOND_BYTES = 39, FOOTER_AT = 85, PAYLOAD_AT = 89 };

#define BLOB(offset, length, properties)                                                                     \
    "{\"type\":\"deletion-vector-v1\",\"fields\":[2147483645],\"snapshot-id\":-1,\"sequence-number\":-1,"    \
    "\"offset\":" offset ",\"length\":" length ",\"properties\":{" properties "}}"
#define OTHER_BLOB                                                                                           \
    "{\"type\":\"apache-datasketches-theta-v1\",\"fields\":[1],\"snapshot-id\":3,\"sequence-number\":1,"     \
    "\"offset\":85,\"length\":0,\"compression-codec\":\"zstd\"}"
#define FIRST         BLOB("4", "42", "\"referenced-data-file\":\"s3://a/1.parquet\",\"cardinality\":\"1\"")
#define OVERLAPPING   "{\"type\":\"other\",\"offset\":40,\"length\":6}"
#define SECOND        BLOB("46", "39", "\"referenced-data-file\":\"s3://a/2.parquet\",\"cardinality\":\"10000\"")
#define FOOTER(blobs) "{\"blobs\":[" blobs "],\"properties\":{\"created-by\":\"test\"}}"

struct footer {
    const char *json;
    uint32_t flags;
    int64_t stated_bytes; /* -1: the text's length */
};

static uint8_t *make_file(const struct footer *footer, size_t *n_out)
{
    size_t n_first = 0;
    size_t n_second = 0;
    uint8_t *first = fixture_bytes(HEX_FIVE, &n_first);
    uint8_t *second = fixture_bytes(HEX_0_TO_9999, &n_second);
    size_t n_json = strlen(footer->json);
    *n_out = PAYLOAD_AT + n_json + 12;
    uint8_t *file = malloc(*n_out);
    memcpy(file, "PFA1", 4);
    memcpy(file + FIRST_AT, first, n_first);
    memcpy(file + SECOND_AT, second, n_second);
    memcpy(file + FOOTER_AT, "PFA1", 4);
    memcpy(file + PAYLOAD_AT, footer->json, n_json);
    words_put_le32(file + PAYLOAD_AT + n_json,
                   (uint32_t)(footer->stated_bytes < 0 ? (int64_t)n_json : footer->stated_bytes));
    words_put_le32(file + PAYLOAD_AT + n_json + 4, footer->flags);
    memcpy(file + PAYLOAD_AT + n_json + 8, "PFA1", 4);
    free(first);
    free(second);
    return file;
}

static int parse(struct format_file *file_out, const char *json, const struct format_options *options,
                 struct dv_error *error_out)
{
    size_t n_bytes = 0;
    uint8_t *bytes = make_file(&(struct footer){.json = json, .stated_bytes = -1}, &n_bytes);
    return format_parse(file_out, bytes, n_bytes, options, error_out);
}

static void lists_all_blobs_and_reads_vectors(void **state)
{
    (void)state;
    struct format_options options = {0};
    struct format_file file;
    struct dv_error error = {0};
    assert_int_equal(parse(&file, FOOTER(FIRST "," OTHER_BLOB "," SECOND), &options, &error), 0);
    assert_string_equal(file.created_by, "test");
    assert_int_equal(file.n_blobs, 3);
    assert_int_equal(file.n_vectors, 2);
    assert_int_equal(file.blobs[0].vector, 0);
    assert_int_equal(file.blobs[1].vector, -1);
    assert_string_equal(file.blobs[1].codec, "zstd");
    assert_int_equal(file.blobs[2].vector, 1);
    assert_int_equal(file.vectors[1].index, 1);
    assert_string_equal(file.vectors[1].data_file, "s3://a/2.parquet");
    assert_int_equal(file.n_warnings, 0);
    format_close(&file);
}

struct choice {
    const char *name;
    struct format_options options;
    const char *message; /* NULL: the second vector is chosen */
};

static const struct choice choices[] = {
    {"data file", {.data_file = "s3://a/2.parquet"}, NULL},
    {"number", {.has_blob = true, .blob = 1}, NULL},
    {"manifest", {.has_offset = true, .offset_bytes = 46, .has_length = true, .length_bytes = 39}, NULL},
    {"no path folding", {.data_file = "s3a://a/2.parquet"}, "no vector of data file s3a://a/2.parquet"},
    {"prefix", {.data_file = "s3://a/2"}, "no vector of data file"},
    {"Delta's length",
     {.has_offset = true, .offset_bytes = 46, .has_length = true, .length_bytes = 31},
     "found a blob of 39 bytes by the footer, expected 31"},
    {"offset between", {.has_offset = true, .offset_bytes = 45}, "no deletion-vector-v1 blob starts here"},
    {"offset of another type",
     {.has_offset = true, .offset_bytes = 4, .has_blob = true, .blob = 1},
     "which differ"},
    {"swapped offsets",
     {.has_offset = true, .offset_bytes = 46, .data_file = "s3://a/1.parquet"},
     "no vector of data file"},
    {"cardinality",
     {.has_blob = true, .blob = 1, .has_cardinality = true, .cardinality = 1},
     "expected 1 as stated"},
};

static void chooses_by_options(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct format_file file;
        struct dv_error error = {0};
        int code = parse(&file, FOOTER(FIRST "," SECOND), &choices[i].options, &error);
        if ((code == 0) != !choices[i].message || (code != 0 && !strstr(error.message, choices[i].message)))
            fail_msg("%s: code %d: %s", choices[i].name, code, error.message);
        if (code != 0)
            continue;
        assert_int_equal(file.n_vectors, 1);
        assert_int_equal(file.vectors[0].view.cardinality, 10000);
        assert_int_equal(file.blobs[1].vector, 0);
        assert_int_equal(file.blobs[0].vector, -1);
        format_close(&file);
    }
}

/* Footers that a vector cannot be read by. */
static const struct {
    const char *name;
    const char *json;
    const char *message;
} refused[] = {
    {"no JSON", "blobs", "bad JSON"},
    {"no object", "[]", "no list of blobs"},
    {"no blobs", "{}", "no list of blobs"},
    {"key twice", "{\"blobs\":[],\"blobs\":[]}", "bad JSON"},
    {"text after", "{\"blobs\":[]}}", "bad JSON"},
    {"no UTF-8", "{\"blobs\":[],\"a\":\"\xff\"}", "bad JSON"},
    {"blob no object", FOOTER("1"), "blob 0: found no object"},
    {"no type", FOOTER("{\"offset\":4,\"length\":42}"), "blob 0: found no type"},
    {"offset text", FOOTER(BLOB("\"4\"", "42", "")), "offset or length missing or not an integer"},
    {"offset real", FOOTER(BLOB("4.0", "42", "")), "offset or length missing or not an integer"},
    {"offset -5", FOOTER(BLOB("-5", "42", "")), "found offset -5"},
    {"offset 0", FOOTER(BLOB("0", "42", "")), "found offset 0"},
    {"length -1", FOOTER(BLOB("4", "-1", "")), "length -1"},
    {"into the footer", FOOTER(BLOB("4", "82", "")), "expected a range within [4, 85)"},
    {"sum overflows", FOOTER(BLOB("9223372036854775807", "9223372036854775807", "")),
     "expected a range within"},
    {"beyond 64 bits", FOOTER(BLOB("18446744073709551616", "42", "")), "bad JSON"},
    {"length 2^31 - 1", FOOTER(BLOB("4", "2147483647", "")), "expected a range within"},
    {"length one short", FOOTER(BLOB("4", "41", "")), "found length word 34, expected 33"},
    {"length of both", FOOTER(BLOB("4", "81", "")), "found length word 34, expected 73"},
    {"length 0", FOOTER(BLOB("4", "0", "")), "found a frame of 0 bytes"},
    {"other's blob", FOOTER(BLOB("46", "42", "")), "expected a range within"},
    {"cardinality 0 stated", FOOTER(BLOB("4", "42", "\"cardinality\":\"0\"")),
     "found 1 positions, expected 0"},
    {"cardinality 2 stated", FOOTER(BLOB("4", "42", "\"cardinality\":\"2\"")),
     "found 1 positions, expected 2"},
    {"cardinality +1", FOOTER(BLOB("4", "42", "\"cardinality\":\"+1\"")), "expected a whole number"},
    {"cardinality 1x", FOOTER(BLOB("4", "42", "\"cardinality\":\"1x\"")), "expected a whole number"},
    {"cardinality empty", FOOTER(BLOB("4", "42", "\"cardinality\":\"\"")), "expected a whole number"},
    {"cardinality 2^64 + 1", FOOTER(BLOB("4", "42", "\"cardinality\":\"18446744073709551617\"")),
     "expected a whole number"},
    {"cardinality a number", FOOTER(BLOB("4", "42", "\"cardinality\":1")),
     "property cardinality that is not a string"},
    {"properties a list",
     FOOTER("{\"type\":\"deletion-vector-v1\",\"offset\":4,\"length\":42,\"properties\":[]}"),
     "properties that are not an object"},
    {"compressed vector",
     FOOTER("{\"type\":\"deletion-vector-v1\",\"offset\":4,\"length\":42,\"compression-codec\":\"zstd\"}"),
     "compression-codec zstd"},
};

static void refuses_bad_footers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct format_options options = {0};
        struct format_file file;
        struct dv_error error = {0};
        int code = parse(&file, refused[i].json, &options, &error);
        if (code != DV_ERROR_INPUT || !strstr(error.message, refused[i].message))
            fail_msg("%s: code %d: %s", refused[i].name, code, error.message);
        assert_null(file.blobs);
    }
}

/* What is missing or odd but decides nothing. */
static const struct {
    const char *json;
    size_t n_warnings;
    const char *warning;
} warned[] = {
    {FOOTER(BLOB("4", "42", "\"cardinality\":\"1\"")), 1, "no property referenced-data-file"},
    {FOOTER(BLOB("4", "42", "\"referenced-data-file\":\"a\"")), 1, "no property cardinality"},
    {FOOTER("{\"type\":\"deletion-vector-v1\",\"fields\":[\"_pos\"],\"snapshot-id\":7,\"sequence-number\":-1,"
            "\"offset\":4,"
            "\"length\":42,\"properties\":{\"cardinality\":\"1\",\"referenced-data-file\":\"a\"}}"),
     2, "snapshot-id of a vector is not -1"},
    {FOOTER(SECOND
            "," BLOB("4", "42", "\"referenced-data-file\":\"a\",\"cardinality\":\"1\"") "," OVERLAPPING),
     1, "byte 40: the footer's blobs 1 and 2 overlap"},
    {FOOTER(FIRST "," FIRST), 2, "several vectors of data file s3://a/1.parquet"},
};

static void warns_of_what_is_missing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof warned / sizeof *warned; i++) {
        struct format_options options = {0};
        struct format_file file;
        struct dv_error error = {0};
        if (parse(&file, warned[i].json, &options, &error) != 0)
            fail_msg("%zu: %s", i, error.message);
        if (file.n_warnings != warned[i].n_warnings || !strstr(file.warnings[0], warned[i].warning))
            fail_msg("%zu: %zu warnings, %s", i, file.n_warnings, file.n_warnings ? file.warnings[0] : "");
        format_close(&file);
    }
}

struct trailer {
    const char *name;
    struct footer footer;
    uint64_t offset_bytes;
    const char *message;
};

static void refuses_bad_trailers(void **state)
{
    (void)state;
    const uint64_t at = PAYLOAD_AT + strlen(FOOTER(FIRST));
    const struct trailer trailers[] = {
        {"size -1", {FOOTER(FIRST), 0, 0xffffffff}, at, "found footer payload size -1"},
        {"size 0", {FOOTER(FIRST), 0, 0}, at, "found footer payload size 0"},
        {"size 2^31 - 1", {FOOTER(FIRST), 0, INT32_MAX}, at, "found footer payload size 2147483647"},
        {"size of the file", {FOOTER(FIRST), 0, (int64_t)at}, at, "found footer payload size"},
        {"size one less",
         {FOOTER(FIRST), 0, (int64_t)at - PAYLOAD_AT - 1},
         FOOTER_AT + 1,
         "expected the footer's magic"},
        {"reserved flag", {FOOTER(FIRST), 2, -1}, at + 4, "found footer flags 00000002"},
        {"flag of another byte", {FOOTER(FIRST), 0x01000000, -1}, at + 4, "found footer flags 01000000"},
        {"no LZ4 frame", {FOOTER(FIRST), 1, -1}, PAYLOAD_AT, "bad LZ4 frame in the footer"},
    };
    for (size_t i = 0; i < sizeof trailers / sizeof *trailers; i++) {
        struct format_options options = {0};
        struct format_file file;
        struct dv_error error = {0};
        size_t n_bytes = 0;
        uint8_t *bytes = make_file(&trailers[i].footer, &n_bytes);
        int code = format_parse(&file, bytes, n_bytes, &options, &error);
        if (code != DV_ERROR_INPUT || error.offset_bytes != trailers[i].offset_bytes ||
            !strstr(error.message, trailers[i].message))
            fail_msg("%s: code %d, byte %lld: %s", trailers[i].name, code, (long long)error.offset_bytes,
                     error.message);
    }
}

static void checks_all_three_magics(void **state)
{
    (void)state;
    const size_t n_json = strlen(FOOTER(FIRST));
    const size_t places[] = {3, FOOTER_AT, PAYLOAD_AT + n_json + 8};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct format_options options = {.format = FORMAT_PUFFIN};
        struct format_file file;
        struct dv_error error = {0};
        size_t n_bytes = 0;
        uint8_t *bytes = make_file(&(struct footer){.json = FOOTER(FIRST), .stated_bytes = -1}, &n_bytes);
        bytes[places[i]] ^= 1;
        assert_int_equal(format_parse(&file, bytes, n_bytes, &options, &error), DV_ERROR_INPUT);
        assert_int_equal(error.offset_bytes, places[i] & ~3u ? places[i] : 0);
        assert_non_null(strstr(error.message, "magic 50 46 41 31"));
    }
}

/* A good file with a compressed footer, each of its footer's bytes changed: refused or read to the same
 * vector, never a fault. */
static void survives_damaged_lz4_footers(void **state)
{
    (void)state;
    struct format_options options = {0};
    struct format_file file;
    struct dv_error error = {0};
    assert_int_equal(fixture_parse(&file, HEX_FIVE, &options, &error), 0);
    struct format_output output = {.payload = file.vectors[0].payload,
                                   .n_payload_bytes = file.vectors[0].n_payload_bytes,
                                   .cardinality = 1,
                                   .data_file = "s3://a/1.parquet"};
    struct format_write_options write_options = {.format = FORMAT_PUFFIN, .lz4_footer = true};
    uint8_t *good = NULL;
    size_t n_bytes = 0;
    assert_int_equal(format_encode(&output, 1, &write_options, &good, &n_bytes, &error), 0);
    size_t n_refused = 0;
    for (size_t at = FIRST_AT + FIRST_BYTES; at < n_bytes; at++) {
        struct format_file damaged;
        uint8_t *bytes = malloc(n_bytes);
        memcpy(bytes, good, n_bytes);
        bytes[at] ^= 0x40;
        if (format_parse(&damaged, bytes, n_bytes, &options, &error) != 0) {
            n_refused++;
            continue;
        }
        for (size_t i = 0; i < damaged.n_vectors; i++)
            assert_int_equal(damaged.vectors[i].view.cardinality, 1);
        format_close(&damaged);
    }
    assert_true(n_refused > 20);
    free(good);
    format_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_all_blobs_and_reads_vectors),
        cmocka_unit_test(chooses_by_options),
        cmocka_unit_test(refuses_bad_footers),
        cmocka_unit_test(warns_of_what_is_missing),
        cmocka_unit_test(refuses_bad_trailers),
        cmocka_unit_test(checks_all_three_magics),
        cmocka_unit_test(survives_damaged_lz4_footers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
