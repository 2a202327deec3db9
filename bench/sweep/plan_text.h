/* SPDX-License-Identifier: Apache-2.0 */
/* Where plans come from: the registry plans.def, or a file of such lines. */
#ifndef DVBENCH_PLAN_TEXT_H
#define DVBENCH_PLAN_TEXT_H

#include <stddef.h>

#include "dv.h"

struct plan_text {
    const char *id;
    const char *description;
    const char *lines;
};

size_t plan_text_count(void);
const struct plan_text *plan_text_at(size_t index);

/* The lines of the plan of that name, or of that file (at most 1 MiB). The caller frees. DV_ERROR_USAGE where
 * neither exists. */
int plan_text_load(const char *name, char **text_out, struct dv_error *error_out);

#endif
