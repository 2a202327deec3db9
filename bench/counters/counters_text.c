/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "counters_text.h"

void counters_status_text(char *text_out, size_t n_text,
                          const enum counter_status statuses[N_COUNTER_COLUMNS])
{
    static const char *const names[N_COUNTER_COLUMNS] = {"instructions", "branches", "branch_misses",
                                                         "core_cycles", "ipc"};
    int is_same = 1;
    size_t n_used = 0;
    snprintf(text_out, n_text, "%s", "");
    for (int i = 1; i < N_COUNTER_COLUMNS; i++)
        is_same &= statuses[i] == statuses[0];
    if (is_same) {
        snprintf(text_out, n_text, "%s", statuses[0] == COUNTER_OK ? "" : counter_status_word(statuses[0]));
        return;
    }
    for (int i = 0; i < N_COUNTER_COLUMNS; i++) {
        if (statuses[i] == COUNTER_OK)
            continue;
        int n = snprintf(text_out + n_used, n_text - n_used, "%s%s=%s", n_used ? ";" : "", names[i],
                         counter_status_word(statuses[i]));
        if (n < 0 || (size_t)n >= n_text - n_used)
            return;
        n_used += (size_t)n;
    }
}
