/* SPDX-License-Identifier: Apache-2.0 */
/* The container view: from untrusted bytes to an array of containers that kernels may walk without checks.
 *
 *   payload   u64 n_buckets, then per bucket: u32 key, bitmap           keys ascend, unsigned
 *   bitmap    u32 12346, u32 n                                          where it has no run container
 *             u16 12347, u16 n - 1, (n + 7) / 8 bytes of run flags      else; lowest bit first
 *             n x { u16 chunk, u16 cardinality - 1 }                    chunks ascend, unsigned
 *             n x u32 offset of the body from the cookie                with runs only where n >= 4
 *             n x body
 *   body      array: cardinality x u16; bitset: 1024 x u64; run: u16 n_runs, n_runs x { u16, u16 }
 *
 * dv_view_index reads the headers and the run counts, nothing else: its cost is per container.
 * dv_view_validate reads every byte of every body. The policy where the format leaves a choice: empty buckets
 * and touching runs are accepted (writers make them); a container of 0 runs, an offset that is not where the
 * body lies, a header cardinality that is not the body's, and bytes after the last bucket are refused,
 * though CRoaring's own validator lets most of these pass. Source: RoaringFormatSpec. */
#include <inttypes.h>
#include <stdlib.h>

#include "bitset_count.h"
#include "bytes.h"
#include "dv.h"

#define COOKIE_NO_RUNS 12346u
#define COOKIE_RUNS    12347u
#define MAX_CONTAINERS DV_CHUNK_ROWS /* as many chunks as a chunk has rows: both have 16 bits */
#define RUN_BYTES      4u
/* Below so many containers a bitmap with runs has no offset table. */
#define MIN_CONTAINERS_WITH_OFFSETS 4u
/* A bucket takes at least its key, the cookie and a count of 0. */
#define MIN_BUCKET_BYTES 12u
/* A container takes at least its header and an array of one value. */
#define MIN_CONTAINER_BYTES 6u

/* Where in the payload the next field lies. */
struct reader {
    const uint8_t *bytes;
    uint64_t n_bytes;
    uint64_t at;
};

/* One bitmap's header, as offsets from the start of the payload. */
struct bitmap_header {
    uint64_t start;
    uint64_t run_flags; /* where has_runs */
    uint64_t containers;
    uint64_t offsets; /* where has_offsets */
    uint32_t n_containers;
    bool has_runs;
    bool has_offsets;
};

static uint64_t bytes_left(const struct reader *reader)
{
    return reader->n_bytes - reader->at;
}

static int need_bytes(const struct reader *reader, uint64_t n_needed, const char *what,
                      struct dv_error *error_out)
{
    if (n_needed <= bytes_left(reader))
        return 0;
    return dv_fail_at(error_out, DV_ERROR_INPUT, reader->at,
                      "truncated: %s needs %" PRIu64 " bytes, %" PRIu64 " are left", what, n_needed,
                      bytes_left(reader));
}

static int reserve(struct dv_view *view, size_t *capacity, size_t n_more, struct dv_error *error_out)
{
    size_t n_needed = view->n_containers + n_more;
    if (n_needed <= *capacity)
        return 0;
    size_t n_new = n_needed > 2 * *capacity ? n_needed : 2 * *capacity;
    struct dv_container *grown = reallocarray(view->containers, n_new, sizeof *grown);
    if (!grown)
        return dv_no_memory(error_out);
    view->containers = grown;
    *capacity = n_new;
    return 0;
}

