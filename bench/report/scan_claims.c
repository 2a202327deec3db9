/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_numbers.h"
#include "scan_rows.h"

#define N(value) report_number((value), (char[32]){0}, 32)

enum claim_measure { CLAIM_SHARE, CLAIM_SHORTER, CLAIM_COST, CLAIM_BYTES, CLAIM_SAME, CLAIM_WIDTH };

struct scan_claim {
    const char *what;
    const char *published;
    double value;
    enum claim_measure measure;
    struct scan_group a;
    const char *kernel_a;
    struct scan_group b;
    const char *kernel_b;
};

static const struct scan_claim claims[] = {
#define SCAN_CLAIM(what, published, value, measure, query, columns, vectors_a, files_a, kernel_a, vectors_b, \
                   files_b, kernel_b)                                                                        \
    {what,                                                                                                   \
     published,                                                                                              \
     value,                                                                                                  \
     CLAIM_##measure,                                                                                        \
     {NULL, vectors_a, query, columns, files_a},                                                             \
     kernel_a,                                                                                               \
     {NULL, vectors_b, CLAIM_##measure == CLAIM_SAME ? "scan" : query, columns, files_b},                    \
     kernel_b},
#include "scan_claims.def"
#undef SCAN_CLAIM
};

struct range {
    double median, low, high;
};

static struct range share_of(const struct csv_table *scan, size_t row)
{
    return (struct range){scan_value(scan, row, CSV_scan_dv_share_pct),
                          scan_value(scan, row, CSV_scan_dv_share_low),
                          scan_value(scan, row, CSV_scan_dv_share_high)};
}

/* Of two blocks, which no round pairs: the ends are those of both intervals at their worst. */
static struct range cost_ratio(const struct csv_table *scan, size_t a, size_t b)
{
    const struct range above = share_of(scan, a), below = share_of(scan, b);
    const double scale = scan_value(scan, a, CSV_scan_ns_per_row) / scan_value(scan, b, CSV_scan_ns_per_row);
    return (struct range){scale * above.median / below.median, scale * above.low / below.high,
                          scale * above.high / below.low};
}

/* Counted, not timed: the ends of the interval are the ratio itself. */
static struct range bytes_ratio(const struct csv_table *scan, size_t a, size_t b)
{
    const double ratio = scan_value(scan, a, CSV_scan_dv_bytes) / scan_value(scan, b, CSV_scan_dv_bytes);
    return (struct range){ratio, ratio, ratio};
}

/* How far the first is from the second, in per cent. */
static struct range excess(struct range ratio)
{
    return (struct range){100 * (ratio.median - 1), 100 * (ratio.low - 1), 100 * (ratio.high - 1)};
}

/* The narrower the interval of the share, the narrower that of the width. */
static struct range width_of(const struct csv_table *scan, struct scan_group group, const char *kernel)
{
    enum { BREAK_EVEN_PCT = 21 }; /* under it the article measured no shorter wall time */
    group.columns = NULL;
    return (struct range){scan_break_even(scan, &group, kernel, BREAK_EVEN_PCT, CSV_scan_dv_share_pct),
                          scan_break_even(scan, &group, kernel, BREAK_EVEN_PCT, CSV_scan_dv_share_low),
                          scan_break_even(scan, &group, kernel, BREAK_EVEN_PCT, CSV_scan_dv_share_high)};
}

/* In the study of the first row where it is there: measured in the same minutes. */
static size_t find_b(const struct scan_claim *claim, const struct csv_table *scan, size_t a)
{
    struct scan_group group = claim->b;
    if (!*claim->kernel_b || a == SCAN_NO_ROW)
        return SCAN_NO_ROW;
    group.study = csv_text(scan, a, CSV_scan_study);
    const size_t b = scan_find_row(scan, &group, claim->kernel_b);
    return b == SCAN_NO_ROW ? scan_find_row(scan, &claim->b, claim->kernel_b) : b;
}

