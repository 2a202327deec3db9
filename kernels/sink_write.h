/* SPDX-License-Identifier: Apache-2.0 */
/* Writing into sinks: what every kernel shares once it knows that a row, or a run of rows, is deleted.
 *
 * Place in the data flow: a traversal finds deletes in ascending order -> these functions -> the elements of
 * struct sink.
 *
 * All functions are always inlined and take the sink's kind as a constant, so that each kernel x sink
 * instance compiles to the stores of its own sink and no switch. A kernel uses one of three vocabularies for
 * a batch and does not mix them:
 *
 *   deletes only      sink_deleted, sink_deleted_run      the rows between are live: a gap
 *   both, told apart  sink_told_live, sink_told_deleted   every row is in exactly one told run
 *   row by row        sink_row, or sink_row_branchless    every row, in order
 *
 * between sink_begin and sink_finish. */
#ifndef DVBENCH_SINK_WRITE_H
#define DVBENCH_SINK_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "sink.h"
#include "sink_fill.h"

_Static_assert(N_SINKS == 6, "a new sink needs its branch in each function below; the last `else` is touch");

/* One batch on its way into a sink. Lives in registers where the kernel is inlined. */
struct sink_writer {
    void *out;
    uint32_t n_rows;
    uint32_t n_out; /* elements so far, of the sinks that are lists: row_ids, deleted_offsets, live_runs */
    uint32_t next;  /* the first row that is neither deleted nor written: where the current gap starts */
    uint32_t n_deleted; /* rows so far, of the sinks whose n_out does not say */
    uint64_t sum;       /* touch */
};

/* All rows live: the form in which a batch without deletes is already right. */
static ALWAYS_INLINE struct sink_writer sink_begin(const struct sink *sink, enum sink_kind kind,
                                                   uint32_t n_rows)
{
    if (kind == SINK_is_deleted)
        memset(sink->out, 0, n_rows);
    if (kind == SINK_live_mask) {
        uint64_t *words = sink->out;
        memset(words, 0xff, n_rows / 64 * sizeof *words);
        if (n_rows % 64)
            words[n_rows / 64] = bits_below(n_rows % 64);
    }
    return (struct sink_writer){.out = sink->out, .n_rows = n_rows};
}

static ALWAYS_INLINE void sink_put_live_run(struct sink_writer *writer, uint32_t start, uint32_t end)
{
    struct sink_run *runs = writer->out;
    if (end > start)
        runs[writer->n_out++] = (struct sink_run){.start = start, .length = end - start};
}

/* The deleted offset passes through a register that the compiler cannot see into, and so must exist. */
static ALWAYS_INLINE void sink_touch(struct sink_writer *writer, uint32_t offset)
{
    __asm__ volatile("" : "+r"(offset));
    writer->sum += offset;
}

/* Row `offset` is deleted; the rows from the one told before are live. Offsets ascend. */
static ALWAYS_INLINE void sink_deleted(struct sink_writer *writer, enum sink_kind kind, sink_fill_fn *fill,
                                       uint32_t offset)
{
    if (kind == SINK_row_ids) {
        fill((int32_t *)writer->out + writer->n_out, writer->next, offset - writer->next);
        writer->n_out += offset - writer->next;
    } else if (kind == SINK_is_deleted) {
        ((uint8_t *)writer->out)[offset] = 1;
    } else if (kind == SINK_live_mask) {
        ((uint64_t *)writer->out)[offset / 64] &= ~(UINT64_C(1) << offset % 64);
    } else if (kind == SINK_deleted_offsets) {
        ((uint32_t *)writer->out)[writer->n_out++] = offset;
    } else if (kind == SINK_live_runs) {
        sink_put_live_run(writer, writer->next, offset);
    } else {
        sink_touch(writer, offset);
    }
    writer->next = offset + 1;
    writer->n_deleted++;
}

/* Sets `n` bytes to 1 without calling memset, whose call would cost more than most runs are long. */
static ALWAYS_INLINE void sink_put_ones(uint8_t *out, uint32_t n)
{
    uint64_t ones = 0x0101010101010101u;
    __asm__("" : "+r"(ones)); /* else the loop is recognised, and becomes the call */
    if (n >= 8) {
        for (uint32_t i = 0; i + 8 < n; i += 8)
            memcpy(out + i, &ones, 8);
        memcpy(out + n - 8, &ones, 8);
    } else if (n >= 4) {
        memcpy(out, &ones, 4);
        memcpy(out + n - 4, &ones, 4);
    } else if (n > 0) {
        out[0] = 1;
        out[n / 2] = 1;
        out[n - 1] = 1;
    }
}

/* Clears the bits [start, end), start < end. */
static ALWAYS_INLINE void sink_clear_bits(uint64_t *words, uint32_t start, uint32_t end)
{
    uint32_t first = start / 64;
    uint32_t last = (end - 1) / 64;
    uint64_t head = bits_from(start % 64);
    uint64_t tail = bits_below((end - 1) % 64 + 1);
    uint64_t none = 0;
    __asm__("" : "+r"(none)); /* else the loop becomes a call of memset, for a word or two */
    if (first == last) {
        words[first] &= ~(head & tail);
        return;
    }
    words[first] &= ~head;
    for (uint32_t i = first + 1; i < last; i++)
        words[i] = none;
    words[last] &= ~tail;
}

