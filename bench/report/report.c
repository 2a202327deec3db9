/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_report.h"
#include "report.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_name.h"
#include "csv.h"
#include "file_write.h"
#include "figures.h"
#include "report_answer.h"
#include "report_claims.h"
#include "report_key_numbers.h"
#include "report_model.h"
#include "report_numbers.h"
#include "report_text.h"
#include "run_dir.h"
#include "scan_report.h"
#include "run_json.h"
#include "string_list.h"

#define DOUBTS_SHOWN 20

/* What both forms are written from. */
struct report {
    const char *run_dir;
    struct figures figures;
    struct csv_table
        *scan; /* of a run of `scan`, which has no summary.csv and so no figures above; else NULL */
    struct csv_table *deletes; /* likewise, of a run of `deletes` */
    json_t *run;               /* NULL where run.json cannot be read */
};

static const char *first_text(const struct csv_table *table, enum csv_column column)
{
    return csv_n_rows(table) ? csv_text(table, 0, column) : "";
}

static double largest(const struct csv_table *table, enum csv_column column)
{
    double most = NAN;
    for (size_t row = 0; row < csv_n_rows(table); row++)
        most = fmax(most, csv_real(table, row, column));
    return most;
}

static bool has_text(const struct csv_table *table, enum csv_column column, const char *text)
{
    for (size_t row = 0; row < csv_n_rows(table); row++)
        if (strcmp(csv_text(table, row, column), text) == 0)
            return true;
    return false;
}

static size_t count_verdict(const struct csv_table *table, const char *verdict)
{
    size_t n = 0;
    for (size_t row = 0; row < csv_n_rows(table); row++)
        n += strcmp(csv_text(table, row, CSV_summary_verdict), verdict) == 0;
    return n;
}

/* All values of a column, each once, as "a; and b"; owned by the caller, NULL without memory. */
static char *all_texts(const struct csv_table *table, enum csv_column column)
{
    struct strings values = {0};
    bool is_fine = true;
    for (size_t row = 0; row < csv_n_rows(table) && is_fine; row++) {
        const char *text = csv_text(table, row, column);
        size_t i = 0;
        while (i < values.n_items && strcmp(values.items[i], text) != 0)
            i++;
        is_fine = i < values.n_items || strings_add(&values, text, strlen(text)) == 0;
    }
    char *joined = is_fine ? strdup(values.n_items ? values.items[0] : "") : NULL;
    for (size_t i = 1; joined && i < values.n_items; i++) {
        char *longer = NULL;
        if (asprintf(&longer, "%s; and %s", joined, values.items[i]) < 0)
            longer = NULL;
        free(joined);
        joined = longer;
    }
    strings_free(&values);
    return joined;
}

/* A merged run has several of each. */
static void write_machines(const struct report_text *text, const struct report *report, const char *counters)
{
    const struct csv_table *table = report->figures.summary;
    char *machines = all_texts(table, CSV_summary_machine),
         *croaring = all_texts(table, CSV_summary_croaring),
         *compilers = all_texts(table, CSV_summary_compiler);
    report_paragraph(text, "Machine: %s. CRoaring %s. Compiler: %s. Counters: %s.", machines ? machines : "",
                     croaring ? croaring : "", compilers ? compilers : "", counters);
    free(machines);
    free(croaring);
    free(compilers);
    if (json_is_array(json_object_get(report->run, "runs")))
        report_paragraph(text,
                         "These are %zu merged runs. The noise floor of each row is that of the run that "
                         "measured it; the one below is the largest.",
                         run_json_n_parts(report->run));
}

static void write_overview(const struct report_text *text, const struct report *report)
{
    const struct csv_table *table = report->figures.summary;
    char noise[32];
    const char *source = first_text(table, CSV_summary_counter_source);
    const bool is_mixed = strcmp(source, "step") != 0 && has_text(table, CSV_summary_counter_source, "step");
    report_number(largest(table, CSV_summary_noise_floor_pct), noise, sizeof noise);
    char counters[128];
    snprintf(counters, sizeof counters, "%s%s", source,
             is_mixed ? "; step where a kernel cannot be simulated: instructions only" : "");
    write_machines(text, report, counters);
    report_paragraph(text, "%zu cells measured, %zu unavailable, %zu wrong.", count_verdict(table, "ok"),
                     count_verdict(table, "unavailable"), count_verdict(table, "wrong"));
    if (noise[0] != '\0')
        report_paragraph(text,
                         "Noise floor: %s %%. The same kernel measured twice differed by up to that; smaller "
                         "differences are not separated.",
                         noise);
}

