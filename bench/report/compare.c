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

static bool is_same(const struct csv_table *a, size_t row_a, const struct csv_table *b, size_t row_b,
                    enum csv_column column)
{
    return strcmp(csv_text(a, row_a, column), csv_text(b, row_b, column)) == 0;
}

static int compare_identity(const struct csv_table *a, size_t row_a, const struct csv_table *b, size_t row_b)
{
    static const enum csv_column identity[] = {CSV_summary_dv, CSV_summary_kernel, CSV_summary_sink,
                                               CSV_summary_batch_rows, CSV_summary_mode};
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++) {
        int order = strcmp(csv_text(a, row_a, identity[i]), csv_text(b, row_b, identity[i]));
        if (order)
            return order;
    }
    return 0;
}

static bool is_measured(const struct csv_table *table, size_t row)
{
    return strcmp(csv_text(table, row, CSV_summary_verdict), "ok") == 0 &&
           !isnan(csv_real(table, row, CSV_summary_ns_per_row));
}

/* The row of B that is the cell of A's row, one of the same machine first; the number of rows where there is
 * none. */
static size_t find_cell(const struct csv_table *a, size_t row_a, const struct csv_table *b)
{
    size_t found = csv_n_rows(b);
    for (size_t row = 0; row < csv_n_rows(b); row++) {
        if (compare_identity(a, row_a, b, row) != 0)
            continue;
        if (is_same(a, row_a, b, row, CSV_summary_machine))
            return row;
        if (found == csv_n_rows(b))
            found = row;
    }
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
    size_t row_a = comparison->row_a, row_b = comparison->row_b;
    comparison->ratio = (struct stats_summary){.median = NAN, .mad = NAN, .min = NAN, .max = NAN};
    comparison->noise_pct = NAN;
    if (strcmp(csv_text(all->summary_b, row_b, CSV_summary_verdict), "wrong") == 0)
        comparison->verdict = COMPARE_WRONG;
    else if (!is_measured(all->summary_b, row_b))
        comparison->verdict = COMPARE_MISSING;
    else if (!is_same(all->summary_a, row_a, all->summary_b, row_b, CSV_summary_dv_digest))
        comparison->verdict = COMPARE_OTHER_DV;
    else {
        double noise_a = csv_real(all->summary_a, row_a, CSV_summary_noise_floor_pct);
        double noise_b = csv_real(all->summary_b, row_b, CSV_summary_noise_floor_pct);
        int status = summarise_pairs(comparison, a, csv_text(all->summary_a, row_a, CSV_summary_cell), b,
                                     csv_text(all->summary_b, row_b, CSV_summary_cell), error_out);
        if (status < 0)
            return status;
        /* An unknown noise floor stays unknown: then nothing can be told. */
        comparison->noise_pct =
            isnan(noise_a) || isnan(noise_b) ? NAN : fmax(fmax(noise_a, noise_b), threshold_pct);
        enum stats_verdict verdict = stats_judge_ratio(&comparison->ratio.interval, comparison->noise_pct);
        comparison->verdict = verdict == STATS_ABOVE   ? COMPARE_SLOWER
                              : verdict == STATS_BELOW ? COMPARE_FASTER
                                                       : COMPARE_CANNOT_TELL;
    }
    return 0;
}

static int by_ratio(const void *left, const void *right)
{
    const struct comparison *a = left, *b = right;
    double ratio_a = isnan(a->ratio.median) ? -1 : a->ratio.median,
           ratio_b = isnan(b->ratio.median) ? -1 : b->ratio.median;
    if (ratio_a != ratio_b)
        return ratio_a < ratio_b ? 1 : -1;
    return (a->row_a > b->row_a) - (a->row_a < b->row_a);
}

