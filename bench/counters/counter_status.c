/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "counter_status.h"

struct status_info {
    const char *word;
    const char *text;
};

#define STATUS_INFO(id, word, text) {word, text},
static const struct status_info infos[N_COUNTER_STATUS] = {FOR_EACH_COUNTER_STATUS(STATUS_INFO)};
#undef STATUS_INFO

const char *counter_status_word(enum counter_status status)
{
    return infos[status].word;
}

const char *counter_status_text(enum counter_status status)
{
    return infos[status].text;
}

enum counter_status counter_status_of_errno(int error, int paranoid_level)
{
    switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
    case ENOSYS:
        return COUNTER_NO_PMU;
    case EACCES:
        return COUNTER_PARANOID;
    case EPERM:
        /* Levels 3 (Debian) and 4 (Ubuntu) refuse plain users with EPERM or EACCES; below them only a filter
         * does. */
        return paranoid_level > 2 ? COUNTER_PARANOID : COUNTER_SECCOMP;
    case EMFILE:
    case ENFILE:
        return COUNTER_FILE_LIMIT;
    case EBUSY:
        return COUNTER_BUSY;
    default:
        return COUNTER_REFUSED;
    }
}

void counter_status_join(char *text_out, size_t n_text, const enum counter_status statuses[N_COUNTER_COLUMNS])
{
    static const char *const names[N_COUNTER_COLUMNS] = {"instructions", "branches", "branch_misses",
                                                         "core_cycles", "ipc"};
    bool is_same = true;
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
