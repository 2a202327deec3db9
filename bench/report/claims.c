/* SPDX-License-Identifier: Apache-2.0 */
#include "claims.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "claims_counted.h"
#include "figure_rows.h"
#include "report_numbers.h"
#include "spec_parts.h"
#include "stats.h"

#define N(value) report_number((value), (char[32]){0}, 32)

#define CELL(...)                                                                                            \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define CLAIM(kind, what, published, value, factor, a, b, method)                                            \
    {CLAIM_##kind, what, published, value, factor, a, b, method, NULL},
#define UNMEASURED(what, published, method, missing)                                                         \
    {CLAIM_UNMEASURED, what, published, NAN, 0, {0}, {0}, method, missing},
static const struct claim claims[] = {
#include "report_claims.def"
};
#undef CELL
#undef CLAIM
#undef UNMEASURED

/* --- finding --- */

static bool is_text(const struct report_place *place, size_t row, enum csv_column column, const char *text)
{
    return strcmp(csv_text(place->summary, row, column), text) == 0;
}

/* A key that the spec lacks is 0. */
static bool has_key(const char *dv, const char *key, uint64_t value)
{
    const double found = spec_value(dv, key);
    return (isnan(found) ? 0 : found) == (double)value;
}

/* Vectors of the article, or with deletes that are spread alike. */
static bool is_of_recipe(const struct report_place *place, size_t row, const struct claim_cell *cell)
{
    const char *alike = cell->length ? "runs" : cell->percent ? "occupancy" : "uniform";
    if (!cell->pattern)
        return (is_text(place, row, CSV_summary_recipe, "article") ||
                is_text(place, row, CSV_summary_recipe, alike)) &&
               fabs(spec_rate(csv_text(place->summary, row, CSV_summary_dv)) - cell->rate) < 1e-9;
    char part[64];
    snprintf(part, sizeof part, ":pattern=%s:", cell->pattern);
    return is_text(place, row, CSV_summary_recipe, "microbench") &&
           strstr(csv_text(place->summary, row, CSV_summary_dv), part) != NULL;
}

static bool is_cell(const struct report_place *place, size_t row, const struct claim_cell *cell)
{
    const char *dv = csv_text(place->summary, row, CSV_summary_dv);
    const double batch_rows = cell->batch_rows ? (double)cell->batch_rows : 5000;
    return report_place_has(place, row) && is_text(place, row, CSV_summary_verdict, "ok") &&
           is_text(place, row, CSV_summary_doubts, "") &&
           is_text(place, row, CSV_summary_kernel, cell->kernel) &&
           is_text(place, row, CSV_summary_sink, cell->sink ? cell->sink : "row_ids") &&
           is_text(place, row, CSV_summary_mode, cell->mode ? cell->mode : "stream") &&
           csv_real(place->summary, row, CSV_summary_batch_rows) == batch_rows &&
           is_of_recipe(place, row, cell) && has_key(dv, "length", cell->length) &&
           has_key(dv, "percent", cell->percent) &&
           (!cell->rows || csv_real(place->summary, row, CSV_summary_rows) == (double)cell->rows);
}

/* The article's own vectors go before others of that rate. */
static size_t find(const struct report_place *place, const struct claim_cell *cell)
{
    size_t found = REPORT_NO_ROW;
    for (size_t row = 0; row < csv_n_rows(place->summary); row++)
        if (is_cell(place, row, cell) &&
            (found == REPORT_NO_ROW || (is_text(place, row, CSV_summary_recipe, "article") &&
                                        !is_text(place, found, CSV_summary_recipe, "article"))))
            found = row;
    return found;
}

/* --- measuring --- */

static double number(const struct report_place *place, size_t row, enum csv_column column)
{
    return csv_real(place->summary, row, column);
}

static void divide(struct claim_answer *answer, const struct report_place *place, size_t a, size_t b,
                   const enum csv_column columns[3])
{
    answer->value = number(place, a, columns[0]) / number(place, b, columns[0]);
    answer->low = number(place, a, columns[1]) / number(place, b, columns[2]);
    answer->high = number(place, a, columns[2]) / number(place, b, columns[1]);
}

/* Paired where both were measured in the same rounds and A is what ratios refer to; else the widest that the
 * intervals of the two allow. */
static void measure_cost(struct claim_answer *answer, const struct report_place *place, size_t a, size_t b)
{
    static const enum csv_column times[] = {CSV_summary_ns_per_row, CSV_summary_ns_per_row_low,
                                            CSV_summary_ns_per_row_high};
    const bool is_paired = is_text(place, a, CSV_summary_kernel, "per_row") &&
                           is_text(place, b, CSV_summary_dv, csv_text(place->summary, a, CSV_summary_dv)) &&
                           is_text(place, b, CSV_summary_run, csv_text(place->summary, a, CSV_summary_run)) &&
                           is_text(place, b, CSV_summary_mode, csv_text(place->summary, a, CSV_summary_mode));
    if (is_paired) {
        answer->value = number(place, b, CSV_summary_speedup_vs_per_row);
        answer->low = number(place, b, CSV_summary_speedup_low);
        answer->high = number(place, b, CSV_summary_speedup_high);
    } else
        divide(answer, place, a, b, times);
}

/* That a chunk with binomial deletes has 4,096 at most, and so is an array. */
static double array_probability(double rows, double rate)
{
    return 0.5 * erfc(-(4096.5 - rows * rate) / sqrt(2 * rows * rate * (1 - rate)));
}

/* The range is what 95 % of such files have; the last chunk is not a whole one. */
static void measure_arrays(struct claim_answer *answer, const struct report_place *place,
                           const struct claim *claim, size_t a)
{
    const double n = number(place, a, CSV_summary_chunks), rows = 65536,
                 rest = number(place, a, CSV_summary_rows) - (n - 1) * rows,
                 whole = array_probability(rows, claim->a.rate),
                 last = array_probability(rest, claim->a.rate), model = ((n - 1) * whole + last) / n,
                 spread = (196 * sqrt((n - 1) * whole * (1 - whole) + last * (1 - last)) + 50) /
                          n; /* half a chunk */
    answer->value = 100 * number(place, a, CSV_summary_array_containers) / n;
    answer->low = fmax(0, 100 * model - spread);
    answer->high = fmin(100, 100 * model + spread);
    const bool is_inside = answer->value >= answer->low && answer->value <= answer->high;
    char text[5][32];
    answer->verdict = is_inside ? CLAIM_REPRODUCED : CLAIM_DIFFERS;
    snprintf(
        answer->why, sizeof answer->why,
        "Of %s chunks %s %% are arrays, %s what the binomial model gives files of this size (%s to %s %%).",
        csv_text(place->summary, a, CSV_summary_chunks), report_number(answer->value, text[1], 32),
        is_inside ? "within" : "outside of", report_number(answer->low, text[2], 32),
        report_number(answer->high, text[3], 32));
}

/* --- judging --- */

/* The direction counts unless the claim is that there is none; then the whole interval within the factor. */
static void judge(struct claim_answer *answer, const struct claim *claim, double noise_pct)
{
    if (isnan(claim->value))
        return;
    const struct stats_interval interval = {
        .exists = answer->low > 0 && answer->high > 0, .low = answer->low, .high = answer->high};
    const enum stats_verdict direction = stats_judge_ratio(&interval, noise_pct);
    const bool has_direction = fabs(log(claim->value)) > log(1.1);
    const double least = claim->value / claim->factor, most = claim->value * claim->factor;
    if (!interval.exists || (has_direction && direction == STATS_CANNOT_TELL))
        answer->verdict = CLAIM_CANNOT_TELL;
    else if (has_direction && (direction == STATS_ABOVE) != (claim->value > 1))
        answer->verdict = CLAIM_DIFFERS;
    else if (answer->low >= least && answer->high <= most)
        answer->verdict = CLAIM_REPRODUCED;
    else
        answer->verdict = answer->low > most || answer->high < least ? CLAIM_DIFFERS : CLAIM_CANNOT_TELL;
}

static void say_cost(struct claim_answer *answer, const struct claim *claim, const struct report_place *place,
                     size_t a, size_t b)
{
    char text[6][32], instructions[120] = "";
    const double first = number(place, a, CSV_summary_instructions_per_row),
                 second = number(place, b, CSV_summary_instructions_per_row);
    if (first > 0 && second > 0)
        snprintf(instructions, sizeof instructions, ", with %s and %s instructions",
                 report_number(first, text[0], 32), report_number(second, text[1], 32));
    snprintf(answer->why, sizeof answer->why, "%s took %s ns per row and %s %s%s%s%s%s.", claim->a.kernel,
             report_number(number(place, a, CSV_summary_ns_per_row), text[2], 32), claim->b.kernel,
             report_number(number(place, b, CSV_summary_ns_per_row), text[3], 32), instructions,
             isnan(claim->value) ? "" : ": ", report_number(answer->value / claim->value, text[4], 32),
             isnan(claim->value) ? "" : " times the published ratio");
}

/* The two ends of the transition, and A between them by its own containers: whether cost follows these. */
static void measure_mixture(struct claim_answer *answer, const struct claim *claim,
                            const struct report_place *place, size_t a)
{
    struct claim_cell below = claim->a, above = claim->a;
    below.rate = 0.059;
    above.rate = 0.066;
    const size_t arrays = find(place, &below), bitsets = find(place, &above);
    if (arrays == REPORT_NO_ROW || bitsets == REPORT_NO_ROW) {
        snprintf(answer->why, sizeof answer->why, "Not measured: this run lacks 5.9 or 6.6 %%.");
        return;
    }
    static const enum csv_column times[] = {CSV_summary_ns_per_row, CSV_summary_ns_per_row_low,
                                            CSV_summary_ns_per_row_high};
    const double share =
        number(place, a, CSV_summary_array_containers) / number(place, a, CSV_summary_chunks);
    double mixed[3];
    for (int i = 0; i < 3; i++)
        mixed[i] = share * number(place, arrays, times[i]) + (1 - share) * number(place, bitsets, times[i]);
    answer->value = number(place, a, times[0]) / mixed[0];
    answer->low = number(place, a, times[1]) / mixed[2];
    answer->high = number(place, a, times[2]) / mixed[1];
    judge(answer, claim, number(place, a, CSV_summary_noise_floor_pct));
    snprintf(
        answer->why, sizeof answer->why,
        "%s ns per row; of its chunks %s %% are arrays, and as at 5.9 %% (%s ns) and 6.6 %% (%s ns) they "
        "would take %s ns.",
        N(number(place, a, times[0])), N(100 * share), N(number(place, arrays, times[0])),
        N(number(place, bitsets, times[0])), N(mixed[0]));
}

/* Counted, not timed. The article counts containers, not the headers of the files. */
static void measure_bytes(struct claim_answer *answer, const struct claim *claim,
                          const struct report_place *place, size_t a, size_t b)
{
    const double first = report_body_bytes(place->summary, a), second = report_body_bytes(place->summary, b);
    answer->value = answer->low = answer->high = first / second;
    judge(answer, claim, 0);
    snprintf(answer->why, sizeof answer->why,
             "%.0f bytes of containers against %.0f, as the article counts them; with headers %s and %s.",
             first, second, csv_text(place->summary, a, CSV_summary_dv_bytes),
             csv_text(place->summary, b, CSV_summary_dv_bytes));
}

static void measure_ratio(struct claim_answer *answer, const struct claim *claim,
                          const struct report_place *place, size_t a, size_t b)
{
    static const enum csv_column gains[] = {CSV_summary_speedup_vs_per_row, CSV_summary_speedup_low,
                                            CSV_summary_speedup_high};
    if (claim->kind == CLAIM_COST)
        measure_cost(answer, place, a, b);
    else
        divide(answer, place, a, b, gains);
    judge(answer, claim,
          fmax(number(place, a, CSV_summary_noise_floor_pct), number(place, b, CSV_summary_noise_floor_pct)));
    say_cost(answer, claim, place, a, b);
}

static void say_why_not(struct claim_answer *answer, const struct claim *claim)
{
    const size_t n = strlen(answer->why);
    if (answer->verdict != CLAIM_CANNOT_TELL || isnan(answer->value))
        return;
    snprintf(answer->why + n, sizeof answer->why - n, " Cannot tell: %s.",
             isnan(claim->value)  ? "nothing was published to compare with"
             : isnan(answer->low) ? "there is no interval under 6 samples"
                                  : "the interval crosses the edge of the factor or the noise floor");
}

static struct claim_answer answer_within(const struct claim *claim, const struct report_place *place)
{
    struct claim_answer answer = {NAN, NAN, NAN, CLAIM_CANNOT_TELL, REPORT_NO_ROW, ""};
    const bool is_known = claim->kind != CLAIM_UNMEASURED && claim->kind != CLAIM_CODE;
    const size_t a = is_known ? find(place, &claim->a) : REPORT_NO_ROW,
                 b = is_known ? find(place, claim->b.kernel ? &claim->b : &claim->a) : REPORT_NO_ROW;
    answer.row = a;
    if (claim->kind == CLAIM_CODE)
        claim_measure_code(&answer, claim, place);
    else if (!is_known)
        snprintf(answer.why, sizeof answer.why, "Not measured: %s.", claim->missing);
    else if (a == REPORT_NO_ROW || b == REPORT_NO_ROW)
        snprintf(answer.why, sizeof answer.why, "Not measured: this run lacks the cells.");
    else if (claim->kind == CLAIM_ARRAYS)
        measure_arrays(&answer, place, claim, a);
    else if (claim->kind == CLAIM_MIXTURE)
        measure_mixture(&answer, claim, place, a);
    else if (claim->kind == CLAIM_MISSES)
        claim_measure_misses(&answer, claim, place, a, b);
    else if (claim->kind == CLAIM_BYTES)
        measure_bytes(&answer, claim, place, a, b);
    else
        measure_ratio(&answer, claim, place, a, b);
    say_why_not(&answer, claim);
    return answer;
}

static bool is_of_article(const struct report_place *place, const struct claim_answer *answer)
{
    return answer->row != REPORT_NO_ROW && is_text(place, answer->row, CSV_summary_recipe, "article");
}

struct claim_answer claim_answer_of(const struct claim *claim, const struct report_place *place)
{
    struct claim_answer best = {.value = NAN, .row = REPORT_NO_ROW};
    struct report_place one = *place;
    size_t n_runs = 0;
    for (size_t row = place->first_row; row < csv_n_rows(place->summary); row++) {
        const char *run = csv_text(place->summary, row, CSV_summary_run);
        if (!report_place_has(place, row) || (n_runs && strcmp(run, one.run) == 0))
            continue;
        one.run = run;
        const struct claim_answer answer = answer_within(claim, &one);
        const bool is_better = !isnan(answer.value) && is_of_article(place, &answer);
        if (n_runs++ == 0 || isnan(best.value) || (is_better && !is_of_article(place, &best)))
            best = answer;
    }
    return isnan(best.value) && n_runs > 1 ? answer_within(claim, place) : best;
}

const char *claim_verdict_text(enum claim_verdict verdict)
{
    static const char *const texts[] = {"cannot tell", "reproduced", "differs"};
    return texts[verdict];
}

const struct claim *claims_all(size_t *n_out)
{
    *n_out = sizeof claims / sizeof *claims;
    return claims;
}
