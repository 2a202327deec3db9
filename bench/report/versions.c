/* SPDX-License-Identifier: Apache-2.0 */
#include "versions.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "compare.h"
#include "file_write.h"
#include "run_dir.h"

enum { LABEL_BYTES = 64 };

/* What every row of a side has. */
struct side_facts {
    const struct versions_side *side;
    const struct again *again;
    double threshold_pct;
    const char *run;
    const char *label;
    const char *base;
};

static int write_row(struct csv_writer *writer, const struct side_facts *facts,
                     const struct comparisons *cells, const struct comparison *one,
                     struct dv_error *error_out)
{
    static const enum csv_column copied[][2] = {
        {CSV_versions_machine, CSV_summary_machine}, {CSV_versions_dv, CSV_summary_dv},
        {CSV_versions_sink, CSV_summary_sink},       {CSV_versions_mode, CSV_summary_mode},
        {CSV_versions_kernel, CSV_summary_kernel},   {CSV_versions_technique, CSV_summary_technique}};
    const struct csv_table *a = cells->summary_a, *b = cells->summary_b;
    const bool is_in_a = one->row_a != COMPARE_NO_ROW;
    const struct csv_table *known = is_in_a ? a : b;
    const size_t row = is_in_a ? one->row_a : one->row_b;
    uint64_t batch_rows;
    const double noise_pct =
        fmax(facts->threshold_pct, is_in_a ? again_floor_pct(facts->again, row) : facts->again->floor_pct);
    enum compare_verdict verdict = one->verdict;
    if (verdict <= COMPARE_FASTER || verdict == COMPARE_NOT_JUDGED) {
        const enum stats_verdict judged = stats_judge_ratio(&one->ratio.interval, noise_pct);
        verdict = judged == STATS_ABOVE        ? COMPARE_SLOWER
                  : judged == STATS_BELOW      ? COMPARE_FASTER
                  : one->ratio.interval.exists ? COMPARE_CANNOT_TELL
                                               : COMPARE_NOT_JUDGED;
    }
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        csv_set_text(writer, copied[i][0], csv_text(known, row, copied[i][1]));
    csv_set_text(writer, CSV_versions_run, facts->run);
    csv_set_text(writer, CSV_versions_version, facts->label);
    csv_set_text(writer, CSV_versions_side, facts->side->name);
    csv_set_text(writer, CSV_versions_base, facts->base);
    csv_set_real(writer, CSV_versions_rate, csv_real(known, row, CSV_summary_rate));
    if (csv_unsigned(known, row, CSV_summary_batch_rows, &batch_rows))
        csv_set_unsigned(writer, CSV_versions_batch_rows, batch_rows);
    if (is_in_a)
        csv_set_real(writer, CSV_versions_base_ns_per_row, csv_real(a, row, CSV_summary_ns_per_row));
    if (one->row_b != COMPARE_NO_ROW)
        csv_set_real(writer, CSV_versions_ns_per_row, csv_real(b, one->row_b, CSV_summary_ns_per_row));
    csv_set_unsigned(writer, CSV_versions_samples, one->ratio.n_samples);
    csv_set_real(writer, CSV_versions_ratio, one->ratio.n_samples ? one->ratio.median : NAN);
    csv_set_real(writer, CSV_versions_ratio_low, one->ratio.interval.exists ? one->ratio.interval.low : NAN);
    csv_set_real(writer, CSV_versions_ratio_high,
                 one->ratio.interval.exists ? one->ratio.interval.high : NAN);
    csv_set_real(writer, CSV_versions_noise_floor_pct, noise_pct);
    csv_set_text(writer, CSV_versions_verdict, compare_verdict_id(verdict));
    return csv_end_row(writer, error_out);
}

static int by_row(const void *left, const void *right)
{
    const struct comparison *a = left, *b = right;
    if (a->row_a != b->row_a)
        return a->row_a < b->row_a ? -1 : 1;
    return (a->row_b > b->row_b) - (a->row_b < b->row_b);
}

/* In the order of the sweep. */
static int write_side(struct csv_writer *writer, const struct side_facts *facts, const char *base_dir,
                      struct dv_error *error_out)
{
    struct comparisons cells;
    int status = compare_runs(&cells, base_dir, facts->side->dir, 0, error_out);
    if (status < 0)
        return status;
    qsort(cells.items, cells.n_items, sizeof *cells.items, by_row);
    for (size_t i = 0; status == 0 && i < cells.n_items; i++)
        status = write_row(writer, facts, &cells, &cells.items[i], error_out);
    compare_free(&cells);
    return status;
}

static int version_of(char label_out[LABEL_BYTES], const char *dir, struct dv_error *error_out)
{
    struct csv_table *summary;
    int status = run_dir_load(&summary, dir, CSV_FILE_summary, error_out);
    if (status < 0)
        return status;
    const char *version = csv_n_rows(summary) ? csv_text(summary, 0, CSV_summary_croaring) : "";
    snprintf(label_out, LABEL_BYTES, "%.40s", version[0] ? version : "none");
    csv_free(summary);
    return 0;
}

/* "4.6.1", or "4.6.1/b" and "4.6.1/c" where two sides have the same; the second run of the first is always named. */
static void make_distinct(char (*labels)[LABEL_BYTES], const struct versions_side *sides, size_t n_sides)
{
    bool is_shared[64] = {false};
    for (size_t i = 0; i + 1 < n_sides; i++)
        for (size_t j = 0; j + 1 < n_sides; j++)
            is_shared[i] |= i != j && strcmp(labels[i], labels[j]) == 0;
    is_shared[n_sides - 1] = true;
    for (size_t i = 0; i < n_sides; i++) {
        const size_t n = strlen(labels[i]);
        if (is_shared[i])
            snprintf(labels[i] + n, LABEL_BYTES - n, "/%s", sides[i].name);
    }
}

static int write_sides(struct csv_writer *writer, const char *dir, const struct versions_side *sides,
                       size_t n_sides, const struct again *again, double threshold_pct,
                       struct dv_error *error_out)
{
    char labels[64][LABEL_BYTES];
    int status = 0;
    for (size_t i = 0; status == 0 && i < n_sides; i++)
        status = version_of(labels[i], sides[i].dir, error_out);
    if (status < 0)
        return status;
    make_distinct(labels, sides, n_sides);
    for (size_t i = 1; status == 0 && i < n_sides; i++) {
        const struct side_facts facts = {&sides[i],         again,     threshold_pct,
                                         run_dir_name(dir), labels[i], labels[0]};
        status = write_side(writer, &facts, sides[0].dir, error_out);
    }
    return status;
}

int versions_write(const char *dir, const struct versions_side *sides, size_t n_sides, double threshold_pct,
                   struct dv_error *error_out)
{
    struct again again;
    struct csv_writer *writer = NULL;
    char *path = run_dir_file(dir, run_dir_csv_name(CSV_FILE_versions)),
         *part = run_dir_file(dir, "versions.csv.part");
    int status = again_measure(&again, sides[0].dir, sides[n_sides - 1].dir, error_out);
    if (status == 0 && (!path || !part))
        status = dv_no_memory(error_out);
    if (status == 0)
        status = csv_create(&writer, part, CSV_FILE_versions, error_out);
    if (status == 0)
        status = write_sides(writer, dir, sides, n_sides, &again, threshold_pct, error_out);
    if (writer) {
        const int closed = csv_close(writer, status == 0 ? error_out : NULL);
        status = status < 0 ? status : closed;
    }
    if (status == 0)
        status = file_replace(path, part, error_out);
    again_free(&again);
    free(path);
    free(part);
    return status;
}
