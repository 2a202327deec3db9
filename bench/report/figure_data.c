/* SPDX-License-Identifier: Apache-2.0 */
#include "figure_data.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure_pairs.h"
#include "figure_rows.h"
#include "spec_parts.h"

static int copy_rows(const char *path, const struct figure *figure, const struct csv_table *summary,
                     struct dv_error *error_out)
{
    struct csv_writer *writer;
    int status = csv_create(&writer, path, CSV_FILE_summary, error_out);
    if (status < 0)
        return status;
    for (size_t i = 0; i < figure->n_rows && status == 0; i++) {
        csv_copy_row(writer, summary, figure->rows[i]);
        status = csv_end_row(writer, error_out);
    }
    int closed = csv_close(writer, status < 0 ? NULL : error_out);
    return status < 0 ? status : closed;
}

double figure_data_lead_pct(const struct csv_table *summary, size_t winner, size_t runner_up)
{
    double extra_winner, extra_runner_up;
    double cost_winner = figure_row_cost(summary, winner, &extra_winner);
    double cost_runner_up = figure_row_cost(summary, runner_up, &extra_runner_up);
    double lead_pct = 100 * (cost_runner_up / cost_winner - 1);
    double noise_winner = csv_real(summary, winner, CSV_summary_noise_floor_pct);
    double noise_runner_up = csv_real(summary, runner_up, CSV_summary_noise_floor_pct);
    double noise_pct = isnan(noise_winner)      ? noise_winner
                       : isnan(noise_runner_up) ? noise_runner_up
                                                : fmax(noise_winner, noise_runner_up);
    double gap = csv_real(summary, runner_up, CSV_summary_ns_per_row_low) + extra_runner_up -
                 csv_real(summary, winner, CSV_summary_ns_per_row_high) - extra_winner;
    /* Written so that an empty cell, which reads as NaN, says "cannot tell". */
    return lead_pct > noise_pct && gap > 0 ? lead_pct : NAN;
}

/* Variants of one technique are not rivals. */
static bool is_same_technique(const struct csv_table *summary, size_t a, size_t b)
{
    return strcmp(csv_text(summary, a, CSV_summary_technique), csv_text(summary, b, CSV_summary_technique)) ==
           0;
}

/* A cell of the map: the rows of one vector. */
struct map_row {
    const char *dv; /* borrowed from the summary */
    size_t place;   /* in the figure */
    size_t row, runner_up;
};

static int by_vector(const void *left, const void *right)
{
    const struct map_row *a = left, *b = right;
    const int order = strcmp(a->dv, b->dv);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static int by_place(const void *left, const void *right)
{
    const struct map_row *a = left, *b = right;
    return (a->place > b->place) - (a->place < b->place);
}

/* The fastest of these rows that is of another technique than `than`; SIZE_MAX where there is none. */
static size_t find_fastest(const struct map_row *rows, size_t n_rows, const struct csv_table *summary,
                           size_t than)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < n_rows; i++) {
        const size_t row = rows[i].row;
        if (than != SIZE_MAX && is_same_technique(summary, row, than))
            continue;
        if (best == SIZE_MAX || figure_row_cost(summary, row, NULL) < figure_row_cost(summary, best, NULL))
            best = row;
    }
    return best;
}

/* One row for each vector, that of the winner, in the order of the figure; NULL without memory. */
static struct map_row *find_winners(const struct figure *figure, const struct csv_table *summary,
                                    size_t *n_out)
{
    const size_t n_rows = figure->n_rows;
    struct map_row *rows = calloc(n_rows + 1, sizeof *rows);
    *n_out = 0;
    if (!rows)
        return NULL;
    for (size_t i = 0; i < n_rows; i++)
        rows[i] = (struct map_row){
            .dv = csv_text(summary, figure->rows[i], CSV_summary_dv), .place = i, .row = figure->rows[i]};
    qsort(rows, n_rows, sizeof *rows, by_vector);
    for (size_t first = 0, end; first < n_rows; first = end) {
        for (end = first + 1; end < n_rows && strcmp(rows[end].dv, rows[first].dv) == 0;)
            end++;
        struct map_row winner = rows[first];
        winner.row = find_fastest(rows + first, end - first, summary, SIZE_MAX);
        winner.runner_up = find_fastest(rows + first, end - first, summary, winner.row);
        rows[(*n_out)++] = winner;
    }
    qsort(rows, *n_out, sizeof *rows, by_place);
    return rows;
}