/* Cells whose time or count cannot be right, above everything that is built on them. */
static void write_doubts(const struct report_text *text, const struct csv_table *table)
{
    struct strings lines = {0};
    size_t n_doubts = 0, n_rows = csv_n_rows(table);
    for (size_t row = 0; row < n_rows; row++) {
        const char *doubts = csv_text(table, row, CSV_summary_doubts);
        if (doubts[0] == '\0' || n_doubts++ >= DOUBTS_SHOWN)
            continue;
        char line[512], *cell = cell_name_of_row(table, row);
        snprintf(line, sizeof line, "%s: %s", doubts, cell ? cell : "");
        (void)strings_add(&lines, line, strlen(line));
        free(cell);
    }
    if (n_doubts) {
        report_heading(text, 2, "Times to doubt");
        report_paragraph(text,
                         "%zu cells have a time that does not fit their bound or their count of "
                         "instructions; do not build on it. A simulated or stepped count is over a few "
                         "batches far from each other, to which an iterator that is kept for the file has to "
                         "move: there the count is what does not fit.%s",
                         n_doubts, n_doubts > DOUBTS_SHOWN ? " The first are:" : "");
        report_list(text, (const char *const *)lines.items, lines.n_items);
    }
    strings_free(&lines);
}

static void write_warnings(const struct report_text *text, const struct report *report)
{
    const json_t *warnings = json_object_get(report->run, "warnings");
    if (!report->run)
        report_paragraph(
            text, "run.json is missing or unreadable: warnings and settings of the run are not known.");
    if (!json_is_array(warnings) || json_array_size(warnings) == 0)
        return;
    report_heading(text, 2, "Warnings");
    size_t n = 0;
    const char *texts[64];
    for (size_t i = 0; i < json_array_size(warnings) && n < sizeof texts / sizeof *texts; i++)
        if (json_is_string(json_array_get(warnings, i)))
            texts[n++] = json_string_value(json_array_get(warnings, i));
    report_list(text, texts, n);
}

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

static void write_figure(const struct report_text *text, const struct report *report,
                         const struct figure *figure)
{
    char path[512];
    int n = snprintf(path, sizeof path, "plots/%s.%s", figure->name, figure->extension);
    char *seen = describe_figure(figure, report->figures.summary);
    if (seen && n < (int)sizeof path && report_picture(text, report->run_dir, path, seen))
        report_paragraph(text, "%s %s.", figure->caption, figure->subtitle);
    free(seen);
}

/* The figure below the three sentences: the first cost over rate that was drawn, or NULL. */
static const struct figure *opening_figure(const struct report *report)
{
    for (size_t i = 0; i < report->figures.n_items; i++)
        if (strncmp(report->figures.items[i].name, "cost_over_rate", strlen("cost_over_rate")) == 0 &&
            report->figures.items[i].extension[0])
            return &report->figures.items[i];
    return NULL;
}

/* The first picture of each figure in the open, the others of the same question folded below it. */
static void write_figures(const struct report_text *text, const struct report *report)
{
    const struct figures *figures = &report->figures;
    report_heading(text, 2, "Figures");
    size_t n_shown = 0;
    for (size_t i = 0; i < figures->n_items; i++) {
        bool is_first = i == 0 || figures->items[i].question != figures->items[i - 1].question;
        bool is_last =
            i + 1 == figures->n_items || figures->items[i + 1].question != figures->items[i].question;
        if (is_first)
            report_heading(text, 3, figures->items[i].question);
        if (!is_first && figures->items[i - 1].question != (i > 1 ? figures->items[i - 2].question : NULL))
            report_fold_begin(text, "the same for other sinks, batch sizes, modes and vectors");
        if (&figures->items[i] == opening_figure(report))
            report_paragraph(text, "It is at the top of this report.");
        else
            write_figure(text, report, &figures->items[i]);
        if (!is_first && is_last)
            report_fold_end(text);
        n_shown += figures->items[i].extension[0] != '\0';
    }
    if (n_shown == 0)
        report_paragraph(text,
                         "No pictures were drawn. `dvbench plot` draws them where gnuplot is installed.");
    report_list(text, (const char *const *)figures->notes, figures->n_notes);
}

