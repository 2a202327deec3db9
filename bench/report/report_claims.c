/* SPDX-License-Identifier: Apache-2.0 */
#include "report_claims.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claims.h"
#include "file_write.h"
#include "report_numbers.h"
#include "run_dir.h"

/* "2.22x (2.10 to 2.31)"; "" where not measured. */
static const char *value_text(const struct claim *claim, const struct claim_answer *answer,
                              char text_out[128])
{
    char text[3][32];
    const char *unit = claim->kind == CLAIM_ARRAYS || claim->kind == CLAIM_MISSES ? " %" : "x";
    const bool has_interval = claim->kind != CLAIM_BYTES && !isnan(answer->low) && !isnan(answer->high);
    text_out[0] = '\0';
    if (!isnan(answer->value) && claim->kind == CLAIM_CODE)
        snprintf(text_out, 128, "%s", answer->value > 0 ? "a branch" : "no branch");
    else if (!isnan(answer->value))
        snprintf(text_out, 128, has_interval ? "%s%s (%s%s to %s)" : "%s%s",
                 report_number(answer->value, text[0], 32), unit, claim->kind == CLAIM_ARRAYS ? "model " : "",
                 report_number(answer->low, text[1], 32), report_number(answer->high, text[2], 32));
    return text_out;
}

/* One machine: number, verdict and why; several: number and verdict of each, and the factor next to what was
 * published. */
static void write_claim(const struct report_text *text, const struct claim *claim,
                        const struct report_place *places, size_t n_places)
{
    char values[REPORT_MOST_PLACES][160], published[200], factor[64] = "";
    const char *cells[3 + REPORT_MOST_PLACES] = {claim->what, published};
    struct claim_answer answer = {0};
    if (claim->factor > 1)
        snprintf(factor, sizeof factor, "factor %s", report_number(claim->factor, (char[32]){0}, 32));
    snprintf(published, sizeof published, "%s (%s%s%s)", claim->published, claim->method,
             n_places > 1 && factor[0] ? "; " : "", n_places > 1 ? factor : "");
    for (size_t i = 0; i < n_places; i++) {
        char value[128];
        answer = claim_answer_of(claim, &places[i]);
        value_text(claim, &answer, value);
        snprintf(values[i], sizeof values[i], n_places == 1 || !value[0] ? "%s%s" : "%s: %s",
                 n_places == 1 ? "" : claim_verdict_text(answer.verdict), value);
        cells[2 + i] = values[i];
    }
    char verdict[80];
    snprintf(verdict, sizeof verdict, "%s", claim_verdict_text(answer.verdict));
    if (factor[0] && !isnan(answer.value))
        snprintf(verdict, sizeof verdict, "%s (%s)", claim_verdict_text(answer.verdict), factor);
    if (n_places == 1) {
        cells[3] = verdict;
        cells[4] = answer.why;
    }
    report_table_row(text, cells, n_places == 1 ? 5 : 2 + n_places);
}

static bool is_measured(const struct claim *claim, const struct report_place *places, size_t n_places)
{
    for (size_t i = 0; i < n_places; i++)
        if (!isnan(claim_answer_of(claim, &places[i]).value))
            return true;
    return false;
}

/* The claims that have an answer, or those that have none. */
static void write_table(const struct report_text *text, const struct report_place *places, size_t n_places,
                        bool of_measured)
{
    const char *headers[3 + REPORT_MOST_PLACES] = {"claim", "published", "here", "verdict", "why"};
    char names[REPORT_MOST_PLACES][400];
    for (size_t i = 0; n_places > 1 && i < n_places; i++) {
        snprintf(names[i], sizeof names[i], "%.190s (%s)", places[i].machine, places[i].runs);
        headers[2 + i] = names[i];
    }
    size_t n_written = 0, n_claims = 0;
    const struct claim *claims = claims_all(&n_claims);
    for (size_t i = 0; i < n_claims; i++)
        if (is_measured(&claims[i], places, n_places) == of_measured) {
            if (n_written++ == 0)
                report_table_begin(text, headers, n_places == 1 ? 5 : 2 + n_places);
            write_claim(text, &claims[i], places, n_places);
        }
    if (n_written)
        report_table_end(text);
}

struct claims_count report_claims_count(const struct report_place *place)
{
    struct claims_count count = {0};
    size_t n_claims = 0;
    const struct claim *claims = claims_all(&n_claims);
    for (size_t i = 0; i < n_claims; i++) {
        const struct claim_answer answer = claim_answer_of(&claims[i], place);
        count.n_reproduced += answer.verdict == CLAIM_REPRODUCED;
        count.n_differ += answer.verdict == CLAIM_DIFFERS;
        count.n_cannot_tell += answer.verdict == CLAIM_CANNOT_TELL;
    }
    return count;
}

