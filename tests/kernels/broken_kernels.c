/* SPDX-License-Identifier: Apache-2.0 */
#include "broken_kernels.h"

#include <stdlib.h>
#include <string.h>

/* A right kernel, simpler than any other: asks all intervals for each row. */
static int row_is_deleted(const struct dv *dv, uint64_t position)
{
    for (size_t i = 0; i < dv->intervals.n_items; i++)
        if (position >= dv->intervals.items[i].start && position < dv->intervals.items[i].end)
            return 1;
    return 0;
}

static void put_live_row(enum sink_kind kind, struct sink *sink, uint32_t row, int after_live)
{
    if (kind == SINK_row_ids)
        ((int32_t *)sink->out)[sink->n_out++] = (int32_t)row;
    else if (kind == SINK_live_mask)
        ((uint64_t *)sink->out)[row / 64] |= UINT64_C(1) << row % 64;
    else if (kind == SINK_live_runs && after_live)
        ((struct sink_run *)sink->out)[sink->n_out - 1].length++;
    else if (kind == SINK_live_runs)
        ((struct sink_run *)sink->out)[sink->n_out++] = (struct sink_run){row, 1};
}

static uint32_t right(enum sink_kind kind, const struct dv *dv, uint64_t start, uint32_t n_rows,
                      struct sink *sink)
{
    uint32_t n_live = 0;
    int after_live = 0;
    sink->n_out = kind == SINK_is_deleted  ? n_rows
                  : kind == SINK_live_mask ? (n_rows + 63) / 64
                  : kind == SINK_touch     ? 1
                                           : 0;
    if (kind == SINK_live_mask || kind == SINK_touch)
        memset(sink->out, 0, sink->n_out * sizeof(uint64_t));
    for (uint32_t row = 0; row < n_rows; row++) {
        int deleted = row_is_deleted(dv, start + row);
        if (kind == SINK_is_deleted)
            ((uint8_t *)sink->out)[row] = (uint8_t)deleted;
        else if (kind == SINK_deleted_offsets && deleted)
            ((uint32_t *)sink->out)[sink->n_out++] = row;
        else if (kind == SINK_touch && deleted)
            *(uint64_t *)sink->out += row;
        else if (!deleted)
            put_live_row(kind, sink, row, after_live);
        n_live += !deleted;
        after_live = !deleted;
    }
    return n_live;
}

/* One mistake; `state` keeps the kernel's memory where it has any. Each is a function of a right answer. */
#define MISTAKE(name)                                                                                        \
    static uint32_t name(enum sink_kind kind, const struct dv *dv, struct kernel_state *state,               \
                         uint64_t start, uint32_t n_rows, struct sink *sink)
#define UNUSED(x) (void)(x)

MISTAKE(no_mistake)
{
    UNUSED(state);
    return right(kind, dv, start, n_rows, sink);
}

MISTAKE(one_row_early)
{
    UNUSED(state);
    return right(kind, dv, start + 1, n_rows, sink);
}

MISTAKE(one_row_late)
{
    UNUSED(state);
    return right(kind, dv, start > 0 ? start - 1 : start, n_rows, sink);
}

MISTAKE(last_row_dropped)
{
    UNUSED(state);
    return n_rows > 0 ? right(kind, dv, start, n_rows - 1, sink) : 0;
}

MISTAKE(last_row_taken_as_live)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows > 0 ? n_rows - 1 : 0, sink);
    if (n_rows == 0)
        return n_live;
    if (kind == SINK_is_deleted)
        ((uint8_t *)sink->out)[sink->n_out++] = 0;
    else
        put_live_row(kind, sink, n_rows - 1, 0);
    return n_live + 1;
}

MISTAKE(count_too_high)
{
    UNUSED(state);
    return right(kind, dv, start, n_rows, sink) + 1;
}

MISTAKE(count_is_rows)
{
    UNUSED(state);
    right(kind, dv, start, n_rows, sink);
    return n_rows;
}

MISTAKE(n_out_too_high)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    sink->n_out++;
    return n_live;
}

MISTAKE(n_out_never_set)
{
    UNUSED(state);
    uint32_t n_out = sink->n_out;
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    sink->n_out = n_out;
    return n_live;
}

/* Right counts, one byte wrong, in the middle. */
MISTAKE(middle_byte_wrong)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    if (sink->n_out > 0)
        ((uint8_t *)sink->out)[sink->n_out * sink_element_bytes(kind) / 2] ^= 0x10;
    return n_live;
}

/* What a compiler does that thinks nobody reads the buffer: counts are right, nothing is written. */
MISTAKE(nothing_stored)
{
    UNUSED(state);
    static _Alignas(64) uint8_t elsewhere[1 << 16];
    struct sink hidden = {.out = elsewhere};
    uint32_t n_live = right(kind, dv, start, n_rows, &hidden);
    sink->n_out = hidden.n_out;
    return n_live;
}

/* The last element keeps what was in the buffer before: the missing last word of a mask, a tail loop left
 * out. */
