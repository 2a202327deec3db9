/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "dv.h"
#include "string_list.h"

int strings_add(struct strings *strings, const char *text, size_t n_bytes)
{
    char **grown = realloc(strings->items, (strings->n_items + 1) * sizeof *grown);
    if (!grown)
        return DV_ERROR_MEMORY;
    strings->items = grown;
    grown[strings->n_items] = strndup(text, n_bytes);
    if (!grown[strings->n_items])
        return DV_ERROR_MEMORY;
    strings->n_items++;
    return 0;
}

int strings_add_text(struct strings *strings, const char *text, struct dv_error *error_out)
{
    return strings_add(strings, text, strlen(text)) < 0 ? dv_no_memory(error_out) : 0;
}

void strings_free(struct strings *strings)
{
    for (size_t i = 0; i < strings->n_items; i++)
        free(strings->items[i]);
    free(strings->items);
    *strings = (struct strings){0};
}
