/* SPDX-License-Identifier: Apache-2.0 */
/* The installed headers in C++: one reader over a vector that deletes row 3. */
#include <dvkernels.h>

#include <cstdio>
#include <vector>

int main()
{
    const uint8_t payload[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0x3a, 0x30, 0,
                               0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0,    3,    0};
    dv_reader *reader = nullptr;
    dv_error error;
    if (dv_reader_open(&reader, payload, sizeof payload, &error) != 0) {
        char text[DV_ERROR_TEXT_BYTES];
        std::puts(dv_error_text(&error, text));
        return 1;
    }
    std::vector<uint8_t> buffer(dv_sink_bytes(SINK_row_ids, 100) + SINK_SLACK_BYTES + 64);
    sink rows = {buffer.data() + (64 - reinterpret_cast<uintptr_t>(buffer.data()) % 64) % 64, 0};
    const uint32_t n_live = dv_reader_apply(reader, SINK_row_ids, 0, 100, &rows);
    const int32_t *ids = static_cast<const int32_t *>(rows.out);
    const bool is_right = n_live == 99 && rows.n_out == 99 && ids[2] == 2 && ids[3] == 4 && ids[98] == 99;
    dv_reader_close(reader);
    return is_right ? 0 : 1;
}
