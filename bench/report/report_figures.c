/* SPDX-License-Identifier: Apache-2.0 */
#include "report_sections.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure_data.h"
#include "report_numbers.h"

/* What is seen, for who cannot see it: the question and the ends of what is drawn. */
static char *describe_figure(const struct figure *figure, const struct csv_table *table)
{
    size_t least = REPORT_NO_ROW, most = REPORT_NO_ROW;
    for (size_t i = 0; i < figure->n_rows; i++) {
        const size_t row = figure->rows[i];
        const double value = csv_real(table, row, figure->column);
        if (least == REPORT_NO_ROW || value < csv_real(table, least, figure->column))
            least = row;
        if (most == REPORT_NO_ROW || value > csv_real(table, most, figure->column))
            most = row;
    }
    char low[32], high[32], rate_low[32], rate_high[32], *words = NULL;
    if (figure->data != FIGURE_DATA_ROWS)
        return figure_data_describe(figure, table);
    if (least == REPORT_NO_ROW)
        return strdup(figure->question);
    int n = asprintf(
        &words, "%s The lowest %s is %s of %s where %s %% are deleted, the highest %s of %s where %s %% are.",
        figure->question, csv_column_info(figure->column)->name,
        report_number(csv_real(table, least, figure->column), low, sizeof low),
        csv_text(table, least, CSV_summary_kernel),
        report_number(100 * csv_real(table, least, CSV_summary_rate), rate_low, sizeof rate_low),
        report_number(csv_real(table, most, figure->column), high, sizeof high),
        csv_text(table, most, CSV_summary_kernel),
        report_number(100 * csv_real(table, most, CSV_summary_rate), rate_high, sizeof rate_high));
    return n < 0 ? NULL : words;
}

void report_figure(const struct report_text *text, const struct report *report, const struct figure *figure)
{
    char path[512];
    int n = snprintf(path, sizeof path, "plots/%s.%s", figure->name, figure->extension);
    char *seen = describe_figure(figure, report->figures.summary);
    if (seen && n < (int)sizeof path && report_picture(text, report->run_dir, path, seen))
        report_paragraph(text, "%s %s.", figure->caption, figure->subtitle);
    free(seen);
}

/* The figure below the three sentences: the first cost over rate that was drawn, of all machines where there are
 * several; or NULL. */
const struct figure *report_opening_figure(const struct report *report)
{
    static const char *const scripts[] = {"cost_by_machine", "cost_over_rate"};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < report->figures.n_items; i++)
            if (strcmp(report->figures.items[i].script, scripts[s]) == 0 &&
                report->figures.items[i].extension[0])
                return &report->figures.items[i];
    return NULL;
}

/* The next figure that was drawn, from `i` on; n_items where there is none. */
static size_t next_drawn(const struct figures *figures, size_t i)
{
    while (i < figures->n_items && !figures->items[i].extension[0])
        i++;
    return i;
}

void report_figures(const struct report_text *text, const struct report *report)
{
    const struct figures *figures = &report->figures;
    const char *question = NULL;
    bool is_folded = false;
    report_heading(text, 2, "Figures");
    for (size_t i = next_drawn(figures, 0); i < figures->n_items; i = next_drawn(figures, i + 1)) {
        const struct figure *figure = &figures->items[i];
        const bool is_first = figure->question != question;
        if (is_first && is_folded)
            report_fold_end(text);
        if (is_first)
            report_heading(text, 3, figure->question);
        else if (!is_folded)
            report_fold_begin(text, "the same for other sinks, batch sizes, modes and vectors");
        is_folded = !is_first;
        question = figure->question;
        if (figure == report_opening_figure(report))
            report_paragraph(text, "It is at the top of this report.");
        else
            report_figure(text, report, figure);
    }
    if (is_folded)
        report_fold_end(text);
    if (!question)
        report_paragraph(text,
                         "No pictures were drawn. `dvbench plot` draws them where gnuplot is installed.");
    report_list(text, (const char *const *)figures->notes, figures->n_notes);
}
