/* SPDX-License-Identifier: Apache-2.0 */
/* How a payload grows:
 *
 *   bytes: [u64 bucket count][bucket][bucket]...[containers of the open bucket]
 *                                               ^ bucket_start
 *
 * The header of a bucket (key, cookie, one descriptor a container, offsets) can only be written once its last
 * container is known, so containers are appended first and moved up by the header's size when the bucket
 * closes: one buffer, one move. The runs of the open chunk are kept in a table (at most 32,768) until the
 * chunk closes, when cardinality and number of runs decide its kind. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format_words.h"
#include "payload_writer.h"

enum {
    MAX_RUNS = DV_CHUNK_ROWS / 2,
    COOKIE_NO_RUNS = 12346,
    COOKIE_RUNS = 12347,
    NO_OFFSETS_BELOW = 4, /* containers in a bitmap with runs, up to which the offset table is left out */
    COUNT_BYTES = 8,      /* bucket count at the start of the payload */
    KEY_BYTES = 4,
};

struct payload_run {
    uint16_t start;
    uint16_t last;
};

struct payload_container {
    uint32_t n_bytes;
    uint16_t chunk;
    uint16_t cardinality_minus1;
    uint8_t kind; /* enum dv_kind */
};

/* Makes room for `n_more` bytes at the end of the payload, without counting them as written. */
static int reserve(struct payload_writer *writer, size_t n_more, struct dv_error *error_out)
{
    if (n_more > PAYLOAD_MAX_BYTES - writer->n_bytes)
        return dv_fail(error_out, DV_ERROR_MEMORY,
                       "the deletion vector would take more than %zu bytes, the most that readers accept",
                       PAYLOAD_MAX_BYTES);
    size_t n_needed = writer->n_bytes + n_more;
    if (n_needed <= writer->n_bytes_allocated)
        return 0;
    size_t n_doubled = writer->n_bytes_allocated * 2;
    size_t n_new = n_needed > n_doubled ? n_needed : n_doubled;
    uint8_t *bytes = realloc(writer->bytes, n_new);
    if (!bytes)
        return dv_no_memory(error_out);
    writer->bytes = bytes;
    writer->n_bytes_allocated = n_new;
    return 0;
}

/* --- one chunk --- */

static uint32_t runs_cardinality(const struct payload_run *runs, size_t n_runs)
{
    uint32_t cardinality = 0;
    for (size_t i = 0; i < n_runs; i++)
        cardinality += (uint32_t)runs[i].last - runs[i].start + 1;
    return cardinality;
}

static void write_array(uint8_t *at, const struct payload_run *runs, size_t n_runs)
{
    for (size_t i = 0; i < n_runs; i++) {
        for (uint32_t value = runs[i].start; value <= runs[i].last; value++, at += 2)
            words_put_le16(at, (uint16_t)value);
    }
}

/* Bits [start, last] of the little-endian bitset: the edges by mask, the bytes between by memset. */
static void set_bits(uint8_t *bitset, uint32_t start, uint32_t last)
{
    uint32_t first_byte = start / 8, last_byte = last / 8;
    uint8_t head = (uint8_t)(0xff << (start % 8));
    uint8_t tail = (uint8_t)(0xff >> (7 - last % 8));
    if (first_byte == last_byte) {
        bitset[first_byte] |= head & tail;
        return;
    }
    bitset[first_byte] |= head;
    memset(bitset + first_byte + 1, 0xff, last_byte - first_byte - 1);
    bitset[last_byte] |= tail;
}

static void write_bitset(uint8_t *at, const struct payload_run *runs, size_t n_runs)
{
    memset(at, 0, DV_BITSET_BYTES);
    for (size_t i = 0; i < n_runs; i++)
        set_bits(at, runs[i].start, runs[i].last);
}

static void write_runs(uint8_t *at, const struct payload_run *runs, size_t n_runs)
{
    words_put_le16(at, (uint16_t)n_runs);
    for (size_t i = 0; i < n_runs; i++) {
        words_put_le16(at + 2 + 4 * i, runs[i].start);
        words_put_le16(at + 4 + 4 * i, (uint16_t)(runs[i].last - runs[i].start));
    }
}

