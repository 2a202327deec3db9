/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "sink.h"

struct sink_info {
    const char *id;
    const char *description;
    size_t element_bytes;
};

#define SINK_INFO(argument, id, type, text) {#id, text, sizeof(type)},
static const struct sink_info sinks[N_SINKS] = {FOR_EACH_SINK(SINK_INFO, )};
#undef SINK_INFO

static uint32_t max_elements(enum sink_kind kind, uint32_t n_rows)
{
    switch (kind) {
    case SINK_live_mask:
        return n_rows / 64 + (n_rows % 64 != 0);
    case SINK_live_runs:
        return n_rows / 2 + n_rows % 2;
    case SINK_touch:
        return 1;
    case SINK_row_ids:
    case SINK_is_deleted:
    case SINK_deleted_offsets:
        break;
    }
    return n_rows;
}

size_t dv_sink_bytes(enum sink_kind kind, uint32_t n_rows)
{
    return max_elements(kind, n_rows) * sinks[kind].element_bytes;
}

size_t sink_element_bytes(enum sink_kind kind)
{
    return sinks[kind].element_bytes;
}

const char *sink_id(enum sink_kind kind)
{
    return sinks[kind].id;
}

const char *sink_description(enum sink_kind kind)
{
    return sinks[kind].description;
}

int sink_find(const char *id)
{
    for (int kind = 0; kind < N_SINKS; kind++)
        if (strcmp(sinks[kind].id, id) == 0)
            return kind;
    return -1;
}
