/* SPDX-License-Identifier: Apache-2.0 */
#include "threads_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_numbers.h"
#include "stats.h"

/* Scaling of a count of threads is good while each does this share of what one does by itself. */
#define GOOD_SHARE 0.8

enum { MAX_COUNTS = 16 };

/* Rows that count: what is NULL may be anything. */
struct choice {
    const char *mode, *vectors, *kernel, *sink;
    bool is_bound;
    double n_threads;
};

static bool is_of(const struct csv_table *threads, size_t row, const struct choice *choice)
{
    const struct {
        const char *wanted;
        enum csv_column column;
    } texts[] = {{choice->mode, CSV_threads_mode},
                 {choice->vectors, CSV_threads_vectors},
                 {choice->kernel, CSV_threads_kernel},
                 {choice->sink, CSV_threads_sink}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].wanted && strcmp(csv_text(threads, row, texts[i].column), texts[i].wanted) != 0)
            return false;
    return (strcmp(csv_text(threads, row, CSV_threads_kernel), "bound") == 0) == choice->is_bound &&
           csv_real(threads, row, CSV_threads_threads) == choice->n_threads;
}

/* Median of a column over the rows of the choice; NaN of none. How many there are and the row with the least come out. */
static double median_of(const struct csv_table *threads, const struct choice *choice, enum csv_column column,
                        size_t *n_out, size_t *least_out)
{
    double *values = calloc(csv_n_rows(threads) + 1, sizeof *values), median = NAN;
    *n_out = *least_out = 0;
    for (size_t row = 0; values && row < csv_n_rows(threads); row++) {
        const double value = csv_real(threads, row, column);
        if (isnan(value) || !is_of(threads, row, choice))
            continue;
        if (*n_out == 0 || value < csv_real(threads, *least_out, column))
            *least_out = row;
        values[(*n_out)++] = value;
    }
    if (values)
        median = stats_median(values, *n_out);
    free(values);
    return median;
}

static size_t counts_of(const struct csv_table *threads, const char *mode, const char *vectors,
                        double counts_out[MAX_COUNTS])
{
    size_t n = 0;
    for (size_t row = 0; row < csv_n_rows(threads); row++) {
        const double count = csv_real(threads, row, CSV_threads_threads);
        size_t at = 0;
        if (strcmp(csv_text(threads, row, CSV_threads_mode), mode) != 0 ||
            strcmp(csv_text(threads, row, CSV_threads_vectors), vectors) != 0)
            continue;
        while (at < n && counts_out[at] < count)
            at++;
        if (n == MAX_COUNTS || (at < n && counts_out[at] == count))
            continue;
        memmove(counts_out + at + 1, counts_out + at, (n - at) * sizeof *counts_out);
        counts_out[at] = count;
        n++;
    }
    return n;
}

/* The count up to which the medians scale. */
static size_t last_good(const struct csv_table *threads, struct choice choice, const double *counts,
                        size_t n_counts)
{
    size_t n, least, good = 0;
    for (size_t i = 1; i < n_counts; i++) {
        choice.n_threads = counts[i];
        const double scaling = median_of(threads, &choice, CSV_threads_scaling, &n, &least);
        if (!(scaling >= GOOD_SHARE * counts[i]))
            break;
        good = i;
    }
    return good;
}

static void write_sentence(const struct report_text *text, const struct csv_table *threads, size_t first,
                           const double *counts, size_t n_counts)
{
    struct choice choice = {.mode = csv_text(threads, first, CSV_threads_mode),
                            .vectors = csv_text(threads, first, CSV_threads_vectors)};
    char scaling_text[32], least_text[32], bound_text[32], bound[160] = "";
    size_t n = 0, least = 0, n_bound = 0, least_bound;
    const size_t good = last_good(threads, choice, counts, n_counts);
    const size_t shown = good + 1 < n_counts ? good + 1 : good; /* where it stops, or the most threads */
    choice.n_threads = counts[shown];
    const double scaling = median_of(threads, &choice, CSV_threads_scaling, &n, &least);
    report_number(scaling, scaling_text, sizeof scaling_text);
    report_number(csv_real(threads, least, CSV_threads_scaling), least_text, sizeof least_text);
    choice.is_bound = true;
    const double of_bound = median_of(threads, &choice, CSV_threads_scaling, &n_bound, &least_bound);
    report_number(of_bound, bound_text, sizeof bound_text);
    if (n == 0 || n_counts < 2)
        return;
    if (n_bound)
        snprintf(bound, sizeof bound, "; the bound %s times, so %s", bound_text,
                 of_bound >= GOOD_SHARE * counts[shown]
                     ? "the bandwidth of the stores is not what binds"
                     : "the stores themselves do not scale: their bandwidth, or the cores, bind");
    report_paragraph(
        text,
        "%s, %s: the median of %zu cells %s %g thread%s: %s times the rows per second of one thread "
        "at %g threads (least: %s into %s, %s times)%s.",
        choice.mode,
        strcmp(choice.vectors, "own") == 0 ? "a copy of the vector per thread"
                                           : "all threads read one vector",
        n, shown == good ? "scales to" : "stops scaling after", counts[good], counts[good] > 1 ? "s" : "",
        scaling_text, counts[shown], csv_text(threads, least, CSV_threads_kernel),
        csv_text(threads, least, CSV_threads_sink), least_text, bound);
}

