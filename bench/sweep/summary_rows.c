/* SPDX-License-Identifier: Apache-2.0 */
#include "summary_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

/* --- statistics of one cell --- */

struct cell_statistics {
    struct stats_summary time;
    struct stats_summary speedup; /* per_row over this kernel, paired by start and round */
    double mhz;                   /* median */
    size_t n_tainted;
};

/* What a row of the file pays for opening the vector, where that is when the kernel does its work. */
static double opening_per_row(const struct block_result *result, const struct block_cell *cell)
{
    return cell->kernel->flags & KERNEL_WORKS_AT_OPEN ? cell->open_ns / (double)result->n_rows : 0;
}

/* The other cell's sample of the same round and start. */
static const struct sample_row *partner(const struct samples *samples, const char *cell, size_t of)
{
    size_t first, end;
    samples_stretch(samples, of, &first, &end);
    for (size_t i = first; i < end; i++)
        if (samples->rows[i].round == samples->rows[of].round && strcmp(samples->rows[i].cell, cell) == 0)
            return &samples->rows[i];
    return NULL;
}

/* `opening` in ns per row belongs to each sample where speeds are compared. */
static int cell_statistics(struct cell_statistics *statistics_out, const struct samples *samples,
                           const char *cell, const char *baseline_cell, double opening)
{
    const size_t n_rows = samples_count(samples, cell, -1);
    double *times = calloc(n_rows + 1, sizeof *times), *baseline = calloc(n_rows + 1, sizeof *baseline),
           *mhz = calloc(n_rows + 1, sizeof *mhz);
    size_t n = 0;
    int status = times && baseline && mhz ? 0 : DV_ERROR_MEMORY;
    statistics_out->n_tainted = 0;
    for (size_t i = samples_last_of(samples, cell); status == 0 && i; i = samples->rows[i - 1].n_before) {
        const struct sample_row *other = partner(samples, baseline_cell, i - 1);
        times[n] = samples->rows[i - 1].sample.ns_per_row;
        mhz[n] = samples->rows[i - 1].sample.mhz;
        statistics_out->n_tainted += *samples->rows[i - 1].sample.taint != 0;
        baseline[n++] = other ? other->sample.ns_per_row : NAN;
    }
    if (status == 0)
        status = stats_summarise(&statistics_out->time, times, n);
    if (status == 0)
        statistics_out->mhz = stats_median(mhz, n);
    for (size_t i = 0; i < n; i++)
        times[i] += opening;
    if (status == 0)
        status = stats_summarise_ratios(&statistics_out->speedup, baseline, times, n);
    free(times);
    free(baseline);
    free(mhz);
    return status;
}

/* --- doubts: times that cannot be --- */

/* More than any CPU of today retires in a cycle. */
#define MAX_IPC 10

#define DOUBT_RETIRED "more instructions per cycle than a CPU retires"

static bool retires_too_much(double instructions_per_row, double ns_per_row, double mhz)
{
    return instructions_per_row / (ns_per_row * mhz / 1000) > MAX_IPC; /* false where one is unknown */
}

/* A time below the bound by more than the noise, unless that is unknown. */
static void set_doubts(struct csv_writer *writer, bool retires_too_much, double pct_of_bound,
                       double noise_floor)
{
    const bool is_below = pct_of_bound > 100 + (isnan(noise_floor) ? 0 : noise_floor);
    char text[128];
    snprintf(text, sizeof text, "%s%s%s", is_below ? "below the store bound" : "",
             is_below && retires_too_much ? "; " : "", retires_too_much ? DOUBT_RETIRED : "");
    csv_set_text(writer, CSV_summary_doubts, text);
}

/* --- rows --- */

