/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences. What cannot be said is said to be so, with what would settle it. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "report_numbers.h"

#define N(value) report_number((value), (char[32]){0}, 32)

__attribute__((format(printf, 2, 3))) static int say(struct strings *says, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (n < 0)
        return DV_ERROR_MEMORY;
    const int status = strings_add(says, text, (size_t)n);
    free(text);
    return status;
}

static int say_what(struct advise_vector *vector)
{
    const struct inspect_summary *summary = &vector->summary;
    char rows[INSPECT_ROWS_CHARS];
    return say(&vector->says,
               "What it is: %" PRIu64 " of %s rows deleted (%s %%), in %" PRIu64 " array, %" PRIu64
               " bitset and %" PRIu64 " run containers, %" PRIu64 " bytes (counted in the file).",
               summary->n_deleted_rows, inspect_rows_text(summary, rows),
               N(summary->n_rows ? 100.0 * (double)summary->n_deleted_rows / (double)summary->n_rows : 0),
               summary->kinds[DV_ARRAY].n_containers, summary->kinds[DV_BITSET].n_containers,
               summary->kinds[DV_RUN].n_containers, vector->n_payload_bytes);
}

/* 4,096 of 65,536 rows: up to there a lookup searches an array, beyond it tests a bit. */
static int say_cliff(struct advise_vector *vector)
{
    const struct inspect_summary *summary = &vector->summary;
    const uint64_t n_plain = summary->kinds[DV_ARRAY].n_containers + summary->kinds[DV_BITSET].n_containers;
    if (n_plain == 0)
        return say(&vector->says,
                   "The cliff at 6.25 %%: it does not matter here, since no container is an array or "
                   "a bitset (counted in the file).");
    return say(
        &vector->says,
        "The cliff at 6.25 %% (%d deletes in a chunk of 65536 rows, arrays up to there, bitsets beyond): the "
        "fullest chunk below it has %" PRIu32 ", the emptiest above it %" PRIu32 " (0: none); %" PRIu64
        " chunks are within 5 %% of it (counted in the file).",
        INSPECT_CLIFF, summary->nearest_below, summary->nearest_above,
        summary->n_near_below + summary->n_near_above);
}

static int say_cost(const struct advise *advise, struct advise_vector *vector)
{
    const struct csv_table *costs = advise->costs;
    if (vector->per_row == ADVISE_NO_ROW)
        return say(&vector->says, "What it costs: cannot tell: no batch of it could be measured%s.",
                   vector->summary.n_rows ? "" : ", since the file has no rows; --rows N states them");
    return say(
        &vector->says,
        "What it costs: a lookup per row (per_row) takes %s ns per row (%s to %s), %s us per batch of "
        "%" PRIu32
        " rows, %s ms for the file%s (%s samples, measured now, each answer checked against the oracle).",
        N(advise_cost(advise, vector->per_row)),
        N(csv_real(costs, vector->per_row, CSV_summary_ns_per_row_low)),
        N(csv_real(costs, vector->per_row, CSV_summary_ns_per_row_high)),
        N(csv_real(costs, vector->per_row, CSV_summary_us_per_batch)), advise->batch_rows,
        N(advise_file_cost(advise, vector, vector->per_row) / 1e6),
        csv_text(costs, vector->per_row, CSV_summary_reason)[0] ? " if its other batches are as those sampled"
                                                                : "",
        csv_text(costs, vector->per_row, CSV_summary_samples));
}