static struct range measure(const struct scan_claim *claim, const struct csv_table *scan)
{
    const size_t a = scan_find_row(scan, &claim->a, claim->kernel_a), b = find_b(claim, scan, a);
    if (claim->measure == CLAIM_SHARE)
        return share_of(scan, a);
    if (claim->measure == CLAIM_WIDTH)
        return width_of(scan, claim->a, claim->kernel_a);
    if (claim->measure == CLAIM_COST)
        return cost_ratio(scan, a, b);
    if (claim->measure == CLAIM_BYTES)
        return bytes_ratio(scan, a, b);
    if (claim->measure == CLAIM_SAME)
        return excess(cost_ratio(scan, a, b));
    return (struct range){scan_shorter_pct(scan_value(scan, a, CSV_scan_gain_vs_per_row)),
                          scan_shorter_pct(scan_value(scan, a, CSV_scan_gain_low)),
                          scan_shorter_pct(scan_value(scan, a, CSV_scan_gain_high))};
}

/* The article's own repetitions differed by 9.7 per cent. An interval as wide as half its median holds too much to say
 * anything by holding the value. */
enum verdict { REPRODUCED, DIFFERS, CANNOT_TELL, NOT_IN_RUN, N_VERDICTS };

static enum verdict judge(const struct scan_claim *claim, const struct range *range)
{
    if (isnan(range->median))
        return NOT_IN_RUN;
    if (isnan(range->low) || isnan(range->high))
        return CANNOT_TELL;
    if (claim->measure == CLAIM_SAME)
        return range->low > -claim->value && range->high < claim->value   ? REPRODUCED
               : range->low > claim->value || range->high < -claim->value ? DIFFERS
                                                                          : CANNOT_TELL;
    if (range->high - range->low > 0.5 * fabs(range->median))
        return CANNOT_TELL;
    return claim->value >= 0.9 * range->low && claim->value <= 1.1 * range->high ? REPRODUCED : DIFFERS;
}

static double vector_ns(const struct csv_table *scan, size_t row)
{
    return scan_value(scan, row, CSV_scan_ns_per_row) * share_of(scan, row).median / 100;
}

/* What the number comes from. */
static int say_how(const struct scan_claim *claim, const struct csv_table *scan, char *why_out, size_t n_why)
{
    const size_t a = scan_find_row(scan, &claim->a, claim->kernel_a), b = find_b(claim, scan, a);
    const double whole = scan_value(scan, a, CSV_scan_ns_per_row);
    switch (claim->measure) {
    case CLAIM_SHARE:
        return snprintf(why_out, n_why, "The vectors took %s of %s ns per row.", N(vector_ns(scan, a)),
                        N(whole));
    case CLAIM_SHORTER:
        return snprintf(why_out, n_why, "%s ns per row; with per_row %s times that.", N(whole),
                        N(scan_value(scan, a, CSV_scan_gain_vs_per_row)));
    case CLAIM_BYTES:
        return snprintf(why_out, n_why, "%.0f bytes against %.0f.", scan_value(scan, a, CSV_scan_dv_bytes),
                        scan_value(scan, b, CSV_scan_dv_bytes));
    case CLAIM_WIDTH:
        return snprintf(why_out, n_why, "Between the widths measured, in a straight line.");
    default:
        return snprintf(why_out, n_why, "The vectors took %s ns per row against %s.", N(vector_ns(scan, a)),
                        N(vector_ns(scan, b)));
    }
}

static void say_why(const struct scan_claim *claim, const struct csv_table *scan, const struct range *range,
                    enum verdict verdict, char *why_out, size_t n_why)
{
    if (verdict == NOT_IN_RUN) {
        snprintf(why_out, n_why, "Not measured: this run lacks the blocks.");
        return;
    }
    const int n = say_how(claim, scan, why_out, n_why);
    if (verdict == CANNOT_TELL && n > 0 && (size_t)n < n_why)
        snprintf(why_out + n, n_why - (size_t)n, " Cannot tell: %s.",
                 isnan(range->low) || isnan(range->high) ? "there is no interval under 6 rounds"
                                                         : "the interval is too wide");
}

static const char *const verdicts[N_VERDICTS] = {"reproduced", "differs", "cannot tell", "cannot tell"};

struct answer {
    struct range range;
    enum verdict verdict;
    char why[200];
};

static struct answer answer_of(const struct scan_claim *claim, const struct csv_table *scan)
{
    struct answer answer = {.range = measure(claim, scan)};
    answer.verdict = judge(claim, &answer.range);
    say_why(claim, scan, &answer.range, answer.verdict, answer.why, sizeof answer.why);
    return answer;
}