static int compare_cells(struct comparisons *all, const struct samples *a, const struct samples *b,
                         double threshold_pct, struct dv_error *error_out)
{
    size_t n_rows_b = csv_n_rows(all->summary_b), n_common = 0;
    all->items = malloc((csv_n_rows(all->summary_a) + 1) * sizeof *all->items);
    if (!all->items)
        return dv_no_memory(error_out);
    for (size_t row = 0; row < csv_n_rows(all->summary_a); row++) {
        if (!is_measured(all->summary_a, row))
            continue;
        struct comparison *comparison = &all->items[all->n_items++];
        *comparison = (struct comparison){
            .row_a = row, .verdict = COMPARE_MISSING, .noise_pct = NAN, .ratio.median = NAN};
        size_t row_b = find_cell(all->summary_a, row, all->summary_b);
        if (row_b < n_rows_b) {
            comparison->row_b = row_b;
            n_common++;
            int status = judge(comparison, all, a, b, threshold_pct, error_out);
            if (status < 0)
                return status;
        }
        all->n_verdict[comparison->verdict]++;
    }
    for (size_t row = 0; row < n_rows_b; row++)
        if (is_measured(all->summary_b, row) &&
            find_cell(all->summary_b, row, all->summary_a) == csv_n_rows(all->summary_a))
            all->n_only_b++;
    if (n_common == 0)
        return dv_fail(
            error_out, DV_ERROR_INPUT,
            "the runs have no cell in common: a cell is vector, kernel, sink, batch size and mode");
    qsort(all->items, all->n_items, sizeof *all->items, by_ratio);
    return 0;
}

int compare_runs(struct comparisons *comparisons_out, const char *run_a, const char *run_b,
                 double threshold_pct, struct dv_error *error_out)
{
    struct samples a = {0}, b = {0};
    *comparisons_out = (struct comparisons){0};
    int status = run_dir_load(&comparisons_out->summary_a, run_a, CSV_FILE_summary, error_out);
    if (status == 0)
        status = run_dir_load(&comparisons_out->summary_b, run_b, CSV_FILE_summary, error_out);
    if (status == 0)
        status = load_samples(&a, run_a, error_out);
    if (status == 0)
        status = load_samples(&b, run_b, error_out);
    if (status == 0)
        status = compare_cells(comparisons_out, &a, &b, threshold_pct, error_out);
    free_samples(&a);
    free_samples(&b);
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

const char *compare_verdict_name(enum compare_verdict verdict)
{
    static const char *const names[] = {
        [COMPARE_CANNOT_TELL] = "cannot tell",
        [COMPARE_SLOWER] = "slower",
        [COMPARE_FASTER] = "faster",
        [COMPARE_WRONG] = "wrong in B",
        [COMPARE_OTHER_DV] = "other bytes in B",
        [COMPARE_MISSING] = "not measured in B",
    };
    return names[verdict];
}

static void print_one(const struct comparisons *all, const struct comparison *one)
{
    const struct csv_table *a = all->summary_a;
    char numbers[128] = "";
    if (one->ratio.interval.exists)
        snprintf(numbers, sizeof numbers, "%.3f (%.3f to %.3f), noise %.1f %%", one->ratio.median,
                 one->ratio.interval.low, one->ratio.interval.high, one->noise_pct);
    else if (!isnan(one->ratio.median))
        snprintf(numbers, sizeof numbers, "%.3f, too few samples for an interval", one->ratio.median);
    printf("%-17s  %s/%s@%s,batch=%s,mode=%s  %s\n", compare_verdict_name(one->verdict),
           csv_text(a, one->row_a, CSV_summary_kernel), csv_text(a, one->row_a, CSV_summary_sink),
           csv_text(a, one->row_a, CSV_summary_dv), csv_text(a, one->row_a, CSV_summary_batch_rows),
           csv_text(a, one->row_a, CSV_summary_mode), numbers);
}

void compare_print(const struct comparisons *comparisons, int with_all)
{
    for (size_t i = 0; i < comparisons->n_items; i++)
        if (with_all || comparisons->items[i].verdict != COMPARE_CANNOT_TELL)
            print_one(comparisons, &comparisons->items[i]);
    printf("time in B over time in A: ");
    for (int verdict = 0; verdict < COMPARE_N_VERDICTS; verdict++)
        if (comparisons->n_verdict[verdict] > 0 || verdict <= COMPARE_FASTER)
            printf("%zu %s, ", comparisons->n_verdict[verdict],
                   compare_verdict_name((enum compare_verdict)verdict));
    printf("%zu in B alone\n", comparisons->n_only_b);
}
