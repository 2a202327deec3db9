/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "delete_answer.h"
#include "delete_claims.h"
#include "delete_rows.h"
#include "report_numbers.h"

enum { N_READS = 4 };

static const enum csv_column reads[N_READS] = {CSV_deletes_count_ms, CSV_deletes_scan1_ms,
                                               CSV_deletes_scan3_ms, CSV_deletes_scan9_ms};
static const char *const read_names[N_READS] = {"count", "1 column", "3 columns", "9 columns"};

/* A row of texts that are written one after the other; as wide as the widest table. */
enum { MOST_CELLS = 12 };
struct cells {
    char texts[MOST_CELLS][96];
    size_t n;
};

static void add_text(struct cells *cells, const char *text)
{
    snprintf(cells->texts[cells->n++], sizeof *cells->texts, "%s", text);
}

static void add_number(struct cells *cells, double value)
{
    report_number(value, cells->texts[cells->n++], sizeof *cells->texts);
}

static void add_count(struct cells *cells, double value)
{
    char *text = cells->texts[cells->n++];
    text[0] = '\0';
    if (!isnan(value))
        snprintf(text, sizeof *cells->texts, "%.0f", value);
}

static void write_cells(const struct report_text *text, const struct cells *cells)
{
    const char *row[MOST_CELLS];
    for (size_t i = 0; i < cells->n; i++)
        row[i] = cells->texts[i];
    report_table_row(text, row, cells->n);
}

/* --- what pays --- */

static const char *scans_text(double scans, char *out, size_t n_out)
{
    if (scans >= DELETE_NEVER)
        snprintf(out, n_out, "never");
    else if (scans <= 0)
        snprintf(out, n_out, "at once");
    else
        report_number(scans, out, n_out);
    return out;
}

/* "53.1 (41.0 to 66.2)", "" of no sample. */
static void add_crossover(struct cells *cells, const struct stats_summary *scans)
{
    char texts[3][24], both[96] = "";
    scans_text(scans->median, texts[0], 24);
    scans_text(scans->interval.low, texts[1], 24);
    scans_text(scans->interval.high, texts[2], 24);
    if (scans->interval.exists && scans->interval.low < scans->interval.high)
        snprintf(both, sizeof both, "%s (%s to %s)", texts[0], texts[1], texts[2]);
    else if (scans->n_samples > 0)
        snprintf(both, sizeof both, "%s", texts[0]);
    add_text(cells, both);
}

static void write_rule(const struct report_text *text, double least, double most)
{
    char texts[2][32];
    if (isnan(least))
        return;
    scans_text(least, texts[0], 32);
    scans_text(most, texts[1], 32);
    if (most >= DELETE_NEVER)
        report_paragraph(
            text,
            "Rule of thumb from these numbers: with fewer than %s scans per batch of deletes leave the "
            "vectors. Rewriting did not pay for every pattern and width here, however many scans: where "
            "the table says never, scans of the rewritten table were not faster.",
            texts[0]);
    else
        report_paragraph(
            text,
            "Rule of thumb from these numbers: with fewer than %s scans per batch of deletes leave the "
            "vectors, with more than %s rewrite; between them pattern and width decide, as the table "
            "says.",
            texts[0], texts[1]);
}

static void write_crossovers(const struct report_text *text, const struct csv_table *deletes)
{
    const char *headers[1 + N_READS] = {"pattern"};
    double least = NAN, most = NAN;
    memcpy(headers + 1, read_names, sizeof read_names);
    report_heading(text, 2, "After how many scans does rewriting pay off?");
    report_paragraph(
        text,
        "Scans per batch of deletes after which cow has cost less than v3: (time to delete by cow minus "
        "that by v3) / (time of the scan after v3 minus that after cow), of the same batch and round; the "
        "median over all batches and rounds, and its interval (95 %%).");
    report_table_begin(text, headers, 1 + N_READS);
    for (size_t row = 0; row < csv_n_rows(deletes); row++) {
        const struct delete_group group = {deletes, csv_text(deletes, row, CSV_deletes_pattern), 0};
        struct cells cells = {.n = 0};
        if (!delete_is_first(deletes, row, CSV_deletes_pattern))
            continue;
        add_text(&cells, group.pattern);
        for (int i = 0; i < N_READS; i++) {
            const struct stats_summary scans =
                delete_crossover(&group, DELETE_COW, DELETE_V3, reads[i], DELETE_EACH);
            add_crossover(&cells, &scans);
            least = fmin(least, scans.median);
            most = fmax(most, scans.median);
        }
        write_cells(text, &cells);
    }
    report_table_end(text);
    write_rule(text, least, most);
}

