/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int read_plan_file(const char *path, FILE *file, char **text_out, struct dv_error *error_out)
{
    char *text = malloc(MAX_PLAN_BYTES + 2);
    if (!text)
        return dv_no_memory(error_out);
    size_t n_bytes = fread(text, 1, MAX_PLAN_BYTES + 1, file);
    if (ferror(file) || n_bytes > MAX_PLAN_BYTES || memchr(text, '\0', n_bytes)) {
        free(text);
        return dv_fail(error_out, DV_ERROR_INPUT, "%s: not a plan: lines of `sweep` flags are expected",
                       path);
    }
    text[n_bytes] = '\0';
    *text_out = text;
    return 0;
}

int plan_text_load(const char *name, char **text_out, struct dv_error *error_out)
{
    for (size_t i = 0; i < plan_text_count(); i++)
        if (strcmp(plans[i].id, name) == 0) {
            *text_out = strdup(plans[i].lines);
            return *text_out ? 0 : dv_no_memory(error_out);
        }
    FILE *file = fopen(name, "r");
    if (!file)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--plan %s: no plan of that name (list plans) and no such file: %s", name,
                       strerror(errno));
    int status = read_plan_file(name, file, text_out, error_out);
    fclose(file);
    return status;
}
