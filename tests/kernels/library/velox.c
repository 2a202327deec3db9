/* SPDX-License-Identifier: Apache-2.0 */
/* After the bit mask of kernels/LIBRARY.md: every third row passes the filter; live ones of them must be left. */
#include "payload.h"

int main(void)
{
    static uint8_t payload[PAYLOAD_BYTES];
    static _Alignas(64) uint64_t scratch[(BATCH + 63) / 64 + SINK_SLACK_BYTES / 8];
    payload_make(payload);
    struct dv_reader *reader = payload_open(payload);
    int n_wrong = reader == NULL;
    for (uint64_t first = 0; reader && first < N_ROWS; first += BATCH) {
        uint64_t rows[(BATCH + 63) / 64] = {0};
        uint32_t n_expected = 0;
        for (uint32_t row = 0; row < BATCH; row += 3)
            rows[row / 64] |= UINT64_C(1) << row % 64;
        const uint32_t n_left = deselect_deleted(reader, first, BATCH, rows, scratch);
        for (uint32_t row = 0; row < BATCH; row++) {
            const bool expected = row % 3 == 0 && !is_deleted(first + row);
            n_expected += expected;
            n_wrong += (rows[row / 64] >> row % 64 & 1) != expected;
        }
        n_wrong += n_left != n_expected;
    }
    dv_reader_close(reader);
    return n_wrong != 0;
}
