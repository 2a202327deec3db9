/* SPDX-License-Identifier: Apache-2.0 */
#include "report_answer.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "report_claims.h"
#include "report_numbers.h"
#include "stats.h"

/* --- the rows that the sentences are about --- */

static const char *text_of(const struct csv_table *table, size_t row, enum csv_column column)
{
    return csv_text(table, row, column);
}

/* As the first row of the machine, except for kernel and vector. */
static bool counts(const struct report_place *place, size_t row)
{
    const struct csv_table *table = place->summary;
    static const enum csv_column same[] = {CSV_summary_machine, CSV_summary_croaring, CSV_summary_sink,
                                           CSV_summary_batch_rows, CSV_summary_mode};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(text_of(table, row, same[i]), text_of(table, place->first_row, same[i])) != 0)
            return false;
    return strcmp(text_of(table, row, CSV_summary_verdict), "ok") == 0 &&
           text_of(table, row, CSV_summary_doubts)[0] == '\0' && report_cost(table, row) > 0;
}

static bool is_kernel(const struct csv_table *table, size_t row, const char *kernel)
{
    return strcmp(text_of(table, row, CSV_summary_kernel), kernel) == 0;
}

/* Of one kernel over all vectors. */
struct record {
    size_t n_vectors;
    size_t cheapest, dearest; /* rows */
    size_t least, most;       /* rows by speed-up, REPORT_NO_ROW where none has one */
    double log_costs;         /* sum */
};

static double gain(const struct csv_table *table, size_t row)
{
    return row == REPORT_NO_ROW ? NAN : csv_real(table, row, CSV_summary_speedup_vs_per_row);
}

static struct record record_of(const struct report_place *place, const char *kernel)
{
    const struct csv_table *table = place->summary;
    struct record record = {
        .cheapest = REPORT_NO_ROW, .dearest = REPORT_NO_ROW, .least = REPORT_NO_ROW, .most = REPORT_NO_ROW};
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        if (!is_kernel(table, row, kernel) || !counts(place, row))
            continue;
        const double cost = report_cost(table, row);
        record.n_vectors++;
        record.log_costs += log(cost);
        if (!(report_cost(table, record.cheapest) <= cost))
            record.cheapest = row;
        if (!(report_cost(table, record.dearest) >= cost))
            record.dearest = row;
        if (gain(table, row) > 0 && !(gain(table, record.least) <= gain(table, row)))
            record.least = row;
        if (gain(table, row) > 0 && !(gain(table, record.most) >= gain(table, row)))
            record.most = row;
    }
    return record;
}

/* The lowest geometric mean of those that ran on every vector: no single vector decides. */
static size_t find_best(const struct report_place *place, size_t n_vectors, bool of_library)
{
    const struct csv_table *table = place->summary;
    size_t best = REPORT_NO_ROW;
    double least = INFINITY;
    json_t *seen = json_object(); /* kernels: each goes through all rows, but once */
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        const char *kernel = text_of(table, row, CSV_summary_kernel);
        if (json_object_get(seen, kernel) || !counts(place, row) ||
            (of_library && strcmp(text_of(table, row, CSV_summary_technique), "direct") == 0))
            continue;
        (void)json_object_set_new_nocheck(seen, kernel, json_true());
        const struct record record = record_of(place, kernel);
        if (record.n_vectors == n_vectors && record.log_costs < least) {
            least = record.log_costs;
            best = row;
        }
    }
    json_decref(seen);
    return best;
}

/* --- the sentences --- */

#define N(value) report_number((value), (char[32]){0}, 32)

static double deleted_pct(const struct csv_table *table, size_t row)
{
    return 100 * csv_real(table, row, CSV_summary_rate);
}

static void say_cost(const struct report_text *text, const struct report_place *place,
                     const struct record *per_row)
{
    const struct csv_table *table = place->summary;
    const size_t first = place->first_row;
    report_paragraph(
        text,
        "What it costs here: asking for every row (per_row) takes %s ns per row where %s %% are deleted "
        "and %s ns where %s %% are, the least and the most over %zu vectors (into %s, batches of %s "
        "rows, %s, %s).",
        N(report_cost(table, per_row->cheapest)), N(deleted_pct(table, per_row->cheapest)),
        N(report_cost(table, per_row->dearest)), N(deleted_pct(table, per_row->dearest)), per_row->n_vectors,
        text_of(table, first, CSV_summary_sink), text_of(table, first, CSV_summary_batch_rows),
        text_of(table, first, CSV_summary_mode), text_of(table, first, CSV_summary_machine));
}

