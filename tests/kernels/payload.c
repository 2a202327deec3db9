/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <stdlib.h>
#include <string.h>

/* Large enough for a bitmap of some dozens of containers, its header included. */
#define MAX_BYTES ((size_t)1 << 20)

struct writer {
    uint8_t *bytes;
    size_t n_bytes;
};

static void put(struct writer *writer, uint64_t value, int n)
{
    if (writer->n_bytes + (size_t)n > MAX_BYTES)
        abort();
    for (int i = 0; i < n; i++)
        writer->bytes[writer->n_bytes++] = (uint8_t)(value >> 8 * i);
}

static bool container_has(const struct payload_container *container, uint32_t value)
{
    for (int i = 0; i < PAYLOAD_RANGES; i++) {
        const struct payload_range *range = &container->ranges[i];
        if (value >= range->from && value < range->to &&
            (value - range->from) % (range->step ? range->step : 1) == 0)
            return true;
    }
    return false;
}

static uint32_t count_values(const struct payload_container *container)
{
    uint32_t n = 0;
    for (uint32_t value = 0; value < 65536; value++)
        n += container_has(container, value);
    return n;
}

static void put_array(struct writer *writer, const struct payload_container *container)
{
    for (uint32_t value = 0; value < 65536; value++)
        if (container_has(container, value))
            put(writer, value, 2);
}

static void put_bitset(struct writer *writer, const struct payload_container *container)
{
    for (uint32_t value = 0; value < 65536; value += 8) {
        unsigned byte = 0;
        for (uint32_t bit = 0; bit < 8; bit++)
            byte |= (unsigned)container_has(container, value + bit) << bit;
        put(writer, byte, 1);
    }
}

/* A run per stretch of values; ranges that touch make touching runs. */
static void put_runs(struct writer *writer, const struct payload_container *container)
{
    size_t at = writer->n_bytes;
    unsigned n_runs = 0;
    put(writer, 0, 2);
    for (int i = 0; i < PAYLOAD_RANGES; i++) {
        const struct payload_range *range = &container->ranges[i];
        uint32_t n_values = range->step > 1 ? 1 : range->to - range->from;
        uint32_t step = range->step > 1 ? range->step : n_values;
        for (uint32_t from = range->from; from < range->to; from += step, n_runs++) {
            put(writer, from, 2);
            put(writer, n_values - 1, 2);
        }
    }
    writer->bytes[at] = (uint8_t)n_runs;
    writer->bytes[at + 1] = (uint8_t)(n_runs >> 8);
}

static void put_body(struct writer *writer, const struct payload_container *container)
{
    if (container->kind == DV_RUN)
        put_runs(writer, container);
    else if (container->kind == DV_BITSET)
        put_bitset(writer, container);
    else
        put_array(writer, container);
}

static void put_bitmap(struct writer *writer, const struct payload_container *containers, size_t n)
{
    size_t start = writer->n_bytes;
    bool has_runs = false;
    for (size_t i = 0; i < n; i++)
        has_runs |= containers[i].kind == DV_RUN;
    put(writer, has_runs ? 12347 | (n - 1) << 16 : 12346, 4);
    if (!has_runs)
        put(writer, n, 4);
    for (size_t i = 0; has_runs && i < n; i += 8) {
        unsigned flags = 0;
        for (size_t bit = 0; bit < 8 && i + bit < n; bit++)
            flags |= (unsigned)(containers[i + bit].kind == DV_RUN) << bit;
        put(writer, flags, 1);
    }
    for (size_t i = 0; i < n; i++) {
        put(writer, containers[i].chunk, 2);
        put(writer, count_values(&containers[i]) - 1, 2);
    }
    size_t offsets = writer->n_bytes;
    bool has_offsets = !has_runs || n >= 4;
    for (size_t i = 0; has_offsets && i < n; i++)
        put(writer, 0, 4);
    for (size_t i = 0; i < n; i++) {
        uint32_t offset = (uint32_t)(writer->n_bytes - start);
        for (int byte = 0; has_offsets && byte < 4; byte++)
            writer->bytes[offsets + 4 * i + (size_t)byte] = (uint8_t)(offset >> 8 * byte);
        put_body(writer, &containers[i]);
    }
}

uint8_t *payload_write(const struct payload_container *containers, size_t n_containers, size_t *n_bytes_out)
{
    struct writer writer = {.bytes = malloc(MAX_BYTES)};
    if (!writer.bytes)
        abort();
    uint64_t n_buckets = 0;
    for (size_t i = 0; i < n_containers; i++)
        n_buckets += i == 0 || containers[i].key != containers[i - 1].key;
    put(&writer, n_buckets, 8);
    for (size_t i = 0; i < n_containers;) {
        size_t n = 1;
        while (i + n < n_containers && containers[i + n].key == containers[i].key)
            n++;
        put(&writer, containers[i].key, 4);
        put_bitmap(&writer, containers + i, n);
        i += n;
    }
    /* Exactly as long as the payload, so that a sanitizer sees a read behind it. */
    uint8_t *bytes = malloc(writer.n_bytes);
    if (!bytes)
        abort();
    memcpy(bytes, writer.bytes, writer.n_bytes);
    free(writer.bytes);
    *n_bytes_out = writer.n_bytes;
    return bytes;
}

bool payload_has(const struct payload_container *containers, size_t n_containers, uint64_t position)
{
    for (size_t i = 0; i < n_containers; i++) {
        uint64_t base = (uint64_t)containers[i].key << 32 | (uint64_t)containers[i].chunk << 16;
        if (position - base < 65536 && container_has(&containers[i], (uint32_t)(position - base)))
            return true;
    }
    return false;
}