MISTAKE(last_element_not_stored)
{
    UNUSED(state);
    static _Alignas(64) uint8_t before[1 << 16];
    size_t n_bytes = dv_sink_bytes(kind, n_rows), element_bytes = sink_element_bytes(kind);
    memcpy(before, sink->out, n_bytes);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    if (sink->n_out > 0) {
        size_t last = (sink->n_out - 1) * element_bytes;
        memcpy((uint8_t *)sink->out + last, before + last, element_bytes);
    }
    return n_live;
}

MISTAKE(bit_past_the_batch)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    if (n_rows % 64 != 0)
        ((uint64_t *)sink->out)[n_rows / 64] |= UINT64_C(1) << 63;
    return n_live;
}

MISTAKE(mask_inverted)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    for (uint32_t i = 0; i < sink->n_out; i++)
        ((uint64_t *)sink->out)[i] = ~((uint64_t *)sink->out)[i];
    return n_live;
}

MISTAKE(true_is_not_1)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    for (uint32_t i = 0; i < n_rows; i++)
        ((uint8_t *)sink->out)[i] *= 0xFF;
    return n_live;
}

MISTAKE(offsets_are_absolute)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    for (uint32_t i = 0; i < sink->n_out; i++)
        ((uint32_t *)sink->out)[i] += (uint32_t)start;
    return n_live;
}

/* A run ends at each multiple of 64, as a word loop would have it: not maximal. */
MISTAKE(runs_split_at_words)
{
    UNUSED(state), UNUSED(kind);
    uint32_t n_live = 0, n_out = 0;
    struct sink_run *runs = sink->out;
    for (uint32_t row = 0; row < n_rows; row++) {
        if (row_is_deleted(dv, start + row))
            continue;
        n_live++;
        if (n_out > 0 && row % 64 != 0 && runs[n_out - 1].start + runs[n_out - 1].length == row)
            runs[n_out - 1].length++;
        else
            runs[n_out++] = (struct sink_run){row, 1};
    }
    sink->n_out = n_out;
    return n_live;
}

MISTAKE(writes_behind_the_slack)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    ((uint8_t *)sink->out)[dv_sink_bytes(kind, n_rows) + SINK_SLACK_BYTES] = 0;
    return n_live;
}

MISTAKE(writes_far_behind)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    ((uint8_t *)sink->out)[dv_sink_bytes(kind, n_rows) + SINK_SLACK_BYTES + 4096] = 0;
    return n_live;
}

MISTAKE(writes_before)
{
    UNUSED(state);
    uint32_t n_live = right(kind, dv, start, n_rows, sink);
    ((volatile uint8_t *)sink->out)[-1] = 0;
    return n_live;
}

MISTAKE(reads_behind_the_vector)
{
    UNUSED(state);
    (void)*(const volatile uint8_t *)(dv->bytes + dv->n_bytes);
    return right(kind, dv, start, n_rows, sink);
}

MISTAKE(reads_a_word_at_the_last_byte)
{
    UNUSED(state);
    uint64_t word;
    const volatile uint8_t *last = dv->bytes + dv->n_bytes - 1;
    for (size_t i = 0; i < sizeof word; i++)
        (void)last[i];
    return right(kind, dv, start, n_rows, sink);
}

MISTAKE(writes_to_the_vector)
{
    UNUSED(state);
    *(volatile uint8_t *)dv->bytes = 1;
    return right(kind, dv, start, n_rows, sink);
}

MISTAKE(follows_a_wild_pointer)
{
    UNUSED(start), UNUSED(n_rows), UNUSED(sink), UNUSED(kind), UNUSED(state);
    return *(const volatile uint8_t *)(uintptr_t)dv->n_bytes;
}

/* Only the first batch of a file is looked up, all others get its answer. */
MISTAKE(answers_with_the_first_batch)
{
    uint64_t *first = state->data;
    if (*first == UINT64_MAX)
        *first = start;
    return right(kind, dv, *first, n_rows, sink);
}

/* Adds up what it returned: the batch base comes from the previous batches instead of from `start`. */
MISTAKE(counts_its_own_rows)
{
    UNUSED(start);
    uint64_t *next = state->data;
    if (*next == UINT64_MAX)
        *next = 0;
    uint32_t n_live = right(kind, dv, *next, n_rows, sink);
    *next += n_rows;
    return n_live;
}

/* A cursor that only goes forward. */
MISTAKE(never_goes_back)
{
    uint64_t *highest = state->data;
    if (*highest == UINT64_MAX || start > *highest)
        *highest = start;
    return right(kind, dv, *highest, n_rows, sink);
}

/* Consumes a batch: the second call for the same one finds nothing, as an iterator that was not reset. */
MISTAKE(finds_each_batch_once)
{
    uint64_t *previous = state->data;
    int again = *previous == start;
    *previous = start;
    if (!again)
        return right(kind, dv, start, n_rows, sink);
    struct dv nothing = {.bytes = dv->bytes};
    return right(kind, &nothing, start, n_rows, sink);
}

MISTAKE(skips_short_batches)
{
    UNUSED(state);
    struct dv nothing = {.bytes = dv->bytes};
    return right(kind, n_rows < 100 ? &nothing : dv, start, n_rows, sink);
}

