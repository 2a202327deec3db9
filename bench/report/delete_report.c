/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "delete_options.h"
#include "delete_rows.h"
#include "report_numbers.h"

enum { N_WAYS = 4, COW = 0, V2 = 1, V3 = 3, N_READS = 4 };

static const enum csv_column reads[N_READS] = {CSV_deletes_count_ms, CSV_deletes_scan1_ms,
                                               CSV_deletes_scan3_ms, CSV_deletes_scan9_ms};
static const char *const read_names[N_READS] = {"count", "1 column", "3 columns", "9 columns"};

static double value_of(const struct csv_table *deletes, const char *pattern, int way, double batch,
                       enum csv_column column)
{
    return delete_value(deletes, pattern, delete_way_ids[way], batch, column);
}

static double last_read(const struct csv_table *deletes, const char *pattern, int way, enum csv_column column)
{
    return value_of(deletes, pattern, way, DELETE_LAST_READ, column);
}

/* --- tables --- */

static void write_batches(const struct report_text *text, const struct csv_table *deletes,
                          const char *pattern)
{
    static const char *const headers[] = {"batch",   "cow, ms", "v2, ms",         "v2_compact, ms", "v3, ms",
                                          "cow, KB", "v2, KB",  "v2_compact, KB", "v3, KB"};
    report_table_begin(text, headers, 9);
    for (double batch = 1; batch <= csv_real(deletes, 0, CSV_deletes_batches); batch++) {
        char texts[9][32];
        const char *cells[9];
        bool is_there = false;
        snprintf(texts[0], sizeof texts[0], "%.0f", batch);
        for (int way = 0; way < N_WAYS; way++) {
            const double ms = value_of(deletes, pattern, way, batch, CSV_deletes_delete_ms),
                         n_bytes = value_of(deletes, pattern, way, batch, CSV_deletes_bytes_written);
            report_number(ms, texts[1 + way], 32);
            report_number(n_bytes / 1e3, texts[5 + way], 32);
            is_there |= !isnan(n_bytes);
        }
        for (int i = 0; i < 9; i++)
            cells[i] = texts[i];
        if (is_there)
            report_table_row(text, cells, 9);
    }
    report_table_end(text);
}

static void write_sums(const struct report_text *text, const struct csv_table *deletes, const char *pattern)
{
    static const char *const headers[] = {
        "way",         "all deletes, ms", "written, MB",  "files afterwards", "files of deletes, KB",
        "loading, ms", "count, ms",       "1 column, ms", "3 columns, ms",    "9 columns, ms"};
    report_table_begin(text, headers, 10);
    for (int way = 0; way < N_WAYS; way++) {
        const char *id = delete_way_ids[way];
        const double n_files = last_read(deletes, pattern, way, CSV_deletes_table_files);
        const double values[] = {delete_sum(deletes, pattern, id, CSV_deletes_delete_ms),
                                 delete_sum(deletes, pattern, id, CSV_deletes_bytes_written) / 1e6, n_files,
                                 last_read(deletes, pattern, way, CSV_deletes_delete_bytes) / 1e3,
                                 last_read(deletes, pattern, way, CSV_deletes_load_ms)};
        char texts[9][32];
        const char *cells[10] = {id};
        for (int i = 0; i < 9; i++)
            cells[1 + i] = report_number(i < 5 ? values[i] : last_read(deletes, pattern, way, reads[i - 5]),
                                         texts[i], 32);
        if (!isnan(n_files))
            report_table_row(text, cells, 10);
    }
    report_table_end(text);
}

/* --- what pays --- */

static void write_crossovers(const struct report_text *text, const struct csv_table *deletes,
                             const char *pattern)
{
    char list[400] = "";
    size_t n = 0;
    for (int i = 0; i < N_READS; i++) {
        const double scans = delete_crossover(deletes, pattern, reads[i]);
        char number[32];
        report_number(scans, number, sizeof number);
        if (isnan(scans))
            continue;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %s", n ? "; " : "", read_names[i],
                              isinf(scans) ? "never (not faster in this run)"
                              : scans <= 0 ? "at once"
                                           : number);
    }
    if (n)
        report_paragraph(
            text,
            "Rewriting (cow) pays off against deletion vectors (v3) after this many scans per batch of "
            "deletes: %s. Rule of thumb: rewrite where a table is scanned more often than "
            "that between two deletes.",
            list);
}

/* --- directions --- */

/* Times of one run without intervals: what differs by less than a tenth is not told apart. */
static const char *judge(double less, double more)
{
    return isnan(less) || isnan(more) ? "cannot tell"
           : less < 0.9 * more        ? "reproduced"
           : more < 0.9 * less        ? "differs"
                                      : "cannot tell";
}

