/* SPDX-License-Identifier: Apache-2.0 */
/* Sinks: the forms in which a kernel delivers which rows of a batch are live.
 *
 * Place in the data flow: a kernel writes into a struct sink; bench/ compares it with the oracle's and times
 * it.
 *
 * Contract of every sink: offsets are relative to the batch start; `n_out` is the number of elements the
 * kernel wrote; the kernel returns the number of live rows. Behind the elements of a batch lie at least
 * SINK_SLACK_BYTES that a kernel may scribble on (overshooting vector stores); what lies behind them is not
 * the kernel's. `out` is 64-byte aligned. */
#ifndef DVBENCH_SINK_H
#define DVBENCH_SINK_H

#include <stddef.h>
#include <stdint.h>

#define SINK_SLACK_BYTES 64

/* X(id, element type, elements' meaning). The one list of sinks: ids are permanent, they are CSV keys. */
#define FOR_EACH_SINK(X)                                                                                     \
    X(row_ids, int32_t,                                                                                      \
      "int32 offsets of the live rows, ascending: Iceberg's row id mapping, DuckDB's selection")             \
    X(is_deleted, uint8_t, "one byte per row, 1 where deleted: Iceberg's _deleted, StarRocks' filter")       \
    X(live_mask, uint64_t,                                                                                   \
      "one bit per row, set where live, LSB first, bits past the batch 0: Velox, Arrow")                     \
    X(deleted_offsets, uint32_t, "uint32 offsets of the deleted rows, ascending")                            \
    X(live_runs, struct sink_run,                                                                            \
      "maximal runs of live rows as (start, length): iceberg-rust's RowSelection")                           \
    X(touch, uint64_t, "each deleted offset passes through a register; their sum is the one element")

/* The same list as X(argument, id), for macros that make one thing per kernel and sink. */
#define FOR_EACH_SINK_ID(X, argument)                                                                        \
    X(argument, row_ids)                                                                                     \
    X(argument, is_deleted)                                                                                  \
    X(argument, live_mask)                                                                                   \
    X(argument, deleted_offsets)                                                                             \
    X(argument, live_runs)                                                                                   \
    X(argument, touch)

#define SINK_ENUM(id, type, text) SINK_##id,
enum sink_kind { FOR_EACH_SINK(SINK_ENUM) N_SINKS };
#undef SINK_ENUM

#define SINK_ALL ((1u << N_SINKS) - 1u)

/* A maximal run of live rows [start, start + length), both in rows relative to the batch. */
struct sink_run {
    uint32_t start;
    uint32_t length;
};

struct sink {
    void *out;      /* sink_bytes(kind, n_rows) + SINK_SLACK_BYTES writable bytes, 64-byte aligned */
    uint32_t n_out; /* elements written by the last call: row_ids live rows, is_deleted n_rows, live_mask
                       ceil(n_rows / 64) words, deleted_offsets deleted rows, live_runs runs, touch 1 */
};

/* Bytes that the elements of a batch of n_rows can take at most, without the slack. */
size_t sink_bytes(enum sink_kind kind, uint32_t n_rows);
size_t sink_element_bytes(enum sink_kind kind);
const char *sink_id(enum sink_kind kind);
const char *sink_description(enum sink_kind kind);
/* The kind of that id, or -1. */
int sink_find(const char *id);

#endif
