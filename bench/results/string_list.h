/* SPDX-License-Identifier: Apache-2.0 */
/* A growing list of owned strings. */
#ifndef DVBENCH_STRING_LIST_H
#define DVBENCH_STRING_LIST_H

#include <stddef.h>

struct strings {
    char **items;
    size_t n_items;
};

/* Appends a copy of the first `n_bytes` of `text`. Returns 0 or DV_ERROR_MEMORY. */
int strings_add(struct strings *strings, const char *text, size_t n_bytes);

void strings_free(struct strings *strings);

#endif
