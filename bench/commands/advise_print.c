/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advise.h"
#include "report_numbers.h"

#define N(value) report_number((value), (char[32]){0}, 32)

/* --- text --- */

static bool is_of(const struct advise *advise, size_t row, const char *spec)
{
    return strcmp(csv_text(advise->costs, row, CSV_summary_dv), spec) == 0;
}

static bool is_shown(const struct advise *advise, const struct advise_vector *vector, size_t row)
{
    return is_of(advise, row, vector->spec) && !isnan(advise_cost(advise, row));
}

/* How many kernels are faster. */
static size_t place_of(const struct advise *advise, const struct advise_vector *vector, size_t row)
{
    size_t n = 0;
    for (size_t other = 0; other < csv_n_rows(advise->costs); other++)
        n += is_shown(advise, vector, other) && advise_cost(advise, other) < advise_cost(advise, row);
    return n;
}

static void print_kernel(const struct advise *advise, size_t row)
{
    const struct csv_table *costs = advise->costs;
    char interval[48], gain[80];
    snprintf(interval, sizeof interval, "%s to %s", N(advise_bound(advise, row, CSV_summary_ns_per_row_low)),
             N(advise_bound(advise, row, CSV_summary_ns_per_row_high)));
    snprintf(gain, sizeof gain, "%s (%s to %s)", N(csv_real(costs, row, CSV_summary_speedup_vs_per_row)),
             N(csv_real(costs, row, CSV_summary_speedup_low)),
             N(csv_real(costs, row, CSV_summary_speedup_high)));
    printf("  %-32s %10s  %-21s %10s %8s  %s\n", csv_text(costs, row, CSV_summary_kernel),
           N(advise_cost(advise, row)), interval, N(advise_predict(advise, row)),
           N(csv_real(costs, row, CSV_summary_us_per_batch)), gain);
}

/* All kernels of one vector; of several vectors per_row and the fastest. */
static void print_kernels(const struct advise *advise, const struct advise_vector *vector)
{
    enum { N_FASTEST = 5 };
    if (vector->per_row == ADVISE_NO_ROW)
        return;
    printf("\n  %-32s %10s  %-21s %10s %8s  %s\n",
           advise->n_vectors == 1 ? "kernel" : "per_row and the fastest", "ns per row", "95 % interval",
           "predicted", "us/batch", "times as fast as per_row");
    for (size_t row = 0; row < csv_n_rows(advise->costs); row++)
        if (is_shown(advise, vector, row) &&
            (advise->n_vectors == 1 || row == vector->per_row || place_of(advise, vector, row) < N_FASTEST))
            print_kernel(advise, row);
}

/* Of the kernels whose model is used, on the vectors given. */
static void print_models(const struct advise *advise)
{
    bool is_first = true;
    for (size_t i = 0; i < advise->n_models; i++) {
        const struct advise_model *model = &advise->models[i];
        if (!model->run || !model->model.is_usable || !model->trial.n_vectors)
            continue;
        if (is_first)
            printf("\n%-32s %10s %14s %14s %12s  %s\n", "cost model, on these vectors", "vectors",
                   "median error %", "worst error %", "cannot tell", "to be used");
        is_first = false;
        printf("%-32s %10zu %14s %14s %12zu  %s\n", model->kernel, model->trial.n_vectors,
               N(model->trial.median_pct), N(model->trial.worst_pct), model->trial.n_outside,
               model->trial.is_usable ? "yes" : "no");
    }
}

