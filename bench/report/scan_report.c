/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_numbers.h"
#include "scan_answer.h"
#include "scan_claims.h"
#include "scan_options.h"
#include "scan_rows.h"

/* --- tables and sentences --- */

/* "12.3", or "12.3 (4.5 %)" with the share of the vector. */
static void write_cost(char *out, size_t n_out, const struct csv_table *scan, size_t row)
{
    char cost[32], share[32];
    report_number(scan_value(scan, row, CSV_scan_ns_per_row), cost, sizeof cost);
    report_number(scan_value(scan, row, CSV_scan_dv_share_pct), share, sizeof share);
    snprintf(out, n_out, share[0] ? "%s (%s %%)" : "%s", cost, share);
}

static void write_range(char *out, size_t n_out, double median, double low, double high)
{
    char texts[3][32];
    report_number(median, texts[0], 32);
    report_number(low, texts[1], 32);
    report_number(high, texts[2], 32);
    snprintf(out, n_out,
             texts[1][0] && texts[2][0] ? "%s %% (%s to %s)"
             : texts[0][0]              ? "%s %%"
                                        : "%s",
             texts[0], texts[1], texts[2]);
}

static void write_row(const struct report_text *text, const struct csv_table *scan, size_t first)
{
    struct scan_group group = scan_group_of(scan, first);
    group.vectors = csv_text(scan, first, CSV_scan_dv);
    group.query = csv_text(scan, first, CSV_scan_query);
    group.columns = csv_text(scan, first, CSV_scan_columns);
    (void)csv_unsigned(scan, first, CSV_scan_files, &group.n_files);
    const size_t fastest = scan_find_row(scan, &group, "fastest");
    char texts[8][120] = {{0}}, rate[32];
    snprintf(texts[0], sizeof texts[0], "%s, %s", group.query, group.columns);
    snprintf(texts[1], sizeof texts[1], "%s %% in %llu files",
             report_number(100 * csv_real(scan, first, CSV_scan_rate), rate, sizeof rate),
             (unsigned long long)group.n_files);
    write_cost(texts[2], sizeof texts[2], scan, scan_find_row(scan, &group, "none"));
    write_cost(texts[3], sizeof texts[3], scan, scan_find_row(scan, &group, "per_row"));
    write_cost(texts[4], sizeof texts[4], scan, fastest);
    snprintf(texts[5], sizeof texts[5], "%s",
             fastest == SCAN_NO_ROW ? "" : csv_text(scan, fastest, CSV_scan_kernel));
    write_range(texts[6], sizeof texts[6],
                scan_shorter_pct(scan_value(scan, fastest, CSV_scan_gain_vs_per_row)),
                scan_shorter_pct(scan_value(scan, fastest, CSV_scan_gain_low)),
                scan_shorter_pct(scan_value(scan, fastest, CSV_scan_gain_high)));
    write_cost(texts[7], sizeof texts[7], scan, scan_find_row(scan, &group, "engine"));
    const char *cells[8];
    for (int i = 0; i < 8; i++)
        cells[i] = texts[i];
    report_table_row(text, cells, 8);
}

/* A block is known by its `none`. */
static bool is_block(const struct csv_table *scan, size_t row, const struct scan_group *group)
{
    return scan_row_is_of(scan, row, group) && strcmp(csv_text(scan, row, CSV_scan_kernel), "none") == 0;
}

/* What is seen of a group: the shares at both ends. Empty where it has none. */
static void describe(char *out, size_t n_out, const struct csv_table *scan, const struct scan_group *group)
{
    out[0] = '\0';
    size_t most = SCAN_NO_ROW, least = SCAN_NO_ROW;
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        const bool is_one = scan_row_is_of(scan, row, group) &&
                            strcmp(csv_text(scan, row, CSV_scan_kernel), "per_row") == 0 &&
                            !isnan(csv_real(scan, row, CSV_scan_dv_share_pct));
        const double share = csv_real(scan, row, CSV_scan_dv_share_pct);
        if (is_one && (most == SCAN_NO_ROW || share > csv_real(scan, most, CSV_scan_dv_share_pct)))
            most = row;
        if (is_one && (least == SCAN_NO_ROW || share < csv_real(scan, least, CSV_scan_dv_share_pct)))
            least = row;
    }
    if (most == SCAN_NO_ROW)
        return;
    struct scan_group best = *group;
    best.columns = csv_text(scan, most, CSV_scan_columns);
    best.vectors = csv_text(scan, most, CSV_scan_dv);
    best.query = csv_text(scan, most, CSV_scan_query);
    (void)csv_unsigned(scan, most, CSV_scan_files, &best.n_files);
    const size_t fastest = scan_find_row(scan, &best, "fastest");
    char high[32], low[32], left[32], shorter[32];
    report_number(csv_real(scan, most, CSV_scan_dv_share_pct), high, sizeof high);
    report_number(csv_real(scan, least, CSV_scan_dv_share_pct), low, sizeof low);
    report_number(scan_value(scan, fastest, CSV_scan_dv_share_pct), left, sizeof left);
    const double shorter_pct = scan_shorter_pct(scan_value(scan, fastest, CSV_scan_gain_vs_per_row));
    report_number(fabs(shorter_pct), shorter, sizeof shorter);
    snprintf(
        out, n_out,
        "Asked per row, the vectors take %s %% of the query at %s and %s %% at %s; %s leaves %s %% of the "
        "former and makes that query %s %% %s.",
        high, csv_text(scan, most, CSV_scan_axis_value), low, csv_text(scan, least, CSV_scan_axis_value),
        csv_text(scan, fastest, CSV_scan_kernel), left, shorter, shorter_pct < 0 ? "longer" : "shorter");
}