/* --- the study of ways --- */

static void write_batches(const struct report_text *text, const struct delete_group *group)
{
    static const char *const headers[] = {"batch",   "cow, ms", "v2, ms",         "v2_compact, ms", "v3, ms",
                                          "cow, KB", "v2, KB",  "v2_compact, KB", "v3, KB"};
    report_table_begin(text, headers, 9);
    for (double batch = 1; batch <= csv_real(group->deletes, 0, CSV_deletes_batches); batch++) {
        struct cells cells = {.n = 0};
        add_count(&cells, batch);
        for (int way = 0; way < DELETE_N_WAYS; way++)
            add_number(&cells, delete_value(group, (enum delete_way)way, batch, CSV_deletes_delete_ms));
        for (int way = 0; way < DELETE_N_WAYS; way++)
            add_number(&cells,
                       delete_value(group, (enum delete_way)way, batch, CSV_deletes_bytes_written) / 1e3);
        write_cells(text, &cells);
    }
    report_table_end(text);
}

static void write_sums(const struct report_text *text, const struct delete_group *group)
{
    static const char *const headers[] = {
        "way",         "all deletes, ms", "written, MB",  "files afterwards", "files of deletes, KB",
        "loading, ms", "count, ms",       "1 column, ms", "3 columns, ms",    "9 columns, ms"};
    report_table_begin(text, headers, 10);
    for (int i = 0; i < DELETE_N_WAYS; i++) {
        const enum delete_way way = (enum delete_way)i;
        const double n_files = delete_value(group, way, DELETE_LAST_READ, CSV_deletes_table_files);
        struct cells cells = {.n = 0};
        if (isnan(n_files))
            continue;
        add_text(&cells, delete_way_ids[way]);
        add_number(&cells, delete_sum(group, way, CSV_deletes_delete_ms).median);
        add_number(&cells, delete_sum(group, way, CSV_deletes_bytes_written).median / 1e6);
        add_count(&cells, n_files);
        add_number(&cells, delete_value(group, way, DELETE_LAST_READ, CSV_deletes_delete_bytes) / 1e3);
        add_number(&cells, delete_value(group, way, DELETE_LAST_READ, CSV_deletes_load_ms));
        for (int read = 0; read < N_READS; read++)
            add_number(&cells, delete_value(group, way, DELETE_LAST_READ, reads[read]));
        write_cells(text, &cells);
    }
    report_table_end(text);
}

/* The parts of a delete: where the time goes. */
static void write_parts(const struct report_text *text, const struct delete_group *group)
{
    static const char *const headers[] = {"way", "find, ms", "write, ms", "fsync, ms", "commit, ms"};
    static const enum csv_column parts[] = {CSV_deletes_find_ms, CSV_deletes_write_ms, CSV_deletes_fsync_ms,
                                            CSV_deletes_commit_ms};
    report_paragraph(text, "Of a batch, the median of each part:");
    report_table_begin(text, headers, 5);
    for (int way = 0; way < DELETE_N_WAYS; way++) {
        struct cells cells = {.n = 0};
        if (isnan(delete_value(group, (enum delete_way)way, DELETE_EACH, CSV_deletes_find_ms)))
            continue;
        add_text(&cells, delete_way_ids[way]);
        for (int i = 0; i < 4; i++)
            add_number(&cells, delete_value(group, (enum delete_way)way, DELETE_EACH, parts[i]));
        write_cells(text, &cells);
    }
    report_table_end(text);
}

/* --- the study of batches --- */

