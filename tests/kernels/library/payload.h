/* SPDX-License-Identifier: Apache-2.0 */
/* The vector of the examples in kernels/LIBRARY.md: of 200,000 rows, 3, 4 (an array), the even rows of the second chunk (a
 * bitset) and 140000 to 149999 (a run) are deleted.
 *
 * Place in the data flow: payload_make -> an example's main -> the page's code. */
#ifndef DVBENCH_LIBRARY_PAYLOAD_H
#define DVBENCH_LIBRARY_PAYLOAD_H

#include <dvkernels.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { N_ROWS = 200000, BATCH = 5000, PAYLOAD_BYTES = 12 + 5 + 12 + 4 + 8192 + 6 };

static inline bool is_deleted(uint64_t row)
{
    return row == 3 || row == 4 || (row >> 16 == 1 && row % 2 == 0) || (row >= 140000 && row < 150000);
}

/* One key, three containers with runs among them, so without offsets (RoaringFormatSpec). */
static inline void payload_make(uint8_t bytes_out[PAYLOAD_BYTES])
{
    static const uint8_t head[] = {1, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0, 0, 0x3b, 0x30, 2,
                                   0, 4, 0, 0, 1, 0, 1, 0, 0xff, 0x7f, 2, 0, 0x0f, 0x27};
    static const uint8_t array[] = {3, 0, 4, 0};
    static const uint8_t run[] = {1, 0, 8928 & 0xff, 8928 >> 8, 0x0f, 0x27};
    memcpy(bytes_out, head, sizeof head);
    memcpy(bytes_out + 29, array, sizeof array);
    memset(bytes_out + 33, 0x55, 8192);
    memcpy(bytes_out + 33 + 8192, run, sizeof run);
}

static inline struct dv_reader *payload_open(const uint8_t bytes[PAYLOAD_BYTES])
{
    struct dv_error error;
    struct dv_reader *reader = NULL;
    if (dv_reader_open(&reader, bytes, PAYLOAD_BYTES, &error) != DV_OK) {
        char text[DV_ERROR_TEXT_BYTES];
        puts(dv_error_text(&error, text));
    }
    return reader;
}

#endif
