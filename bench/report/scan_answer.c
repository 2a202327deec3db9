/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_answer.h"

#include <math.h>
#include <string.h>

#include "kernel.h"
#include "report_numbers.h"
#include "scan_claims.h"
#include "scan_rows.h"

#define N(value) report_number((value), (char[32]){0}, 32)

static bool is_ok(const struct csv_table *scan, size_t row, const char *kernel)
{
    return strcmp(csv_text(scan, row, CSV_scan_kernel), kernel) == 0 &&
           strcmp(csv_text(scan, row, CSV_scan_verdict), "ok") == 0;
}

/* Of one kernel over all queries and vectors; rows by its share of the query and by its gain over per_row. */
struct record {
    size_t n_rows;
    size_t n_gains;
    size_t least_share, most_share, least_gain, most_gain;
    double log_gains; /* sum */
};

static void keep_ends(const struct csv_table *scan, size_t row, enum csv_column column, size_t *least,
                      size_t *most)
{
    const double value = scan_value(scan, row, column);
    if (isnan(value))
        return;
    if (!(scan_value(scan, *least, column) <= value))
        *least = row;
    if (!(scan_value(scan, *most, column) >= value))
        *most = row;
}

static struct record record_of(const struct csv_table *scan, const char *kernel)
{
    struct record record = {0, 0, SCAN_NO_ROW, SCAN_NO_ROW, SCAN_NO_ROW, SCAN_NO_ROW, 0};
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        if (!is_ok(scan, row, kernel))
            continue;
        const double gain = scan_value(scan, row, CSV_scan_gain_vs_per_row);
        record.n_rows++;
        keep_ends(scan, row, CSV_scan_dv_share_pct, &record.least_share, &record.most_share);
        keep_ends(scan, row, CSV_scan_gain_vs_per_row, &record.least_gain, &record.most_gain);
        if (gain > 0) {
            record.n_gains++;
            record.log_gains += log(gain);
        }
    }
    return record;
}

/* The highest geometric mean of the gains of those that ran wherever per_row did; SCAN_NO_ROW where nothing gains. */
static size_t find_best(const struct csv_table *scan, size_t n_rows, bool of_library)
{
    size_t best = SCAN_NO_ROW;
    double most = 0;
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        const char *id = csv_text(scan, row, CSV_scan_kernel);
        const struct kernel *kernel = kernel_find(id);
        if (!kernel || strcmp(id, "per_row") == 0 || (of_library && strcmp(kernel->technique, "direct") == 0))
            continue;
        const struct record record = record_of(scan, id);
        if (record.n_gains == n_rows && record.log_gains > most) {
            most = record.log_gains;
            best = row;
        }
    }
    return best;
}

/* "42.1 % of the query scan of 9int, 6.10 % deleted". */
static const char *share_text(const struct csv_table *scan, size_t row, char text_out[256])
{
    snprintf(text_out, 256, "%s %% (%s of %s, %s %% deleted, %s files)",
             N(scan_value(scan, row, CSV_scan_dv_share_pct)), csv_text(scan, row, CSV_scan_query),
             csv_text(scan, row, CSV_scan_columns), N(100 * csv_real(scan, row, CSV_scan_rate)),
             csv_text(scan, row, CSV_scan_files));
    return text_out;
}

static void say_cost(const struct report_text *text, const struct csv_table *scan,
                     const struct record *per_row)
{
    char least[256], most[256];
    report_paragraph(text,
                     "What it costs here: asked for every row (per_row), the deletion vectors take from %s "
                     "to %s of the query, over %zu queries and vectors (%s, %s thread%s, %s).",
                     share_text(scan, per_row->least_share, least),
                     share_text(scan, per_row->most_share, most), per_row->n_rows,
                     csv_text(scan, 0, CSV_scan_engine), csv_text(scan, 0, CSV_scan_threads),
                     strcmp(csv_text(scan, 0, CSV_scan_threads), "1") == 0 ? "" : "s",
                     csv_text(scan, 0, CSV_scan_machine));
}

/* "K leaves them a to b % and makes the query c to d % shorter". */
static const char *describe(const struct csv_table *scan, size_t row, char text_out[256])
{
    const char *kernel = csv_text(scan, row, CSV_scan_kernel);
    const struct record record = record_of(scan, kernel);
    snprintf(text_out, 256, "%s leaves them %s to %s %% and makes the query %s to %s %% shorter than per_row",
             kernel, N(scan_value(scan, record.least_share, CSV_scan_dv_share_pct)),
             N(scan_value(scan, record.most_share, CSV_scan_dv_share_pct)),
             N(scan_shorter_pct(scan_value(scan, record.least_gain, CSV_scan_gain_vs_per_row))),
             N(scan_shorter_pct(scan_value(scan, record.most_gain, CSV_scan_gain_vs_per_row))));
    return text_out;
}

static void say_use(const struct report_text *text, const struct csv_table *scan, size_t n_rows)
{
    const size_t best = find_best(scan, n_rows, false), library = find_best(scan, n_rows, true);
    char first[256], second[256];
    if (best == SCAN_NO_ROW)
        report_paragraph(text, "What to use: cannot tell: no kernel makes the queries shorter than per_row.");
    else if (library == SCAN_NO_ROW || library == best)
        report_paragraph(text, "What to use: %s (highest geometric mean of the gains).",
                         describe(scan, best, first));
    else
        report_paragraph(
            text, "What to use: %s (highest geometric mean of the gains); without the direct kernels, %s.",
            describe(scan, best, first), describe(scan, library, second));
}

static void say_how_sure(const struct report_text *text, const struct csv_table *scan)
{
    size_t n_gains = 0, n_told = 0, n_wrong = 0;
    for (size_t row = 0; row < csv_n_rows(scan); row++) {
        const char *id = csv_text(scan, row, CSV_scan_kernel);
        n_wrong += strcmp(csv_text(scan, row, CSV_scan_verdict), "wrong") == 0;
        if (strcmp(id, "per_row") == 0 || !kernel_find(id) || !is_ok(scan, row, id))
            continue;
        n_gains++;
        n_told +=
            scan_value(scan, row, CSV_scan_gain_low) > 1 || scan_value(scan, row, CSV_scan_gain_high) < 1;
    }
    const struct claims_count claims = scan_claims_count(scan);
    report_paragraph(
        text,
        "How sure: the intervals of %zu of %zu gains over per_row leave 1 (medians of %s rounds); every "
        "answer was compared with what must come out, %zu were wrong; of the article's claims about scans "
        "%zu are reproduced, %zu differ, and of %zu this run cannot tell.",
        n_told, n_gains, csv_text(scan, 0, CSV_scan_samples), n_wrong, claims.n_reproduced, claims.n_differ,
        claims.n_cannot_tell);
}

size_t scan_answer_row(const struct csv_table *scan)
{
    return record_of(scan, "per_row").most_share;
}

void scan_answer(const struct report_text *text, const struct csv_table *scan)
{
    const struct record per_row = record_of(scan, "per_row");
    if (per_row.most_share == SCAN_NO_ROW) {
        report_paragraph(text, "What it costs here, and what to use: cannot tell: per_row has no time.");
        return;
    }
    say_cost(text, scan, &per_row);
    say_use(text, scan, per_row.n_rows);
    say_how_sure(text, scan);
}