static int write_csv_row(struct csv_writer *csv, const struct claim *claim, const struct report_place *place,
                         struct dv_error *error_out)
{
    const struct claim_answer answer = claim_answer_of(claim, place);
    csv_set_text(csv, CSV_claims_run,
                 csv_text(place->summary, answer.row == REPORT_NO_ROW ? place->first_row : answer.row,
                          CSV_summary_run));
    csv_set_text(csv, CSV_claims_machine, place->machine);
    csv_set_text(csv, CSV_claims_claim, claim->what);
    csv_set_text(csv, CSV_claims_published, claim->published);
    csv_set_text(csv, CSV_claims_method, claim->method);
    csv_set_real(csv, CSV_claims_published_value, claim->value);
    csv_set_real(csv, CSV_claims_factor, claim->factor > 1 ? claim->factor : NAN);
    csv_set_real(csv, CSV_claims_ours, answer.value);
    csv_set_real(csv, CSV_claims_low, answer.low);
    csv_set_real(csv, CSV_claims_high, answer.high);
    csv_set_text(csv, CSV_claims_verdict, claim_verdict_text(answer.verdict));
    csv_set_text(csv, CSV_claims_reason, answer.why);
    return csv_end_row(csv, error_out);
}

static int write_csv_rows(struct csv_writer *csv, const struct csv_table *summary,
                          const struct csv_table *counters, struct dv_error *error_out)
{
    struct report_place places[REPORT_MOST_PLACES];
    size_t n_claims = 0;
    const size_t n_places = report_places(places, summary, counters);
    const struct claim *claims = claims_all(&n_claims);
    int status = 0;
    for (size_t i = 0; status == 0 && i < n_claims * n_places; i++)
        status = write_csv_row(csv, &claims[i / n_places], &places[i % n_places], error_out);
    return status;
}

int claims_csv_write(const char *run_dir, const struct csv_table *table, const struct csv_table *counters,
                     claims_rows_writer *write_rows, struct dv_error *error_out)
{
    char *path = run_dir_file(run_dir, run_dir_csv_name(CSV_FILE_claims)),
         *part = run_dir_file(run_dir, "claims.csv.part");
    struct csv_writer *csv = NULL;
    int status = path && part ? csv_create(&csv, part, CSV_FILE_claims, error_out) : dv_no_memory(error_out);
    if (status == 0)
        status = write_rows(csv, table, counters, error_out);
    const int closed = csv_close(csv, status == 0 ? error_out : NULL);
    status = status == 0 ? closed : status;
    if (status == 0)
        status = file_replace(path, part, error_out);
    if (status < 0 && part)
        unlink(part);
    free(path);
    free(part);
    return status;
}

int report_claims_csv(const char *run_dir, const struct csv_table *summary, const struct csv_table *counters,
                      struct dv_error *error_out)
{
    return claims_csv_write(run_dir, summary, counters, write_csv_rows, error_out);
}

void report_claims(const struct report_text *text, const struct csv_table *summary,
                   const struct csv_table *counters)
{
    struct report_place places[REPORT_MOST_PLACES];
    const size_t n_places = report_places(places, summary, counters);
    report_heading(text, 2, "The article's claims and this run");
    for (size_t i = 0; i < n_places; i++) {
        const struct claims_count count = report_claims_count(&places[i]);
        report_paragraph(text,
                         "%s%seproduced: %zu; differ: %zu; cannot tell: %zu, those included for which this "
                         "run lacks the cells.",
                         n_places > 1 ? places[i].machine : "", n_places > 1 ? ": r" : "R",
                         count.n_reproduced, count.n_differ, count.n_cannot_tell);
    }
    report_paragraph(
        text, "A ratio is the cost of the first over the cost of the second. Reproduced: the same direction, "
              "beyond the noise floor, and the whole interval within the factor; differs: another direction, "
              "or the whole interval outside of the factor. Intervals are those of paired ratios where both "
              "cells have the same vector and the first is per_row; else they are the widest that the "
              "intervals of the "
              "two medians allow. The article measured Java on other machines; this run measures C.");
    if (n_places > 1)
        report_paragraph(text, "Each machine has a column; claims.csv has the reason of each verdict.");
    write_table(text, places, n_places, true);
    report_fold_begin(text,
                      "claims that this run cannot judge: the plans `article` and `full` have the cells");
    write_table(text, places, n_places, false);
    report_fold_end(text);
}
