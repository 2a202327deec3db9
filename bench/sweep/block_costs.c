/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader pays once per file, and what the counters say: the parts of a block that are not samples. */
#include <math.h>
#include <stdlib.h>
#include <zlib.h>

#include "block_internal.h"
#include "stats.h"

/* Each cost is the median of so many measurements, each at least a tenth of a sample long. */
enum { COST_ROUNDS = 5 };

struct cost_step {
    const struct block *block;
    const struct kernel *kernel; /* of step_open */
    uint32_t crc;                /* of step_crc: read, so that it is computed */
};

/* Parse and index, deserialize, or expand, and close: what the first batch waits for. The container index is
 * part of it only for kernels that walk it; the others borrow the block's, of which they read the highest
 * key. */
static int step_open(void *user)
{
    const struct cost_step *step = user;
    const struct block *block = step->block;
    const bool walks_view = step->kernel->needs == DV_NEEDS_VIEW;
    struct dv dv = {.bytes = block->source.payload, .n_bytes = block->source.n_payload_bytes};
    struct kernel_state state = {0};
    int status = 0;
    if (walks_view)
        status = dv_view_index(&dv.view, dv.bytes, dv.n_bytes, NULL);
    else
        dv.view = block->dvs[0].view;
    if (status == 0)
        status = dv_add(&dv, step->kernel->needs, NULL);
    if (status == 0 && step->kernel->open)
        status = step->kernel->open(&dv, &state, NULL);
    if (status == 0 && step->kernel->close)
        step->kernel->close(&state);
    dv_drop(&dv, step->kernel->needs);
    if (walks_view)
        dv_view_free(&dv.view);
    return status;
}

static int step_validate(void *user)
{
    const struct cost_step *step = user;
    return dv_view_validate(&step->block->dvs[0].view, step->block->source.payload, NULL);
}

/* CRC-32 of the four magic bytes and the vector, as the frames have it. */
static int step_crc(void *user)
{
    static const unsigned char magic[4] = {0xd1, 0xd3, 0x39, 0x64};
    struct cost_step *step = user;
    uLong crc = crc32(0, magic, sizeof magic);
    step->crc = (uint32_t)crc32_z(crc, step->block->source.payload, step->block->source.n_payload_bytes);
    return 0;
}

static int measure_cost(measure_step *step, struct cost_step *user, const char *name, double *ns_out,
                        struct dv_error *error_out)
{
    double samples[COST_ROUNDS], once_ns;
    int status = measure_step_ns(step, user, name, 1, &once_ns, error_out);
    if (status < 0)
        return status;
    const double n_calls = once_ns > 0 ? user->block->context->options->min_time_ns / 10 / once_ns + 1 : 1000;
    for (int i = 0; i < COST_ROUNDS; i++) {
        status = measure_step_ns(step, user, name, (int64_t)(n_calls < 1e6 ? n_calls : 1e6), &samples[i],
                                 error_out);
        if (status < 0)
            return status;
    }
    *ns_out = stats_median(samples, COST_ROUNDS);
    return 0;
}

/* Kernels that open in the same way share the figure. */
static const struct block_cell *measured_like(const struct block_result *result,
                                              const struct block_cell *cell)
{
    for (const struct block_cell *other = result->cells; other < cell; other++)
        if (other->verdict.kind == VERDICT_OK && other->kernel->needs == cell->kernel->needs &&
            other->kernel->open == cell->kernel->open && !isnan(other->open_ns))
            return other;
    return NULL;
}

int block_measure_costs(struct block *block, struct dv_error *error_out)
{
    struct block_result *result = block->result;
    struct cost_step step = {.block = block};
    progress_step(block->context->progress, "opening costs", 0.8);
    int status = measure_cost(step_validate, &step, "validate", &result->validate_ns, error_out);
    if (status == 0)
        status = measure_cost(step_crc, &step, "crc", &result->crc_ns, error_out);
    for (size_t i = 0; status == 0 && i < block->n_entries; i++) {
        const struct block_entry *entry = &block->entries[i];
        struct block_cell *cell = entry->cell ? &result->cells[entry->cell - result->cells] : NULL;
        if (!cell || cell->verdict.kind != VERDICT_OK || !isnan(cell->open_ns))
            continue;
        cell->state_bytes = dv_state_bytes(&block->dvs[0], cell->kernel->needs) + entry->states[0].n_bytes;
        const struct block_cell *like = measured_like(result, cell);
        step.kernel = cell->kernel;
        if (like)
            cell->open_ns = like->open_ns;
        else
            status = measure_cost(step_open, &step, "open", &cell->open_ns, error_out);
    }
    return status;
}

static bool is_to_count(const struct block_cell *cell)
{
    return cell->verdict.kind == VERDICT_OK && !cell->is_counted;
}

int block_count(struct block *block, struct dv_error *error_out)
{
    struct block_result *result = block->result;
    if (!block->context->counters)
        return 0;
    progress_step(block->context->progress, "counters", 0.85);
    const struct kernel **kernels = calloc(result->n_cells + 1, sizeof *kernels);
    struct counters_result *counted = calloc(result->n_cells + 1, sizeof *counted);
    int status = kernels && counted ? 0 : dv_no_memory(error_out);
    size_t n = 0;
    for (size_t i = 0; status == 0 && i < result->n_cells; i++)
        if (is_to_count(&result->cells[i]))
            kernels[n++] = result->cells[i].kernel;
    const struct counters_job job = {.dv = &block->dvs[0],
                                     .batches = &block->batches,
                                     .sink = block->plan->sink,
                                     .replay = block->plan->mode == MODE_replay,
                                     .kernels = kernels,
                                     .n_kernels = n,
                                     .interrupted = block->context->interrupted};
    if (status == 0 && n)
        status = counters_measure(block->context->counters, &job, counted, error_out);
    n = 0;
    for (size_t i = 0; status == 0 && i < result->n_cells; i++)
        if (is_to_count(&result->cells[i]))
            result->cells[i].counters = counted[n++];
    free(kernels);
    free(counted);
    return status;
}