static int read_cookie(struct bitmap_header *header, struct reader *reader, struct dv_error *error_out)
{
    header->start = reader->at;
    int status = need_bytes(reader, 4, "the cookie of a bitmap", error_out);
    if (status)
        return status;
    uint32_t cookie = load_le32(reader->bytes + reader->at);
    header->has_runs = (cookie & 0xffff) == COOKIE_RUNS;
    if (header->has_runs) {
        header->n_containers = (cookie >> 16) + 1;
        reader->at += 4;
        return 0;
    }
    if (cookie != COOKIE_NO_RUNS)
        return dv_fail_at(error_out, DV_ERROR_INPUT, reader->at,
                          "cookie %" PRIu32 " of a bitmap, expected %u or 16 bits of %u", cookie,
                          COOKIE_NO_RUNS, COOKIE_RUNS);
    status = need_bytes(reader, 8, "cookie and container count", error_out);
    if (status)
        return status;
    header->n_containers = load_le32(reader->bytes + reader->at + 4);
    if (header->n_containers > MAX_CONTAINERS)
        return dv_fail_at(error_out, DV_ERROR_INPUT, reader->at + 4,
                          "container count %" PRIu32 ", at most %u fit a bitmap", header->n_containers,
                          MAX_CONTAINERS);
    reader->at += 8;
    return 0;
}

static int read_header(struct bitmap_header *header, struct reader *reader, struct dv_error *error_out)
{
    int status = read_cookie(header, reader, error_out);
    if (status)
        return status;
    uint64_t n = header->n_containers;
    uint64_t n_flag_bytes = header->has_runs ? (n + 7) / 8 : 0;
    header->has_offsets = !header->has_runs || n >= MIN_CONTAINERS_WITH_OFFSETS;
    uint64_t n_offset_bytes = header->has_offsets ? 4 * n : 0;
    status = need_bytes(reader, n_flag_bytes + 4 * n + n_offset_bytes, "the header of a bitmap", error_out);
    if (status)
        return status;
    header->run_flags = reader->at;
    header->containers = header->run_flags + n_flag_bytes;
    header->offsets = header->containers + 4 * n;
    reader->at = header->offsets + n_offset_bytes;
    return need_bytes(reader, n * (MIN_CONTAINER_BYTES - 4), "the containers of a bitmap", error_out);
}

/* The body's kind and length. A run body says its own; the others follow from the cardinality. */
static int read_body(struct dv_container *container, bool is_run, struct reader *reader,
                     struct dv_error *error_out)
{
    uint64_t n_body_bytes = DV_BITSET_BYTES;
    container->kind = DV_BITSET;
    container->n_runs = 0;
    if (is_run) {
        int status = need_bytes(reader, 2, "the run count of a container", error_out);
        if (status)
            return status;
        container->kind = DV_RUN;
        container->n_runs = load_le16(reader->bytes + reader->at);
        if (container->n_runs == 0)
            return dv_fail_at(error_out, DV_ERROR_INPUT, reader->at,
                              "run container with 0 runs, expected at least 1");
        n_body_bytes = 2 + (uint64_t)container->n_runs * RUN_BYTES;
    } else if (container->cardinality <= DV_ARRAY_MAX) {
        container->kind = DV_ARRAY;
        n_body_bytes = 2 * (uint64_t)container->cardinality;
    }
    static const char *const names[DV_N_KINDS] = {"an array container", "a bitset container",
                                                  "a run container"};
    int status = need_bytes(reader, n_body_bytes, names[container->kind], error_out);
    if (status)
        return status;
    container->bytes = reader->bytes + reader->at;
    reader->at += n_body_bytes;
    return 0;
}

static int read_container(struct dv_container *container, const struct bitmap_header *header, uint32_t index,
                          struct reader *reader, struct dv_error *error_out)
{
    const uint8_t *bytes = reader->bytes;
    uint64_t at = header->containers + 4 * (uint64_t)index;
    container->chunk = load_le16(bytes + at);
    container->cardinality = load_le16(bytes + at + 2) + 1u;
    if (index > 0 && container->chunk <= load_le16(bytes + at - 4))
        return dv_fail_at(error_out, DV_ERROR_INPUT, at, "chunk %u after chunk %u, expected ascending chunks",
                          container->chunk, load_le16(bytes + at - 4));
    if (header->has_offsets) {
        uint64_t at_offset = header->offsets + 4 * (uint64_t)index;
        uint32_t stated = load_le32(bytes + at_offset);
        if (stated != reader->at - header->start)
            return dv_fail_at(error_out, DV_ERROR_INPUT, at_offset,
                              "offset %" PRIu32 " of container %" PRIu32 ", expected %" PRIu64, stated, index,
                              reader->at - header->start);
    }
    bool is_run = header->has_runs && (bytes[header->run_flags + index / 8] >> index % 8 & 1);
    return read_body(container, is_run, reader, error_out);
}

