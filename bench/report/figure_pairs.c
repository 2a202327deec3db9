/* SPDX-License-Identifier: Apache-2.0 */
#include "figure_pairs.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "counters.h"

static const double farthest_rate_ratio = 1.75;
static const double cliff_rate = 4096.0 / 65536;

/* The three comparisons of the article, at the nearest rates that the run has. */
struct pair {
    const char *title;
    const char *kernel_a;
    double rate_a;
    const char *kernel_b;
    double rate_b;
};

static const struct pair pairs[] = {
    {"lookups in arrays against bitsets", "per_row", 0.05, "per_row", 0.12},
    {"lookups against callbacks", "per_row", 0.061, "for_each_in_range", 0.061},
    {"lookups in half-full bitsets against emptier ones", "per_row", 0.5, "per_row", 0.08},
};

double figure_pairs_rate_distance(double rate, double wanted)
{
    double distance = fabs(log(rate / wanted));
    bool is_same_kind = (rate <= cliff_rate) == (wanted <= cliff_rate);
    return is_same_kind && distance <= log(farthest_rate_ratio) ? distance : INFINITY;
}

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

static double calibration(const struct csv_table *counters, const char *event)
{
    for (size_t row = 0; counters && row < csv_n_rows(counters); row++)
        if (strcmp(csv_text(counters, row, CSV_counters_cell), COUNTERS_CALIBRATION_CELL) == 0 &&
            strcmp(csv_text(counters, row, CSV_counters_event), event) == 0)
            return csv_real(counters, row, CSV_counters_value_per_row);
    return NAN;
}

struct attribution_penalty figure_pairs_penalty(const struct csv_table *counters)
{
    return (struct attribution_penalty){.core_cycles = calibration(counters, COUNTERS_PENALTY),
                                        .low = calibration(counters, COUNTERS_PENALTY_LOW),
                                        .high = calibration(counters, COUNTERS_PENALTY_HIGH)};
}

struct attribution_side figure_pairs_side(const struct csv_table *summary, size_t row)
{
    return (struct attribution_side){
        .ns = csv_real(summary, row, CSV_summary_ns_per_row),
        .core_cycles = csv_real(summary, row, CSV_summary_core_cycles_per_row),
        .instructions = csv_real(summary, row, CSV_summary_instructions_per_row),
        .branches = csv_real(summary, row, CSV_summary_branches_per_row),
        .branch_misses = csv_real(summary, row, CSV_summary_branch_misses_per_row),
        .is_simulated = strcmp(csv_text(summary, row, CSV_summary_counter_source), "sim") == 0,
    };
}

/* Without comma: it becomes a cell of the CSV. */
static void describe_share(const struct csv_table *summary, size_t a, size_t b,
                           const struct attribution_penalty *penalty, char *out, size_t n_out)
{
    struct attribution attribution;
    const struct attribution_side side_a = figure_pairs_side(summary, a),
                                  side_b = figure_pairs_side(summary, b);
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

static size_t find_cell(const struct figure *figure, const struct csv_table *summary, const char *kernel,
                        double wanted)
{
    double nearest = INFINITY;
    size_t found = SIZE_MAX;
    for (size_t j = 0; j < figure->n_rows; j++) {
        double distance =
            figure_pairs_rate_distance(csv_real(summary, figure->rows[j], CSV_summary_rate), wanted);
        if (strcmp(csv_text(summary, figure->rows[j], CSV_summary_kernel), kernel) != 0 ||
            !(distance < nearest))
            continue;
        nearest = distance;
        found = figure->rows[j];
    }
    return found;
}

/* An event that one of the two cells lacks has no row. */
static size_t write_pair(FILE *file, const struct pair *pair, const struct figure *figure,
                         const struct csv_table *summary, const struct attribution_penalty *penalty)
{
    size_t a = find_cell(figure, summary, pair->kernel_a, pair->rate_a);
    size_t b = find_cell(figure, summary, pair->kernel_b, pair->rate_b);
    size_t n_written = 0;
    if (a == SIZE_MAX || b == SIZE_MAX)
        return 0;
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
                pair->kernel_a, 100 * csv_real(summary, a, CSV_summary_rate), pair->kernel_b,
                100 * csv_real(summary, b, CSV_summary_rate), share, events[i].id, value_a, value_b,
                value_a / value_b);
        n_written++;
    }
    return n_written;
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
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        n_written += write_pair(file, &pairs[i], figure, summary, penalty);
    if (fclose(file) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write the data of a figure: %s", strerror(errno));
    return n_written ? 0 : dv_fail(error_out, DV_ERROR_INPUT, "none of the pairs of cells is in this run");
}
