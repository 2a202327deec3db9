/* SPDX-License-Identifier: Apache-2.0 */
/* expand_bits: the file's rows as one flat bitmap, made once at open, as delta-kernel-rs and StarRocks hold
 * selections (a byte or a bit per row).
 *
 *     open    array, bitset and run containers -> ...0000100101, from the first chunk with deletes to the last
 *     batch   for each word of 64 rows: while it has bits: deleted(lowest), clear it
 *
 * Benefit: no container kinds, no search, no cursor; the word of a row is found by its index. Cost: a bit for
 * every row between the first and the last deleted one, at open, whether or not a batch reads it; a DV with
 * deletes far apart needs terabytes, so that over 4 GiB it is refused. With few deletes per word, one
 * mispredicted branch per word at the end of its bits. Into live_mask the words are shifted to the batch,
 * inverted and stored whole. */
#include <stdlib.h>

#include "kernel_instance.h"
#include "sink_write.h"

#define STATE_BYTES_MAX (UINT64_C(4) << 30)
#define CHUNK_WORDS     (DV_CHUNK_ROWS / 64)

struct expand_bits {
    uint64_t first; /* the position of words[0]'s lowest bit: where a chunk starts */
    uint64_t n_rows;
    uint64_t words[];
};

/* Sets the bits [start, end), start < end. */
static void set_bits(uint64_t *words, uint32_t start, uint32_t end)
{
    uint32_t first = start / 64, last = (end - 1) / 64;
    uint64_t head = bits_from(start % 64), tail = bits_below((end - 1) % 64 + 1);
    if (first == last) {
        words[first] |= head & tail;
        return;
    }
    words[first] |= head;
    for (uint32_t i = first + 1; i < last; i++)
        words[i] = UINT64_MAX;
    words[last] |= tail;
}

static void expand_container(uint64_t *words, const struct dv_container *container)
{
    if (container->kind == DV_BITSET) {
        for (uint32_t i = 0; i < CHUNK_WORDS; i++)
            words[i] = load_le64(container->bytes + (size_t)i * 8);
    } else if (container->kind == DV_ARRAY) {
        for (uint32_t i = 0; i < container->cardinality; i++) {
            uint32_t value = load_le16(container->bytes + (size_t)i * 2);
            words[value / 64] |= UINT64_C(1) << value % 64;
        }
    } else {
        for (uint32_t i = 0; i < container->n_runs; i++) {
            const uint8_t *run = container->bytes + 2 + (size_t)i * 4;
            uint32_t start = load_le16(run);
            set_bits(words, start, start + load_le16(run + 2) + 1);
        }
    }
}

int expand_bits_open(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    const struct dv_view *view = &dv->view;
    uint64_t first = 0, n_chunks = 0;
    if (view->n_containers > 0) {
        first = dv_container_start(&view->containers[0]);
        n_chunks =
            (dv_container_start(&view->containers[view->n_containers - 1]) - first) / DV_CHUNK_ROWS + 1;
    }
    if (n_chunks > STATE_BYTES_MAX / (DV_CHUNK_ROWS / 8))
        return dv_fail(
            error_out, DV_ERROR_UNAVAILABLE,
            "a bit for each of %llu chunks of 65536 rows is more than the 4 GiB that expanding may take",
            (unsigned long long)n_chunks);
    state->n_bytes = sizeof(struct expand_bits) + (size_t)n_chunks * (DV_CHUNK_ROWS / 8);
    struct expand_bits *bits = state->data = calloc(1, state->n_bytes);
    if (!bits)
        return dv_no_memory(error_out);
    bits->first = first;
    bits->n_rows = n_chunks * DV_CHUNK_ROWS;
    for (size_t i = 0; i < view->n_containers; i++) {
        uint64_t row = dv_container_start(&view->containers[i]) - first;
        expand_container(bits->words + row / 64, &view->containers[i]);
    }
    return 0;
}

void expand_bits_close(struct kernel_state *state)
{
    free(state->data);
    *state = (struct kernel_state){0};
}

/* The 64 rows from `row` (relative to the first bit, may be before it or past the last), deleted = 1. */
static ALWAYS_INLINE uint64_t word_at(const struct expand_bits *bits, uint64_t row)
{
    const uint64_t n_words = bits->n_rows / 64, i = row / 64;
    const uint32_t shift = (uint32_t)(row % 64);
    const uint64_t low = i < n_words ? bits->words[i] : 0;
    const uint64_t high = i + 1 < n_words ? bits->words[i + 1] : 0;
    return shift ? low >> shift | high << (64 - shift) : low;
}

/* live_mask has the state's own form: its words are shifted to the batch and inverted, not taken bit by
 * bit. */
static ALWAYS_INLINE uint32_t copy_words(struct kernel_call call)
{
    const struct expand_bits *bits = call.state->data;
    uint64_t *words = call.sink->out;
    const uint32_t n_words = call.n_rows / 64 + (call.n_rows % 64 != 0);
    uint32_t n_live = 0;
    for (uint32_t i = 0; i < n_words; i++) {
        const uint64_t position = call.start + (uint64_t)i * 64;
        uint64_t deleted = 0;
        if (position >= bits->first)
            deleted = word_at(bits, position - bits->first);
        else if (bits->first - position < 64 && bits->n_rows)
            deleted = bits->words[0] << (bits->first - position);
        words[i] = ~deleted;
        if (i + 1 == n_words && call.n_rows % 64)
            words[i] &= bits_below(call.n_rows % 64);
        n_live += (uint32_t)__builtin_popcountll(words[i]);
    }
    call.sink->n_out = n_words;
    return n_live;
}

static ALWAYS_INLINE uint32_t expand_bits_into(struct kernel_call call, enum sink_kind kind,
                                               sink_fill_fn *fill)
{
    if (kind == SINK_live_mask)
        return copy_words(call);
    const struct expand_bits *bits = call.state->data;
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    /* The part of the batch that has bits, relative to the first of them. Positions stay below 2^63. */
    uint64_t from = call.start > bits->first ? call.start - bits->first : 0;
    uint64_t end = call.start + call.n_rows;
    uint64_t to = end > bits->first ? end - bits->first : 0;
    if (to > bits->n_rows)
        to = bits->n_rows;
    while (from < to) {
        uint64_t word_row = from / 64 * 64;
        uint64_t word = bits->words[from / 64] & bits_from((uint32_t)(from % 64));
        if (to - word_row < 64)
            word &= bits_below((uint32_t)(to - word_row));
        for (; word != 0; word &= word - 1) {
            uint64_t position = bits->first + word_row + (uint64_t)__builtin_ctzll(word);
            sink_deleted(&writer, kind, fill, (uint32_t)(position - call.start));
        }
        from = word_row + 64;
    }
    return sink_finish(&writer, call.sink, kind, fill);
}

KERNEL_INSTANCES(expand_bits)
