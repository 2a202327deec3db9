/* SPDX-License-Identifier: Apache-2.0 */
#include "references.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"
#include "run_dir.h"

#ifndef DVBENCH_REFERENCE_SOURCE
#define DVBENCH_REFERENCE_SOURCE ""
#endif

static void read_files(struct references *references, const char *pattern, enum csv_file kind)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct csv_table *table = NULL;
        struct csv_table **grown = realloc(references->tables, (references->n_tables + 1) * sizeof *grown);
        if (grown)
            references->tables = grown;
        if (grown && csv_load(&table, found.gl_pathv[i], kind, NULL) == 0)
            references->tables[references->n_tables++] = table;
    }
    globfree(&found);
}

void references_read(struct references *references_out, enum csv_file kind)
{
    struct machine machine;
    char folder[256];
    char pattern[4096];
    const char *given = getenv("DVBENCH_REFERENCE");
    *references_out = (struct references){0};
    machine_read(&machine);
    machine_folder(&machine, folder, sizeof folder);
    for (int depth = 0; depth < 2; depth++) {
        int n_chars =
            snprintf(pattern, sizeof pattern, "%s/%s/%s%s", given ? given : DVBENCH_REFERENCE_SOURCE, folder,
                     depth ? "*/" : "", run_dir_csv_name(kind));
        if (n_chars > 0 && (size_t)n_chars < sizeof pattern)
            read_files(references_out, pattern, kind);
    }
}

void references_free(struct references *references)
{
    for (size_t i = 0; i < references->n_tables; i++)
        csv_free(references->tables[i]);
    free(references->tables);
    *references = (struct references){0};
}
