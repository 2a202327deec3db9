/* SPDX-License-Identifier: Apache-2.0 */
/* What it would save to write the data file anew, without its deleted rows or in another order, and after how
 * many scans that has paid. Times of scans and of writing come from runs of `scan` and `deletes`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advise.h"
#include "report_numbers.h"

#define N(value) report_number((value), (char[32]){0}, 32)

/* --- what was recorded --- */

static bool is_text(const struct csv_table *table, size_t row, enum csv_column column, const char *text)
{
    return strcmp(csv_text(table, row, column), text) == 0;
}

struct advise_scan advise_scan_of(const struct advise *advise)
{
    for (size_t i = 0; i < advise->scans->n_tables; i++) {
        const struct csv_table *table = advise->scans->tables[i];
        for (size_t row = 0; row < csv_n_rows(table); row++)
            if (csv_real(table, row, CSV_scan_n_columns) == (double)advise->n_scan_columns &&
                is_text(table, row, CSV_scan_query, "scan") && is_text(table, row, CSV_scan_kernel, "none") &&
                csv_real(table, row, CSV_scan_cpu_ns_per_row) > 0)
                return (struct advise_scan){csv_real(table, row, CSV_scan_cpu_ns_per_row),
                                            csv_text(table, row, CSV_scan_run),
                                            csv_text(table, row, CSV_scan_columns)};
    }
    return (struct advise_scan){.ns_per_row = NAN};
}

/* The first batch of copy-on-write: it writes all files that a random batch touches, which is all of them. */
struct advise_write advise_write_of(const struct advise *advise)
{
    for (size_t i = 0; i < advise->deletes->n_tables; i++) {
        const struct csv_table *table = advise->deletes->tables[i];
        for (size_t row = 0; row < csv_n_rows(table); row++) {
            const double ms =
                csv_real(table, row, CSV_deletes_write_ms) + csv_real(table, row, CSV_deletes_fsync_ms);
            if (is_text(table, row, CSV_deletes_way, "cow") &&
                is_text(table, row, CSV_deletes_pattern, "uniform") &&
                is_text(table, row, CSV_deletes_verdict, "ok") &&
                csv_real(table, row, CSV_deletes_batch) == 1 && ms > 0)
                return (struct advise_write){1e6 * ms / csv_real(table, row, CSV_deletes_rows),
                                             csv_text(table, row, CSV_deletes_run)};
        }
    }
    return (struct advise_write){.ns_per_row = NAN};
}

/* --- what it saves --- */

static struct advise_pay pay(double saves, double costs)
{
    return (struct advise_pay){saves, costs, saves <= 0 ? INFINITY : ceil(costs / saves)};
}

/* The vector is not asked any more, and the rows that it deletes are not read. */
struct advise_pay advise_rewrite(const struct advise *advise, const struct advise_vector *vector, size_t row)
{
    const double rate = (double)vector->summary.n_deleted_rows / (double)vector->summary.n_rows;
    return pay(advise_cost(advise, row) + rate * advise_scan_of(advise).ns_per_row,
               advise_write_of(advise).ns_per_row);
}

struct advise_pay advise_arrange(const struct advise *advise, size_t row, size_t arranged)
{
    return pay(advise_cost(advise, row) - advise_cost(advise, arranged),
               (1 + ADVISE_SORT_EXTRA_PCT / 100.0) * advise_write_of(advise).ns_per_row);
}

/* --- the sentences --- */

/* "it pays off after 12 scans". */
static const char *after(const struct advise_pay *pays, char text_out[64])
{
    if (isnan(pays->scans))
        return "when it pays off: cannot tell";
    if (isinf(pays->scans))
        return "it saves nothing";
    snprintf(text_out, 64, "it pays off after %.0f scan%s", pays->scans, pays->scans == 1 ? "" : "s");
    return text_out;
}

/* Where the costs come from. */
static const char *written(const struct advise *advise, int extra_pct, char text_out[400])
{
    const struct advise_write write = advise_write_of(advise);
    if (!write.run)
        return "what writing costs: no copy-on-write is recorded; `dvbench deletes` measures it";
    const int n =
        snprintf(text_out, 400, "writing costs %s ns per row (copy-on-write of a random batch, run %s)",
                 N(write.ns_per_row * (1 + extra_pct / 100.0)), write.run);
    if (extra_pct && n > 0 && n < 400)
        snprintf(text_out + n, 400 - (size_t)n, ", including the %d %% that sorting added in the article",
                 extra_pct);
    return text_out;
}