static void print_table(const struct advise *advise)
{
    const struct advise_total total = advise_sum(advise);
    printf("%-32s %12s %9s %12s  %-26s %10s\n", "vector, most costly first", "rows", "deleted %",
           "per_row ms", "best kernel", "with it ms");
    for (size_t i = 0; i < advise->n_vectors && i < ADVISE_N_DESCRIBED; i++) {
        const struct advise_vector *vector = &advise->vectors[i];
        const struct inspect_summary *summary = &vector->summary;
        const size_t n = strlen(vector->spec);
        const bool is_measured = vector->per_row != ADVISE_NO_ROW;
        char rows[INSPECT_ROWS_CHARS];
        printf("%-32s %12s %9s %12s  %-26s %10s\n", vector->spec + (n > 32 ? n - 32 : 0),
               inspect_rows_text(summary, rows),
               N(summary->n_rows ? 100.0 * (double)summary->n_deleted_rows / (double)summary->n_rows : 0),
               is_measured ? N(advise_file_cost(advise, vector, vector->per_row) / 1e6) : "cannot tell",
               is_measured ? csv_text(advise->costs, vector->best, CSV_summary_kernel) : "",
               is_measured ? N(advise_file_cost(advise, vector, vector->best) / 1e6) : "");
    }
    if (advise->n_vectors > ADVISE_N_DESCRIBED)
        printf("and %zu more, each less costly (--json lists all)\n", advise->n_vectors - ADVISE_N_DESCRIBED);
    if (total.n_measured == 0)
        return;
    printf("\nThe table, %zu of %zu vectors measured: per_row takes %s ms to read each file once, the best "
           "kernel for "
           "each %s ms",
           total.n_measured, advise->n_vectors, N(total.per_row / 1e6), N(total.best_each / 1e6));
    if (total.one)
        printf(", and %s for all of them %s ms, %s times less than per_row", total.one,
               N(total.one_cost / 1e6), N(total.per_row / total.one_cost));
    printf(" (sums of medians, measured now).\n");
}

void advise_print_text(const struct advise *advise)
{
    printf("Into %s, batches of %" PRIu32 " rows, %s.\n\n", advise->sink, advise->batch_rows, advise->mode);
    if (advise->n_vectors > 1) {
        print_table(advise);
        print_models(advise);
    }
    for (size_t i = 0; i < advise->n_vectors && i < ADVISE_N_DESCRIBED; i++) {
        const struct advise_vector *vector = &advise->vectors[i];
        printf("%s%s\n", i || advise->n_vectors > 1 ? "\n" : "", vector->spec);
        for (size_t s = 0; s < vector->says.n_items; s++)
            printf("  - %s\n", vector->says.items[s]);
        print_kernels(advise, vector);
    }
}

/* --- JSON --- */

/* What is not known is null. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

static json_t *column(const struct advise *advise, size_t row, enum csv_column of)
{
    return real(csv_real(advise->costs, row, of));
}

static json_t *kernels_of(const struct advise *advise, const char *spec)
{
    json_t *list = json_array();
    for (size_t row = 0; row < csv_n_rows(advise->costs); row++)
        if (is_of(advise, row, spec))
            json_array_append_new(
                list,
                json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel",
                          csv_text(advise->costs, row, CSV_summary_kernel), "verdict",
                          csv_text(advise->costs, row, CSV_summary_verdict), "reason",
                          csv_text(advise->costs, row, CSV_summary_reason), "doubts",
                          csv_text(advise->costs, row, CSV_summary_doubts), "ns_per_row",
                          real(advise_cost(advise, row)), "ns_per_row_low",
                          real(advise_bound(advise, row, CSV_summary_ns_per_row_low)), "ns_per_row_high",
                          real(advise_bound(advise, row, CSV_summary_ns_per_row_high)), "speedup_vs_per_row",
                          column(advise, row, CSV_summary_speedup_vs_per_row), "speedup_low",
                          column(advise, row, CSV_summary_speedup_low), "speedup_high",
                          column(advise, row, CSV_summary_speedup_high), "noise_floor_pct",
                          column(advise, row, CSV_summary_noise_floor_pct), "predicted_ns_per_row",
                          real(advise_predict(advise, row))));
    return list;
}

/* With per_row and with the best kernel. */
static json_t *pays(const struct advise *advise, const struct advise_vector *vector, const char *arranged)
{
    json_t *list = json_array();
    const size_t kernels[] = {vector->per_row, vector->best};
    for (size_t i = 0; vector->per_row != ADVISE_NO_ROW && i < 1 + (size_t)(vector->best != vector->per_row);
         i++) {
        const char *kernel = csv_text(advise->costs, kernels[i], CSV_summary_kernel);
        const struct advise_pay found =
            arranged ? advise_arrange(advise, kernels[i], advise_find(advise, arranged, kernel))
                     : advise_rewrite(advise, vector, kernels[i]);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "kernel", kernel, "saves_ns_per_row",
                                              real(found.saves), "costs_ns_per_row", real(found.costs),
                                              "scans", real(found.scans)));
    }
    return list;
}

static json_t *arranged(const struct advise *advise, const struct advise_vector *vector,
                        enum advise_arranged how)
{
    const char *spec = vector->arranged[how];
    return spec ? json_pack("{s:s, s:o, s:o}", "spec", spec, "kernels", kernels_of(advise, spec), "pays",
                            pays(advise, vector, spec))
                : json_null();
}

