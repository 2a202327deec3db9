/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "block_fixture.h"
#include "child.h"
#include "csv.h"
#include "file_read.h"

char *fixture_folder(void)
{
    char *folder = strdup("/tmp/dvbench-block-XXXXXX");
    assert_non_null(folder);
    assert_non_null(mkdtemp(folder));
    return folder;
}

void fixture_folder_remove(char *folder)
{
    static const char *const names[] = {"samples.csv", "summary.csv", "counters.csv", "threads.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0); /* no .part is left */
    free(folder);
}

char *fixture_text(const char *folder, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = file_read_text(path, FILE_READ_MOST, NULL);
    assert_non_null(text);
    return text;
}

size_t fixture_count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        n++;
    return n;
}

struct csv_table *fixture_table(const char *folder, const char *name, enum csv_file file)
{
    char path[64];
    struct csv_table *table;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(csv_load(&table, path, file, NULL), 0);
    return table;
}

size_t fixture_row_of(const struct csv_table *summary, const char *kernel)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < csv_n_rows(summary); i++)
        if (strcmp(csv_text(summary, i, CSV_summary_kernel), kernel) == 0) {
            assert_true(found == SIZE_MAX);
            found = i;
        }
    assert_true(found != SIZE_MAX);
    return found;
}

void fixture_add(struct samples *samples, const char *dv, const char *kernel, const char *cell, int start,
                 int round, double ns_per_row)
{
    struct sample_row row = {.dv = (char *)dv, /* copied */
                             .kernel = (char *)kernel,
                             .sink = SINK_row_ids,
                             .batch_rows = 5000,
                             .mode = MODE_stream,
                             .start = start,
                             .round = round,
                             .sample = {.ns_per_row = ns_per_row, .n_iterations = 100, .mhz = 3000}};
    snprintf(row.cell, sizeof row.cell, "%s", cell);
    assert_int_equal(samples_add(samples, &row, NULL), 0);
}