/* "K takes ...: N times as fast". */
static int say_kernel(const struct advise *advise, struct advise_vector *vector, const char *label,
                      size_t row)
{
    const struct advise_ratio gain = advise_compare(advise, vector->per_row, row);
    const char *kernel = csv_text(advise->costs, row, CSV_summary_kernel);
    if (row == vector->per_row)
        return say(&vector->says, "%s: per_row itself; nothing was faster (measured now).", label);
    if (gain.verdict != STATS_ABOVE)
        return say(&vector->says,
                   "%s: cannot tell: %s came out first, but %s times as fast as per_row (%s to %s) is within "
                   "the noise "
                   "floor of %s %%; more samples or a quieter machine would settle it (paired samples, "
                   "measured now).",
                   label, kernel, N(gain.value), N(gain.low), N(gain.high),
                   N(csv_real(advise->costs, row, CSV_summary_noise_floor_pct)));
    return say(
        &vector->says,
        "%s: %s takes %s ns per row and is %s times as fast as per_row (%s to %s): it saves %s ms each time "
        "the "
        "file is read (paired samples, measured now).",
        label, kernel, N(advise_cost(advise, row)), N(gain.value), N(gain.low), N(gain.high),
        N((advise_file_cost(advise, vector, vector->per_row) - advise_file_cost(advise, vector, row)) / 1e6));
}

static const char *now_over(const struct advise_ratio *ratio, char *text_out, size_t n_text)
{
    snprintf(text_out, n_text, "now %s times that, %s to %s%s", N(ratio->value), N(ratio->low),
             N(ratio->high), ratio->verdict == STATS_CANNOT_TELL ? ": cannot tell" : "");
    return text_out;
}

/* The same deletes elsewhere, with per_row and with the kernel that is best now. */
static int say_arranged(const struct advise *advise, struct advise_vector *vector, const char *label,
                        const char *spec)
{
    const size_t per_row = advise_find(advise, spec, "per_row");
    const size_t best = advise_find(advise, spec, csv_text(advise->costs, vector->best, CSV_summary_kernel));
    const struct advise_ratio old = advise_compare(advise, vector->per_row, per_row),
                              new = advise_compare(advise, vector->best, best);
    if (per_row == ADVISE_NO_ROW || best == ADVISE_NO_ROW)
        return say(&vector->says, "%s: cannot tell: it could not be measured.", label);
    return say(&vector->says,
               "%s, as many deletes would take %s bytes and cost %s ns per row with per_row (%s) and %s with "
               "%s (%s) "
               "(%s, measured now; ratios of medians).",
               label, csv_text(advise->costs, per_row, CSV_summary_dv_bytes), N(advise_cost(advise, per_row)),
               now_over(&old, (char[96]){0}, 96), N(advise_cost(advise, best)),
               csv_text(advise->costs, best, CSV_summary_kernel), now_over(&new, (char[96]){0}, 96), spec);
}

/* --- the cost model: what it says before anything is measured --- */

static int say_model(const struct advise *advise, struct advise_vector *vector, size_t row)
{
    const char *kernel = csv_text(advise->costs, row, CSV_summary_kernel);
    const struct advise_model *model = advise_model_of(advise, row);
    const double predicted = advise_predict(advise, row), measured = advise_cost(advise, row);
    if (!model)
        return say(
            &vector->says,
            "The cost model of %s: cannot tell: no reference run of this machine and CRoaring has this "
            "sink, batch size and mode.",
            kernel);
    if (!model->model.is_usable)
        return say(&vector->says,
                   "The cost model of %s: not used: it is off by more than 20 %% in the median, or has too "
                   "few vectors (run %s).",
                   kernel, model->run);
    if (isnan(predicted))
        return say(&vector->says, "The cost model of %s: cannot tell: %s (run %s).", kernel,
                   (double)vector->summary.n_rows < model->model.batch_rows
                       ? "the file has fewer rows than a batch"
                       : "the vector lies outside of what it was fitted to",
                   model->run);
    return say(&vector->says,
               "The cost model of %s predicts %s ns per row; measured were %s, so that it is off by %s %% "
               "(fitted to %zu vectors of run %s; off by %s %% in the median and %s %% at worst on vectors "
               "left out).",
               kernel, N(predicted), N(measured), N(100 * fabs(predicted / measured - 1)),
               model->model.n_vectors, model->run, N(model->model.median_pct), N(model->model.worst_pct));
}