/* Whether no row before this one is equal in these columns. */
static bool is_first(const struct csv_table *threads, size_t row, const enum csv_column *columns,
                     size_t n_columns)
{
    for (size_t before = 0; before < row; before++) {
        size_t n_equal = 0;
        for (size_t i = 0; i < n_columns; i++)
            n_equal += strcmp(csv_text(threads, before, columns[i]), csv_text(threads, row, columns[i])) == 0;
        if (n_equal == n_columns)
            return false;
    }
    return true;
}

static void write_row(const struct report_text *text, const struct csv_table *threads, size_t row,
                      const double *counts, size_t n_counts)
{
    const char *kernel = csv_text(threads, row, CSV_threads_kernel);
    struct choice choice = {.mode = csv_text(threads, row, CSV_threads_mode),
                            .vectors = csv_text(threads, row, CSV_threads_vectors),
                            .kernel = kernel,
                            .sink = csv_text(threads, row, CSV_threads_sink),
                            .is_bound = strcmp(kernel, "bound") == 0};
    char texts[MAX_COUNTS + 3][32];
    const char *cells[MAX_COUNTS + 5] = {kernel, choice.sink};
    size_t n, least;
    for (size_t i = 0; i < n_counts; i++) {
        choice.n_threads = counts[i];
        cells[2 + i] = report_number(median_of(threads, &choice, CSV_threads_scaling, &n, &least), texts[i],
                                     sizeof texts[i]);
    }
    static const enum csv_column last[] = {CSV_threads_thread_ns_per_row, CSV_threads_rows_per_s,
                                           CSV_threads_pct_of_bound};
    for (size_t i = 0; i < 3; i++) {
        const double value = median_of(threads, &choice, last[i], &n, &least);
        cells[2 + n_counts + i] = report_number(last[i] == CSV_threads_rows_per_s ? value / 1e6 : value,
                                                texts[n_counts + i], sizeof texts[0]);
    }
    report_table_row(text, cells, n_counts + 5);
}

static void write_mode(const struct report_text *text, const struct csv_table *threads, size_t first)
{
    static const enum csv_column key[] = {CSV_threads_mode, CSV_threads_vectors, CSV_threads_kernel,
                                          CSV_threads_sink};
    double counts[MAX_COUNTS];
    char titles[MAX_COUNTS][32];
    const char *headers[MAX_COUNTS + 5] = {"kernel", "sink"};
    const size_t n_counts = counts_of(threads, csv_text(threads, first, CSV_threads_mode),
                                      csv_text(threads, first, CSV_threads_vectors), counts);
    write_sentence(text, threads, first, counts, n_counts);
    for (size_t i = 0; i < n_counts; i++) {
        snprintf(titles[i], sizeof titles[i], "%g thread%s, times", counts[i], counts[i] > 1 ? "s" : "");
        headers[2 + i] = titles[i];
    }
    headers[2 + n_counts] = "ns/row per thread";
    headers[3 + n_counts] = "million rows/s in all";
    headers[4 + n_counts] = "% of the bound";
    report_table_begin(text, headers, n_counts + 5);
    for (size_t row = first; row < csv_n_rows(threads); row++)
        if (strcmp(csv_text(threads, row, CSV_threads_mode), csv_text(threads, first, CSV_threads_mode)) ==
                0 &&
            strcmp(csv_text(threads, row, CSV_threads_vectors),
                   csv_text(threads, first, CSV_threads_vectors)) == 0 &&
            is_first(threads, row, key, 4))
            write_row(text, threads, row, counts, n_counts);
    report_table_end(text);
}

void threads_report_write(const struct report_text *text, const struct csv_table *threads)
{
    static const enum csv_column key[] = {CSV_threads_mode, CSV_threads_vectors};
    bool shares_cores = false;
    if (!threads || csv_n_rows(threads) == 0)
        return;
    report_heading(text, 2, "Several threads at once");
    for (size_t row = 0; row < csv_n_rows(threads); row++) {
        shares_cores |=
            csv_real(threads, row, CSV_threads_cores) < csv_real(threads, row, CSV_threads_threads);
        if (is_first(threads, row, key, 2))
            write_mode(text, threads, row);
    }
    report_paragraph(text,
                     "Medians over the vectors and batch sizes; the last three columns are of the most "
                     "threads. A count scales "
                     "while each thread does at least %g %% of what one does by itself. The bound stores as "
                     "much without finding "
                     "the answer, with as many threads.%s",
                     100 * GOOD_SHARE,
                     shares_cores ? " Some of these threads share a core (column cores of threads.csv)."
                                  : "");
}