static void write_many(const struct report_text *text, const struct delete_group *group)
{
    static const char *const headers[] = {"batches",
                                          "v2: loading, ms",
                                          "v2_compact: loading, ms",
                                          "v2: 1 column, ms",
                                          "v2_compact: 1 column, ms",
                                          "v3: 1 column, ms",
                                          "v2: delete, ms",
                                          "v2_compact: delete, ms",
                                          "v3: delete, ms",
                                          "compacting pays after scans"};
    const double n_batches = csv_real(group->deletes, 0, CSV_deletes_batches);
    report_table_begin(text, headers, 10);
    for (double batch = 1; batch <= n_batches; batch++) {
        const struct stats_summary scans =
            delete_crossover(group, DELETE_V2_COMPACT, DELETE_V2, CSV_deletes_scan1_ms, batch);
        struct cells cells = {.n = 0};
        if (isnan(delete_value(group, DELETE_V2, batch, CSV_deletes_scan1_ms)) &&
            isnan(delete_value(group, DELETE_V3, batch, CSV_deletes_scan1_ms)))
            continue;
        add_count(&cells, batch);
        for (int way = DELETE_V2; way <= DELETE_V2_COMPACT; way++)
            add_number(&cells, delete_value(group, (enum delete_way)way, batch, CSV_deletes_load_ms));
        for (int way = DELETE_V2; way < DELETE_N_WAYS; way++)
            add_number(&cells, delete_value(group, (enum delete_way)way, batch, CSV_deletes_scan1_ms));
        for (int way = DELETE_V2; way < DELETE_N_WAYS; way++)
            add_number(&cells, delete_value(group, (enum delete_way)way, batch, CSV_deletes_delete_ms));
        add_crossover(&cells, &scans);
        write_cells(text, &cells);
    }
    report_table_end(text);
    report_paragraph(
        text, "Compacting pays off after this many scans of one column: the extra time of a batch that "
              "merges all positions into one file, over what a scan saves by it.");
}

/* --- the study of sizes --- */

static void write_sizes(const struct report_text *text, const struct csv_table *deletes, const char *pattern)
{
    static const enum delete_way ways[] = {DELETE_COW, DELETE_V2, DELETE_V3};
    static const char *const headers[] = {
        "rows",        "MB of the file", "cow, ms", "v2, ms", "v3, ms",
        "cow / v3",    "cow, KB",        "v2, KB",  "v3, KB", "cow pays after scans of 1 column",
        "of 9 columns"};
    report_table_begin(text, headers, 11);
    for (size_t row = 0; row < csv_n_rows(deletes); row++) {
        const struct delete_group group = {deletes, pattern, csv_real(deletes, row, CSV_deletes_rows)};
        struct cells cells = {.n = 0};
        if (!delete_is_first(deletes, row, CSV_deletes_rows))
            continue;
        add_count(&cells, group.n_rows);
        add_number(&cells, csv_real(deletes, row, CSV_deletes_data_bytes) / 1e6);
        for (int i = 0; i < 3; i++)
            add_number(&cells, delete_value(&group, ways[i], DELETE_EACH, CSV_deletes_delete_ms));
        const struct stats_summary ratio = delete_ratio(&group, DELETE_COW, DELETE_V3, CSV_deletes_delete_ms);
        add_crossover(&cells, &ratio);
        for (int i = 0; i < 3; i++)
            add_number(&cells, delete_value(&group, ways[i], DELETE_EACH, CSV_deletes_bytes_written) / 1e3);
        for (int i = 1; i < N_READS; i += 2) {
            const struct stats_summary scans =
                delete_crossover(&group, DELETE_COW, DELETE_V3, reads[i], DELETE_EACH);
            add_crossover(&cells, &scans);
        }
        write_cells(text, &cells);
    }
    report_table_end(text);
}

/* --- figures --- */

/* "Question Pattern uniform, ms over batches: cow 812 at 1, 990 at 10; v3 40 at 1, 61 at 10." */
static void write_alternative(char *out, size_t n_out, const struct delete_figure *figure,
                              const struct csv_table *deletes, const char *pattern)
{
    size_t n = (size_t)snprintf(out, n_out, "%s Pattern %.40s, %s over %s:", figure->question, pattern,
                                figure->y, figure->x);
    for (int way = 0; way < DELETE_N_WAYS; way++) {
        double first[2] = {NAN, NAN}, last[2] = {NAN, NAN};
        char texts[2][32];
        for (size_t i = 0; i < delete_figure_n_points(figure, deletes); i++)
            if (delete_figure_point(figure, deletes, pattern, (enum delete_way)way, i, &last[0], &last[1]) &&
                isnan(first[0]))
                memcpy(first, last, sizeof first);
        if (isnan(first[0]) || n >= n_out)
            continue;
        n += (size_t)snprintf(out + n, n_out - n, " %s %s at %.4g, %s at %.4g;", delete_way_ids[way],
                              report_number(first[1], texts[0], 32), first[0],
                              report_number(last[1], texts[1], 32), last[0]);
    }
    if (n < n_out)
        out[n - 1] = '.';
}