static int read_bucket(struct dv_view *view, size_t *capacity, struct reader *reader, uint32_t key,
                       struct dv_error *error_out)
{
    struct bitmap_header header = {0};
    int status = read_header(&header, reader, error_out);
    if (!status)
        status = reserve(view, capacity, header.n_containers, error_out);
    for (uint32_t i = 0; !status && i < header.n_containers; i++) {
        struct dv_container *container = &view->containers[view->n_containers];
        status = read_container(container, &header, i, reader, error_out);
        if (status)
            break;
        container->key = key;
        view->cardinality += container->cardinality;
        view->n_kind[container->kind]++;
        view->n_containers++;
    }
    return status;
}

static int read_buckets(struct dv_view *view, struct reader *reader, struct dv_error *error_out)
{
    size_t capacity = 0;
    int64_t last_key = -1;
    for (uint64_t i = 0; i < view->n_buckets; i++) {
        int status = need_bytes(reader, 4, "the key of a bucket", error_out);
        if (status)
            return status;
        uint32_t key = load_le32(reader->bytes + reader->at);
        if (key <= last_key)
            return dv_fail_at(error_out, DV_ERROR_INPUT, reader->at,
                              "key %" PRIu32 " after key %" PRId64 ", expected ascending keys", key,
                              last_key);
        last_key = key;
        reader->at += 4;
        status = read_bucket(view, &capacity, reader, key, error_out);
        if (status)
            return status;
    }
    if (bytes_left(reader))
        return dv_fail_at(error_out, DV_ERROR_INPUT, reader->at,
                          "%" PRIu64 " trailing bytes after the last of %" PRIu64 " buckets",
                          bytes_left(reader), view->n_buckets);
    return 0;
}

int dv_view_index(struct dv_view *view_out, const uint8_t *bytes, size_t n_bytes, struct dv_error *error_out)
{
    *view_out = (struct dv_view){0};
    struct reader reader = {.bytes = bytes, .n_bytes = n_bytes};
    int status = need_bytes(&reader, 8, "the bucket count", error_out);
    if (status)
        return status;
    struct dv_view view = {.n_buckets = load_le64(bytes)};
    reader.at = 8;
    if (view.n_buckets > bytes_left(&reader) / MIN_BUCKET_BYTES)
        return dv_fail_at(error_out, DV_ERROR_INPUT, 0,
                          "bucket count %" PRIu64 ", at most %" PRIu64 " fit the %" PRIu64 " bytes left",
                          view.n_buckets, bytes_left(&reader) / MIN_BUCKET_BYTES, bytes_left(&reader));
    status = read_buckets(&view, &reader, error_out);
    if (status)
        dv_view_free(&view);
    else
        *view_out = view;
    return status;
}

/* The checks of arrays and runs first read everything without a branch, in lanes no wider than the values, so
 * that compilers vectorise them even for the baseline of an architecture. Only where something is wrong is it
 * looked for, one by one. Indices have 64 bits: gcc gives up where one of 32 could wrap. */
static bool array_ascends(const struct dv_container *container)
{
    const uint8_t *values = container->bytes;
    uint16_t is_wrong = 0;
    size_t n = container->cardinality;
    for (size_t i = 1; i < n; i++)
        is_wrong |= load_le16(values + 2 * i) <= load_le16(values + 2 * i - 2);
    return !is_wrong;
}

static int validate_array(const struct dv_container *container, uint64_t at, struct dv_error *error_out)
{
    const uint8_t *values = container->bytes;
    if (array_ascends(container))
        return 0;
    uint32_t i = 1;
    while (load_le16(values + 2 * i) > load_le16(values + 2 * i - 2))
        i++;
    return dv_fail_at(error_out, DV_ERROR_INPUT, at + 2 * i,
                      "array value %u after %u, expected ascending values", load_le16(values + 2 * i),
                      load_le16(values + 2 * i - 2));
}

