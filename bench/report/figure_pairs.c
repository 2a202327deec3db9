/* SPDX-License-Identifier: Apache-2.0 */
#include "figure_pairs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pairs.h"

static const struct {
    const char *id;
    enum csv_column column;
} events[] = {
    {"time", CSV_summary_ns_per_row},
    {"instructions", CSV_summary_instructions_per_row},
    {"branches", CSV_summary_branches_per_row},
    {"branch_misses", CSV_summary_branch_misses_per_row},
    {"core_cycles", CSV_summary_core_cycles_per_row},
};

/* Without comma: it becomes a cell of the CSV. */
static void describe_share(const struct csv_table *summary, size_t a, size_t b,
                           const struct attribution_penalty *penalty, char *out, size_t n_out)
{
    struct attribution attribution;
    const struct attribution_side side_a = pairs_side(summary, a), side_b = pairs_side(summary, b);
    attribution_compute(&attribution, &side_a, &side_b, penalty);
    if (attribution.status == ATTRIBUTION_OK && !isnan(attribution.share_low_pct))
        snprintf(out, n_out, "branch misses explain %.3g %% (%.3g to %.3g) of the cycles between them",
                 attribution.share_pct, attribution.share_low_pct, attribution.share_high_pct);
    else if (attribution.status == ATTRIBUTION_OK)
        snprintf(out, n_out, "branch misses explain %.3g %% of the cycles between them",
                 attribution.share_pct);
    else if (attribution.status == ATTRIBUTION_SIMULATED)
        snprintf(out, n_out, "no share of branch misses: simulated ones are another predictor's");
    else
        snprintf(out, n_out, "no share of branch misses: cycles or the cost of a miss were not measured");
}

/* An event that one of the two cells lacks has no row. */
static size_t write_pair(FILE *file, const struct article_pair *pair, const struct figure *figure,
                         const struct csv_table *summary, const struct attribution_penalty *penalty)
{
    size_t rows[2];
    size_t n_written = 0;
    if (article_pair_rows(pair, summary, figure->rows, figure->n_rows, rows) != 2)
        return 0;
    const size_t a = rows[0], b = rows[1];
    char share[160];
    describe_share(summary, a, b, penalty, share, sizeof share);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        double value_a = csv_real(summary, a, events[i].column),
               value_b = csv_real(summary, b, events[i].column);
        if (!(value_a > 0 && value_b > 0))
            continue;
        fprintf(file, "%s,%s,%s,%s,%s,%s,%s,ok", csv_text(summary, a, CSV_summary_run),
                csv_text(summary, a, CSV_summary_machine), csv_text(summary, a, CSV_summary_croaring),
                csv_text(summary, a, CSV_summary_counter_source),
                csv_text(summary, a, CSV_summary_batch_rows), csv_text(summary, a, CSV_summary_mode),
                csv_text(summary, a, CSV_summary_sink));
        fprintf(file, ",%s: %s at %.3g %% against %s at %.3g %%,%s,%s,%.9g,%.9g,%.9g\n", pair->title,
                pair->kernels[0], 100 * csv_real(summary, a, CSV_summary_rate), pair->kernels[1],
                100 * csv_real(summary, b, CSV_summary_rate), share, events[i].id, value_a, value_b,
                value_a / value_b);
        n_written++;
    }
    return n_written;
}

void figure_pairs_describe(FILE *file, const struct figure *figure, const struct csv_table *summary)
{
    for (size_t p = 0; p < N_ARTICLE_PAIRS; p++) {
        size_t rows[2];
        if (article_pair_rows(&article_pairs[p], summary, figure->rows, figure->n_rows, rows) != 2)
            continue;
        fprintf(file, " %s:", article_pairs[p].title);
        for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
            const double ratio =
                csv_real(summary, rows[0], events[i].column) / csv_real(summary, rows[1], events[i].column);
            if (ratio > 0 && isfinite(ratio))
                fprintf(file, "%s %s %.3g times", i ? "," : "", events[i].id, ratio);
        }
        fputs(".", file);
    }
}

int figure_pairs_write(const char *path, const struct figure *figure, const struct csv_table *summary,
                       const struct attribution_penalty *penalty, struct dv_error *error_out)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write the data of a figure: %s", strerror(errno));
    size_t n_written = 0;
    fprintf(file,
            "run,machine,croaring,counter_source,batch_rows,mode,sink,verdict,pair,share,event,a,b,ratio\n");
    for (size_t i = 0; i < N_ARTICLE_PAIRS; i++)
        n_written += write_pair(file, &article_pairs[i], figure, summary, penalty);
    if (fclose(file) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write the data of a figure: %s", strerror(errno));
    return n_written ? 0 : dv_fail(error_out, DV_ERROR_INPUT, "none of the pairs of cells is in this run");
}
