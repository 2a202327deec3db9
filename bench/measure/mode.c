/* SPDX-License-Identifier: Apache-2.0 */
#include "mode.h"

#include <string.h>

#define MODE_ID(id) #id,
static const char *const ids[N_MODES] = {FOR_EACH_MODE(MODE_ID)};
#undef MODE_ID

const char *mode_id(enum sweep_mode mode)
{
    return ids[mode];
}

int mode_find(const char *id)
{
    for (int mode = 0; mode < N_MODES; mode++)
        if (strcmp(ids[mode], id) == 0)
            return mode;
    return -1;
}
