/* SPDX-License-Identifier: Apache-2.0 */
/* One content, two forms: headings, paragraphs, tables and pictures as Markdown or as HTML.
 *
 * Place in the data flow: report content -> report_text -> report.md, report.html. */
#ifndef DVBENCH_REPORT_TEXT_H
#define DVBENCH_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "string_list.h"

enum report_form { REPORT_MARKDOWN, REPORT_HTML };

/* Each table is a file RUN/tables/NN-SECTION.csv too. */
struct report_tables {
    const char *run_dir; /* borrowed */
    char section[48];    /* the last heading */
    unsigned n;          /* tables so far: the second form counts the same ones */
    FILE *file;          /* of the table that is being written; only Markdown, the first form, writes it */
};

struct report_text {
    FILE *file; /* borrowed; its error flag says whether all was written */
    enum report_form form;
    struct strings *headings;     /* takes those of level 2; NULL: nobody asks */
    struct report_tables *tables; /* NULL: no files */
};

/* All texts are plain: they are escaped here, line ends become blanks. */
void report_begin(const struct report_text *text, const char *title);
void report_heading(const struct report_text *text, int level, const char *words);
/* Links to the sections with these headings. */
void report_contents(const struct report_text *text, const char *const *headings, size_t n_headings);
/* A list of links to files of the run. */
void report_links(const struct report_text *text, const char *const *paths_in_run, size_t n_paths);
void report_paragraph(const struct report_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_list(const struct report_text *text, const char *const *items, size_t n_items);

/* Begin with the headers, then rows of as many cells; cells that are NULL are empty. */
void report_table_begin(const struct report_text *text, const char *const *headers, size_t n_columns);
void report_table_row(const struct report_text *text, const char *const *cells, size_t n_columns);
void report_table_end(const struct report_text *text);

/* A part that HTML shows folded. */
void report_fold_begin(const struct report_text *text, const char *summary);
void report_fold_end(const struct report_text *text);

/* A picture: a link to `path_in_run` in Markdown, its bytes in HTML, and there also those of NAME.narrow.svg, which a
 * phone shows. False where the file cannot be read; then nothing is written. */
bool report_picture(const struct report_text *text, const char *run_dir, const char *path_in_run,
                    const char *alternative);

/* Removes the files of tables that an earlier report left. */
void report_tables_remove(const char *run_dir);

void report_end(const struct report_text *text);

#endif
