/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "delete_rows.h"
#include "report_numbers.h"

#define N(value) report_number((value), (char[32]){0}, 32)

/* "cow 812 ms to delete and 35.1 ms to scan one column after it; v2 ..." of the ways that have both. */
static const char *ways_text(const struct delete_group *group, char *text_out, size_t n_text)
{
    size_t n = 0;
    text_out[0] = '\0';
    for (enum delete_way way = 0; way < DELETE_N_WAYS; way++) {
        const double deleting = delete_sum(group, way, CSV_deletes_delete_ms).median,
                     scan = delete_value(group, way, DELETE_LAST_READ, CSV_deletes_scan1_ms);
        if (isnan(deleting) || isnan(scan) || n >= n_text)
            continue;
        n += (size_t)snprintf(text_out + n, n_text - n, "%s%s %s ms and %s ms", n ? "; " : "",
                              delete_way_ids[way], N(deleting), N(scan));
    }
    return text_out;
}

static void say_use(const struct report_text *text, const struct stats_summary *scans)
{
    if (isnan(scans->median))
        report_paragraph(text, "What to use: cannot tell: this run lacks the times of cow or of v3.");
    else if (scans->median >= DELETE_NEVER)
        report_paragraph(text, "What to use: deletion vectors (v3): a scan of one column is no faster after "
                               "rewriting (cow), so that it never pays off.");
    else if (scans->median <= 0)
        report_paragraph(text,
                         "What to use: rewriting (cow): it is cheaper than deletion vectors (v3) at once.");
    else
        report_paragraph(
            text,
            "What to use: deletion vectors (v3) where fewer than %s scans of one column follow a "
            "batch of deletes, rewriting (cow) where more do.",
            N(scans->median));
}

static void say_how_sure(const struct report_text *text, const struct delete_group *group,
                         const struct stats_summary *scans)
{
    char interval[128] = "has no interval under 6 of them", noise[64] = "is not known";
    const double noise_pct = delete_noise_pct(group, CSV_deletes_scan1_ms);
    if (scans->interval.exists)
        snprintf(interval, sizeof interval, "lies between %s and %s",
                 scans->interval.low >= DELETE_NEVER ? "never" : N(scans->interval.low),
                 scans->interval.high >= DELETE_NEVER ? "never" : N(scans->interval.high));
    if (!isnan(noise_pct))
        snprintf(noise, sizeof noise, "was %s %%", N(noise_pct));
    report_paragraph(text,
                     "How sure: that number of scans is the median of %zu pairs of the same batch and round "
                     "and %s; by how much scans differed that do the same work %s; every count and sum was "
                     "compared with what must be left.",
                     scans->n_samples, interval, noise);
}

static void answer_ways(const struct report_text *text, const struct csv_table *deletes)
{
    const struct delete_group group = {deletes, csv_text(deletes, 0, CSV_deletes_pattern), 0};
    const struct stats_summary scans =
        delete_crossover(&group, DELETE_COW, DELETE_V3, CSV_deletes_scan1_ms, DELETE_EACH);
    char ways[400];
    report_paragraph(text,
                     "What it costs here: all batches of deletes (pattern %s) and a scan of one column after "
                     "the last took %s (%s, %s).",
                     group.pattern, ways_text(&group, ways, sizeof ways)[0] ? ways : "no time that is known",
                     csv_text(deletes, 0, CSV_deletes_engine), csv_text(deletes, 0, CSV_deletes_machine));
    say_use(text, &scans);
    say_how_sure(text, &group, &scans);
}

/* How V2's files of deletes add up, and from how many on compacting them pays. */
static void answer_batches(const struct report_text *text, const struct csv_table *deletes)
{
    const struct delete_group group = {deletes, csv_text(deletes, 0, CSV_deletes_pattern), 0};
    const double n_batches = csv_real(deletes, 0, CSV_deletes_batches),
                 first = delete_value(&group, DELETE_V2, 1, CSV_deletes_load_ms),
                 last = delete_value(&group, DELETE_V2, n_batches, CSV_deletes_load_ms),
                 from = delete_compacting_pays_from(&group);
    if (isnan(first) || isnan(last) || n_batches < 2)
        report_paragraph(text, "What it costs here: cannot tell: this run lacks the times of v2.");
    else
        report_paragraph(
            text,
            "What it costs here: loading the files of position deletes (v2, pattern %s) took %s ms after "
            "one batch and %s ms after %.0f, %s ms more per batch (%s, %s).",
            group.pattern, N(first), N(last), n_batches, N((last - first) / (n_batches - 1)),
            csv_text(deletes, 0, CSV_deletes_engine), csv_text(deletes, 0, CSV_deletes_machine));
    if (!isnan(from))
        report_paragraph(
            text,
            "What to use: from %.0f batches on, compacting (v2_compact) pays off within one scan of "
            "a column.",
            from);
    else
        report_paragraph(
            text, "What to use: up to the last batch, compacting (v2_compact) did not pay off within one "
                  "scan of a column, or was not measured.");
}

/* The smallest and the largest file. */
static void answer_sizes(const struct report_text *text, const struct csv_table *deletes)
{
    const size_t ends[] = {0, csv_n_rows(deletes) - 1};
    for (int i = 0; i < 2; i++) {
        const struct delete_group group = {deletes, csv_text(deletes, 0, CSV_deletes_pattern),
                                           csv_real(deletes, ends[i], CSV_deletes_rows)};
        const struct stats_summary ratio = delete_ratio(&group, DELETE_COW, DELETE_V3, CSV_deletes_delete_ms);
        if (ratio.n_samples > 0)
            report_paragraph(
                text,
                "From a file of %s MB: cow deletes in %s ms, v3 in %s ms, %s times less (pattern %s, median "
                "of %zu pairs).",
                N(csv_real(deletes, ends[i], CSV_deletes_data_bytes) / 1e6),
                N(delete_value(&group, DELETE_COW, DELETE_EACH, CSV_deletes_delete_ms)),
                N(delete_value(&group, DELETE_V3, DELETE_EACH, CSV_deletes_delete_ms)), N(ratio.median),
                group.pattern, ratio.n_samples);
    }
}

void delete_answer(const struct report_text *text, const struct csv_table *deletes)
{
    static void (*const answers[DELETE_N_STUDIES])(const struct report_text *, const struct csv_table *) = {
        [DELETE_STUDY_WAYS] = answer_ways,
        [DELETE_STUDY_BATCHES] = answer_batches,
        [DELETE_STUDY_SIZES] = answer_sizes,
    };
    if (csv_n_rows(deletes) > 0)
        answers[delete_study_of(deletes)](text, deletes);
}
