/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_rows.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NO_ROW SIZE_MAX

/* --- rows --- */

static bool is_of(const struct delete_group *group, size_t row, enum delete_way way)
{
    const struct csv_table *deletes = group->deletes;
    return strcmp(csv_text(deletes, row, CSV_deletes_way), delete_way_ids[way]) == 0 &&
           strcmp(csv_text(deletes, row, CSV_deletes_pattern), group->pattern) == 0 &&
           (group->n_rows <= 0 || csv_real(deletes, row, CSV_deletes_rows) == group->n_rows) &&
           strcmp(csv_text(deletes, row, CSV_deletes_verdict), "ok") == 0;
}

static double batch_of(const struct delete_group *group, size_t row)
{
    return csv_real(group->deletes, row, CSV_deletes_batch);
}

static double last_read(const struct delete_group *group, enum delete_way way)
{
    double last = NAN;
    for (size_t row = 0; row < csv_n_rows(group->deletes); row++)
        if (is_of(group, row, way) && !isnan(csv_real(group->deletes, row, CSV_deletes_count_ms)))
            last = fmax(last, batch_of(group, row));
    return last;
}

static bool is_next_to(const struct delete_group *group, size_t row, size_t other)
{
    static const enum csv_column same[] = {CSV_deletes_batch, CSV_deletes_round, CSV_deletes_rows};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (csv_real(group->deletes, other, same[i]) != csv_real(group->deletes, row, same[i]))
            return false;
    return true;
}

/* The row of another way that stands for the same table, round and batch: near by, since ways take turns
 * in a batch. */
static size_t partner(const struct delete_group *group, size_t row, enum delete_way way)
{
    const size_t n = csv_n_rows(group->deletes);
    for (size_t distance = 1; distance < n; distance++) {
        if (row >= distance && is_of(group, row - distance, way) && is_next_to(group, row, row - distance))
            return row - distance;
        if (row + distance < n && is_of(group, row + distance, way) && is_next_to(group, row, row + distance))
            return row + distance;
    }
    return NO_ROW;
}

/* --- summaries --- */

/* One number of a row and, but for NO_ROW, of the row that stands next to it. */
struct question {
    enum csv_column column;
    double n_scans; /* per batch, whose time is in `column` */
};
typedef double number_fn(const struct csv_table *deletes, size_t row, size_t pair,
                         const struct question *question);

/* Over the rows of `way` at `batch`, and those of `other` next to them unless it is DELETE_N_WAYS. */
static struct stats_summary summarise(const struct delete_group *group, enum delete_way way,
                                      enum delete_way other, double batch, number_fn *number,
                                      struct question question)
{
    struct stats_summary summary;
    size_t n = 0, n_rows = csv_n_rows(group->deletes);
    double *numbers = calloc(n_rows + 1, sizeof *numbers);
    for (size_t row = 0; numbers && row < n_rows; row++) {
        if (!is_of(group, row, way) ||
            (batch == DELETE_EACH ? batch_of(group, row) < 1 : batch_of(group, row) != batch))
            continue;
        const size_t pair = other == DELETE_N_WAYS ? NO_ROW : partner(group, row, other);
        if (other == DELETE_N_WAYS || pair != NO_ROW)
            numbers[n++] = number(group->deletes, row, pair, &question);
    }
    (void)stats_summarise(&summary, numbers, n); /* of no sample without memory */
    free(numbers);
    return summary;
}

static double number_itself(const struct csv_table *deletes, size_t row, size_t pair,
                            const struct question *question)
{
    (void)pair;
    return csv_real(deletes, row, question->column);
}

static double number_ratio(const struct csv_table *deletes, size_t row, size_t pair,
                           const struct question *question)
{
    return csv_real(deletes, row, question->column) / csv_real(deletes, pair, question->column);
}

/* One count takes a millisecond or less before the first delete: all four reads together scatter less. */
static double number_reads_ratio(const struct csv_table *deletes, size_t row, size_t pair,
                                 const struct question *question)
{
    double above = 0, below = 0;
    (void)question;
    for (enum csv_column read = CSV_deletes_count_ms; read <= CSV_deletes_scan9_ms; read++) {
        above += csv_real(deletes, row, read);
        below += csv_real(deletes, pair, read);
    }
    return above / below;
}

/* A batch with its scans. */
static double total_ms(const struct csv_table *deletes, size_t row, const struct question *question)
{
    return csv_real(deletes, row, CSV_deletes_delete_ms) +
           question->n_scans * csv_real(deletes, row, question->column);
}

static double number_total_ratio(const struct csv_table *deletes, size_t row, size_t pair,
                                 const struct question *question)
{
    return total_ms(deletes, row, question) / total_ms(deletes, pair, question);
}