static void set_run_and_dv(struct csv_writer *writer, const struct summary_facts *facts,
                           const struct block_result *result)
{
    char digest[17];
    snprintf(digest, sizeof digest, "%016" PRIx64, result->digest);
    csv_set_text(writer, CSV_summary_run, facts->run);
    csv_set_text(writer, CSV_summary_machine, facts->machine);
    csv_set_text(writer, CSV_summary_cpu, facts->cpu);
    csv_set_text(writer, CSV_summary_croaring, dv_croaring_version());
    csv_set_text(writer, CSV_summary_compiler, facts->compiler);
    csv_set_text(writer, CSV_summary_dv, result->dv);
    csv_set_unsigned(writer, CSV_summary_dv_bytes, result->n_payload_bytes);
    csv_set_text(writer, CSV_summary_dv_digest, digest);
    csv_set_text(writer, CSV_summary_recipe, result->recipe);
    csv_set_text(writer, CSV_summary_axis, result->plan->axis);
    csv_set_text(writer, CSV_summary_axis_value, result->plan->axis_value);
    csv_set_unsigned(writer, CSV_summary_rows, result->n_rows);
    csv_set_real(writer, CSV_summary_rate,
                 result->n_rows ? (double)result->n_deleted / (double)result->n_rows : NAN);
    csv_set_unsigned(writer, CSV_summary_deleted, result->n_deleted);
    csv_set_unsigned(writer, CSV_summary_chunks, result->n_containers);
    csv_set_unsigned(writer, CSV_summary_array_containers, result->n_kind[DV_ARRAY]);
    csv_set_unsigned(writer, CSV_summary_bitset_containers, result->n_kind[DV_BITSET]);
    csv_set_unsigned(writer, CSV_summary_run_containers, result->n_kind[DV_RUN]);
    if (result->seed)
        csv_set_unsigned(writer, CSV_summary_seed, result->seed);
    csv_set_text(writer, CSV_summary_sink, sink_id(result->plan->sink));
    csv_set_unsigned(writer, CSV_summary_batch_rows, result->plan->batch_rows);
    csv_set_unsigned(writer, CSV_summary_batches, result->n_batches);
    csv_set_text(writer, CSV_summary_mode, mode_id(result->plan->mode));
}

/* `reason` of a right cell says that its passes visit a part of the file; of the others, why they have no
 * time. */
static void set_cell(struct csv_writer *writer, const struct block_result *result,
                     const struct block_cell *cell)
{
    csv_set_text(writer, CSV_summary_cell, cell->hash);
    csv_set_text(writer, CSV_summary_kernel, cell->kernel->id);
    csv_set_text(writer, CSV_summary_isa, isa_id(cell->kernel->isa));
    csv_set_text(writer, CSV_summary_technique, cell->kernel->technique);
    csv_set_unsigned(writer, CSV_summary_works_at_open, (cell->kernel->flags & KERNEL_WORKS_AT_OPEN) != 0);
    csv_set_text(writer, CSV_summary_verdict, verdict_id(cell->verdict.kind));
    csv_set_text(writer, CSV_summary_reason, cell->verdict.reason);
    if (cell->verdict.kind == VERDICT_OK && result->is_sample && result->plan->mode != MODE_replay)
        csv_set_text(writer, CSV_summary_reason, "sampled batches");
}

static void set_times(struct csv_writer *writer, const struct block_result *result,
                      const struct block_cell *cell, const struct cell_statistics *statistics,
                      double bound_ns)
{
    const double ns = statistics->time.median;
    const uint64_t batch_rows =
        result->n_rows < result->plan->batch_rows ? result->n_rows : result->plan->batch_rows;
    csv_set_unsigned(writer, CSV_summary_samples, statistics->time.n_samples);
    csv_set_unsigned(writer, CSV_summary_tainted_samples, statistics->n_tainted);
    csv_set_real(writer, CSV_summary_ns_per_row, ns);
    csv_set_real(writer, CSV_summary_ns_per_row_mad, statistics->time.mad);
    csv_set_real(writer, CSV_summary_ns_per_row_low, statistics->time.interval.low);
    csv_set_real(writer, CSV_summary_ns_per_row_high, statistics->time.interval.high);
    csv_set_real(writer, CSV_summary_us_per_batch, ns * (double)batch_rows / 1000);
    csv_set_real(writer, CSV_summary_speedup_vs_per_row, statistics->speedup.median);
    csv_set_real(writer, CSV_summary_speedup_low, statistics->speedup.interval.low);
    csv_set_real(writer, CSV_summary_speedup_high, statistics->speedup.interval.high);
    csv_set_real(writer, CSV_summary_bound_ns_per_row, bound_ns);
    csv_set_real(writer, CSV_summary_pct_of_bound, 100 * bound_ns / ns);
    csv_set_real(writer, CSV_summary_open_ns, cell->open_ns);
    csv_set_real(writer, CSV_summary_validate_ns, result->validate_ns);
    csv_set_real(writer, CSV_summary_crc_ns, result->crc_ns);
    csv_set_unsigned(writer, CSV_summary_state_bytes, cell->state_bytes);
    csv_set_real(writer, CSV_summary_total_ns_per_row, ns + cell->open_ns / (double)result->n_rows);
}

