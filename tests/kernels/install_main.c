/* SPDX-License-Identifier: Apache-2.0 */
/* The engine behind the reader that kernels/README.md shows: test_install.sh puts the two into one file.
 * 70,000 rows, of which rows 3, 4 and 65537 are deleted. `broken` cuts the payload's last byte off. */
#include <stdio.h>

static uint64_t n_taken, sum_taken;

static void take(uint64_t first_row, const int32_t *live_rows, uint32_t n_live)
{
    for (uint32_t i = 0; i < n_live; i++)
        sum_taken += first_row + (uint64_t)live_rows[i];
    n_taken += n_live;
}

int main(int argc, char **argv)
{
    (void)argv;
    const uint8_t payload[] = {
        1,    0,    0, 0, 0,  0, 0, 0, /* one bucket */
        0,    0,    0, 0,              /* key 0 */
        0x3a, 0x30, 0, 0, 2,  0, 0, 0, /* no runs, two containers */
        0,    0,    1, 0, 1,  0, 0, 0, /* chunk 0: 2 values; chunk 1: 1 value */
        24,   0,    0, 0, 28, 0, 0, 0, /* where they are */
        3,    0,    4, 0, 1,  0,       /* 3, 4; 65536 + 1 */
    };
    struct dv_error error;
    if (read_live_rows(payload, sizeof payload - (argc > 1), 70000, &error, take) != 0) {
        printf("%s\n", error.message);
        return 1;
    }
    uint64_t wanted = UINT64_C(70000) * 69999 / 2 - 3 - 4 - 65537;
    printf("%llu live rows, sum %llu\n", (unsigned long long)n_taken, (unsigned long long)sum_taken);
    return n_taken != 69997 || sum_taken != wanted;
}