static void write_direction(const struct report_text *text, const char *what, const char *published,
                            double less, double more)
{
    char texts[2][32], measured[80];
    report_number(less, texts[0], 32);
    report_number(more, texts[1], 32);
    snprintf(measured, sizeof measured, texts[0][0] && texts[1][0] ? "%s and %s ms" : "not in this run",
             texts[0], texts[1]);
    const char *cells[] = {what, published, measured, judge(less, more)};
    report_table_row(text, cells, 4);
}

static void write_directions(const struct report_text *text, const struct csv_table *deletes,
                             const char *pattern)
{
    static const char *const headers[] = {"direction", "published", "measured here", "verdict"};
    double delete_ms[N_WAYS], count_ms[N_WAYS];
    for (int way = 0; way < N_WAYS; way++) {
        delete_ms[way] = delete_sum(deletes, pattern, delete_way_ids[way], CSV_deletes_delete_ms);
        count_ms[way] = last_read(deletes, pattern, way, CSV_deletes_count_ms);
    }
    report_table_begin(text, headers, 4);
    write_direction(text, "deleting: v3 before cow", "13.89 and 27.75 s", delete_ms[V3], delete_ms[COW]);
    write_direction(text, "deleting: v3 before v2", "13.89 and 27.77 s", delete_ms[V3], delete_ms[V2]);
    write_direction(text, "counting: cow before v3", "0.33 and 0.72 s", count_ms[COW], count_ms[V3]);
    write_direction(text, "counting: v3 before v2", "0.72 and 1.20 s", count_ms[V3], count_ms[V2]);
    report_table_end(text);
}

/* --- figures --- */

/* "Question random: cow 812 at 1, 990 at 10; v3 40 at 1, 61 at 10." */
static void write_alternative(char *out, size_t n_out, const struct delete_figure *figure,
                              const struct csv_table *deletes, const char *pattern)
{
    size_t n = (size_t)snprintf(out, n_out, "%s Pattern %.40s, %s over %s:", figure->question, pattern,
                                figure->y, figure->x);
    for (int way = 0; way < N_WAYS; way++) {
        double first[2] = {NAN, NAN}, last[2] = {NAN, NAN};
        char texts[4][32];
        for (size_t i = 0; i < delete_figure_n_points(figure, deletes); i++)
            if (delete_figure_point(figure, deletes, pattern, delete_way_ids[way], i, &last[0], &last[1]) &&
                isnan(first[0]))
                memcpy(first, last, sizeof first);
        if (isnan(first[0]) || n >= n_out)
            continue;
        n += (size_t)snprintf(out + n, n_out - n, " %s %s at %s, %s at %s;", delete_way_ids[way],
                              report_number(first[1], texts[0], 32), report_number(first[0], texts[1], 32),
                              report_number(last[1], texts[2], 32), report_number(last[0], texts[3], 32));
    }
    if (n < n_out)
        out[n - 1] = '.';
}

static void write_pictures(const struct report_text *text, const char *run_dir,
                           const struct csv_table *deletes, const char *pattern)
{
    static const char *const extensions[] = {"svg", "png", "pdf"};
    for (size_t i = 0; i < delete_n_figures; i++) {
        char alternative[800], path[128];
        write_alternative(alternative, sizeof alternative, &delete_figures[i], deletes, pattern);
        for (int j = 0; j < 3; j++) {
            snprintf(path, sizeof path, "plots/%s.%.40s.%s", delete_figures[i].id, pattern, extensions[j]);
            if (report_picture(text, run_dir, path, alternative))
                break;
        }
    }
}

void delete_report_write(const struct report_text *text, const char *run_dir, const struct csv_table *deletes)
{
    if (csv_n_rows(deletes) == 0)
        return;
    report_paragraph(
        text,
        "Machine: %s. %s, %s threads. %s rows in %s files, %s batches. cow rewrites the files, v2 writes "
        "position deletes, v2_compact merges them into one file, v3 writes deletion vectors; every count "
        "and sum was compared with what must be left.",
        csv_text(deletes, 0, CSV_deletes_machine), csv_text(deletes, 0, CSV_deletes_engine),
        csv_text(deletes, 0, CSV_deletes_threads), csv_text(deletes, 0, CSV_deletes_rows),
        csv_text(deletes, 0, CSV_deletes_files), csv_text(deletes, 0, CSV_deletes_batches));
    report_paragraph(text, "The published times are those of a cluster, where the overhead of jobs hides "
                           "what the formats cost. So only directions are judged, from one time each, and "
                           "only where the two times differ by more than a tenth.");
    for (size_t row = 0; row < csv_n_rows(deletes); row++) {
        const char *pattern = csv_text(deletes, row, CSV_deletes_pattern);
        char title[80];
        if (!delete_is_first(deletes, row))
            continue;
        snprintf(title, sizeof title, "Deletes of pattern %.40s", pattern);
        report_heading(text, 2, title);
        write_sums(text, deletes, pattern);
        write_crossovers(text, deletes, pattern);
        write_pictures(text, run_dir, deletes, pattern);
        write_directions(text, deletes, pattern);
        write_batches(text, deletes, pattern);
    }
}
