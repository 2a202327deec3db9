/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_numbers.h"
#include "scan_rows.h"

enum claim_measure { CLAIM_SHARE, CLAIM_SHORTER, CLAIM_COST, CLAIM_BYTES, CLAIM_SAME };

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

static struct range measure(const struct scan_claim *claim, const struct csv_table *scan)
{
    const size_t a = scan_find_row(scan, &claim->a, claim->kernel_a),
                 b = *claim->kernel_b ? scan_find_row(scan, &claim->b, claim->kernel_b) : SCAN_NO_ROW;
    if (claim->measure == CLAIM_SHARE)
        return share_of(scan, a);
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
static const char *judge(const struct scan_claim *claim, const struct range *range)
{
    if (claim->measure == CLAIM_SAME)
        return isnan(range->low) || isnan(range->high)                    ? "cannot tell"
               : range->low > -claim->value && range->high < claim->value ? "reproduced"
               : range->low > claim->value || range->high < -claim->value ? "differs"
                                                                          : "cannot tell";
    if (isnan(range->low) || isnan(range->high) || range->high - range->low > 0.5 * fabs(range->median))
        return "cannot tell";
    return claim->value >= 0.9 * range->low && claim->value <= 1.1 * range->high ? "reproduced" : "differs";
}

static void write_claim(const struct report_text *text, const struct scan_claim *claim,
                        const struct csv_table *scan)
{
    const struct range range = measure(claim, scan);
    const char *unit = claim->measure == CLAIM_COST || claim->measure == CLAIM_BYTES ? "x" : " %";
    char texts[3][32], measured[128];
    report_number(range.median, texts[0], 32);
    report_number(range.low, texts[1], 32);
    report_number(range.high, texts[2], 32);
    if (texts[1][0] && texts[2][0] && range.low < range.high)
        snprintf(measured, sizeof measured, "%s%s (%s to %s)", texts[0], unit, texts[1], texts[2]);
    else
        snprintf(measured, sizeof measured, "%s%s", texts[0], unit);
    const bool is_there = texts[0][0] != '\0';
    const char *cells[] = {claim->what, claim->published, is_there ? measured : "not in this run",
                           is_there ? judge(claim, &range) : ""};
    report_table_row(text, cells, 4);
}

void scan_claims_write(const struct report_text *text, const struct csv_table *scan)
{
    static const char *const headers[] = {"what", "published", "measured here", "verdict"};
    report_heading(text, 2, "The article's claims about whole scans");
    report_paragraph(
        text,
        "The article profiled Spark, which decodes Parquet in Java; here DuckDB decodes it in C++. A share "
        "depends on what else the query does. Reproduced: the published value lies within our interval, "
        "widened by the 10 %% that the article's own repetitions differed by. Cannot tell: without an "
        "interval, or with "
        "one wider than half of the median.");
    report_table_begin(text, headers, 4);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        write_claim(text, &claims[i], scan);
    report_table_end(text);
}