MISTAKE(truncates_positions)
{
    UNUSED(state);
    return right(kind, dv, (uint32_t)start, n_rows, sink);
}

#define OF_IDS (1u << SINK_row_ids | 1u << SINK_deleted_offsets)
#define WITH_LIVE_ROWS                                                                                       \
    (1u << SINK_row_ids | 1u << SINK_is_deleted | 1u << SINK_live_mask | 1u << SINK_live_runs)

/* X(mistake, sinks whose answer it spoils) */
#define FOR_EACH_MISTAKE(X)                                                                                  \
    X(one_row_early, SINK_ALL)                                                                               \
    X(one_row_late, SINK_ALL)                                                                                \
    X(last_row_dropped, SINK_ALL)                                                                            \
    X(last_row_taken_as_live, WITH_LIVE_ROWS)                                                                \
    X(count_too_high, SINK_ALL)                                                                              \
    X(count_is_rows, SINK_ALL)                                                                               \
    X(n_out_too_high, SINK_ALL)                                                                              \
    X(n_out_never_set, SINK_ALL)                                                                             \
    X(middle_byte_wrong, SINK_ALL)                                                                           \
    X(nothing_stored, SINK_ALL)                                                                              \
    X(last_element_not_stored, SINK_ALL)                                                                     \
    X(bit_past_the_batch, 1u << SINK_live_mask)                                                              \
    X(mask_inverted, 1u << SINK_live_mask)                                                                   \
    X(true_is_not_1, 1u << SINK_is_deleted)                                                                  \
    X(offsets_are_absolute, OF_IDS)                                                                          \
    X(runs_split_at_words, 1u << SINK_live_runs)                                                             \
    X(writes_behind_the_slack, SINK_ALL)                                                                     \
    X(writes_far_behind, SINK_ALL)                                                                           \
    X(writes_before, SINK_ALL)                                                                               \
    X(reads_behind_the_vector, SINK_ALL)                                                                     \
    X(reads_a_word_at_the_last_byte, SINK_ALL)                                                               \
    X(writes_to_the_vector, SINK_ALL)                                                                        \
    X(answers_with_the_first_batch, SINK_ALL)                                                                \
    X(counts_its_own_rows, SINK_ALL)                                                                         \
    X(never_goes_back, SINK_ALL)                                                                             \
    X(finds_each_batch_once, SINK_ALL)                                                                       \
    X(skips_short_batches, SINK_ALL)                                                                         \
    X(truncates_positions, SINK_ALL)                                                                         \
    X(follows_a_wild_pointer, SINK_ALL)

/* One instance per sink, as the registry's kernels have. */
#define RUN_INTO(mistake, sink_name)                                                                         \
    static uint32_t mistake##_##sink_name(const struct dv *dv, struct kernel_state *state, uint64_t start,   \
                                          uint32_t n_rows, struct sink *sink)                                \
    {                                                                                                        \
        return mistake(SINK_##sink_name, dv, state, start, n_rows, sink);                                    \
    }
#define INSTANCES(mistake, sinks)                                                                            \
    RUN_INTO(mistake, row_ids)                                                                               \
    RUN_INTO(mistake, is_deleted)                                                                            \
    RUN_INTO(mistake, live_mask)                                                                             \
    RUN_INTO(mistake, deleted_offsets) RUN_INTO(mistake, live_runs) RUN_INTO(mistake, touch)
INSTANCES(no_mistake, SINK_ALL)
FOR_EACH_MISTAKE(INSTANCES)

static int open_memory(const struct dv *dv, struct kernel_state *state, struct dv_error *error_out)
{
    (void)dv, (void)error_out;
    uint64_t *remembered = malloc(sizeof *remembered);
    if (!remembered)
        return DV_ERROR_MEMORY;
    *remembered = UINT64_MAX;
    *state = (struct kernel_state){remembered, sizeof *remembered};
    return 0;
}

static void close_memory(struct kernel_state *state)
{
    free(state->data);
}

#define KERNEL(mistake, sink_mask)                                                                           \
    {                                                                                                        \
        .id = #mistake, .technique = #mistake, .sinks = (sink_mask), .open = open_memory,                    \
        .close = close_memory, .run = {                                                                      \
            mistake##_row_ids,                                                                               \
            mistake##_is_deleted,                                                                            \
            mistake##_live_mask,                                                                             \
            mistake##_deleted_offsets,                                                                       \
            mistake##_live_runs,                                                                             \
            mistake##_touch                                                                                  \
        }                                                                                                    \
    }
#define KERNEL_ITEM(mistake, sink_mask) KERNEL(mistake, sink_mask),
static const struct kernel right_one = KERNEL(no_mistake, SINK_ALL);
static const struct kernel broken_ones[] = {FOR_EACH_MISTAKE(KERNEL_ITEM)};

const struct kernel *right_kernel(void)
{
    return &right_one;
}

size_t broken_kernels_count(void)
{
    return sizeof broken_ones / sizeof *broken_ones;
}

const struct kernel *broken_kernel_at(size_t index)
{
    return &broken_ones[index];
}
