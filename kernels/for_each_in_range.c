/* SPDX-License-Identifier: Apache-2.0 */
/* For each in range: walks the containers that a batch touches and reports each deleted position; what lies
 * between is live.
 *
 *   container of the batch's chunk        told               row_ids
 *   array   3 7 8 ...                     3, 7, 8            gap 0..2, gap 4..6, gap 9..
 *   bitset  ...0001 1000 1000             each set bit: lowest bit, clear it, again
 *   run     [3,1] [7,2]                   3, 7, 8            each position of each run
 *
 * This is Iceberg's merged API, forEachInRange(start, end, consumer), and the gap fill of its reader. Where
 * per_row searches for every row, this searches once per batch; what remains is proportional to the deletes:
 * one value, one gap. It loses where deletes are many: at 50 % the gaps are one row long, each fill is a loop
 * of one or two steps that no predictor can know, and a full run is told position by position.
 *
 * `for_each_in_range` calls its consumer through a function pointer, as a library must; in `_inline` the
 * consumer is compiled into the walk. Their difference is the price of the API.
 *
 * `range_cardinality_first` counts the deletes of the batch before it walks: none and all need no walk. It is
 * the fast path that the article tried. It pays the count on every batch and wins only where whole batches
 * are empty or full. */
#include "kernel_instance.h"
#include "range_walk.h"
#include "sink_write.h"

struct telling {
    struct sink_writer writer;
    uint64_t start;
};

static ALWAYS_INLINE void tell(void *context, uint64_t position, enum sink_kind kind, sink_fill_fn *fill)
{
    struct telling *telling = context;
    sink_deleted(&telling->writer, kind, fill, (uint32_t)(position - telling->start));
}

static ALWAYS_INLINE uint32_t for_each_in_range_into(struct kernel_call call, enum sink_kind kind,
                                                     sink_fill_fn *fill, position_fn *deleted)
{
    struct telling telling = {.writer = sink_begin(call.sink, kind, call.n_rows), .start = call.start};
    dv_for_each_in_range(&call.dv->view, call.start, call.start + call.n_rows, deleted, &telling);
    return sink_finish(&telling.writer, call.sink, kind, fill);
}

static ALWAYS_INLINE uint32_t for_each_in_range_inline_into(struct kernel_call call, enum sink_kind kind,
                                                            sink_fill_fn *fill, position_fn *deleted)
{
    struct telling telling = {.writer = sink_begin(call.sink, kind, call.n_rows), .start = call.start};
    walk_for_each(&call.dv->view, call.start, call.start + call.n_rows, deleted, &telling);
    return sink_finish(&telling.writer, call.sink, kind, fill);
}

static ALWAYS_INLINE uint32_t range_cardinality_first_into(struct kernel_call call, enum sink_kind kind,
                                                           sink_fill_fn *fill, position_fn *deleted)
{
    uint64_t end = call.start + call.n_rows;
    uint64_t n_deleted = dv_range_cardinality(&call.dv->view, call.start, end);
    struct telling telling = {.writer = sink_begin(call.sink, kind, call.n_rows), .start = call.start};
    if (n_deleted > 0 && n_deleted == call.n_rows)
        sink_deleted_run(&telling.writer, kind, fill, 0, call.n_rows);
    else if (n_deleted > 0)
        dv_for_each_in_range(&call.dv->view, call.start, end, deleted, &telling);
    return sink_finish(&telling.writer, call.sink, kind, fill);
}

/* The consumer of one instance, which knows its sink and its fill, and the instance. */
#define TELLING_INSTANCE(id, sink_, inlining, target, body, fill)                                            \
    static inlining target void id##_tell_##sink_(void *context, uint64_t position)                          \
    {                                                                                                        \
        tell(context, position, SINK_##sink_, fill);                                                         \
    }                                                                                                        \
    KERNEL_INSTANCE(id, sink_, target, body, fill, id##_tell_##sink_)

#define CALLED_INSTANCE(id, sink, ...) TELLING_INSTANCE(id, sink, , TARGET_GENERIC, id##_into, fill_generic)
#define INLINED_INSTANCE(id, sink, ...)                                                                      \
    TELLING_INSTANCE(id, sink, ALWAYS_INLINE, TARGET_GENERIC, id##_into, fill_generic)
#define CALLED_FILL_INSTANCE(id, fill, target)                                                               \
    TELLING_INSTANCE(id##_##fill, row_ids, , TARGET_##target, id##_into, fill_##fill)
#define INLINED_FILL_INSTANCE(id, fill, target)                                                              \
    TELLING_INSTANCE(id##_##fill, row_ids, ALWAYS_INLINE, TARGET_##target, id##_into, fill_##fill)

FOR_EACH_SINK(CALLED_INSTANCE, for_each_in_range)
FOR_EACH_FILL(CALLED_FILL_INSTANCE, for_each_in_range)
FOR_EACH_SINK(INLINED_INSTANCE, for_each_in_range_inline)
FOR_EACH_FILL(INLINED_FILL_INSTANCE, for_each_in_range_inline)
FOR_EACH_SINK(CALLED_INSTANCE, range_cardinality_first)
FOR_EACH_FILL(CALLED_FILL_INSTANCE, range_cardinality_first)