/* The scan without deletes that has as many columns. */
static size_t find_scan(const struct advise *advise)
{
    for (size_t row = 0; advise->scans && row < csv_n_rows(advise->scans); row++)
        if (csv_real(advise->scans, row, CSV_scan_n_columns) == (double)advise->n_scan_columns &&
            strcmp(csv_text(advise->scans, row, CSV_scan_query), "scan") == 0 &&
            strcmp(csv_text(advise->scans, row, CSV_scan_kernel), "none") == 0 &&
            csv_real(advise->scans, row, CSV_scan_cpu_ns_per_row) > 0)
            return row;
    return ADVISE_NO_ROW;
}

/* Rewriting reads each row once at the least, so that the break-even is a lower bound. */
static int say_scan(const struct advise *advise, struct advise_vector *vector)
{
    const size_t row = find_scan(advise);
    if (row == ADVISE_NO_ROW)
        return say(&vector->says,
                   "Rewriting the data file: cannot tell: no scan of %" PRIu64
                   " columns without deletes is at hand; "
                   "`dvbench scan` measures it, --scan-run RUN reads it.",
                   advise->n_scan_columns);
    const double scan = csv_real(advise->scans, row, CSV_scan_cpu_ns_per_row),
                 rate = (double)vector->summary.n_deleted_rows / (double)vector->summary.n_rows;
    int status = 0;
    const size_t kernels[] = {vector->per_row, vector->best};
    for (size_t i = 0; status == 0 && i < 1 + (size_t)(vector->best != vector->per_row); i++) {
        const double cost = advise_cost(advise, kernels[i]);
        status =
            say(&vector->says,
                "Rewriting the data file, with %s: the vector is %s %% of a scan of %" PRIu64
                " columns (%s ns of "
                "CPU per row, %s of run %s); without it and its rows each scan would save %s ns per row, so "
                "that rewriting pays after %s scans at the earliest; what writing costs: cannot tell here.",
                csv_text(advise->costs, kernels[i], CSV_summary_kernel), N(100 * cost / (cost + scan)),
                advise->n_scan_columns, N(scan), csv_text(advise->scans, row, CSV_scan_columns),
                csv_text(advise->scans, row, CSV_scan_run), N(cost + rate * scan),
                N(ceil(scan / (cost + rate * scan))));
    }
    return status;
}

int advise_say(const struct advise *advise, struct advise_vector *vector, struct dv_error *error_out)
{
    int status = say_what(vector);
    if (status == 0)
        status = say_cliff(vector);
    if (status == 0)
        status = say_cost(advise, vector);
    const bool is_measured = vector->per_row != ADVISE_NO_ROW;
    if (status == 0 && is_measured)
        status = say_kernel(advise, vector, "What to use", vector->best);
    if (status == 0 && is_measured && vector->best != vector->best_library)
        status = say_kernel(advise, vector, "Without the direct kernels", vector->best_library);
    if (status == 0 && is_measured)
        status = say_model(advise, vector, vector->per_row);
    if (status == 0 && is_measured && vector->best != vector->per_row)
        status = say_model(advise, vector, vector->best);
    if (status == 0 && is_measured && vector->sorted)
        status = say_arranged(advise, vector,
                              "Sorted so that all deleted rows adjoin, the most that clustering can give",
                              vector->sorted);
    if (status == 0 && is_measured && advise->n_vectors > ADVISE_N_DESCRIBED)
        status = say(&vector->says,
                     "Sorting the deletes: cannot tell: not measured where there are more "
                     "than %d vectors; give only this one.",
                     ADVISE_N_DESCRIBED);
    if (status == 0 && is_measured && advise->n_scan_columns)
        status = say_scan(advise, vector);
    return status < 0 ? dv_no_memory(error_out) : 0;
}