static json_t *sentences(const struct advise_vector *vector)
{
    json_t *list = json_array();
    for (size_t s = 0; s < vector->says.n_items; s++)
        json_array_append_new(list, json_string(vector->says.items[s]));
    return list;
}

static json_t *use_of(const struct advise *advise, const struct advise_vector *vector)
{
    const struct advise_ratio gain = advise_compare(advise, vector->per_row, vector->best);
    if (vector->best == ADVISE_NO_ROW)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:s}", "kernel",
                     csv_text(advise->costs, vector->best, CSV_summary_kernel), "gain", real(gain.value),
                     "gain_low", real(gain.low), "gain_high", real(gain.high), "verdict",
                     gain.verdict == STATS_ABOVE ? "faster" : "cannot tell");
}

static json_t *vector_json(const struct advise *advise, const struct advise_vector *vector)
{
    const struct inspect_summary *summary = &vector->summary;
    return json_pack(
        "{s:s, s:o, s:I, s:I, s:{s:I, s:I, s:I}, s:{s:I, s:I, s:I, s:I}, s:o, s:o, s:o, s:o, s:o, s:o}",
        "spec", vector->spec, "rows", count(summary->n_rows), "deleted_rows",
        (json_int_t)summary->n_deleted_rows, "bytes", (json_int_t)vector->n_payload_bytes, "containers",
        "array", (json_int_t)summary->kinds[DV_ARRAY].n_containers, "bitset",
        (json_int_t)summary->kinds[DV_BITSET].n_containers, "run",
        (json_int_t)summary->kinds[DV_RUN].n_containers, "near_cliff", "below",
        (json_int_t)summary->n_near_below, "above", (json_int_t)summary->n_near_above, "nearest_below",
        (json_int_t)summary->nearest_below, "nearest_above", (json_int_t)summary->nearest_above, "use",
        use_of(advise, vector), "kernels", kernels_of(advise, vector->spec), "sorted",
        arranged(advise, vector, ADVISE_SORTED), "clustered", arranged(advise, vector, ADVISE_CLUSTERED),
        "rewritten", pays(advise, vector, NULL), "says", sentences(vector));
}

static json_t *models_json(const struct advise *advise)
{
    json_t *list = json_array();
    for (size_t i = 0; i < advise->n_models; i++) {
        const struct advise_model *model = &advise->models[i];
        if (model->run)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:b, s:{s:I, s:o, s:o}, s:{s:I, s:I, s:o, s:o}}", "kernel",
                                model->kernel, "run", model->run, "used", model->model.is_usable, "left_out",
                                "vectors", (json_int_t)model->model.n_vectors, "median_pct",
                                real(model->model.median_pct), "worst_pct", real(model->model.worst_pct),
                                "given", "vectors", (json_int_t)model->trial.n_vectors, "cannot_tell",
                                (json_int_t)model->trial.n_outside, "median_pct",
                                real(model->trial.median_pct), "worst_pct", real(model->trial.worst_pct)));
    }
    return list;
}

int advise_print_json(const struct advise *advise, struct dv_error *error_out)
{
    const struct advise_total total = advise_sum(advise);
    json_t *list = json_array();
    for (size_t i = 0; i < advise->n_vectors; i++)
        json_array_append_new(list, vector_json(advise, &advise->vectors[i]));
    json_t *object = json_pack(
        "{s:i, s:s, s:s, s:I, s:o, s:{s:I, s:o, s:o, s:s?, s:o}, s:o}", "schema", 1, "sink", advise->sink,
        "mode", advise->mode, "batch_rows", (json_int_t)advise->batch_rows, "vectors", list, "total",
        "measured", (json_int_t)total.n_measured, "per_row_ms", real(total.per_row / 1e6), "best_for_each_ms",
        real(total.best_each / 1e6), "one_kernel", total.one, "one_kernel_ms",
        real(total.one ? total.one_cost / 1e6 : NAN), "models", models_json(advise));
    if (!object || json_array_size(json_object_get(object, "vectors")) != advise->n_vectors) {
        json_decref(object);
        return dv_no_memory(error_out);
    }
    int status = 0;
    if (json_dumpf(object, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) != 0 || putchar('\n') == EOF)
        status = dv_fail(error_out, DV_ERROR_IO, "cannot write to standard output");
    json_decref(object);
    return status;
}
