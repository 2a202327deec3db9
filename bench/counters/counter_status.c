/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

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