/* The rows [start, end), start < end, are deleted; the rows from the one told before are live. */
static ALWAYS_INLINE void sink_deleted_run(struct sink_writer *writer, enum sink_kind kind,
                                           sink_fill_fn *fill, uint32_t start, uint32_t end)
{
    if (kind == SINK_row_ids) {
        fill((int32_t *)writer->out + writer->n_out, writer->next, start - writer->next);
        writer->n_out += start - writer->next;
    } else if (kind == SINK_is_deleted) {
        sink_put_ones((uint8_t *)writer->out + start, end - start);
    } else if (kind == SINK_live_mask) {
        sink_clear_bits(writer->out, start, end);
    } else if (kind == SINK_deleted_offsets) {
        fill((int32_t *)writer->out + writer->n_out, start, end - start);
        writer->n_out += end - start;
    } else if (kind == SINK_live_runs) {
        sink_put_live_run(writer, writer->next, start);
    } else {
        for (uint32_t offset = start; offset < end; offset++)
            sink_touch(writer, offset);
    }
    writer->next = end;
    writer->n_deleted += end - start;
}

/* The rows [start, end) are live, and the kernel says so itself. live_runs is made from the gaps all the
 * same: runs must be maximal, and a told run may end where a container ends. */
static ALWAYS_INLINE void sink_told_live(struct sink_writer *writer, enum sink_kind kind, sink_fill_fn *fill,
                                         uint32_t start, uint32_t end)
{
    if (kind != SINK_row_ids)
        return;
    fill((int32_t *)writer->out + writer->n_out, start, end - start);
    writer->n_out += end - start;
    writer->next = end;
}

/* The rows [start, end), start < end, are deleted, and those before were told already. */
static ALWAYS_INLINE void sink_told_deleted(struct sink_writer *writer, enum sink_kind kind,
                                            sink_fill_fn *fill, uint32_t start, uint32_t end)
{
    if (kind == SINK_row_ids)
        writer->next = end;
    else if (end - start == 1)
        sink_deleted(writer, kind, fill, start);
    else
        sink_deleted_run(writer, kind, fill, start, end);
}

/* Row `offset`, the next one, by a branch on the answer: stores only where there is something to store. */
static ALWAYS_INLINE void sink_row(struct sink_writer *writer, enum sink_kind kind, uint32_t offset,
                                   bool is_deleted)
{
    if (kind == SINK_row_ids) {
        if (!is_deleted)
            ((int32_t *)writer->out)[writer->n_out++] = (int32_t)offset;
        writer->next = offset + 1;
    } else if (is_deleted) {
        sink_deleted(writer, kind, fill_generic, offset);
    }
}

/* Row `offset`, the next one, without a branch: stores always and advances by the answer. */
static ALWAYS_INLINE void sink_row_branchless(struct sink_writer *writer, enum sink_kind kind,
                                              uint32_t offset, bool is_deleted)
{
    uint32_t deleted = is_deleted;
    if (kind == SINK_row_ids) {
        ((int32_t *)writer->out)[writer->n_out] = (int32_t)offset;
        writer->n_out += !deleted;
        writer->next = offset + 1;
    } else if (kind == SINK_is_deleted) {
        ((uint8_t *)writer->out)[offset] = (uint8_t)deleted;
    } else if (kind == SINK_live_mask) {
        ((uint64_t *)writer->out)[offset / 64] &= ~((uint64_t)deleted << offset % 64);
    } else if (kind == SINK_deleted_offsets) {
        ((uint32_t *)writer->out)[writer->n_out] = offset;
        writer->n_out += deleted;
    } else if (kind == SINK_live_runs) {
        /* The run that this row would end; it counts only where the row does end one. */
        ((struct sink_run *)writer->out)[writer->n_out] =
            (struct sink_run){writer->next, offset - writer->next};
        writer->n_out += deleted & (offset > writer->next);
        writer->next += (offset + 1 - writer->next) & -deleted;
    } else {
        sink_touch(writer, offset & -deleted);
    }
    writer->n_deleted += deleted;
}

/* The rest of the batch is live. Fills sink->n_out, returns the live rows. */
static ALWAYS_INLINE uint32_t sink_finish(struct sink_writer *writer, struct sink *sink, enum sink_kind kind,
                                          sink_fill_fn *fill)
{
    uint32_t n_rows = writer->n_rows;
    switch (kind) {
    case SINK_row_ids:
        if (n_rows > writer->next) {
            fill((int32_t *)writer->out + writer->n_out, writer->next, n_rows - writer->next);
            writer->n_out += n_rows - writer->next;
        }
        sink->n_out = writer->n_out;
        return writer->n_out;
    case SINK_is_deleted:
        sink->n_out = n_rows;
        break;
    case SINK_live_mask:
        sink->n_out = n_rows / 64 + (n_rows % 64 != 0);
        break;
    case SINK_live_runs:
        sink_put_live_run(writer, writer->next, n_rows);
        sink->n_out = writer->n_out;
        break;
    case SINK_touch:
        *(uint64_t *)writer->out = writer->sum;
        sink->n_out = 1;
        break;
    case SINK_deleted_offsets:
        sink->n_out = writer->n_out;
        break;
    }
    return n_rows - writer->n_deleted;
}

#endif
