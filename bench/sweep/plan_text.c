/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_read.h"
#include "plan_text.h"

#define PLAN(id, description, lines) {#id, description, lines},
static const struct plan_text plans[] = {
#include "plans.def"
};
#undef PLAN

size_t plan_text_count(void)
{
    return sizeof plans / sizeof plans[0];
}

const struct plan_text *plan_text_at(size_t index)
{
    return &plans[index];
}

enum { MAX_PLAN_BYTES = 1 << 20 };

int plan_text_load(const char *name, char **text_out, struct dv_error *error_out)
{
    for (size_t i = 0; i < plan_text_count(); i++)
        if (strcmp(plans[i].id, name) == 0) {
            *text_out = strdup(plans[i].lines);
            return *text_out ? 0 : dv_no_memory(error_out);
        }
    if (access(name, F_OK) != 0)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--plan %s: no plan of that name (list plans) and no such file: %s", name,
                       strerror(errno));
    *text_out = file_read_text(name, MAX_PLAN_BYTES, error_out);
    return *text_out ? 0 : DV_ERROR_INPUT;
}
