/* SPDX-License-Identifier: Apache-2.0 */
#include "cell_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *cell_name_format(const char *kernel, const char *sink, const char *dv, const char *batch,
                       const char *mode)
{
    char *name = NULL;
    return asprintf(&name, "%s/%s@%s,batch=%s,mode=%s", kernel, sink, dv, batch, mode) < 0 ? NULL : name;
}

char *cell_name_of_row(const struct csv_table *summary, size_t row)
{
    return cell_name_format(csv_text(summary, row, CSV_summary_kernel),
                            csv_text(summary, row, CSV_summary_sink), csv_text(summary, row, CSV_summary_dv),
                            csv_text(summary, row, CSV_summary_batch_rows),
                            csv_text(summary, row, CSV_summary_mode));
}

/* Takes ",key=value" off the end of `text`; NULL where it does not end so. */
static char *take_end(char *text, const char *key)
{
    char *comma = strrchr(text, ',');
    if (!comma)
        return NULL;
    char *word = comma + 1 + strspn(comma + 1, " ");
    const size_t n_key = strlen(key);
    if (strncmp(word, key, n_key) != 0 || word[n_key] != '=')
        return NULL;
    *comma = '\0';
    return word + n_key + 1;
}

bool cell_name_parse(struct cell_name *name_out, char *text)
{
    char *slash = strchr(text, '/'), *at = slash ? strchr(slash, '@') : NULL;
    *name_out = (struct cell_name){0};
    if (!at)
        return false;
    *slash = *at = '\0';
    *name_out = (struct cell_name){.kernel = text, .sink = slash + 1, .dv = at + 1};
    name_out->mode = take_end(name_out->dv, "mode");
    name_out->batch = take_end(name_out->dv, "batch");
    if (!name_out->mode)
        name_out->mode = take_end(name_out->dv, "mode");
    return true;
}