static int validate_bitset(const struct dv_container *container, uint64_t at, struct dv_error *error_out)
{
    uint32_t n_set = bitset_count(container->bytes);
    if (n_set == container->cardinality)
        return 0;
    return dv_fail_at(error_out, DV_ERROR_INPUT, at,
                      "bitset has %" PRIu32 " bits set, its header says %" PRIu32, n_set,
                      container->cardinality);
}

/* A run as one word: start in the low half, length minus one in the high half. */
static ALWAYS_INLINE int32_t run_end(uint32_t run)
{
    return (int32_t)((run & 0xffff) + (run >> 16) + 1);
}

/* Whether the runs are sorted, disjoint and inside the chunk, and hold `cardinality` values. */
static bool runs_are_right(const struct dv_container *container)
{
    const uint8_t *runs = container->bytes + 2;
    uint32_t first = load_le32(runs);
    uint32_t n_values = (first >> 16) + 1;
    uint32_t is_wrong = run_end(first) > (int32_t)DV_CHUNK_ROWS;
    size_t n = container->n_runs;
    for (size_t i = 1; i < n; i++) {
        uint32_t before = load_le32(runs + RUN_BYTES * i - RUN_BYTES);
        uint32_t run = load_le32(runs + RUN_BYTES * i);
        is_wrong |= (int32_t)(run & 0xffff) < run_end(before);
        is_wrong |= run_end(run) > (int32_t)DV_CHUNK_ROWS;
        n_values += (run >> 16) + 1;
    }
    return !is_wrong && n_values == container->cardinality;
}

static int validate_runs(const struct dv_container *container, uint64_t at, struct dv_error *error_out)
{
    if (runs_are_right(container))
        return 0;
    int32_t last_end = 0;
    uint32_t n_values = 0;
    for (uint32_t i = 0; i < container->n_runs; i++) {
        uint32_t run = load_le32(container->bytes + 2 + RUN_BYTES * i);
        uint64_t at_run = at + 2 + RUN_BYTES * i;
        if ((int32_t)(run & 0xffff) < last_end)
            return dv_fail_at(error_out, DV_ERROR_INPUT, at_run,
                              "run starts at %" PRIu32 ", expected %" PRId32
                              " or later: the run before ends there",
                              run & 0xffff, last_end);
        if (run_end(run) > (int32_t)DV_CHUNK_ROWS)
            return dv_fail_at(error_out, DV_ERROR_INPUT, at_run,
                              "run ends at %" PRId32 ", its chunk ends at 65536", run_end(run));
        n_values += (run >> 16) + 1;
        last_end = run_end(run);
    }
    return dv_fail_at(error_out, DV_ERROR_INPUT, at,
                      "runs hold %" PRIu32 " values, their header says %" PRIu32, n_values,
                      container->cardinality);
}

int dv_view_validate(const struct dv_view *view, const uint8_t *bytes, struct dv_error *error_out)
{
    static int (*const validators[DV_N_KINDS])(const struct dv_container *, uint64_t, struct dv_error *) = {
        [DV_ARRAY] = validate_array, [DV_BITSET] = validate_bitset, [DV_RUN] = validate_runs};
    for (size_t i = 0; i < view->n_containers; i++) {
        const struct dv_container *container = &view->containers[i];
        int status = validators[container->kind](container, (uint64_t)(container->bytes - bytes), error_out);
        if (status)
            return status;
    }
    return 0;
}

void dv_view_free(struct dv_view *view)
{
    free(view->containers);
    *view = (struct dv_view){0};
}

size_t dv_view_seek(const struct dv_view *view, uint64_t position)
{
    /* Compared as chunk numbers: the end of the last chunk of key 2^32 - 1 would not fit. */
    uint64_t chunk = position >> 16;
    size_t low = 0;
    size_t high = view->n_containers;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dv_container_start(&view->containers[middle]) >> 16 < chunk)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
