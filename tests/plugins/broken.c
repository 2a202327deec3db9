/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for vectors that delete nothing, broken as BROKEN says: 1 only in the last row of a batch, 2 writes far
 * after its buffer, 3 crashes in a batch, 4 ends the process, 5 crashes when it opens a vector, 6 never broken. */
#include <dv_plugin.h>
#include <stdlib.h>

static int *volatile nowhere; /* NULL, which no compiler may assume */

static int open_bytes(const uint8_t *bytes, size_t n_bytes, void **state_out)
{
    (void)bytes, (void)n_bytes;
    *state_out = NULL;
    return BROKEN == 5 ? *nowhere : 0;
}

static uint32_t run(void *state, enum sink_kind kind, uint64_t start, uint32_t n_rows, struct sink *sink)
{
    uint8_t *out = sink->out;
    (void)state, (void)kind, (void)start;
    for (uint32_t row = 0; row < n_rows; row++)
        out[row] = BROKEN == 1 && row == n_rows - 1;
    if (BROKEN == 2)
        out[n_rows + SINK_SLACK_BYTES] = 1;
    if (BROKEN == 3)
        *nowhere = 1;
    if (BROKEN == 4)
        exit(7);
    sink->n_out = n_rows;
    return n_rows;
}

static void close_state(void *state)
{
    (void)state;
}

#ifndef ABI
#define ABI DV_PLUGIN_ABI
#endif
const struct dv_plugin dvbench_plugin = {
    ABI, 1u << SINK_is_deleted, "mine_broken", "broken on purpose", "generic", open_bytes, run, close_state};
