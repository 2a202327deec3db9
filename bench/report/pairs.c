/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "counters.h"

static const double farthest_rate_ratio = 1.75;
static const double cliff_rate = 4096.0 / 65536;

#define PAIR(id, title, question, kernel_a, rate_a, kernel_b, rate_b)                                        \
    {id, title, question, {kernel_a, kernel_b}, {rate_a, rate_b}},
const struct article_pair article_pairs[N_ARTICLE_PAIRS] = {
#include "pairs.def"
};
#undef PAIR

#define PAIR(id, ...) ", " id
static const char ids_after_commas[] =
#include "pairs.def"
    ;
#undef PAIR

const char *article_pair_ids(void)
{
    return ids_after_commas + strlen(", ");
}

const struct article_pair *article_pair_find(const char *id)
{
    for (size_t i = 0; i < N_ARTICLE_PAIRS; i++)
        if (strcmp(article_pairs[i].id, id) == 0)
            return &article_pairs[i];
    return NULL;
}

/* |log| of the ratio, or INFINITY. */
static double rate_distance(double rate, double wanted)
{
    double distance = fabs(log(rate / wanted));
    bool is_same_kind = (rate <= cliff_rate) == (wanted <= cliff_rate);
    return is_same_kind && distance <= log(farthest_rate_ratio) ? distance : INFINITY;
}

static bool is_article_row(const struct csv_table *summary, size_t row)
{
    return strcmp(csv_text(summary, row, CSV_summary_sink), "row_ids") == 0 &&
           strcmp(csv_text(summary, row, CSV_summary_mode), "stream") == 0 &&
           strcmp(csv_text(summary, row, CSV_summary_axis), "rate") == 0 &&
           strcmp(csv_text(summary, row, CSV_summary_verdict), "ok") == 0;
}

int article_pair_rows(const struct article_pair *pair, const struct csv_table *summary, const size_t *rows,
                      size_t n_rows, size_t rows_out[2])
{
    const size_t n = rows ? n_rows : csv_n_rows(summary);
    for (int side = 0; side < 2; side++) {
        double nearest = INFINITY;
        for (size_t i = 0; i < n; i++) {
            const size_t row = rows ? rows[i] : i;
            double distance = rate_distance(csv_real(summary, row, CSV_summary_rate), pair->rates[side]);
            if (!(distance < nearest) || (!rows && !is_article_row(summary, row)) ||
                strcmp(csv_text(summary, row, CSV_summary_kernel), pair->kernels[side]) != 0)
                continue;
            nearest = distance;
            rows_out[side] = row;
        }
        if (isinf(nearest))
            return side;
    }
    return 2;
}

static double calibration(const struct csv_table *counters, const char *run, const char *event)
{
    for (size_t row = 0; counters && row < csv_n_rows(counters); row++)
        if (strcmp(csv_text(counters, row, CSV_counters_cell), COUNTERS_CALIBRATION_CELL) == 0 &&
            (!run || strcmp(csv_text(counters, row, CSV_counters_run), run) == 0) &&
            strcmp(csv_text(counters, row, CSV_counters_event), event) == 0)
            return csv_real(counters, row, CSV_counters_value_per_row);
    return NAN;
}

struct attribution_penalty pairs_penalty(const struct csv_table *counters, const char *run)
{
    return (struct attribution_penalty){.core_cycles = calibration(counters, run, COUNTERS_PENALTY),
                                        .low = calibration(counters, run, COUNTERS_PENALTY_LOW),
                                        .high = calibration(counters, run, COUNTERS_PENALTY_HIGH)};
}

struct attribution_side pairs_side(const struct csv_table *summary, size_t row)
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