/* "K takes a to b ns per row, c to d times as fast as per_row". */
static const char *describe(const struct report_place *place, size_t row, char text_out[256])
{
    const struct csv_table *table = place->summary;
    const char *kernel = text_of(table, row, CSV_summary_kernel);
    const struct record record = record_of(place, kernel);
    snprintf(text_out, 256, "%s takes %s to %s ns per row, %s to %s times as fast as per_row", kernel,
             N(report_cost(table, record.cheapest)), N(report_cost(table, record.dearest)),
             N(gain(table, record.least)), N(gain(table, record.most)));
    return text_out;
}

static void say_use(const struct report_text *text, const struct report_place *place, size_t n_vectors)
{
    const struct csv_table *table = place->summary;
    const size_t best = find_best(place, n_vectors, false), library = find_best(place, n_vectors, true);
    char first[256], second[256];
    if (best == REPORT_NO_ROW || is_kernel(table, best, "per_row"))
        report_paragraph(text,
                         "What to use: cannot tell: no kernel is cheaper than per_row over all vectors.");
    else if (library == REPORT_NO_ROW || library == best || is_kernel(table, library, "per_row"))
        report_paragraph(text, "What to use: %s (lowest geometric mean over all vectors).",
                         describe(place, best, first));
    else
        report_paragraph(
            text, "What to use: %s (lowest geometric mean over all vectors); without the direct kernels, %s.",
            describe(place, best, first), describe(place, library, second));
}

static void say_how_sure(const struct report_text *text, const struct report_place *place)
{
    const struct csv_table *table = place->summary;
    size_t n_ratios = 0, n_told = 0;
    double floor_pct = NAN;
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        if (!counts(place, row) || is_kernel(table, row, "per_row"))
            continue;
        const double low = csv_real(table, row, CSV_summary_speedup_low),
                     noise = csv_real(table, row, CSV_summary_noise_floor_pct);
        const struct stats_interval interval = {
            .exists = low > 0, .low = low, .high = csv_real(table, row, CSV_summary_speedup_high)};
        n_ratios++;
        n_told += stats_judge_ratio(&interval, noise) != STATS_CANNOT_TELL;
        floor_pct = fmax(floor_pct, noise);
    }
    const struct claims_count claims = report_claims_count(place);
    report_paragraph(
        text,
        "How sure: %zu of these %zu ratios to per_row differ from 1 by more than the noise floor (up to %s "
        "%%), "
        "every answer was checked against the oracle; of the article's claims %zu are reproduced, %zu "
        "differ, and for %zu this run cannot tell.",
        n_told, n_ratios, isnan(floor_pct) ? "unknown, " : N(floor_pct), claims.n_reproduced, claims.n_differ,
        claims.n_cannot_tell);
}

static void answer_of(const struct report_text *text, const struct report_place *place)
{
    const struct record per_row = record_of(place, "per_row");
    if (per_row.n_vectors == 0) {
        report_paragraph(text, "What it costs here, and what to use: cannot tell: per_row has no time.");
        return;
    }
    say_cost(text, place, &per_row);
    say_use(text, place, per_row.n_vectors);
    say_how_sure(text, place);
}

void report_answer(const struct report_text *text, const struct csv_table *summary,
                   const struct csv_table *counters)
{
    struct report_place places[REPORT_MOST_PLACES];
    const size_t n_places = report_places(places, summary, counters);
    for (size_t i = 0; i < n_places; i++) {
        if (n_places > 1)
            report_paragraph(text, "%s (%s):", places[i].machine, places[i].runs);
        answer_of(text, &places[i]);
    }
    if (n_places == 0)
        report_paragraph(text, "What it costs here, and what to use: cannot tell: this run has no rows.");
}
