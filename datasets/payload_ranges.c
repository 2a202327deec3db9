/* SPDX-License-Identifier: Apache-2.0 */
/* One walk for three kinds of containers. Each kind yields pieces in ascending order; a piece that touches
 * the one before joins it, and what is joined is handed on when the next one leaves a gap. */
#include <stdbool.h>
#include <stdlib.h>

#include "format_words.h"
#include "payload_ranges.h"
#include "payload_writer.h"

enum { N_WORDS = 1024, WORD_BITS = 64 };

/* The range being joined, within one container. */
struct joiner {
    payload_range_fn *each;
    void *user;
    struct dv_error *error;
    uint64_t base;
    uint32_t first;
    uint32_t last;
    bool is_open;
};

static int flush(const struct joiner *joiner)
{
    if (!joiner->is_open)
        return 0;
    return joiner->each(joiner->user, joiner->base + joiner->first, joiner->base + joiner->last,
                        joiner->error);
}

static int join(struct joiner *joiner, uint32_t first, uint32_t last)
{
    if (joiner->is_open && first == joiner->last + 1) {
        joiner->last = last;
        return 0;
    }
    int status = flush(joiner);
    joiner->is_open = true;
    joiner->first = first;
    joiner->last = last;
    return status;
}

static int join_array(struct joiner *joiner, const struct dv_container *container)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < container->cardinality; i++) {
        uint32_t value = words_le16(container->bytes + 2 * (size_t)i);
        status = join(joiner, value, value);
    }
    return status;
}

static int join_runs(struct joiner *joiner, const struct dv_container *container)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < container->n_runs; i++) {
        const uint8_t *run = container->bytes + 2 + 4 * (size_t)i;
        uint32_t first = words_le16(run);
        status = join(joiner, first, first + words_le16(run + 2));
    }
    return status;
}

/* Runs of set bits inside one word. */
static int join_word(struct joiner *joiner, uint32_t first_bit, uint64_t word)
{
    int status = 0;
    while (status == 0 && word != 0) {
        unsigned start = (unsigned)__builtin_ctzll(word);
        uint64_t from_start = ~(word >> start);
        unsigned n_set = from_start ? (unsigned)__builtin_ctzll(from_start) : WORD_BITS;
        status = join(joiner, first_bit + start, first_bit + start + n_set - 1);
        if (start + n_set >= WORD_BITS)
            break;
        word &= UINT64_MAX << (start + n_set);
    }
    return status;
}

static int join_bitset(struct joiner *joiner, const struct dv_container *container)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < N_WORDS; i++)
        status = join_word(joiner, i * WORD_BITS, words_le64(container->bytes + 8 * (size_t)i));
    return status;
}

int payload_container_ranges(const struct dv_container *container, payload_range_fn *each, void *user,
                             struct dv_error *error_out)
{
    struct joiner joiner = {
        .each = each, .user = user, .error = error_out, .base = dv_container_start(container)};
    int status = 0;
    if (container->kind == DV_ARRAY)
        status = join_array(&joiner, container);
    else if (container->kind == DV_RUN)
        status = join_runs(&joiner, container);
    else
        status = join_bitset(&joiner, container);
    return status ? status : flush(&joiner);
}

int payload_ranges(const struct dv_view *view, payload_range_fn *each, void *user, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < view->n_containers; i++)
        status = payload_container_ranges(&view->containers[i], each, user, error_out);
    return status;
}

static uint32_t count_array_runs(const struct dv_container *container)
{
    uint32_t n_runs = 1;
    for (uint32_t i = 1; i < container->cardinality; i++) {
        const uint8_t *value = container->bytes + 2 * (size_t)i;
        n_runs += words_le16(value) != words_le16(value - 2) + 1;
    }
    return n_runs;
}

/* A run starts at each set bit whose neighbour below is clear. */
static uint32_t count_bitset_runs(const struct dv_container *container)
{
    uint32_t n_runs = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < N_WORDS; i++) {
        uint64_t word = words_le64(container->bytes + 8 * i);
        n_runs += (uint32_t)__builtin_popcountll(word & ~(word << 1 | carry));
        carry = word >> (WORD_BITS - 1);
    }
    return n_runs;
}

static uint32_t count_apart_runs(const struct dv_container *container)
{
    uint32_t n_runs = 1;
    for (uint32_t i = 1; i < container->n_runs; i++) {
        const uint8_t *run = container->bytes + 2 + 4 * (size_t)i;
        n_runs += words_le16(run) != words_le16(run - 4) + words_le16(run - 2) + 1;
    }
    return n_runs;
}

uint32_t payload_container_runs(const struct dv_container *container)
{
    switch (container->kind) {
    case DV_ARRAY:
        return count_array_runs(container);
    case DV_BITSET:
        return count_bitset_runs(container);
    default:
        return count_apart_runs(container);
    }
}

uint64_t payload_first(const struct dv_view *view)
{
    const struct dv_container *container = &view->containers[0];
    uint64_t start = dv_container_start(container);
    if (container->kind == DV_ARRAY)
        return start + words_le16(container->bytes);
    if (container->kind == DV_RUN)
        return start + words_le16(container->bytes + 2);
    size_t i = 0;
    while (words_le64(container->bytes + 8 * i) == 0)
        i++;
    return start + WORD_BITS * i + (unsigned)__builtin_ctzll(words_le64(container->bytes + 8 * i));
}

uint64_t payload_last(const struct dv_view *view)
{
    const struct dv_container *container = &view->containers[view->n_containers - 1];
    uint64_t start = dv_container_start(container);
    if (container->kind == DV_ARRAY)
        return start + words_le16(container->bytes + 2 * (size_t)(container->cardinality - 1));
    if (container->kind == DV_RUN) {
        const uint8_t *run = container->bytes + 2 + 4 * (size_t)(container->n_runs - 1);
        return start + words_le16(run) + words_le16(run + 2);
    }
    size_t i = N_WORDS - 1;
    while (words_le64(container->bytes + 8 * i) == 0)
        i--;
    return start + WORD_BITS * i + WORD_BITS - 1 -
           (unsigned)__builtin_clzll(words_le64(container->bytes + 8 * i));
}

static int add_to_writer(void *user, uint64_t first, uint64_t last, struct dv_error *error_out)
{
    if (last == UINT64_MAX)
        return dv_fail(error_out, DV_ERROR_INPUT,
                       "found position 2^64 - 1, expected less: it cannot be written");
    return payload_writer_add_range(user, first, last + 1, error_out);
}

int payload_rewrite(const struct dv_view *view, unsigned options, uint8_t **bytes_out, size_t *n_out,
                    struct dv_error *error_out)
{
    struct payload_writer writer;
    payload_writer_init(&writer, options);
    int status = payload_ranges(view, add_to_writer, &writer, error_out);
    if (status == 0)
        status = payload_writer_finish(&writer, bytes_out, n_out, error_out);
    if (status != 0)
        payload_writer_free(&writer);
    return status;
}
