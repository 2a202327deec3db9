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

int advise_add(struct strings *says, const char *format, ...)
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
    return advise_add(
        &vector->says,
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
        return advise_add(&vector->says,
                          "The cliff at 6.25 %%: it does not matter here, since no container is an array or "
                          "a bitset (counted in the file).");
    return advise_add(
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
        return advise_add(&vector->says, "What it costs: cannot tell: no batch of it could be measured%s.",
                          vector->summary.n_rows ? "" : ", since the number of rows is 0; pass --rows N");
    return advise_add(
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
        return advise_add(&vector->says, "%s: per_row itself; nothing was faster (measured now).", label);
    if (gain.verdict != STATS_ABOVE)
        return advise_add(
            &vector->says,
            "%s: cannot tell: %s came out first, but %s times as fast as per_row (%s to %s) is within "
            "the noise "
            "floor of %s %%; more samples or a quieter machine would settle it (paired samples, "
            "measured now).",
            label, kernel, N(gain.value), N(gain.low), N(gain.high),
            N(csv_real(advise->costs, row, CSV_summary_noise_floor_pct)));
    return advise_add(
        &vector->says,
        "%s: %s takes %s ns per row and is %s times as fast as per_row (%s to %s): it saves %s ms each time "
        "the "
        "file is read (paired samples, measured now).",
        label, kernel, N(advise_cost(advise, row)), N(gain.value), N(gain.low), N(gain.high),
        N((advise_file_cost(advise, vector, vector->per_row) - advise_file_cost(advise, vector, row)) / 1e6));
}

/* --- the cost model: what it says before anything is measured --- */

static int say_model(const struct advise *advise, struct advise_vector *vector, size_t row)
{
    const char *kernel = csv_text(advise->costs, row, CSV_summary_kernel);
    const struct advise_model *model = advise_model_of(advise, row);
    const double predicted = advise_predict(advise, row), measured = advise_cost(advise, row);
    if (!model)
        return advise_add(
            &vector->says,
            "The cost model of %s: cannot tell: no reference run of this machine and CRoaring has this "
            "sink, batch size and mode.",
            kernel);
    if (!model->model.is_usable)
        return advise_add(
            &vector->says,
            "The cost model of %s: not used: it is off by more than 20 %% in the median, or has too "
            "few vectors (run %s).",
            kernel, model->run);
    if (isnan(predicted))
        return advise_add(&vector->says, "The cost model of %s: cannot tell: %s (run %s).", kernel,
                          (double)vector->summary.n_rows < model->model.batch_rows
                              ? "the file has fewer rows than a batch"
                              : "the vector lies outside of what it was fitted to",
                          model->run);
    return advise_add(
        &vector->says,
        "The cost model of %s predicts %s ns per row; %s were measured, so it is off by %s %% "
        "(fitted to %zu vectors of run %s; off by %s %% in the median and %s %% at worst on vectors "
        "left out).",
        kernel, N(predicted), N(measured), N(100 * fabs(predicted / measured - 1)), model->model.n_vectors,
        model->run, N(model->model.median_pct), N(model->model.worst_pct));
}

/* All that needs a measured time. */
static int say_measured(const struct advise *advise, struct advise_vector *vector)
{
    int status = say_kernel(advise, vector, "What to use", vector->best);
    if (status == 0 && vector->best != vector->best_library)
        status = say_kernel(advise, vector, "Without the direct kernels", vector->best_library);
    if (status == 0)
        status = say_model(advise, vector, vector->per_row);
    if (status == 0 && vector->best != vector->per_row)
        status = say_model(advise, vector, vector->best);
    for (int how = 0; status == 0 && how < ADVISE_N_ARRANGED; how++)
        if (vector->arranged[how])
            status = advise_say_arranged(advise, vector, (enum advise_arranged)how);
    if (status == 0 && advise->n_vectors > ADVISE_N_DESCRIBED)
        status = advise_add(&vector->says,
                            "Sorting the deletes: cannot tell: not measured where there are more than %d "
                            "vectors; give only this one.",
                            ADVISE_N_DESCRIBED);
    if (status == 0 && vector->summary.n_deleted_rows)
        status = advise_say_rewrite(advise, vector);
    return status;
}

int advise_say(const struct advise *advise, struct advise_vector *vector, struct dv_error *error_out)
{
    int status = say_what(vector);
    if (status == 0)
        status = say_cliff(vector);
    if (status == 0)
        status = say_cost(advise, vector);
    if (status == 0 && vector->per_row != ADVISE_NO_ROW)
        status = say_measured(advise, vector);
    return status < 0 ? dv_no_memory(error_out) : 0;
}
