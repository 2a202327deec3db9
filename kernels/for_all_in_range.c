/* SPDX-License-Identifier: Apache-2.0 */
/* For all in range: walks the containers that a batch touches and reports every row, the deleted and the live
 * ones, in runs as long as they are inside a container.
 *
 *   bits of a bitset, lowest first     0 0 0 1 1 1 1 0 1 0 ...
 *   bit differs from the one below           *       * * *
 *   told                               absent [0,3)  present [3,7)  absent 7  present 8  ...
 *
 * This is RoaringBitmap's forAllInRange with its RelativeRangeConsumer: present and absent for single rows,
 * all-present and all-absent for runs. It buys that a run costs one call however long it is, where
 * for_each_in_range pays for every position: at best a batch of 5,000 deleted rows is a single call. It loses
 * on isolated deletes, where each costs two calls (itself and the gap before it) instead of one.
 *
 * `for_all_in_range` calls the four functions through pointers; in `_inline` they are compiled into the
 * walk. */
#include "kernel_instance.h"
#include "range_walk.h"
#include "sink_write.h"

static ALWAYS_INLINE uint32_t for_all_in_range_into(struct kernel_call call, enum sink_kind kind,
                                                    sink_fill_fn *fill, const struct range_consumer *consumer)
{
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    dv_for_all_in_range(&call.dv->view, call.start, call.n_rows, consumer, &writer);
    return sink_finish(&writer, call.sink, kind, fill);
}

static ALWAYS_INLINE uint32_t for_all_in_range_inline_into(struct kernel_call call, enum sink_kind kind,
                                                           sink_fill_fn *fill, run_fn *tell)
{
    struct sink_writer writer = sink_begin(call.sink, kind, call.n_rows);
    walk_for_all(&call.dv->view, call.start, call.n_rows, tell, &writer);
    return sink_finish(&writer, call.sink, kind, fill);
}

/* The four functions of one instance, which know its sink and its fill. */
#define CALLED(id, sink_, target, body, fill)                                                                \
    static target void id##_present_##sink_(void *context, uint32_t offset)                                  \
    {                                                                                                        \
        sink_told_deleted(context, SINK_##sink_, fill, offset, offset + 1);                                  \
    }                                                                                                        \
    static target void id##_absent_##sink_(void *context, uint32_t offset)                                   \
    {                                                                                                        \
        sink_told_live(context, SINK_##sink_, fill, offset, offset + 1);                                     \
    }                                                                                                        \
    static target void id##_all_present_##sink_(void *context, uint32_t from, uint32_t to)                   \
    {                                                                                                        \
        sink_told_deleted(context, SINK_##sink_, fill, from, to);                                            \
    }                                                                                                        \
    static target void id##_all_absent_##sink_(void *context, uint32_t from, uint32_t to)                    \
    {                                                                                                        \
        sink_told_live(context, SINK_##sink_, fill, from, to);                                               \
    }                                                                                                        \
    static const struct range_consumer id##_consumer_##sink_ = {                                             \
        .present = id##_present_##sink_,                                                                     \
        .absent = id##_absent_##sink_,                                                                       \
        .all_present = id##_all_present_##sink_,                                                             \
        .all_absent = id##_all_absent_##sink_,                                                               \
    };                                                                                                       \
    KERNEL_INSTANCE(id, sink_, target, body, fill, &id##_consumer_##sink_)

#define INLINED(id, sink_, target, body, fill)                                                               \
    static ALWAYS_INLINE target void id##_tell_##sink_(void *context, uint32_t from, uint32_t to,            \
                                                       bool is_deleted)                                      \
    {                                                                                                        \
        if (is_deleted)                                                                                      \
            sink_told_deleted(context, SINK_##sink_, fill, from, to);                                        \
        else                                                                                                 \
            sink_told_live(context, SINK_##sink_, fill, from, to);                                           \
    }                                                                                                        \
    KERNEL_INSTANCE(id, sink_, target, body, fill, id##_tell_##sink_)

#define CALLED_INSTANCE(id, sink, ...)  CALLED(id, sink, TARGET_GENERIC, id##_into, fill_generic)
#define INLINED_INSTANCE(id, sink, ...) INLINED(id, sink, TARGET_GENERIC, id##_into, fill_generic)
#define CALLED_FILL_INSTANCE(id, fill, target)                                                               \
    CALLED(id##_##fill, row_ids, TARGET_##target, id##_into, fill_##fill)
#define INLINED_FILL_INSTANCE(id, fill, target)                                                              \
    INLINED(id##_##fill, row_ids, TARGET_##target, id##_into, fill_##fill)

FOR_EACH_SINK(CALLED_INSTANCE, for_all_in_range)
FOR_EACH_FILL(CALLED_FILL_INSTANCE, for_all_in_range)
FOR_EACH_SINK(INLINED_INSTANCE, for_all_in_range_inline)
FOR_EACH_FILL(INLINED_FILL_INSTANCE, for_all_in_range_inline)