/* No cell of these columns ever needs quotes. */
static void write_map_row(FILE *file, const struct csv_table *summary, size_t winner, size_t runner_up)
{
    static const enum csv_column copied[] = {
        CSV_summary_run,        CSV_summary_machine,       CSV_summary_croaring, CSV_summary_counter_source,
        CSV_summary_batch_rows, CSV_summary_mode,          CSV_summary_sink,     CSV_summary_verdict,
        CSV_summary_kernel,     CSV_summary_rate,          CSV_summary_dv,       CSV_summary_ns_per_row,
        CSV_summary_technique,  CSV_summary_works_at_open,
    };
    const size_t n_copied = sizeof copied / sizeof *copied;
    if (winner == SIZE_MAX) {
        for (size_t i = 0; i < n_copied; i++)
            fprintf(file, "%s,", csv_column_info(copied[i])->name);
        fprintf(file, "run_length,nominal_rate,runner_up,runner_up_pct,lead\n");
        return;
    }
    for (size_t i = 0; i < n_copied; i++)
        fprintf(file, "%s,", csv_text(summary, winner, copied[i]));
    double lead_pct = runner_up == SIZE_MAX ? NAN : figure_data_lead_pct(summary, winner, runner_up);
    fprintf(file, "%.9g,%.9g,", spec_value(csv_text(summary, winner, CSV_summary_dv), "length"),
            spec_rate(csv_text(summary, winner, CSV_summary_dv)));
    fprintf(file, "%s,", runner_up == SIZE_MAX ? "" : csv_text(summary, runner_up, CSV_summary_kernel));
    if (isnan(lead_pct))
        fprintf(file, ",none\n");
    else if (lead_pct < 100)
        fprintf(file, "%.3f,+%.0f %%\n", lead_pct, lead_pct);
    else
        fprintf(file, "%.3f,%.1fx\n", lead_pct, 1 + lead_pct / 100);
}

static void describe_map(FILE *file, const struct figure *figure, const struct csv_table *summary)
{
    size_t n_rows, n_tied = 0, n_kernels = 0;
    struct map_row *rows = find_winners(figure, summary, &n_rows);
    struct wins {
        const char *kernel;
        size_t n;
    } *wins = calloc(n_rows + 1, sizeof *wins); /* in the order of the figure */
    for (size_t i = 0; wins && i < n_rows; i++) {
        const size_t winner = rows[i].row, next = rows[i].runner_up;
        const char *kernel = csv_text(summary, winner, CSV_summary_kernel);
        if (next == SIZE_MAX || isnan(figure_data_lead_pct(summary, winner, next))) {
            n_tied++;
            continue;
        }
        size_t k = 0;
        while (k < n_kernels && strcmp(wins[k].kernel, kernel) != 0)
            k++;
        n_kernels += k == n_kernels;
        wins[k] = (struct wins){kernel, wins[k].n + 1};
    }
    fprintf(file, " Of %zu vectors %zu have no clear winner", n_rows, n_tied);
    for (size_t k = 0; k < n_kernels; k++)
        fprintf(file, ", %s wins %zu", wins[k].kernel, wins[k].n);
    fputs(".", file);
    free(wins);
    free(rows);
}

char *figure_data_describe(const struct figure *figure, const struct csv_table *summary)
{
    char *words = NULL;
    size_t n_bytes = 0;
    FILE *file = open_memstream(&words, &n_bytes);
    if (!file)
        return NULL;
    fputs(figure->question, file);
    if (figure->data == FIGURE_DATA_MAP)
        describe_map(file, figure, summary);
    else
        figure_pairs_describe(file, figure, summary);
    if (fclose(file) == 0)
        return words;
    free(words);
    return NULL;
}

static int write_map(const char *path, const struct figure *figure, const struct csv_table *summary,
                     struct dv_error *error_out)
{
    size_t n_vectors;
    struct map_row *rows = find_winners(figure, summary, &n_vectors);
    FILE *file = rows ? fopen(path, "w") : NULL;
    if (!file) {
        free(rows);
        return dv_fail(error_out, DV_ERROR_IO, "cannot write the data of a figure: %s", strerror(errno));
    }
    write_map_row(file, summary, SIZE_MAX, SIZE_MAX);
    for (size_t i = 0; i < n_vectors; i++)
        write_map_row(file, summary, rows[i].row, rows[i].runner_up);
    free(rows);
    if (fclose(file) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write the data of a figure: %s", strerror(errno));
    return 0;
}

int figure_data_write(const char *path, const struct figure *figure, const struct csv_table *summary,
                      const struct attribution_penalty *penalty, struct dv_error *error_out)
{
    switch (figure->data) {
    case FIGURE_DATA_MAP:
        return write_map(path, figure, summary, error_out);
    case FIGURE_DATA_PAIRS:
        return figure_pairs_write(path, figure, summary, penalty, error_out);
    case FIGURE_DATA_ROWS:
        break;
    }
    return copy_rows(path, figure, summary, error_out);
}