static void write_claim(const struct report_text *text, const struct scan_claim *claim,
                        const struct csv_table *scan)
{
    const struct answer answer = answer_of(claim, scan);
    const struct range *range = &answer.range;
    const char *unit = claim->measure == CLAIM_COST || claim->measure == CLAIM_BYTES ? "x"
                       : claim->measure == CLAIM_WIDTH                               ? ""
                                                                                     : " %";
    const bool has_interval = range->low < range->high;
    char measured[128];
    snprintf(measured, sizeof measured, has_interval ? "%s%s (%s to %s)" : "%s%s", N(range->median), unit,
             N(range->low), N(range->high));
    const char *cells[] = {claim->what,
                           claim->published,
                           answer.verdict == NOT_IN_RUN ? "" : measured,
                           N(claim->measure == CLAIM_SAME ? NAN : range->median / claim->value),
                           verdicts[answer.verdict],
                           answer.why};
    report_table_row(text, cells, 6);
}

static void count_verdicts(size_t n_out[N_VERDICTS], const struct csv_table *scan)
{
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const struct range range = measure(&claims[i], scan);
        n_out[judge(&claims[i], &range)]++;
    }
}

struct claims_count scan_claims_count(const struct csv_table *scan)
{
    size_t n[N_VERDICTS] = {0};
    count_verdicts(n, scan);
    return (struct claims_count){n[REPRODUCED], n[DIFFERS], n[CANNOT_TELL] + n[NOT_IN_RUN]};
}

static int write_csv_rows(struct csv_writer *csv, const struct csv_table *scan,
                          const struct csv_table *counters, struct dv_error *error_out)
{
    (void)counters;
    int status = 0;
    for (size_t i = 0; status == 0 && csv_n_rows(scan) && i < sizeof claims / sizeof *claims; i++) {
        const struct answer answer = answer_of(&claims[i], scan);
        csv_set_text(csv, CSV_claims_run, csv_text(scan, 0, CSV_scan_run));
        csv_set_text(csv, CSV_claims_machine, csv_text(scan, 0, CSV_scan_machine));
        csv_set_text(csv, CSV_claims_claim, claims[i].what);
        csv_set_text(csv, CSV_claims_published, claims[i].published);
        csv_set_text(csv, CSV_claims_method, "Spark, whole scan");
        csv_set_real(csv, CSV_claims_published_value, claims[i].value);
        csv_set_real(csv, CSV_claims_ours, answer.range.median);
        csv_set_real(csv, CSV_claims_low, answer.range.low);
        csv_set_real(csv, CSV_claims_high, answer.range.high);
        csv_set_text(csv, CSV_claims_verdict, verdicts[answer.verdict]);
        csv_set_text(csv, CSV_claims_reason, answer.why);
        status = csv_end_row(csv, error_out);
    }
    return status;
}

int scan_claims_csv(const char *run_dir, const struct csv_table *scan, struct dv_error *error_out)
{
    return claims_csv_write(run_dir, scan, NULL, write_csv_rows, error_out);
}

void scan_claims_write(const struct report_text *text, const struct csv_table *scan)
{
    static const char *const headers[] = {"what",    "published", "measured here", "here / published",
                                          "verdict", "why"};
    size_t n[N_VERDICTS] = {0};
    report_heading(text, 2, "The article's claims about whole scans");
    report_paragraph(
        text,
        "The article profiled Spark, which decodes Parquet in Java; here DuckDB decodes it in C++. A share "
        "depends on what else the query does. Reproduced: the published value lies within our interval, "
        "widened by the 10 %% that the article's own repetitions differed by. Cannot tell: without an "
        "interval, or with one wider than half of the median.");
    report_table_begin(text, headers, 6);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        write_claim(text, &claims[i], scan);
    report_table_end(text);
    count_verdicts(n, scan);
    report_paragraph(text,
                     "Of %zu claims %zu are reproduced, %zu differ, for %zu this run cannot tell, and %zu "
                     "are about blocks that it does not have.",
                     sizeof claims / sizeof *claims, n[REPRODUCED], n[DIFFERS], n[CANNOT_TELL],
                     n[NOT_IN_RUN]);
}
