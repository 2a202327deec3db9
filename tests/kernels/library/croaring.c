/* SPDX-License-Identifier: Apache-2.0 */
/* After the two of kernels/LIBRARY.md: CRoaring and the library must find the same live rows. */
#include "payload.h"

int main(void)
{
    static uint8_t payload[PAYLOAD_BYTES];
    static _Alignas(64) int32_t ours[BATCH + SINK_SLACK_BYTES / 4];
    static int32_t theirs[BATCH];
    payload_make(payload);
    struct dv_reader *reader = payload_open(payload);
    roaring_bitmap_t *bitmap =
        roaring_bitmap_portable_deserialize_safe((const char *)payload + 12, PAYLOAD_BYTES - 12);
    if (!reader || !bitmap)
        return 1;
    int n_wrong = roaring_bitmap_get_cardinality(bitmap) != dv_reader_cardinality(reader);
    for (uint32_t first = 0; first < N_ROWS; first += BATCH) {
        const uint32_t n_live = live_by_dvkernels(reader, first, BATCH, ours);
        n_wrong += live_by_croaring(bitmap, first, BATCH, theirs) != n_live ||
                   memcmp(ours, theirs, n_live * sizeof *ours) != 0;
    }
    roaring_bitmap_free(bitmap);
    dv_reader_close(reader);
    return n_wrong != 0;
}