static bool write_picture(const struct report_text *text, const char *run_dir,
                          const struct csv_table *deletes, const char *pattern,
                          const struct delete_figure *figure)
{
    static const char *const extensions[] = {"svg", "png", "pdf"};
    char alternative[800], path[128];
    write_alternative(alternative, sizeof alternative, figure, deletes, pattern);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "plots/%s.%.40s.%s", figure->id, pattern, extensions[i]);
        if (report_picture(text, run_dir, path, alternative))
            return true;
    }
    return false;
}

static bool is_opening(const struct csv_table *deletes, const char *pattern,
                       const struct delete_figure *figure)
{
    const struct delete_figure *first = delete_figures;
    while (first->study != delete_study_of(deletes))
        first++;
    return figure == first && strcmp(pattern, csv_text(deletes, 0, CSV_deletes_pattern)) == 0;
}

static void write_pictures(const struct report_text *text, const char *run_dir,
                           const struct csv_table *deletes, const char *pattern, bool of_opening)
{
    for (size_t i = 0; i < delete_n_figures; i++)
        if (delete_figures[i].study == delete_study_of(deletes) &&
            is_opening(deletes, pattern, &delete_figures[i]) == of_opening)
            (void)write_picture(text, run_dir, deletes, pattern, &delete_figures[i]);
}

/* --- all of it --- */

static void write_pattern(const struct report_text *text, const char *run_dir,
                          const struct csv_table *deletes, const char *pattern)
{
    const struct delete_group group = {deletes, pattern, 0};
    const enum delete_study study = delete_study_of(deletes);
    char title[80];
    snprintf(title, sizeof title, "Deletes of pattern %.40s", pattern);
    report_heading(text, 2, title);
    if (study == DELETE_STUDY_WAYS)
        write_sums(text, &group);
    else if (study == DELETE_STUDY_BATCHES)
        write_many(text, &group);
    else
        write_sizes(text, deletes, pattern);
    write_pictures(text, run_dir, deletes, pattern, false);
    if (study == DELETE_STUDY_WAYS) {
        write_parts(text, &group);
        write_batches(text, &group);
    }
}

void delete_report_open(const struct report_text *text, const char *run_dir, const struct csv_table *deletes)
{
    if (csv_n_rows(deletes) == 0)
        return;
    delete_answer(text, deletes);
    write_pictures(text, run_dir, deletes, csv_text(deletes, 0, CSV_deletes_pattern), true);
}

void delete_report_write(const struct report_text *text, const char *run_dir, const struct csv_table *deletes)
{
    if (csv_n_rows(deletes) == 0)
        return;
    report_paragraph(
        text,
        "Machine: %s. %s, threads: %s. Study %s: rows %s, files %s, batches %s, which delete %.3g %%. cow "
        "rewrites "
        "the files, v2 writes position deletes, v2_compact merges them into one file, v3 writes deletion "
        "vectors; "
        "every count and sum was compared with what must be left. Times are medians over the rounds.",
        csv_text(deletes, 0, CSV_deletes_machine), csv_text(deletes, 0, CSV_deletes_engine),
        csv_text(deletes, 0, CSV_deletes_threads), csv_text(deletes, 0, CSV_deletes_study),
        csv_text(deletes, csv_n_rows(deletes) - 1, CSV_deletes_rows), csv_text(deletes, 0, CSV_deletes_files),
        csv_text(deletes, 0, CSV_deletes_batches), 100 * csv_real(deletes, 0, CSV_deletes_rate));
    if (delete_study_of(deletes) == DELETE_STUDY_WAYS) {
        write_crossovers(text, deletes);
        delete_claims_write(text, deletes);
    }
    for (size_t row = 0; row < csv_n_rows(deletes); row++)
        if (delete_is_first(deletes, row, CSV_deletes_pattern))
            write_pattern(text, run_dir, deletes, csv_text(deletes, row, CSV_deletes_pattern));
}
