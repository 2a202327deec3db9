/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_dir.h"

/* One sample of a run, to be found by cell, process start and round. */
struct sample {
    const char *cell; /* borrowed from the table */
    uint64_t start;
    uint64_t round;
    double ns_per_row;
};

#define N_COLUMNS(columns) (sizeof(columns) / sizeof *(columns))

struct samples {
    struct csv_table *table;
    struct sample *items; /* sorted */
    size_t n_items;
};

static int compare_samples(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    int order = strcmp(a->cell, b->cell);
    if (order == 0)
        order = (a->start > b->start) - (a->start < b->start);
    return order ? order : (a->round > b->round) - (a->round < b->round);
}

static int load_samples(struct samples *samples, const char *run_dir, struct dv_error *error_out)
{
    int status = run_dir_load(&samples->table, run_dir, CSV_FILE_samples, error_out);
    if (status < 0)
        return status;
    size_t n_rows = csv_n_rows(samples->table);
    samples->items = malloc((n_rows + 1) * sizeof *samples->items);
    if (!samples->items)
        return dv_no_memory(error_out);
    for (size_t row = 0; row < n_rows; row++) {
        struct sample sample = {.cell = csv_text(samples->table, row, CSV_samples_cell),
                                .ns_per_row = csv_real(samples->table, row, CSV_samples_ns_per_row)};
        if (csv_unsigned(samples->table, row, CSV_samples_start, &sample.start) &&
            csv_unsigned(samples->table, row, CSV_samples_round, &sample.round))
            samples->items[samples->n_items++] = sample;
    }
    qsort(samples->items, samples->n_items, sizeof *samples->items, compare_samples);
    return 0;
}

static void free_samples(struct samples *samples)
{
    free(samples->items);
    csv_free(samples->table);
}

