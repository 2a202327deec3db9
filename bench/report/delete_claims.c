/* SPDX-License-Identifier: Apache-2.0 */
#include "delete_claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claims.h"
#include "delete_rows.h"
#include "report_claims.h"
#include "report_numbers.h"

#define N(value) report_number((value), (char[32]){0}, 32)

#define NO_SECONDS                                                                                           \
    "No verdict on seconds: the published ones hold the overhead of a cluster's jobs, on other machines "    \
    "and "                                                                                                   \
    "another table; here is one process on local files. Context only."

struct seconds {
    enum delete_way way;
    double deleting, counting;
};

static const struct seconds published[] = {
#define DELETE_SECONDS(way, deleting, counting) {DELETE_##way, deleting, counting},
#include "delete_claims.def"
};

struct direction {
    const char *what;
    const char *published;
    double value;
    enum csv_column column;
    enum delete_way above, below;
};

static const struct direction directions[] = {
#define DELETE_DIRECTION(what, published, value, column, above, below)                                       \
    {what, published, value, CSV_deletes_##column, DELETE_##above, DELETE_##below},
#include "delete_claims.def"
};

enum {
    N_SECONDS = sizeof published / sizeof *published,
    N_DIRECTIONS = sizeof directions / sizeof *directions
};

/* --- answers --- */

static void say_why(struct claim_answer *answer, size_t n_pairs, double noise_pct)
{
    char *why = answer->why;
    const size_t n_why = sizeof answer->why;
    if (isnan(answer->value))
        snprintf(why, n_why, "Not measured: this run lacks one of the two ways.");
    else if (isnan(answer->low))
        snprintf(why, n_why, "Of %zu pairs; there is no interval under 6.", n_pairs);
    else if (isnan(noise_pct))
        snprintf(why, n_why, "Of %zu pairs; the noise is not known, since no two ways did the same work.",
                 n_pairs);
    else
        snprintf(why, n_why,
                 "Of %zu pairs of the same batch and round; ways that did the same work differed by %s %%.",
                 n_pairs, N(noise_pct));
}

static struct claim_answer direction_answer(const struct direction *direction,
                                            const struct delete_group *group)
{
    const struct stats_summary ratio =
        delete_ratio(group, direction->above, direction->below, direction->column);
    const double noise_pct = delete_noise_pct(group, direction->column);
    const enum stats_verdict side = stats_judge_ratio(&ratio.interval, noise_pct);
    struct claim_answer answer = {.value = ratio.median,
                                  .low = ratio.interval.low,
                                  .high = ratio.interval.high,
                                  .verdict = side == STATS_BELOW   ? CLAIM_REPRODUCED
                                             : side == STATS_ABOVE ? CLAIM_DIFFERS
                                                                   : CLAIM_CANNOT_TELL};
    say_why(&answer, ratio.n_samples, noise_pct);
    return answer;
}

/* Seconds of all deletes, or of the count after the last batch that was read. */
static struct stats_summary seconds_of(const struct delete_group *group, enum delete_way way, bool of_count)
{
    return of_count ? delete_summary(group, way, DELETE_LAST_READ, CSV_deletes_count_ms)
                    : delete_sum(group, way, CSV_deletes_delete_ms);
}

/* --- the report --- */

static void write_seconds_row(const struct report_text *text, const char *what, enum delete_way way,
                              const double seconds[2], const double seconds_v3[2])
{
    char texts[4][32];
    const char *cells[6] = {what, delete_way_ids[way]};
    if (isnan(seconds[0]) && isnan(seconds[1]))
        return;
    for (int i = 0; i < 2; i++) {
        cells[2 + 2 * i] = report_number(seconds[i], texts[2 * i], 32);
        cells[3 + 2 * i] = report_number(seconds[i] / seconds_v3[i], texts[2 * i + 1], 32);
    }
    report_table_row(text, cells, 6);
}

static void write_seconds(const struct report_text *text, const struct csv_table *deletes)
{
    static const char *const headers[] = {"where",          "way",       "all deletes, s", "times v3's",
                                          "count after, s", "times v3's"};
    const struct seconds *v3 = &published[N_SECONDS - 1];
    report_table_begin(text, headers, 6);
    for (int i = 0; i < N_SECONDS; i++)
        write_seconds_row(text, "published (a cluster)", published[i].way,
                          (double[]){published[i].deleting, published[i].counting},
                          (double[]){v3->deleting, v3->counting});
    for (size_t row = 0; row < csv_n_rows(deletes); row++) {
        const struct delete_group group = {deletes, csv_text(deletes, row, CSV_deletes_pattern), 0};
        double seconds[DELETE_N_WAYS][2];
        if (!delete_is_first(deletes, row, CSV_deletes_pattern))
            continue;
        for (int way = 0; way < DELETE_N_WAYS; way++)
            for (int i = 0; i < 2; i++)
                seconds[way][i] = seconds_of(&group, (enum delete_way)way, i == 1).median / 1e3;
        for (int way = 0; way < DELETE_N_WAYS; way++)
            write_seconds_row(text, group.pattern, (enum delete_way)way, seconds[way], seconds[DELETE_V3]);
    }
    report_table_end(text);
}

static void write_direction(const struct report_text *text, const struct direction *direction,
                            const struct delete_group *group)
{
    const struct claim_answer answer = direction_answer(direction, group);
    char measured[128];
    if (isnan(answer.low))
        snprintf(measured, sizeof measured, "%s", N(answer.value));
    else
        snprintf(measured, sizeof measured, "%s (%s to %s)", N(answer.value), N(answer.low), N(answer.high));
    const char *cells[] = {
        group->pattern, direction->what, direction->published, measured, claim_verdict_text(answer.verdict),
        answer.why};
    report_table_row(text, cells, 6);
}

void delete_claims_write(const struct report_text *text, const struct csv_table *deletes)
{
    static const char *const headers[] = {"pattern", "direction", "published ratio",
                                          "here",    "verdict",   "why"};
    if (delete_study_of(deletes) != DELETE_STUDY_WAYS)
        return;
    report_heading(text, 2, "The published cluster run, as context");
    report_paragraph(text, NO_SECONDS);
    write_seconds(text, deletes);
    report_paragraph(
        text,
        "Judged are directions. A ratio is the time of the first over that of the second, after the same "
        "batch of the same round; its interval (95 %%) is of the median over all batches and rounds. "
        "Reproduced: the interval is below 1 by more than the noise; differs: above.");
    report_table_begin(text, headers, 6);
    for (size_t row = 0; row < csv_n_rows(deletes); row++) {
        const struct delete_group group = {deletes, csv_text(deletes, row, CSV_deletes_pattern), 0};
        for (int i = 0; i < N_DIRECTIONS && delete_is_first(deletes, row, CSV_deletes_pattern); i++)
            write_direction(text, &directions[i], &group);
    }
    report_table_end(text);
}

/* --- claims.csv --- */

static int write_row(struct csv_writer *csv, const struct delete_group *group, const char *what,
                     const char *as_published, double value, const struct claim_answer *answer,
                     struct dv_error *error_out)
{
    char claim[160];
    snprintf(claim, sizeof claim, "%.40s: %s", group->pattern, what);
    csv_set_text(csv, CSV_claims_run, csv_text(group->deletes, 0, CSV_deletes_run));
    csv_set_text(csv, CSV_claims_machine, csv_text(group->deletes, 0, CSV_deletes_machine));
    csv_set_text(csv, CSV_claims_claim, claim);
    csv_set_text(csv, CSV_claims_published, as_published);
    csv_set_text(csv, CSV_claims_method, "ten batches of deletes on a cluster");
    csv_set_real(csv, CSV_claims_published_value, value);
    csv_set_real(csv, CSV_claims_ours, answer->value);
    csv_set_real(csv, CSV_claims_low, answer->low);
    csv_set_real(csv, CSV_claims_high, answer->high);
    csv_set_text(csv, CSV_claims_verdict, claim_verdict_text(answer->verdict));
    csv_set_text(csv, CSV_claims_reason, answer->why);
    return csv_end_row(csv, error_out);
}

static int write_seconds_of(struct csv_writer *csv, const struct delete_group *group,
                            const struct seconds *there, bool of_count, struct dv_error *error_out)
{
    const struct stats_summary here = seconds_of(group, there->way, of_count);
    const struct claim_answer answer = {.value = here.median / 1e3,
                                        .low = here.interval.low / 1e3,
                                        .high = here.interval.high / 1e3,
                                        .verdict = CLAIM_CANNOT_TELL,
                                        .why = NO_SECONDS};
    const double value = of_count ? there->counting : there->deleting;
    char what[80], as_published[32];
    snprintf(what, sizeof what, "seconds of %s: %s", of_count ? "a count afterwards" : "all deletes",
             delete_way_ids[there->way]);
    snprintf(as_published, sizeof as_published, "%.2f s", value);
    return write_row(csv, group, what, as_published, value, &answer, error_out);
}

static int write_pattern(struct csv_writer *csv, const struct delete_group *group, struct dv_error *error_out)
{
    int status = 0;
    for (int i = 0; status == 0 && i < N_DIRECTIONS; i++) {
        const struct direction *direction = &directions[i];
        const struct claim_answer answer = direction_answer(direction, group);
        status = write_row(csv, group, direction->what, direction->published, direction->value, &answer,
                           error_out);
    }
    for (int i = 0; status == 0 && i < 2 * N_SECONDS; i++)
        status = write_seconds_of(csv, group, &published[i % N_SECONDS], i >= N_SECONDS, error_out);
    return status;
}

static int write_rows(struct csv_writer *csv, const struct csv_table *deletes,
                      const struct csv_table *counters, struct dv_error *error_out)
{
    (void)counters;
    int status = 0;
    const bool has_claims = delete_study_of(deletes) == DELETE_STUDY_WAYS;
    for (size_t row = 0; status == 0 && has_claims && row < csv_n_rows(deletes); row++) {
        const struct delete_group group = {deletes, csv_text(deletes, row, CSV_deletes_pattern), 0};
        if (delete_is_first(deletes, row, CSV_deletes_pattern))
            status = write_pattern(csv, &group, error_out);
    }
    return status;
}

int delete_claims_csv(const char *run_dir, const struct csv_table *deletes, struct dv_error *error_out)
{
    return claims_csv_write(run_dir, deletes, NULL, write_rows, error_out);
}
