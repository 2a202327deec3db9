/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin in C: CRoaring's contains for every row. One key of 32 bits, so for files of up to 2^32 rows.
 * cc -shared -fPIC -O2 per_row.c -o per_row.so $(pkg-config --cflags dvkernels) -lroaring */
#include <dv_plugin.h>
#include <roaring/roaring.h>

static int open_bytes(const uint8_t *bytes, size_t n_bytes, void **state_out)
{
    if (n_bytes >= 12 && bytes[0] == 1 &&
        !(bytes[8] | bytes[9] | bytes[10] | bytes[11])) /* one bucket, key 0 */
        *state_out = roaring_bitmap_portable_deserialize_safe((const char *)bytes + 12, n_bytes - 12);
    return *state_out ? 0 : 1;
}

static uint32_t run(void *state, enum sink_kind kind, uint64_t start, uint32_t n_rows, struct sink *sink)
{
    (void)kind;
    sink->n_out = 0;
    for (uint32_t row = 0; row < n_rows; row++)
        if (start + row > UINT32_MAX || !roaring_bitmap_contains(state, (uint32_t)(start + row)))
            ((int32_t *)sink->out)[sink->n_out++] = (int32_t)row;
    return sink->n_out;
}

static void close_state(void *state)
{
    roaring_bitmap_free(state);
}

const struct dv_plugin dvbench_plugin = {
    DV_PLUGIN_ABI, 1u << SINK_row_ids, "mine_per_row", "contains for every row", "generic", open_bytes,
    run,           close_state};
