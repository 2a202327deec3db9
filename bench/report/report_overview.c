/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds the numbers: the machine, doubts, warnings, what was not measured, all settings, the files. */
#include "report_sections.h"

#include <jansson.h>
#include <glob.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_name.h"
#include "report_numbers.h"
#include "run_dir.h"
#include "run_json.h"
#include "string_list.h"

#define CELLS_SHOWN 20

const char *report_first_text(const struct csv_table *table, enum csv_column column)
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

void report_overview(const struct report_text *text, const struct report *report)
{
    const struct csv_table *table = report->figures.summary;
    char noise[32];
    const char *source = report_first_text(table, CSV_summary_counter_source);
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

/* Cells that a section names, each after what is wrong with it: the first of them, and how many there are. */
struct cell_list {
    struct strings lines;
    size_t n_cells;
};

static void list_cell(struct cell_list *list, const struct csv_table *table, size_t row, const char *what)
{
    if (list->n_cells++ >= CELLS_SHOWN)
        return;
    char line[512], *cell = cell_name_of_row(table, row);
    snprintf(line, sizeof line, "%s: %s", what, cell ? cell : "");
    (void)strings_add(&list->lines, line, strlen(line));
    free(cell);
}

static void write_list(const struct report_text *text, struct cell_list *list)
{
    const bool is_long = list->n_cells > 3;
    if (is_long)
        report_fold_begin(text, "which cells");
    report_list(text, (const char *const *)list->lines.items, list->lines.n_items);
    if (is_long)
        report_fold_end(text);
    strings_free(&list->lines);
}

static const char *first_are(const struct cell_list *list)
{
    return list->n_cells > CELLS_SHOWN ? " The first are:" : "";
}

/* Cells whose time or count cannot be right, above everything that is built on them. */
void report_doubts(const struct report_text *text, const struct csv_table *table)
{
    struct cell_list list = {0};
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        const char *doubts = csv_text(table, row, CSV_summary_doubts);
        if (doubts[0] != '\0')
            list_cell(&list, table, row, doubts);
    }
    if (list.n_cells == 0)
        return;
    report_heading(text, 2, "Times to doubt");
    report_paragraph(text,
                     "%zu cells have a time that does not fit their bound or their count of instructions; do "
                     "not build on it.%s",
                     list.n_cells, first_are(&list));
    write_list(text, &list);
}

/* A median holds while fewer than half of its samples are off, so that only the other cells are named. */
void report_disturbed(const struct report_text *text, const struct csv_table *table)
{
    struct cell_list list = {0};
    size_t n_touched = 0;
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        char what[64];
        uint64_t n_tainted, n_samples;
        csv_unsigned(table, row, CSV_summary_tainted_samples, &n_tainted);
        csv_unsigned(table, row, CSV_summary_samples, &n_samples);
        n_touched += n_tainted > 0;
        snprintf(what, sizeof what, "%" PRIu64 " of %" PRIu64 " samples", n_tainted, n_samples);
        if (n_tainted > 0 && n_tainted >= n_samples - n_tainted)
            list_cell(&list, table, row, what);
    }
    if (n_touched == 0)
        return;
    report_heading(text, 2, "Disturbed cells");
    report_paragraph(
        text,
        "In %zu cells something disturbed a sample: a migration, another task, the hypervisor, a clock "
        "that moved; in %zu of them at least half of the samples, so that the median itself may be "
        "off.%s The column tainted_samples counts them in every row.",
        n_touched, list.n_cells, first_are(&list));
    write_list(text, &list);
}

void report_warnings(const struct report_text *text, const struct report *report)
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

/* Whether the row's reason was not listed yet; without memory a reason may be listed twice. */
static bool is_new_reason(json_t *seen, const char *const cells[3])
{
    char *key = NULL;
    if (asprintf(&key, "%s\n%s\n%s", cells[0], cells[1], cells[2]) < 0)
        return true;
    const bool is_new = !json_object_get(seen, key);
    if (is_new)
        (void)json_object_set_new_nocheck(seen, key, json_true());
    free(key);
    return is_new;
}

void report_not_measured(const struct report_text *text, const struct report *report)
{
    static const char *const headers[] = {"kernel", "verdict", "reason"};
    const struct csv_table *table = report->figures.summary;
    if (count_verdict(table, "ok") == csv_n_rows(table))
        return;
    report_heading(text, 2, "Not measured, and why");
    report_table_begin(text, headers, 3);
    json_t *seen = json_object();
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        const char *cells[] = {csv_text(table, row, CSV_summary_kernel),
                               csv_text(table, row, CSV_summary_verdict),
                               csv_text(table, row, CSV_summary_reason)};
        if (strcmp(cells[1], "ok") != 0 && is_new_reason(seen, cells))
            report_table_row(text, cells, 3);
    }
    json_decref(seen);
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

void report_settings(const struct report_text *text, const struct report *report)
{
    static const char *const headers[] = {"run.json", "value"};
    if (!report->run)
        return;
    report_heading(text, 2, "Machine and program");
    const size_t n_parts = run_json_n_parts(report->run);
    for (size_t i = 0; i < n_parts; i++) {
        const json_t *part = run_json_part(report->run, i);
        const char *name = part == report->run ? NULL : json_string_value(json_object_get(part, "run"));
        char title[300];
        snprintf(title, sizeof title, "everything that run.json says%s%s", name ? " of " : "",
                 name ? name : "");
        report_fold_begin(text, title);
        report_table_begin(text, headers, 2);
        write_settings_below(text, "", part);
        report_table_end(text);
        report_fold_end(text);
    }
}

static void add_file(struct strings *paths, const char *run_dir, const char *name)
{
    char *path = run_dir_file(run_dir, name);
    if (path && access(path, R_OK) == 0)
        (void)strings_add(paths, name, strlen(name)); /* without memory the list lacks it */
    free(path);
}

/* What the figures of scans and deletes are drawn from. */
static void add_plots(struct strings *paths, const char *run_dir)
{
    glob_t found;
    char *pattern = run_dir_file(run_dir, "plots/*.csv");
    if (pattern && glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *name = found.gl_pathv[i] + strlen(run_dir) + 1;
            (void)strings_add(paths, name, strlen(name));
        }
        globfree(&found);
    }
    free(pattern);
}

/* Every number above, as CSV. */
void report_files(const struct report_text *text, const struct report *report)
{
    static const char *const names[] = {"claims.csv",  "summary.csv",  "scan.csv",
                                        "deletes.csv", "versions.csv", "threads.csv",
                                        "samples.csv", "counters.csv", "explain.csv"};
    struct strings paths = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_file(&paths, report->run_dir, names[i]);
    for (size_t i = 0; i < report->figures.n_items; i++) {
        char path[512];
        snprintf(path, sizeof path, "plots/%s.csv", report->figures.items[i].name);
        add_file(&paths, report->run_dir, path);
    }
    if (!report->figures.summary)
        add_plots(&paths, report->run_dir);
    report_heading(text, 2, "The numbers as CSV");
    report_links(text, (const char *const *)paths.items, paths.n_items);
    strings_free(&paths);
}