static double number_crossover(const struct csv_table *deletes, size_t row, size_t pair,
                               const struct question *question)
{
    const double extra = csv_real(deletes, row, CSV_deletes_delete_ms) -
                         csv_real(deletes, pair, CSV_deletes_delete_ms),
                 saved = csv_real(deletes, pair, question->column) - csv_real(deletes, row, question->column);
    if (isnan(extra) || isnan(saved))
        return NAN;
    return extra <= 0 ? 0 : saved > 0 ? extra / saved : 10 * DELETE_NEVER;
}

struct stats_summary delete_summary(const struct delete_group *group, enum delete_way way, double batch,
                                    enum csv_column column)
{
    return summarise(group, way, DELETE_N_WAYS, batch == DELETE_LAST_READ ? last_read(group, way) : batch,
                     number_itself, (struct question){column, 0});
}

double delete_value(const struct delete_group *group, enum delete_way way, double batch,
                    enum csv_column column)
{
    return delete_summary(group, way, batch, column).median;
}

struct stats_summary delete_ratio(const struct delete_group *group, enum delete_way above,
                                  enum delete_way below, enum csv_column column)
{
    return summarise(group, above, below, DELETE_EACH, number_ratio, (struct question){column, 0});
}

struct stats_summary delete_crossover(const struct delete_group *group, enum delete_way rewriting,
                                      enum delete_way leaving, enum csv_column read, double batch)
{
    return summarise(group, rewriting, leaving, batch, number_crossover, (struct question){read, 0});
}

static double sum_of_round(const struct delete_group *group, enum delete_way way, double round,
                           enum csv_column column)
{
    double total = 0, n = 0;
    for (size_t row = 0; row < csv_n_rows(group->deletes); row++)
        if (is_of(group, row, way) && csv_real(group->deletes, row, CSV_deletes_round) == round &&
            batch_of(group, row) >= 1) {
            total += csv_real(group->deletes, row, column);
            n++;
        }
    return n == csv_real(group->deletes, 0, CSV_deletes_batches) ? total : NAN;
}

struct stats_summary delete_sum(const struct delete_group *group, enum delete_way way, enum csv_column column)
{
    struct stats_summary summary;
    size_t n = 0;
    double last = 0, *sums = calloc(csv_n_rows(group->deletes) + 1, sizeof *sums);
    for (size_t row = 0; sums && row < csv_n_rows(group->deletes); row++) {
        const double round = csv_real(group->deletes, row, CSV_deletes_round);
        if (round > last) {
            sums[n++] = sum_of_round(group, way, round, column);
            last = round;
        }
    }
    (void)stats_summarise(&summary, sums, n);
    free(sums);
    return summary;
}

double delete_noise_pct(const struct delete_group *group, enum csv_column column)
{
    const bool of_deletes = column == CSV_deletes_delete_ms;
    double most = NAN;
    for (int a = of_deletes ? DELETE_V2 : DELETE_COW; a < DELETE_N_WAYS; a++)
        for (int b = a + 1; b < DELETE_N_WAYS; b++) {
            const struct stats_summary ratio = summarise(
                group, (enum delete_way)a, (enum delete_way)b, of_deletes ? DELETE_EACH : 0,
                of_deletes ? number_ratio : number_reads_ratio, (struct question){CSV_deletes_find_ms, 0});
            most = fmax(most, 100 * (fmax(ratio.median, 1 / ratio.median) - 1)); /* NaN counts as none */
        }
    return most;
}

double delete_compacting_pays_from(const struct delete_group *group)
{
    double from = NAN;
    for (double batch = csv_n_rows(group->deletes) ? csv_real(group->deletes, 0, CSV_deletes_batches) : 0;
         batch >= 1; batch--) {
        const struct stats_summary scans =
            delete_crossover(group, DELETE_V2_COMPACT, DELETE_V2, CSV_deletes_scan1_ms, batch);
        if (scans.median > 1)
            break;
        from = isnan(scans.median) ? from : batch;
    }
    return from;
}

bool delete_is_first(const struct csv_table *deletes, size_t row, enum csv_column column)
{
    for (size_t before = 0; before < row; before++)
        if (strcmp(csv_text(deletes, before, column), csv_text(deletes, row, column)) == 0)
            return false;
    return true;
}

enum delete_study delete_study_of(const struct csv_table *deletes)
{
    const char *id = csv_n_rows(deletes) ? csv_text(deletes, 0, CSV_deletes_study) : "";
    for (int study = DELETE_STUDY_WAYS; study < DELETE_N_STUDIES; study++)
        if (strcmp(id, delete_study_ids[study]) == 0)
            return (enum delete_study)study;
    return DELETE_STUDY_WAYS;
}

/* --- figures --- */

#define PER_BATCH "batch of deletes"
#define PER_SCANS "scans of the table after each batch of deletes"
#define PER_SIZE  "megabytes of the data file"
#define SCAN_MS   "milliseconds of the scan, loading included"
#define TOTAL     "cost of a batch with its scans, as a multiple of cow's"
#define DELETE_MS "milliseconds to delete, flushed"