static bool was_seen(const struct csv_table *table, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(csv_text(table, i, CSV_summary_kernel), csv_text(table, row, CSV_summary_kernel)) == 0 &&
            strcmp(csv_text(table, i, CSV_summary_reason), csv_text(table, row, CSV_summary_reason)) == 0 &&
            strcmp(csv_text(table, i, CSV_summary_verdict), csv_text(table, row, CSV_summary_verdict)) == 0)
            return true;
    return false;
}

static void write_not_measured(const struct report_text *text, const struct report *report)
{
    static const char *const headers[] = {"kernel", "verdict", "reason"};
    const struct csv_table *table = report->figures.summary;
    if (count_verdict(table, "ok") == csv_n_rows(table))
        return;
    report_heading(text, 2, "Not measured, and why");
    report_table_begin(text, headers, 3);
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        const char *cells[] = {csv_text(table, row, CSV_summary_kernel),
                               csv_text(table, row, CSV_summary_verdict),
                               csv_text(table, row, CSV_summary_reason)};
        if (strcmp(cells[1], "ok") != 0 && !was_seen(table, row))
            report_table_row(text, cells, 3);
    }
    report_table_end(text);
}

/* All scalars below `value`, one row each, named by their path. */
static void write_settings_below(const struct report_text *text, const char *path, const json_t *value)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        char longer[256], number[64];
        snprintf(longer, sizeof longer, "%s%s%s", path, path[0] ? "." : "", key);
        const char *cells[] = {longer, NULL};
        if (json_is_object(member)) {
            write_settings_below(text, longer, member);
            continue;
        }
        if (json_is_string(member))
            cells[1] = json_string_value(member);
        else if (json_is_number(member)) {
            snprintf(number, sizeof number, "%.9g", json_number_value(member));
            cells[1] = number;
        } else if (json_is_boolean(member))
            cells[1] = json_is_true(member) ? "yes" : "no";
        if (cells[1])
            report_table_row(text, cells, 2);
    }
}

static void write_settings(const struct report_text *text, const struct report *report)
{
    static const char *const headers[] = {"run.json", "value"};
    if (!report->run)
        return;
    report_heading(text, 2, "Machine and program");
    report_fold_begin(text, "everything that run.json says");
    report_table_begin(text, headers, 2);
    write_settings_below(text, "", report->run);
    report_table_end(text);
    report_fold_end(text);
}

static int write_content_of_engine(const struct report_text *text, const struct report *report,
                                   struct dv_error *error_out)
{
    char title[300];
    int status = 0;
    snprintf(title, sizeof title, "dvbench %s: %s", report->scan ? "scan" : "deletes",
             report->scan ? first_text(report->scan, CSV_scan_run)
                          : first_text(report->deletes, CSV_deletes_run));
    report_begin(text, title);
    write_warnings(text, report);
    if (report->scan)
        status = scan_report_write(text, report->run_dir, report->scan, error_out);
    else
        delete_report_write(text, report->run_dir, report->deletes);
    write_settings(text, report);
    report_end(text);
    return status;
}

static void add_file(struct strings *paths, const char *run_dir, const char *name)
{
    char *path = run_dir_file(run_dir, name);
    if (path && access(path, R_OK) == 0)
        (void)strings_add(paths, name, strlen(name)); /* without memory the list lacks it */
    free(path);
}

/* Every number above, as CSV. */
static void write_files(const struct report_text *text, const struct report *report)
{
    static const char *const names[] = {"claims.csv", "summary.csv", "samples.csv", "counters.csv",
                                        "explain.csv"};
    struct strings paths = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_file(&paths, report->run_dir, names[i]);
    for (size_t i = 0; i < report->figures.n_items; i++) {
        char path[512];
        snprintf(path, sizeof path, "plots/%s.csv", report->figures.items[i].name);
        add_file(&paths, report->run_dir, path);
    }
    report_heading(text, 2, "The numbers as CSV");
    report_links(text, (const char *const *)paths.items, paths.n_items);
    strings_free(&paths);
}