/* The Java writers' choice, see the header. */
static struct payload_container choose_container(const struct payload_writer *writer)
{
    uint32_t cardinality = runs_cardinality(writer->runs, writer->n_runs);
    uint32_t n_run_bytes = 2 + 4 * (uint32_t)writer->n_runs;
    struct payload_container container = {
        .n_bytes = cardinality <= DV_ARRAY_MAX ? 2 * cardinality : DV_BITSET_BYTES,
        .chunk = (uint16_t)writer->open_chunk,
        .cardinality_minus1 = (uint16_t)(cardinality - 1),
        .kind = cardinality <= DV_ARRAY_MAX ? DV_ARRAY : DV_BITSET,
    };
    if ((writer->options & PAYLOAD_OPTIMIZE) && n_run_bytes < container.n_bytes) {
        container.n_bytes = n_run_bytes;
        container.kind = DV_RUN;
    }
    return container;
}

static int append_container(struct payload_writer *writer, struct payload_container container,
                            struct dv_error *error_out)
{
    if (writer->n_containers == writer->n_containers_allocated) {
        size_t n_new = writer->n_containers ? 2 * writer->n_containers : 64;
        void *grown = realloc(writer->containers, n_new * sizeof *writer->containers);
        if (!grown)
            return dv_no_memory(error_out);
        writer->containers = grown;
        writer->n_containers_allocated = n_new;
    }
    writer->containers[writer->n_containers++] = container;
    return 0;
}

/* Turns the runs of the open chunk into a container at the end of the payload. */
static int close_chunk(struct payload_writer *writer, struct dv_error *error_out)
{
    static void (*const write[DV_N_KINDS])(uint8_t *, const struct payload_run *, size_t) = {
        [DV_ARRAY] = write_array,
        [DV_BITSET] = write_bitset,
        [DV_RUN] = write_runs,
    };
    if (writer->n_runs == 0)
        return 0;
    struct payload_container container = choose_container(writer);
    int status = reserve(writer, container.n_bytes, error_out);
    if (!status)
        status = append_container(writer, container, error_out);
    if (status)
        return status;
    write[container.kind](writer->bytes + writer->n_bytes, writer->runs, writer->n_runs);
    writer->n_bytes += container.n_bytes;
    writer->n_runs = 0;
    return 0;
}

/* --- one bucket --- */

static bool has_runs(const struct payload_writer *writer)
{
    for (size_t i = 0; i < writer->n_containers; i++) {
        if (writer->containers[i].kind == DV_RUN)
            return true;
    }
    return false;
}

/* Cookie and run flags, or cookie and count. Returns the byte after. */
static uint8_t *write_cookie(uint8_t *at, const struct payload_writer *writer, bool runs)
{
    size_t n = writer->n_containers;
    if (!runs) {
        words_put_le32(at, COOKIE_NO_RUNS);
        words_put_le32(at + 4, (uint32_t)n);
        return at + 8;
    }
    words_put_le32(at, COOKIE_RUNS | (uint32_t)(n - 1) << 16);
    at += 4;
    memset(at, 0, (n + 7) / 8);
    for (size_t i = 0; i < n; i++)
        at[i / 8] |= (uint8_t)((writer->containers[i].kind == DV_RUN) << i % 8);
    return at + (n + 7) / 8;
}

/* Puts the header of `key` before the containers of the open bucket, which may be none. */
static int close_bucket(struct payload_writer *writer, uint32_t key, struct dv_error *error_out)
{
    size_t n = writer->n_containers;
    bool runs = has_runs(writer);
    bool offsets = !runs || n >= NO_OFFSETS_BELOW;
    size_t n_header_bytes = (runs ? 4 + (n + 7) / 8 : 8) + 4 * n + (offsets ? 4 * n : 0);
    int status = reserve(writer, KEY_BYTES + n_header_bytes, error_out);
    if (status)
        return status;

    uint8_t *bucket = writer->bytes + writer->bucket_start;
    memmove(bucket + KEY_BYTES + n_header_bytes, bucket, writer->n_bytes - writer->bucket_start);
    words_put_le32(bucket, key);
    uint8_t *at = write_cookie(bucket + KEY_BYTES, writer, runs);
    for (size_t i = 0; i < n; i++, at += 4) {
        words_put_le16(at, writer->containers[i].chunk);
        words_put_le16(at + 2, writer->containers[i].cardinality_minus1);
    }
    uint32_t offset = (uint32_t)n_header_bytes; /* from the cookie; PAYLOAD_MAX_BYTES keeps it in 32 bits */
    for (size_t i = 0; offsets && i < n; i++, at += 4) {
        words_put_le32(at, offset);
        offset += writer->containers[i].n_bytes;
    }
    assert(at == bucket + KEY_BYTES + n_header_bytes);

    writer->n_bytes += KEY_BYTES + n_header_bytes;
    writer->bucket_start = writer->n_bytes;
    writer->n_containers = 0;
    writer->n_buckets++;
    return 0;
}

