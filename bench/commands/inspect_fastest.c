/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"

/* An e-fold of the rate, or half of the containers of another kind: no longer alike. */
static const double farthest = 1.0;
static const double kind_weight = 2.0;
/* Keeps the logarithm of a vector without deletes finite, below any rate that is swept. */
static const double least_rate = 1e-7;

struct features {
    double rate;
    double shares[DV_N_KINDS];
};

static struct features make_features(double rate, const double n_containers[DV_N_KINDS])
{
    struct features features = {.rate = rate + least_rate};
    double n_all = 0;
    for (int kind = 0; kind < DV_N_KINDS; kind++)
        n_all += n_containers[kind];
    for (int kind = 0; kind < DV_N_KINDS; kind++)
        features.shares[kind] = n_all > 0 ? n_containers[kind] / n_all : 0;
    return features;
}

static struct features features_of_summary(const struct inspect_summary *summary)
{
    double n_containers[DV_N_KINDS];
    for (int kind = 0; kind < DV_N_KINDS; kind++)
        n_containers[kind] = (double)summary->kinds[kind].n_containers;
    double rate = summary->n_rows ? (double)summary->n_deleted_rows / (double)summary->n_rows : 0;
    return make_features(rate, n_containers);
}

static struct features features_of_row(const struct csv_table *table, size_t row)
{
    const double n_containers[DV_N_KINDS] = {
        [DV_ARRAY] = csv_real(table, row, CSV_summary_array_containers),
        [DV_BITSET] = csv_real(table, row, CSV_summary_bitset_containers),
        [DV_RUN] = csv_real(table, row, CSV_summary_run_containers),
    };
    return make_features(csv_real(table, row, CSV_summary_rate), n_containers);
}

static double distance_between(const struct features *a, const struct features *b)
{
    double distance = fabs(log(a->rate / b->rate));
    for (int kind = 0; kind < DV_N_KINDS; kind++)
        distance += kind_weight / 2 * fabs(a->shares[kind] - b->shares[kind]);
    return distance;
}

static bool counts(const struct csv_table *table, size_t row)
{
    return strcmp(csv_text(table, row, CSV_summary_verdict), "ok") == 0 &&
           strcmp(csv_text(table, row, CSV_summary_sink), "row_ids") == 0 &&
           strcmp(csv_text(table, row, CSV_summary_mode), "stream") == 0 &&
           csv_real(table, row, CSV_summary_ns_per_row) > 0;
}

/* Nearer goes first, then faster; rows of one vector are equally far. */
void inspect_fastest_search(struct inspect_fastest *fastest, const struct csv_table *table,
                            const struct inspect_summary *summary)
{
    const struct features wanted = features_of_summary(summary);
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        if (!counts(table, row))
            continue;
        const struct features found = features_of_row(table, row);
        double distance = distance_between(&wanted, &found);
        double ns_per_row = csv_real(table, row, CSV_summary_ns_per_row);
        bool is_first = fastest->kernel[0] == '\0';
        if (!(distance <= farthest) || (!is_first && distance > fastest->distance) ||
            (!is_first && distance == fastest->distance && ns_per_row >= fastest->ns_per_row))
            continue;
        fastest->distance = distance;
        fastest->ns_per_row = ns_per_row;
        snprintf(fastest->kernel, sizeof fastest->kernel, "%s", csv_text(table, row, CSV_summary_kernel));
        snprintf(fastest->dv, sizeof fastest->dv, "%s", csv_text(table, row, CSV_summary_dv));
    }
}

bool inspect_fastest_find(struct inspect_fastest *fastest_out, const struct references *references,
                          const struct inspect_summary *summary)
{
    *fastest_out = (struct inspect_fastest){0};
    for (size_t i = 0; i < references->n_tables; i++)
        inspect_fastest_search(fastest_out, references->tables[i], summary);
    return fastest_out->kernel[0] != '\0';
}