static int write_sections(const struct report_text *text, const struct report *report,
                          struct dv_error *error_out)
{
    write_doubts(text, report->figures.summary);
    write_warnings(text, report);
    report_claims(text, report->figures.summary);
    int status = report_key_numbers(text, report->figures.summary, error_out);
    if (status == 0) {
        write_figures(text, report);
        status = report_model(text, report->figures.summary, error_out);
    }
    if (status == 0) {
        write_not_measured(text, report);
        write_files(text, report);
        write_settings(text, report);
    }
    return status;
}

/* The answer first; the contents name the sections that there are, so these are written beforehand. */
static int write_content(const struct report_text *text, const struct report *report,
                         struct dv_error *error_out)
{
    if (report->scan || report->deletes)
        return write_content_of_engine(text, report, error_out);
    char title[300], *sections = NULL;
    size_t n_bytes = 0;
    struct strings headings = {0};
    struct report_text inner = {open_memstream(&sections, &n_bytes), text->form, &headings};
    if (!inner.file)
        return dv_no_memory(error_out);
    int status = write_sections(&inner, report, error_out);
    const bool is_whole = !ferror(inner.file);
    if ((fclose(inner.file) != 0 || !is_whole) && status == 0)
        status = dv_no_memory(error_out);
    snprintf(title, sizeof title, "dvbench: %s", first_text(report->figures.summary, CSV_summary_run));
    report_begin(text, title);
    report_answer(text, report->figures.summary);
    if (opening_figure(report))
        write_figure(text, report, opening_figure(report));
    report_contents(text, (const char *const *)headings.items, headings.n_items);
    write_overview(text, report);
    if (sections)
        fwrite(sections, 1, n_bytes, text->file);
    report_end(text);
    strings_free(&headings);
    free(sections);
    return status;
}

/* Written next to it and renamed, so that no reader sees half a report. */
static int write_form(const struct report *report, enum report_form form, const char *name,
                      struct dv_error *error_out)
{
    char *path = NULL, *part = NULL;
    int status = 0;
    FILE *file = NULL;
    if (asprintf(&path, "%s/%s", report->run_dir, name) < 0 ||
        asprintf(&part, "%s/%s.part", report->run_dir, name) < 0)
        status = dv_no_memory(error_out);
    if (status == 0 && !(file = fopen(part, "w")))
        status = dv_fail(error_out, DV_ERROR_IO, "cannot write %s: %s", part, strerror(errno));
    if (file) {
        const struct report_text text = {file, form, NULL};
        status = write_content(&text, report, error_out);
        bool is_whole = !ferror(file);
        is_whole = fclose(file) == 0 && is_whole;
        if (status == 0)
            status = is_whole ? file_replace(path, part, error_out)
                              : dv_fail(error_out, DV_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
        if (status < 0)
            unlink(part);
    }
    free(path);
    free(part);
    return status;
}

int report_write(const char *run_dir, struct dv_error *error_out)
{
    struct report report = {.run_dir = run_dir};
    int status = 0;
    if (run_dir_has(run_dir, CSV_FILE_scan))
        status = run_dir_load(&report.scan, run_dir, CSV_FILE_scan, error_out);
    else if (run_dir_has(run_dir, CSV_FILE_deletes))
        status = run_dir_load(&report.deletes, run_dir, CSV_FILE_deletes, error_out);
    else
        status = figures_plan(&report.figures, run_dir, NULL, error_out);
    if (status < 0)
        return status;
    (void)run_json_load(&report.run, run_dir, NULL);
    if (report.figures.summary)
        status = report_claims_csv(run_dir, report.figures.summary, error_out);
    if (status == 0)
        status = write_form(&report, REPORT_MARKDOWN, "report.md", error_out);
    if (status == 0)
        status = write_form(&report, REPORT_HTML, "report.html", error_out);
    json_decref(report.run);
    figures_free(&report.figures);
    csv_free(report.scan);
    csv_free(report.deletes);
    return status;
}
