/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "delete_claims.h"
#include "delete_report.h"
#include "file_write.h"
#include "report_answer.h"
#include "report_claims.h"
#include "report_key_numbers.h"
#include "report_model.h"
#include "report_places.h"
#include "report_sections.h"
#include "report_text.h"
#include "run_dir.h"
#include "run_json.h"
#include "scan_claims.h"
#include "scan_report.h"
#include "string_list.h"
#include "threads_report.h"
#include "versions_report.h"

static int write_sections_of_sweep(const struct report_text *text, const struct report *report,
                                   struct dv_error *error_out)
{
    report_doubts(text, report->figures.summary);
    report_disturbed(text, report->figures.summary);
    report_warnings(text, report);
    report_claims(text, report->figures.summary, report->counters);
    int status = report_key_numbers(text, report->figures.summary, error_out);
    if (status == 0) {
        report_figures(text, report);
        status = report_model(text, report->figures.summary, error_out);
    }
    if (status == 0)
        threads_report_write(text, report->threads);
    if (status == 0)
        report_not_measured(text, report);
    return status;
}

static int write_sections(const struct report_text *text, const struct report *report,
                          struct dv_error *error_out)
{
    int status = 0;
    if (report->figures.summary)
        status = write_sections_of_sweep(text, report, error_out);
    else
        report_warnings(text, report);
    if (report->scan)
        scan_report_write(text, report->run_dir, report->scan);
    if (report->deletes)
        delete_report_write(text, report->run_dir, report->deletes);
    if (report->versions)
        versions_report_write(text, report->run_dir, report->versions);
    if (status == 0) {
        report_files(text, report);
        report_settings(text, report);
    }
    return status;
}

/* The three sentences and the one figure. */
static void write_opening(const struct report_text *text, const struct report *report)
{
    if (report->scan)
        scan_report_open(text, report->run_dir, report->scan);
    if (report->deletes)
        delete_report_open(text, report->run_dir, report->deletes);
    if (report->figures.summary)
        report_answer(text, report->figures.summary, report->counters);
    if (report->figures.summary && report_opening_figure(report))
        report_figure(text, report, report_opening_figure(report));
}

/* "dvbench: RUN"; "dvbench: FOLDER: MACHINE (RUN, RUN); MACHINE (RUN)" where there are several machines. */
static char *make_title(const struct report *report)
{
    struct report_place places[REPORT_MOST_PLACES];
    const size_t n_places =
        report->figures.summary ? report_places(places, report->figures.summary, NULL) : 0;
    char *title = NULL;
    size_t n_bytes = 0;
    FILE *stream = open_memstream(&title, &n_bytes);
    if (!stream)
        return NULL;
    fprintf(stream, "dvbench%s: %s",
            report->scan       ? " scan"
            : report->deletes  ? " deletes"
            : report->versions ? " versions"
                               : "",
            n_places > 1       ? run_dir_name(report->run_dir)
            : n_places         ? places[0].runs
            : report->scan     ? report_first_text(report->scan, CSV_scan_run)
            : report->deletes  ? report_first_text(report->deletes, CSV_deletes_run)
            : report->versions ? report_first_text(report->versions, CSV_versions_run)
                               : "");
    for (size_t i = 0; n_places > 1 && i < n_places; i++)
        fprintf(stream, "%s%s (%s)", i ? "; " : ": ", places[i].machine, places[i].runs);
    if (fclose(stream) == 0)
        return title;
    free(title);
    return NULL;
}

/* The answer first; the contents name the sections that there are, so these are written beforehand. */
static int write_content(const struct report_text *text, const struct report *report,
                         struct dv_error *error_out)
{
    char *title = make_title(report), *sections = NULL;
    size_t n_bytes = 0;
    struct strings headings = {0};
    struct report_text inner = {open_memstream(&sections, &n_bytes), text->form, &headings, text->tables};
    if (!inner.file || !title) {
        if (inner.file)
            fclose(inner.file);
        free(title);
        free(sections);
        return dv_no_memory(error_out);
    }
    int status = write_sections(&inner, report, error_out);
    const bool is_whole = !ferror(inner.file);
    if ((fclose(inner.file) != 0 || !is_whole) && status == 0)
        status = dv_no_memory(error_out);
    report_begin(text, title);
    write_opening(text, report);
    report_contents(text, (const char *const *)headings.items, headings.n_items);
    if (report->figures.summary)
        report_overview(text, report);
    if (sections)
        fwrite(sections, 1, n_bytes, text->file);
    report_end(text);
    strings_free(&headings);
    free(sections);
    free(title);
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
        struct report_tables tables = {.run_dir = report->run_dir};
        const struct report_text text = {file, form, NULL, &tables};
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
    else if (run_dir_has(run_dir, CSV_FILE_versions))
        status = run_dir_load(&report.versions, run_dir, CSV_FILE_versions, error_out);
    else
        status = figures_plan(&report.figures, run_dir, NULL, error_out);
    if (status == 0)
        status = run_dir_load_if_there(&report.threads, run_dir, CSV_FILE_threads, error_out);
    if (status < 0)
        return status;
    (void)run_json_load(&report.run, run_dir, NULL);
    if (run_dir_load(&report.counters, run_dir, CSV_FILE_counters, NULL) < 0)
        report.counters = NULL; /* counts are then not known, and each claim of them says so */
    if (report.figures.summary)
        status = report_claims_csv(run_dir, report.figures.summary, report.counters, error_out);
    if (report.scan)
        status = scan_claims_csv(run_dir, report.scan, error_out);
    if (report.deletes)
        status = delete_claims_csv(run_dir, report.deletes, error_out);
    report_tables_remove(run_dir);
    if (status == 0)
        status = write_form(&report, REPORT_MARKDOWN, "report.md", error_out);
    if (status == 0)
        status = write_form(&report, REPORT_HTML, "report.html", error_out);
    json_decref(report.run);
    figures_free(&report.figures);
    csv_free(report.scan);
    csv_free(report.deletes);
    csv_free(report.counters);
    csv_free(report.versions);
    csv_free(report.threads);
    return status;
}