/* With dense keys, the empty buckets up to `key`. The sum is checked first: a high key must fail at once, not
 * after hours. */
static int fill_keys(struct payload_writer *writer, uint32_t key, struct dv_error *error_out)
{
    if (!(writer->options & PAYLOAD_DENSE_KEYS))
        return 0;
    assert(writer->n_buckets <= key);
    int status = reserve(writer, (key - writer->n_buckets) * (KEY_BYTES + 8), error_out);
    while (!status && writer->n_buckets < key)
        status = close_bucket(writer, (uint32_t)writer->n_buckets, error_out);
    return status;
}

/* Closes what is open before `chunk` (position >> 16) and opens it. */
static int open_chunk(struct payload_writer *writer, uint64_t chunk, struct dv_error *error_out)
{
    int status = close_chunk(writer, error_out);
    bool new_bucket = writer->n_containers == 0 || writer->open_chunk >> 16 != chunk >> 16;
    if (!status && writer->n_containers > 0 && new_bucket)
        status = close_bucket(writer, (uint32_t)(writer->open_chunk >> 16), error_out);
    if (!status && new_bucket)
        status = fill_keys(writer, (uint32_t)(chunk >> 16), error_out);
    writer->open_chunk = chunk;
    return status;
}

/* First use: the bucket count's place and the table of runs. */
static int start(struct payload_writer *writer, struct dv_error *error_out)
{
    if (writer->runs)
        return 0;
    writer->runs = malloc(MAX_RUNS * sizeof *writer->runs);
    if (!writer->runs)
        return dv_no_memory(error_out);
    int status = reserve(writer, COUNT_BYTES, error_out);
    if (status)
        return status;
    writer->n_bytes = writer->bucket_start = COUNT_BYTES;
    return 0;
}

/* Adds [first, last] of `chunk`, joining it to the run before where they touch. */
static int add_run(struct payload_writer *writer, uint64_t chunk, uint16_t first, uint16_t last,
                   struct dv_error *error_out)
{
    if (writer->n_runs == 0 || writer->open_chunk != chunk) {
        int status = open_chunk(writer, chunk, error_out);
        if (status)
            return status;
    }
    if (writer->n_runs > 0 && writer->runs[writer->n_runs - 1].last + 1 == first) {
        writer->runs[writer->n_runs - 1].last = last;
        return 0;
    }
    assert(writer->n_runs < MAX_RUNS);
    writer->runs[writer->n_runs++] = (struct payload_run){.start = first, .last = last};
    return 0;
}

/* --- the interface --- */

void payload_writer_init(struct payload_writer *writer, unsigned options)
{
    *writer = (struct payload_writer){.options = options};
}

int payload_writer_add_range(struct payload_writer *writer, uint64_t start_position, uint64_t end,
                             struct dv_error *error_out)
{
    if (start_position > end || start_position < writer->next_position)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "positions [%" PRIu64 ", %" PRIu64 ") after position %" PRIu64
                       ": ranges must ascend and not overlap",
                       start_position, end, writer->next_position);
    if (start_position == end)
        return 0;
    int status = start(writer, error_out);
    uint64_t first = start_position;
    while (!status && first < end) {
        uint64_t chunk = first / DV_CHUNK_ROWS;
        uint64_t last =
            chunk == (end - 1) / DV_CHUNK_ROWS ? end - 1 : chunk * DV_CHUNK_ROWS + (DV_CHUNK_ROWS - 1);
        status = add_run(writer, chunk, (uint16_t)first, (uint16_t)last, error_out);
        first = last + 1;
    }
    writer->n_positions += end - start_position;
    writer->next_position = end;
    return status;
}

int payload_writer_finish(struct payload_writer *writer, uint8_t **bytes_out, size_t *n_bytes_out,
                          struct dv_error *error_out)
{
    int status = start(writer, error_out);
    if (!status)
        status = close_chunk(writer, error_out);
    if (!status && writer->n_containers > 0)
        status = close_bucket(writer, (uint32_t)(writer->open_chunk >> 16), error_out);
    if (status) {
        payload_writer_free(writer);
        return status;
    }
    words_put_le64(writer->bytes, writer->n_buckets);
    uint8_t *exact = realloc(writer->bytes, writer->n_bytes);
    *bytes_out = exact ? exact : writer->bytes;
    *n_bytes_out = writer->n_bytes;
    writer->bytes = NULL;
    payload_writer_free(writer);
    return 0;
}

void payload_writer_free(struct payload_writer *writer)
{
    free(writer->bytes);
    free(writer->containers);
    free(writer->runs);
    payload_writer_init(writer, writer->options);
}