static void write_break_even(const struct report_text *text, const struct csv_table *scan,
                             const struct scan_group *group)
{
    static const double shares[] = {21, 10, 5};
    const struct scan_group narrow = {.study = group->study, .vectors = group->vectors, .columns = "1int"};
    const size_t fastest = scan_find_row(scan, &narrow, "fastest");
    if (fastest == SCAN_NO_ROW)
        return;
    const char *const kernels[] = {"per_row", csv_text(scan, fastest, CSV_scan_kernel)};
    for (int k = 0; k < 2; k++) {
        const double narrowest = scan_break_even(scan, group, kernels[k], INFINITY, CSV_scan_dv_share_pct);
        char texts[3][48];
        for (int i = 0; i < 3; i++) {
            const double width = scan_break_even(scan, group, kernels[k], shares[i], CSV_scan_dv_share_pct);
            if (isnan(width))
                snprintf(texts[i], sizeof texts[i], "at no width measured");
            else
                snprintf(texts[i], sizeof texts[i],
                         width > narrowest ? "from %.3g on" : "at all measured, from %.3g on", width);
        }
        report_paragraph(
            text,
            "Break-even of %s, in int columns read: its share is under 21 %% of the query %s, under "
            "10 %% %s, under 5 %% %s.",
            kernels[k], texts[0], texts[1], texts[2]);
    }
}

static bool group_varies(const struct csv_table *scan, const struct scan_group *group, enum csv_column column)
{
    const char *first = NULL;
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        if (!scan_row_is_of(scan, row, group))
            continue;
        if (first && strcmp(first, csv_text(scan, row, column)) != 0)
            return true;
        first = csv_text(scan, row, column);
    }
    return false;
}

/* Where opening is a cost per file: what it consists of, and what the query gives to it. */
static void write_openings(const struct report_text *text, const struct csv_table *scan,
                           const struct scan_group *group)
{
    static const char *const headers[] = {
        "files",       "MB per file",  "vector, bytes",         "opening, us per file",
        "reading, us", "checksum, us", "index, validation, us", "opening, share of the query with per_row"};
    static const enum csv_column columns[] = {CSV_scan_open_us_per_file, CSV_scan_read_us_per_file,
                                              CSV_scan_checksum_us_per_file, CSV_scan_index_us_per_file};
    report_table_begin(text, headers, 8);
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        char texts[8][32];
        const char *cells[8];
        const double n_files = csv_real(scan, row, CSV_scan_files);
        if (!scan_row_is_of(scan, row, group) || strcmp(csv_text(scan, row, CSV_scan_kernel), "per_row") != 0)
            continue;
        snprintf(texts[0], sizeof texts[0], "%.0f", n_files);
        report_number(csv_real(scan, row, CSV_scan_table_bytes) / n_files / 1e6, texts[1], 32);
        report_number(csv_real(scan, row, CSV_scan_dv_bytes) / n_files, texts[2], 32);
        for (int i = 0; i < 4; i++)
            report_number(csv_real(scan, row, columns[i]), texts[3 + i], 32);
        char *share = report_number(100 * csv_real(scan, row, CSV_scan_open_ns_per_row) /
                                        csv_real(scan, row, CSV_scan_ns_per_row),
                                    texts[7], 32);
        snprintf(share + strlen(share), 4, " %%");
        for (int i = 0; i < 8; i++)
            cells[i] = texts[i];
        report_table_row(text, cells, 8);
    }
    report_table_end(text);
}