/* Index of the first sample not before `wanted`. */
static size_t seek_sample(const struct samples *samples, const struct sample *wanted)
{
    size_t low = 0, high = samples->n_items;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_samples(&samples->items[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_measured(const struct csv_table *table, size_t row)
{
    return strcmp(csv_text(table, row, CSV_summary_verdict), "ok") == 0 &&
           !isnan(csv_real(table, row, CSV_summary_ns_per_row));
}

/* --- the same cell in the other run --- */

/* What makes two rows the same cell, then what is preferred where several are: the same machine, the same name. */
static const enum csv_column same_cell[] = {
    CSV_summary_kernel,  CSV_summary_sink,      CSV_summary_batch_rows, CSV_summary_mode, CSV_summary_rows,
    CSV_summary_batches, CSV_summary_dv_digest, CSV_summary_machine,    CSV_summary_dv};
/* The same for cells that bear one name, whatever their bytes, rows and batches. */
static const enum csv_column same_name[] = {CSV_summary_kernel, CSV_summary_sink, CSV_summary_batch_rows,
                                            CSV_summary_mode,   CSV_summary_dv,   CSV_summary_machine};
/* The same for cells of the same bytes, whatever their name, rows and batches. */
static const enum csv_column same_bytes[] = {CSV_summary_kernel,     CSV_summary_sink,
                                             CSV_summary_batch_rows, CSV_summary_mode,
                                             CSV_summary_dv_digest,  CSV_summary_machine};

/* The rows of a table, sorted by such columns. */
struct row_index {
    const struct csv_table *table;
    const enum csv_column *columns;
    size_t n_columns;
    size_t n_preferences; /* of them, the last: what need not be equal */
    size_t *rows;         /* owned */
};

static int compare_rows(const struct csv_table *a, size_t row_a, const struct csv_table *b, size_t row_b,
                        const enum csv_column *columns, size_t n_columns)
{
    int order = 0;
    for (size_t i = 0; i < n_columns && order == 0; i++)
        order = strcmp(csv_text(a, row_a, columns[i]), csv_text(b, row_b, columns[i]));
    return order;
}

static int compare_indexed(const void *left, const void *right, void *user)
{
    const struct row_index *index = user;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = compare_rows(index->table, a, index->table, b, index->columns, index->n_columns);
    return order ? order : (a > b) - (a < b);
}

static int index_open(struct row_index *index, const struct csv_table *table, struct dv_error *error_out)
{
    index->table = table;
    index->rows = malloc((csv_n_rows(table) + 1) * sizeof *index->rows);
    if (!index->rows)
        return dv_no_memory(error_out);
    for (size_t row = 0; row < csv_n_rows(table); row++)
        index->rows[row] = row;
    qsort_r(index->rows, csv_n_rows(table), sizeof *index->rows, compare_indexed, index);
    return 0;
}

/* The first indexed row that agrees with `row` of `table` in the first `n_columns`. */
static size_t index_seek(const struct row_index *index, const struct csv_table *table, size_t row,
                         size_t n_columns)
{
    size_t low = 0, high = csv_n_rows(index->table);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_rows(index->table, index->rows[middle], table, row, index->columns, n_columns) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < csv_n_rows(index->table) &&
                    compare_rows(index->table, index->rows[low], table, row, index->columns, n_columns) == 0;
    return is_found ? index->rows[low] : COMPARE_NO_ROW;
}

/* The row that agrees with `row` of `table`, in as many of the preferences as can be. */
static size_t index_find(const struct row_index *index, const struct csv_table *table, size_t row)
{
    size_t found = COMPARE_NO_ROW;
    for (size_t n = 0; n <= index->n_preferences && found == COMPARE_NO_ROW; n++)
        found = index_seek(index, table, row, index->n_columns - n);
    return found;
}

/* The ratios of the samples that both cells have. */
static int summarise_pairs(struct comparison *comparison, const struct samples *a, const char *cell_a,
                           const struct samples *b, const char *cell_b, struct dv_error *error_out)
{
    const struct sample first = {.cell = cell_a};
    size_t begin = seek_sample(a, &first), end = begin, n = 0;
    while (end < a->n_items && strcmp(a->items[end].cell, cell_a) == 0)
        end++;
    double *times = malloc((2 * (end - begin) + 1) * sizeof *times);
    if (!times)
        return dv_no_memory(error_out);
    for (size_t i = begin; i < end; i++) {
        const struct sample wanted = {.cell = cell_b, .start = a->items[i].start, .round = a->items[i].round};
        size_t j = seek_sample(b, &wanted);
        if (j < b->n_items && compare_samples(&b->items[j], &wanted) == 0) {
            times[n] = b->items[j].ns_per_row;
            times[end - begin + n++] = a->items[i].ns_per_row;
        }
    }
    int status = stats_summarise_ratios(&comparison->ratio, times, times + (end - begin), n);
    free(times);
    return status < 0 ? dv_no_memory(error_out) : 0;
}

static int judge(struct comparison *comparison, const struct comparisons *all, const struct samples *a,
                 const struct samples *b, double threshold_pct, struct dv_error *error_out)
{
    const size_t row_a = comparison->row_a, row_b = comparison->row_b;
    const double noise_a = csv_real(all->summary_a, row_a, CSV_summary_noise_floor_pct);
    const double noise_b = csv_real(all->summary_b, row_b, CSV_summary_noise_floor_pct);
    int status = summarise_pairs(comparison, a, csv_text(all->summary_a, row_a, CSV_summary_cell), b,
                                 csv_text(all->summary_b, row_b, CSV_summary_cell), error_out);
    if (status < 0)
        return status;
    /* An unknown noise floor stays unknown: then nothing can be said. */
    comparison->noise_pct =
        isnan(noise_a) || isnan(noise_b) ? NAN : fmax(fmax(noise_a, noise_b), threshold_pct);
    enum stats_verdict verdict = stats_judge_ratio(&comparison->ratio.interval, comparison->noise_pct);
    comparison->verdict = verdict == STATS_ABOVE   ? COMPARE_SLOWER
                          : verdict == STATS_BELOW ? COMPARE_FASTER
                          : comparison->ratio.interval.exists && !isnan(comparison->noise_pct)
                              ? COMPARE_CANNOT_TELL
                              : COMPARE_NOT_JUDGED;
    return 0;
}

/* --- all cells --- */

/* What both runs are looked up by. */
struct both {
    struct samples a;
    struct samples b;
    struct row_index cells_a; /* A's rows by cell */
    struct row_index cells_b;
    struct row_index names_b;
    struct row_index bytes_b;
};

static int both_open(struct both *both, const struct comparisons *all, const char *run_a, const char *run_b,
                     struct dv_error *error_out)
{
    *both = (struct both){
        .cells_a = {.columns = same_cell, .n_columns = N_COLUMNS(same_cell), .n_preferences = 2},
        .cells_b = {.columns = same_cell, .n_columns = N_COLUMNS(same_cell), .n_preferences = 2},
        .names_b = {.columns = same_name, .n_columns = N_COLUMNS(same_name), .n_preferences = 1},
        .bytes_b = {.columns = same_bytes, .n_columns = N_COLUMNS(same_bytes), .n_preferences = 1}};
    int status = load_samples(&both->a, run_a, error_out);
    if (status == 0)
        status = load_samples(&both->b, run_b, error_out);
    if (status == 0)
        status = index_open(&both->cells_a, all->summary_a, error_out);
    if (status == 0)
        status = index_open(&both->cells_b, all->summary_b, error_out);
    if (status == 0)
        status = index_open(&both->names_b, all->summary_b, error_out);
    if (status == 0)
        status = index_open(&both->bytes_b, all->summary_b, error_out);
    return status;
}

static void both_close(struct both *both)
{
    free_samples(&both->a);
    free_samples(&both->b);
    free(both->cells_a.rows);
    free(both->cells_b.rows);
    free(both->names_b.rows);
    free(both->bytes_b.rows);
}

/* Pairs A's row with one of B and says what can be said without the times. */
static void pair_row(struct comparison *comparison, const struct comparisons *all, const struct both *both)
{
    const struct csv_table *a = all->summary_a, *b = all->summary_b;
    const size_t row = comparison->row_a;
    const char *digest = csv_text(a, row, CSV_summary_dv_digest);
    const size_t row_b = index_find(&both->cells_b, a, row);
    comparison->row_b = row_b;
    if (row_b == COMPARE_NO_ROW)
        comparison->verdict = index_find(&both->bytes_b, a, row) != COMPARE_NO_ROW   ? COMPARE_OTHER_WORK
                              : index_find(&both->names_b, a, row) != COMPARE_NO_ROW ? COMPARE_OTHER_DV
                                                                                     : COMPARE_MISSING;
    else if (strcmp(csv_text(b, row_b, CSV_summary_verdict), "wrong") == 0)
        comparison->verdict = COMPARE_WRONG;
    else if (!is_measured(b, row_b))
        comparison->verdict = COMPARE_MISSING;
    else
        comparison->verdict = *digest ? COMPARE_CANNOT_TELL : COMPARE_NOT_JUDGED; /* bytes not known */
}

static struct comparison *add_item(struct comparisons *all, size_t row_a, size_t row_b)
{
    struct comparison *item = &all->items[all->n_items++];
    *item = (struct comparison){.row_a = row_a,
                                .row_b = row_b,
                                .verdict = COMPARE_WRONG,
                                .noise_pct = NAN,
                                .ratio = {.median = NAN, .mad = NAN, .min = NAN, .max = NAN}};
    return item;
}

static int by_ratio(const void *left, const void *right)
{
    const struct comparison *a = left, *b = right;
    double ratio_a = isnan(a->ratio.median) ? -1 : a->ratio.median,
           ratio_b = isnan(b->ratio.median) ? -1 : b->ratio.median;
    if (ratio_a != ratio_b)
        return ratio_a < ratio_b ? 1 : -1;
    if (a->row_a != b->row_a)
        return a->row_a < b->row_a ? -1 : 1;
    return (a->row_b > b->row_b) - (a->row_b < b->row_b);
}

/* B's rows that no measured row of A stands for: new ones are counted, wrong ones are items. */
static void add_rows_of_b(struct comparisons *all, const struct both *both)
{
    for (size_t row = 0; row < csv_n_rows(all->summary_b); row++) {
        const size_t row_a = index_find(&both->cells_a, all->summary_b, row);
        if (row_a != COMPARE_NO_ROW && is_measured(all->summary_a, row_a))
            continue;
        if (strcmp(csv_text(all->summary_b, row, CSV_summary_verdict), "wrong") == 0)
            add_item(all, COMPARE_NO_ROW, row);
        else if (is_measured(all->summary_b, row))
            all->n_only_b++;
    }
}

static int compare_cells(struct comparisons *all, const struct both *both, double threshold_pct,
                         struct dv_error *error_out)
{
    const size_t n_rows = csv_n_rows(all->summary_a) + csv_n_rows(all->summary_b);
    all->items = malloc((n_rows + 1) * sizeof *all->items);
    if (!all->items)
        return dv_no_memory(error_out);
    for (size_t row = 0; row < csv_n_rows(all->summary_a); row++) {
        if (!is_measured(all->summary_a, row))
            continue;
        struct comparison *item = add_item(all, row, COMPARE_NO_ROW);
        pair_row(item, all, both);
        int status = item->verdict == COMPARE_CANNOT_TELL
                         ? judge(item, all, &both->a, &both->b, threshold_pct, error_out)
                         : 0;
        if (status < 0)
            return status;
    }
    add_rows_of_b(all, both);
    for (size_t i = 0; i < all->n_items; i++)
        all->n_verdict[all->items[i].verdict]++;
    qsort(all->items, all->n_items, sizeof *all->items, by_ratio);
    return 0;
}

int compare_runs(struct comparisons *comparisons_out, const char *run_a, const char *run_b,
                 double threshold_pct, struct dv_error *error_out)
{
    struct both both = {0};
    *comparisons_out = (struct comparisons){0};
    int status = run_dir_load(&comparisons_out->summary_a, run_a, CSV_FILE_summary, error_out);
    if (status == 0)
        status = run_dir_load(&comparisons_out->summary_b, run_b, CSV_FILE_summary, error_out);
    if (status == 0)
        status = both_open(&both, comparisons_out, run_a, run_b, error_out);
    if (status == 0)
        status = compare_cells(comparisons_out, &both, threshold_pct, error_out);
    both_close(&both);
    if (status < 0)
        compare_free(comparisons_out);
    return status;
}

void compare_free(struct comparisons *comparisons)
{
    free(comparisons->items);
    csv_free(comparisons->summary_a);
    csv_free(comparisons->summary_b);
    *comparisons = (struct comparisons){0};
}