int advise_say_rewrite(const struct advise *advise, struct advise_vector *vector)
{
    const struct advise_scan scan = advise_scan_of(advise);
    if (!scan.run)
        return advise_add(
            &vector->says,
            "Rewriting the data file: cannot tell: no scan of %" PRIu64
            " columns without deletes is recorded; `dvbench scan` measures one, --scan-run RUN reads it.",
            advise->n_scan_columns);
    int status = 0;
    const size_t kernels[] = {vector->per_row, vector->best};
    for (size_t i = 0; status == 0 && i < 1 + (size_t)(vector->best != vector->per_row); i++) {
        const double cost = advise_cost(advise, kernels[i]);
        const struct advise_pay pays = advise_rewrite(advise, vector, kernels[i]);
        status = advise_add(
            &vector->says,
            "Rewriting the data file, with %s: the vector is %s %% of a scan of %" PRIu64
            " column%s (%s ns of CPU per row, %s of run %s); without it and the deleted rows each scan saves "
            "%s ns per row; %s; %s.",
            csv_text(advise->costs, kernels[i], CSV_summary_kernel), N(100 * cost / (cost + scan.ns_per_row)),
            advise->n_scan_columns, advise->n_scan_columns == 1 ? "" : "s", N(scan.ns_per_row), scan.columns,
            scan.run, N(pays.saves), written(advise, 0, (char[400]){0}), after(&pays, (char[64]){0}));
    }
    return status;
}

static const char *now_over(const struct advise_ratio *ratio, char text_out[96])
{
    snprintf(text_out, 96, "now %s times that, %s to %s%s", N(ratio->value), N(ratio->low), N(ratio->high),
             ratio->verdict == STATS_CANNOT_TELL ? ": cannot tell" : "");
    return text_out;
}

/* With one kernel. A saving within the noise is none. */
static int say_arranged(const struct advise *advise, struct advise_vector *vector, const char *label,
                        size_t row, size_t arranged)
{
    const struct advise_ratio ratio = advise_compare(advise, row, arranged);
    struct advise_pay pays = advise_arrange(advise, row, arranged);
    if (ratio.verdict == STATS_CANNOT_TELL)
        pays.scans = NAN;
    return advise_add(
        &vector->says,
        "%s, the same number of deletes would take %s bytes and cost %s ns per row with %s (%s; measured "
        "now, ratio of medians with the widest interval, %s): each scan saves %s ns per row; "
        "%s; %s.",
        label, csv_text(advise->costs, arranged, CSV_summary_dv_bytes), N(advise_cost(advise, arranged)),
        csv_text(advise->costs, row, CSV_summary_kernel), now_over(&ratio, (char[96]){0}),
        csv_text(advise->costs, arranged, CSV_summary_dv), N(pays.saves),
        written(advise, ADVISE_SORT_EXTRA_PCT, (char[400]){0}), after(&pays, (char[64]){0}));
}

int advise_say_arranged(const struct advise *advise, struct advise_vector *vector, enum advise_arranged how)
{
    static const char *const labels[ADVISE_N_ARRANGED] = {
        [ADVISE_SORTED] = "Sorted so that all deleted rows are next to each other",
        [ADVISE_CLUSTERED] = "Clustered in few chunks that are nine tenths full"};
    const char *spec = vector->arranged[how];
    int status = 0;
    const size_t kernels[] = {vector->per_row, vector->best};
    for (size_t i = 0; status == 0 && i < 1 + (size_t)(vector->best != vector->per_row); i++) {
        const size_t arranged =
            advise_find(advise, spec, csv_text(advise->costs, kernels[i], CSV_summary_kernel));
        status = arranged == ADVISE_NO_ROW
                     ? advise_add(&vector->says, "%s: cannot tell: no sound time was measured.", labels[how])
                     : say_arranged(advise, vector, labels[how], kernels[i], arranged);
    }
    return status;
}
