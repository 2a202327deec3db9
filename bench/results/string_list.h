/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of owned strings. */
#ifndef DVBENCH_STRING_LIST_H
#define DVBENCH_STRING_LIST_H

#include <stddef.h>

struct dv_error;

struct strings {
    char **items;
    size_t n_items;
};

/* Appends a copy of the first `n_bytes` of `text`. Returns 0 or DV_ERROR_MEMORY. */
int strings_add(struct strings *strings, const char *text, size_t n_bytes);

/* The same of a whole text, with `error_out` filled on failure. */
int strings_add_text(struct strings *strings, const char *text, struct dv_error *error_out);

void strings_free(struct strings *strings);

#endif
