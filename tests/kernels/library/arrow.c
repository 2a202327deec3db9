/* SPDX-License-Identifier: Apache-2.0 */
/* After the selection vector of kernels/LIBRARY.md: a column of the rows' numbers; and what the stats say of the vector. */
#include "payload.h"

static bool are_stats_right(const struct dv_reader *reader)
{
    struct dv_reader_stats stats;
    dv_reader_stats(reader, &stats);
    return stats.n_deleted == 2 + 32768 + 10000 && stats.n_deleted == dv_reader_cardinality(reader) &&
           stats.n_arrays == 1 && stats.n_bitsets == 1 && stats.n_run_chunks == 1 && stats.n_runs == 1 &&
           stats.first_deleted == 3 && stats.last_deleted == 149999 && stats.payload_bytes == PAYLOAD_BYTES &&
           stats.reader_bytes > 0;
}

int main(void)
{
    static uint8_t payload[PAYLOAD_BYTES];
    static _Alignas(64) int32_t selection[BATCH + SINK_SLACK_BYTES / 4];
    static int64_t values[BATCH], taken[BATCH];
    payload_make(payload);
    struct dv_reader *reader = payload_open(payload);
    if (!reader)
        return 1;
    int n_wrong = !are_stats_right(reader);
    for (uint64_t first = 0; first < N_ROWS; first += BATCH) {
        for (uint32_t row = 0; row < BATCH; row++)
            values[row] = (int64_t)(first + row);
        const uint32_t n_live = take_live(reader, first, BATCH, values, selection, taken);
        uint32_t n_expected = 0;
        for (uint32_t row = 0; row < BATCH; row++)
            if (!is_deleted(first + row))
                n_wrong += n_expected >= n_live || taken[n_expected] != (int64_t)(first + row), n_expected++;
        n_wrong += n_live != n_expected;
    }
    dv_reader_close(reader);
    return n_wrong != 0;
}
