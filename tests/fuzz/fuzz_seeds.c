/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "format_fixture.h"
#include "format_write.h"
#include "fuzz_target.h"
#include "payload_writer.h"

static const char *const blobs[] = {HEX_EMPTY,        HEX_FIVE,        HEX_0_TO_9999,
                                    HEX_SPARSE_KEY_5, HEX_ALTERNATING, HEX_SMALL_AND_LARGE,
                                    HEX_ALL_KINDS};
static const char *const bitmaps[] = {HEX_ROARING32_3_RUNS, HEX_ROARING32_4_RUNS, HEX_ROARING32_FULL_CHUNK};

enum { N_BLOBS = sizeof blobs / sizeof *blobs, N_BITMAPS = sizeof bitmaps / sizeof *bitmaps };

struct seeding {
    enum format_kind format;
    void (*each)(void *user, const uint8_t *bytes, size_t n_bytes);
    void *user;
};

static void give(const struct seeding *seeding, const struct format_output *outputs, size_t n_outputs,
                 bool lz4_footer)
{
    const struct format_write_options options = {.format = seeding->format, .lz4_footer = lz4_footer};
    struct dv_error error;
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    if (format_encode(outputs, n_outputs, &options, &bytes, &n_bytes, &error) != 0)
        return; /* 32-bit bitmaps hold no large position */
    seeding->each(seeding->user, bytes, n_bytes);
    free(bytes);
}

/* Every other row of 10,000: a bitset without run containers. */
static void give_bitset(const struct seeding *seeding)
{
    struct payload_writer writer;
    struct dv_error error;
    struct format_output output = {.cardinality = 5000, .data_file = "a"};
    uint8_t *payload = NULL;
    payload_writer_init(&writer, 0);
    for (uint64_t row = 0; row < 10000; row += 2)
        if (payload_writer_add_range(&writer, row, row + 1, &error) != 0)
            abort();
    if (payload_writer_finish(&writer, &payload, &output.n_payload_bytes, &error) != 0)
        abort();
    output.payload = payload;
    give(seeding, &output, 1, false);
    free(payload);
}

void fuzz_seeds(enum format_kind format, void (*each)(void *user, const uint8_t *bytes, size_t n_bytes),
                void *user)
{
    const struct seeding seeding = {.format = format, .each = each, .user = user};
    struct format_file files[N_BLOBS + N_BITMAPS];
    struct format_output outputs[N_BLOBS + N_BITMAPS];
    for (size_t i = 0; i < N_BLOBS + N_BITMAPS; i++) {
        struct format_options options = {0};
        struct dv_error error;
        if (fixture_parse(&files[i], i < N_BLOBS ? blobs[i] : bitmaps[i - N_BLOBS], &options, &error) != 0)
            abort();
        outputs[i] = (struct format_output){.payload = files[i].vectors[0].payload,
                                            .n_payload_bytes = files[i].vectors[0].n_payload_bytes,
                                            .cardinality = files[i].vectors[0].view.cardinality,
                                            .data_file = i % 2 ? "s3://a/1.parquet" : ""};
        give(&seeding, &outputs[i], 1, false);
    }
    give(&seeding, outputs, N_BLOBS + N_BITMAPS, false);
    give(&seeding, outputs, 2, true);
    give_bitset(&seeding);
    for (size_t i = 0; i < N_BLOBS + N_BITMAPS; i++)
        format_close(&files[i]);
}
