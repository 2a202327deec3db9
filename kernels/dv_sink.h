/* SPDX-License-Identifier: Apache-2.0 */
/* Sinks: the forms in which a kernel delivers which rows of a batch are live.
 *
 * Place in the data flow: a kernel writes into a struct sink; bench/ compares it with the oracle's and times it.
 *
 * Contract of every sink: offsets are relative to the batch start; `n_out` is the number of elements the
 * kernel wrote; the kernel returns the number of live rows. After the elements of a batch come at least
 * SINK_SLACK_BYTES that a kernel may overwrite (overshooting vector stores); what follows them is not
 * the kernel's. `out` is 64-byte aligned. */
#ifndef DVBENCH_DV_SINK_H
#define DVBENCH_DV_SINK_H

#include <stddef.h>
#include <stdint.h>

#define SINK_SLACK_BYTES 64

/* X(argument, id, element type, elements' meaning). The one list of sinks: ids are permanent, they are CSV keys. A new
 * one is missed by the compiler in every switch over enum sink_kind, and by assertions where there is no switch. */
#define FOR_EACH_SINK(X, argument)                                                                           \
    X(argument, row_ids, int32_t,                                                                            \
      "int32 offsets of the live rows, ascending: Iceberg's row id mapping, DuckDB's selection")             \
    X(argument, is_deleted, uint8_t,                                                                         \
      "one byte per row, 1 where deleted: Iceberg's _deleted, StarRocks' filter")                            \
    X(argument, live_mask, uint64_t,                                                                         \
      "one bit per row, set where live, LSB first, bits past the batch 0: Velox, Arrow")                     \
    X(argument, deleted_offsets, uint32_t, "uint32 offsets of the deleted rows, ascending")                  \
    X(argument, live_runs, struct sink_run,                                                                  \
      "maximal runs of live rows as (start, length): iceberg-rust's RowSelection")                           \
    X(argument, touch, uint64_t,                                                                             \
      "each deleted offset passes through a register; their sum is the one element")

#define SINK_ENUM(argument, id, type, text) SINK_##id,
enum sink_kind { FOR_EACH_SINK(SINK_ENUM, ) };
#undef SINK_ENUM

/* Not an enumerator: a switch without `default` then lists exactly the sinks. */
#define SINK_ONE(argument, id, type, text) +1
enum { N_SINKS = 0 FOR_EACH_SINK(SINK_ONE, ) };

#define SINK_ALL ((1u << N_SINKS) - 1u)

/* A maximal run of live rows [start, start + length), both in rows relative to the batch. */
struct sink_run {
    uint32_t start;
    uint32_t length;
};

struct sink {
    void *out;      /* dv_sink_bytes(kind, n_rows) + SINK_SLACK_BYTES writable bytes, 64-byte aligned */
    uint32_t n_out; /* elements written by the last call: row_ids live rows, is_deleted n_rows, live_mask
                       ceil(n_rows / 64) words, deleted_offsets deleted rows, live_runs runs, touch 1 */
};

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Bytes that the elements of a batch of n_rows can take at most, without the slack. */
size_t dv_sink_bytes(enum sink_kind kind, uint32_t n_rows);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