const struct delete_figure delete_figures[] = {
    {"deletes_time", DELETE_STUDY_WAYS, "What does a batch of deletes cost?", PER_BATCH, DELETE_MS, "",
     DELETE_OVER_BATCHES, CSV_deletes_delete_ms, 1},
    {"deletes_bytes", DELETE_STUDY_WAYS, "How much does a batch of deletes write?", PER_BATCH,
     "kilobytes written", "", DELETE_OVER_BATCHES, CSV_deletes_bytes_written, 1e3},
    {"deletes_scan", DELETE_STUDY_WAYS, "What does a scan of one column cost after the deletes?",
     "batches deleted before", SCAN_MS, "", DELETE_OVER_BATCHES, CSV_deletes_scan1_ms, 1},
    {"deletes_total1", DELETE_STUDY_WAYS, "After how many scans of one column does rewriting pay off?",
     PER_SCANS, TOTAL, "xy", DELETE_OVER_SCANS, CSV_deletes_scan1_ms, 1},
    {"deletes_total9", DELETE_STUDY_WAYS, "After how many scans of nine columns does rewriting pay off?",
     PER_SCANS, TOTAL, "xy", DELETE_OVER_SCANS, CSV_deletes_scan9_ms, 1},
    {"deletes_load", DELETE_STUDY_BATCHES, "How does loading the files of deletes grow with their number?",
     "batches deleted before: so many files of deletes per data file, with v2",
     "milliseconds of loading, per scan", "xy", DELETE_OVER_BATCHES, CSV_deletes_load_ms, 1},
    {"deletes_scan", DELETE_STUDY_BATCHES, "What does a scan of one column cost after many batches?",
     "batches deleted before", SCAN_MS, "xy", DELETE_OVER_BATCHES, CSV_deletes_scan1_ms, 1},
    {"deletes_time", DELETE_STUDY_SIZES, "What does deleting from a file cost, by its size?", PER_SIZE,
     DELETE_MS, "xy", DELETE_OVER_SIZES, CSV_deletes_delete_ms, 1},
    {"deletes_bytes", DELETE_STUDY_SIZES, "How much does deleting from a file write, by its size?", PER_SIZE,
     "kilobytes written", "xy", DELETE_OVER_SIZES, CSV_deletes_bytes_written, 1e3},
};
const size_t delete_n_figures = sizeof delete_figures / sizeof *delete_figures;

static const double scan_counts[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

size_t delete_figure_n_points(const struct delete_figure *figure, const struct csv_table *deletes)
{
    return figure->kind == DELETE_OVER_SCANS ? sizeof scan_counts / sizeof *scan_counts : csv_n_rows(deletes);
}

static bool has_number(const struct delete_figure *figure, const struct delete_group *group,
                       enum delete_way way, size_t row)
{
    return is_of(group, row, way) && !isnan(csv_real(group->deletes, row, figure->column));
}

/* A point stands at the first row of its batch, or of its table, that has the number. */
static bool is_point(const struct delete_figure *figure, const struct delete_group *group,
                     enum delete_way way, size_t row)
{
    const enum csv_column column = figure->kind == DELETE_OVER_BATCHES ? CSV_deletes_batch : CSV_deletes_rows;
    if (!has_number(figure, group, way, row))
        return false;
    for (size_t before = 0; before < row; before++)
        if (has_number(figure, group, way, before) &&
            csv_real(group->deletes, before, column) == csv_real(group->deletes, row, column))
            return false;
    return true;
}

/* Against cow's of the same batch and round: so the line of v3 crosses 1 where delete_crossover has its
 * median. */
static double total_ratio(const struct delete_group *group, enum delete_way way, struct question question)
{
    if (way == DELETE_COW)
        return isnan(delete_value(group, way, DELETE_EACH, question.column)) ? NAN : 1;
    return summarise(group, way, DELETE_COW, DELETE_EACH, number_total_ratio, question).median;
}

bool delete_figure_point(const struct delete_figure *figure, const struct csv_table *deletes,
                         const char *pattern, enum delete_way way, size_t i, double *x_out, double *y_out)
{
    struct delete_group group = {deletes, pattern, 0};
    if (figure->kind == DELETE_OVER_SCANS) {
        *x_out = scan_counts[i];
        *y_out = total_ratio(&group, way, (struct question){figure->column, scan_counts[i]});
        return !isnan(*y_out);
    }
    if (!is_point(figure, &group, way, i))
        return false;
    *x_out = batch_of(&group, i);
    if (figure->kind == DELETE_OVER_SIZES) {
        group.n_rows = csv_real(deletes, i, CSV_deletes_rows);
        *x_out = delete_value(&group, way, 0, CSV_deletes_data_bytes) / 1e6;
    }
    *y_out = delete_value(&group, way, figure->kind == DELETE_OVER_SIZES ? 1 : *x_out, figure->column) /
             figure->unit;
    return !isnan(*x_out) && !isnan(*y_out);
}