static void set_counters(struct csv_writer *writer, const struct block_cell *cell)
{
    const struct counters_result *counters = &cell->counters;
    if (!counters->source) {
        csv_set_text(writer, CSV_summary_counter_source, "none");
        csv_set_text(writer, CSV_summary_counter_status, "not-asked");
        return;
    }
    csv_set_text(writer, CSV_summary_counter_source, counters->source);
    csv_set_text(writer, CSV_summary_counter_status, counters->status);
    csv_set_real(writer, CSV_summary_instructions_per_row, counters->instructions_per_row);
    csv_set_real(writer, CSV_summary_branches_per_row, counters->branches_per_row);
    csv_set_real(writer, CSV_summary_branch_misses_per_row, counters->branch_misses_per_row);
    csv_set_real(writer, CSV_summary_core_cycles_per_row, counters->core_cycles_per_row);
    csv_set_real(writer, CSV_summary_ipc, counters->ipc);
}

static double noise_of(const struct noise *noise, const struct block_result *result, double ns_per_row)
{
    return noise_floor_pct(noise, result->dv, sink_id(result->plan->sink), result->plan->batch_rows,
                           mode_id(result->plan->mode), ns_per_row);
}

static const char *baseline_cell(const struct block_result *result)
{
    for (size_t i = 0; i < result->n_cells; i++)
        if (strcmp(result->cells[i].kernel->id, "per_row") == 0 &&
            result->cells[i].verdict.kind == VERDICT_OK)
            return result->cells[i].hash;
    return "";
}

int summary_write_block(struct csv_writer *writer, const struct summary_facts *facts,
                        const struct block_result *result, const struct samples *samples,
                        const struct noise *noise, struct dv_error *error_out)
{
    struct cell_statistics bound;
    if (cell_statistics(&bound, samples, result->bound_hash, "", 0))
        return dv_no_memory(error_out);
    for (size_t i = 0; i < result->n_cells; i++) {
        const struct block_cell *cell = &result->cells[i];
        struct cell_statistics statistics;
        if (cell_statistics(&statistics, samples, cell->hash, baseline_cell(result),
                            opening_per_row(result, cell)))
            return dv_no_memory(error_out);
        set_run_and_dv(writer, facts, result);
        set_cell(writer, result, cell);
        if (cell->verdict.kind == VERDICT_OK) {
            set_times(writer, result, cell, &statistics, bound.time.median);
            const double ns = statistics.time.median, floor_pct = noise_of(noise, result, ns);
            csv_set_real(writer, CSV_summary_noise_floor_pct, floor_pct);
            const double instructions = cell->counters.source ? cell->counters.instructions_per_row : NAN;
            set_doubts(writer, retires_too_much(instructions, ns, statistics.mhz),
                       100 * bound.time.median / ns, floor_pct);
        }
        set_counters(writer, cell);
        int status = csv_end_row(writer, error_out);
        if (status < 0)
            return status;
    }
    return 0;
}

int summary_copy_row(struct csv_writer *writer, const struct csv_table *table, size_t row,
                     const struct noise *noise, struct dv_error *error_out)
{
    uint64_t batch_rows;
    csv_unsigned(table, row, CSV_summary_batch_rows, &batch_rows);
    const double floor_pct =
        noise_floor_pct(noise, csv_text(table, row, CSV_summary_dv), csv_text(table, row, CSV_summary_sink),
                        (uint32_t)batch_rows, csv_text(table, row, CSV_summary_mode),
                        csv_real(table, row, CSV_summary_ns_per_row));
    csv_copy_row(writer, table, row);
    csv_set_real(writer, CSV_summary_noise_floor_pct, floor_pct);
    set_doubts(writer, strstr(csv_text(table, row, CSV_summary_doubts), DOUBT_RETIRED) != NULL,
               csv_real(table, row, CSV_summary_pct_of_bound), floor_pct);
    return csv_end_row(writer, error_out);
}
