/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin per_row.c, slower by SLOWER_PCT per cent: that part of each batch's rows is done twice. */
#define dvbench_plugin per_row_plugin
#include "per_row.c"
#undef dvbench_plugin

static uint32_t run_more(void *state, enum sink_kind kind, uint64_t start, uint32_t n_rows, struct sink *sink)
{
    (void)run(state, kind, start, n_rows * SLOWER_PCT / 100, sink);
    return run(state, kind, start, n_rows, sink);
}

const struct dv_plugin dvbench_plugin = {
    DV_PLUGIN_ABI, 1u << SINK_row_ids, "mine_per_row", "contains for every row",
    "generic",     open_bytes,         run_more,       close_state};