static void write_picture(const struct report_text *text, const char *run_dir, const struct csv_table *scan,
                          size_t row)
{
    static const char *const extensions[] = {"svg", "png", "pdf"};
    const struct scan_group group = scan_group_of(scan, row);
    const struct scan_study *study = scan_study_find(group.study);
    const char *question = study ? study->question : "What does the vector cost in a scan?";
    char path[128], words[1000], seen[500];
    describe(seen, sizeof seen, scan, &group);
    snprintf(words, sizeof words, "%s %.200s%s%s", question, group.vectors ? group.vectors : "",
             group.vectors ? ". " : "", seen);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "plots/scan_%s.%u.%s", group.study, scan_group_number(scan, row),
                 extensions[i]);
        if (report_picture(text, run_dir, path, words))
            break;
    }
    if (study)
        report_paragraph(text, "%s", study->caption);
}

static void write_group(const struct report_text *text, const char *run_dir, const struct csv_table *scan,
                        size_t first)
{
    static const char *const headers[] = {
        "query, columns",      "deleted", "no deletes, ns", "per_row, ns (share)",
        "fastest, ns (share)", "which",   "shorter by",     "engine's own join, ns"};
    const struct scan_group group = scan_group_of(scan, first);
    char seen[500];
    const size_t opening = scan_answer_row(scan);
    if (group.vectors)
        report_heading(text, 3, group.vectors);
    report_table_begin(text, headers, 8);
    for (size_t row = 0; row < csv_n_rows(scan); row++)
        if (is_block(scan, row, &group))
            write_row(text, scan, row);
    report_table_end(text);
    describe(seen, sizeof seen, scan, &group);
    if (seen[0])
        report_paragraph(text, "%s", seen);
    if (group.vectors)
        write_break_even(text, scan, &group);
    if (opening != SCAN_NO_ROW && scan_row_is_of(scan, opening, &group))
        report_paragraph(text, "Its figure is at the top of this report.");
    else
        write_picture(text, run_dir, scan, first);
    if (group_varies(scan, &group, CSV_scan_files))
        write_openings(text, scan, &group);
}

static void write_not_ok(const struct report_text *text, const struct csv_table *scan)
{
    static const char *const headers[] = {"study", "kernel", "verdict", "reason"};
    size_t n = 0;
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        const char *cells[] = {csv_text(scan, row, CSV_scan_study), csv_text(scan, row, CSV_scan_kernel),
                               csv_text(scan, row, CSV_scan_verdict), csv_text(scan, row, CSV_scan_reason)};
        if (strcmp(cells[2], "ok") == 0)
            continue;
        if (n++ == 0) {
            report_heading(text, 2, "Not measured, and why");
            report_table_begin(text, headers, 4);
        }
        report_table_row(text, cells, 4);
    }
    if (n)
        report_table_end(text);
}

void scan_report_open(const struct report_text *text, const char *run_dir, const struct csv_table *scan)
{
    scan_answer(text, scan);
    if (scan_answer_row(scan) != SCAN_NO_ROW)
        write_picture(text, run_dir, scan, scan_answer_row(scan));
}

static void write_studies(const struct report_text *text, const char *run_dir, const struct csv_table *scan)
{
    const struct scan_group all = {0};
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        const struct scan_group study = {.study = csv_text(scan, row, CSV_scan_study)};
        const struct scan_study *known = scan_study_find(study.study);
        if (!scan_is_first(scan, &all, row, CSV_scan_study))
            continue;
        report_heading(text, 2, known ? known->question : "What does the vector cost in a scan?");
        for (size_t at = row; at < csv_n_rows(scan); at++) {
            const struct scan_group group = scan_group_of(scan, at);
            if (strcmp(group.study, study.study) == 0 &&
                (group.vectors ? scan_is_first(scan, &study, at, CSV_scan_dv) : at == row))
                write_group(text, run_dir, scan, at);
        }
    }
}

void scan_report_write(const struct report_text *text, const char *run_dir, const struct csv_table *scan)
{
    if (csv_n_rows(scan))
        report_paragraph(
            text,
            "Machine: %s. CRoaring %s, %s, %s threads. Nanoseconds of the whole query per row of the table, "
            "medians of %s rounds; in brackets the share of the deletion vectors: asking them, and opening "
            "them from their files.",
            csv_text(scan, 0, CSV_scan_machine), csv_text(scan, 0, CSV_scan_croaring),
            csv_text(scan, 0, CSV_scan_engine), csv_text(scan, 0, CSV_scan_threads),
            csv_text(scan, 0, CSV_scan_samples));
    scan_claims_write(text, scan);
    write_studies(text, run_dir, scan);
    write_not_ok(text, scan);
}
