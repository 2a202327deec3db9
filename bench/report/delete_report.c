/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_report.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report_numbers.h"

#define NO_ROW SIZE_MAX

enum { N_WAYS = 4, COW = 0, V2 = 1, V3 = 3, N_READS = 4 };

static const char *const ways[N_WAYS] = {"cow", "v2", "v2_compact", "v3"};
static const enum csv_column reads[N_READS] = {CSV_deletes_count_ms, CSV_deletes_scan1_ms,
                                               CSV_deletes_scan3_ms, CSV_deletes_scan9_ms};
static const char *const read_names[N_READS] = {"count", "1 column", "3 columns", "9 columns"};

static bool is_of(const struct csv_table *deletes, size_t row, const char *pattern, const char *way)
{
    return strcmp(csv_text(deletes, row, CSV_deletes_pattern), pattern) == 0 &&
           strcmp(csv_text(deletes, row, CSV_deletes_way), way) == 0 &&
           strcmp(csv_text(deletes, row, CSV_deletes_verdict), "ok") == 0;
}

/* The row of that batch, or of the last one whose reads were timed (batch < 0). */
static size_t find(const struct csv_table *deletes, const char *pattern, const char *way, double batch)
{
    size_t found = NO_ROW;
    for (size_t row = 0; row < csv_n_rows(deletes); row++)
        if (is_of(deletes, row, pattern, way) &&
            (batch >= 0 ? csv_real(deletes, row, CSV_deletes_batch) == batch
                        : !isnan(csv_real(deletes, row, CSV_deletes_count_ms))))
            found = row;
    return found;
}

static double at(const struct csv_table *deletes, size_t row, enum csv_column column)
{
    return row == NO_ROW ? NAN : csv_real(deletes, row, column);
}

/* NaN where a batch lacks the number: its sum is not known. */
static double sum(const struct csv_table *deletes, const char *pattern, const char *way,
                  enum csv_column column)
{
    double total = 0;
    size_t n = 0;
    for (size_t row = 0; row < csv_n_rows(deletes); row++)
        if (is_of(deletes, row, pattern, way) && csv_real(deletes, row, CSV_deletes_batch) > 0) {
            total += csv_real(deletes, row, column);
            n++;
        }
    return n ? total : NAN;
}

/* --- tables --- */

static void write_batches(const struct report_text *text, const struct csv_table *deletes,
                          const char *pattern)
{
    static const char *const headers[] = {"batch",   "cow, ms", "v2, ms",         "v2_compact, ms", "v3, ms",
                                          "cow, KB", "v2, KB",  "v2_compact, KB", "v3, KB"};
    report_table_begin(text, headers, 9);
    for (double batch = 1; batch <= at(deletes, 0, CSV_deletes_batches); batch++) {
        char texts[9][32];
        const char *cells[9];
        bool is_there = false;
        snprintf(texts[0], sizeof texts[0], "%.0f", batch);
        for (int way = 0; way < N_WAYS; way++) {
            const size_t row = find(deletes, pattern, ways[way], batch);
            report_number(at(deletes, row, CSV_deletes_delete_ms), texts[1 + way], 32);
            report_number(at(deletes, row, CSV_deletes_bytes_written) / 1e3, texts[5 + way], 32);
            is_there |= row != NO_ROW;
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
        const size_t row = find(deletes, pattern, ways[way], -1);
        const double values[] = {sum(deletes, pattern, ways[way], CSV_deletes_delete_ms),
                                 sum(deletes, pattern, ways[way], CSV_deletes_bytes_written) / 1e6,
                                 at(deletes, row, CSV_deletes_table_files),
                                 at(deletes, row, CSV_deletes_delete_bytes) / 1e3,
                                 at(deletes, row, CSV_deletes_load_ms)};
        char texts[9][32];
        const char *cells[10] = {ways[way]};
        for (int i = 0; i < 9; i++)
            cells[1 + i] = report_number(i < 5 ? values[i] : at(deletes, row, reads[i - 5]), texts[i], 32);
        if (row != NO_ROW)
            report_table_row(text, cells, 10);
    }
    report_table_end(text);
}

/* --- what pays --- */

/* Scans per batch of deletes after which rewriting has paid for itself against vectors; NaN where a number lacks,
 * infinity where a scan after rewriting is not faster. */
static double crossover(const struct csv_table *deletes, const char *pattern, enum csv_column read)
{
    const double n_batches = at(deletes, 0, CSV_deletes_batches),
                 saved = at(deletes, find(deletes, pattern, "v3", -1), read) -
                         at(deletes, find(deletes, pattern, "cow", -1), read),
                 extra = (sum(deletes, pattern, "cow", CSV_deletes_delete_ms) -
                          sum(deletes, pattern, "v3", CSV_deletes_delete_ms)) /
                         n_batches;
    if (isnan(saved) || isnan(extra))
        return NAN;
    return saved > 0 ? extra / saved : INFINITY;
}

static void write_crossovers(const struct report_text *text, const struct csv_table *deletes,
                             const char *pattern)
{
    char list[400] = "";
    size_t n = 0;
    for (int i = 0; i < N_READS; i++) {
        const double scans = crossover(deletes, pattern, reads[i]);
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
            "Rewriting (cow) has paid for itself against deletion vectors (v3) after so many scans "
            "per batch of deletes: %s. Rule of thumb: rewrite where a table is scanned more often than "
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
        delete_ms[way] = sum(deletes, pattern, ways[way], CSV_deletes_delete_ms);
        count_ms[way] = at(deletes, find(deletes, pattern, ways[way], -1), CSV_deletes_count_ms);
    }
    report_table_begin(text, headers, 4);
    write_direction(text, "deleting: v3 before cow", "13.89 and 27.75 s", delete_ms[V3], delete_ms[COW]);
    write_direction(text, "deleting: v3 before v2", "13.89 and 27.77 s", delete_ms[V3], delete_ms[V2]);
    write_direction(text, "counting: cow before v3", "0.33 and 0.72 s", count_ms[COW], count_ms[V3]);
    write_direction(text, "counting: v3 before v2", "0.72 and 1.20 s", count_ms[V3], count_ms[V2]);
    report_table_end(text);
}

static bool is_first(const struct csv_table *deletes, size_t row)
{
    for (size_t before = 0; before < row; before++)
        if (strcmp(csv_text(deletes, before, CSV_deletes_pattern),
                   csv_text(deletes, row, CSV_deletes_pattern)) == 0)
            return false;
    return true;
}

void delete_report_write(const struct report_text *text, const struct csv_table *deletes)
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
    report_paragraph(
        text, "Published are the times of a cluster, where the overhead of jobs hides what the formats cost: "
              "only directions are judged, of one time each, and only where they differ by more than a "
              "tenth.");
    for (size_t row = 0; row < csv_n_rows(deletes); row++) {
        const char *pattern = csv_text(deletes, row, CSV_deletes_pattern);
        char title[80];
        if (!is_first(deletes, row))
            continue;
        snprintf(title, sizeof title, "Deletes of pattern %.40s", pattern);
        report_heading(text, 2, title);
        write_sums(text, deletes, pattern);
        write_crossovers(text, deletes, pattern);
        write_directions(text, deletes, pattern);
        write_batches(text, deletes, pattern);
    }
}
