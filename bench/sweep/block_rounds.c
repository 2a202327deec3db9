/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of a block: each round is a seeded permutation of the entries, each (entry, round) one sample.
 *
 *     entries = cells that are right, the twins of the slowest and the fastest, the bound
 *     size:   one pass each, then enough passes for the minimum time, fixed before round 0
 *     round:  for entry in permutation(seed, block, start, round): sample; compare the sum of live rows, the last
 *             batch and a drawn one; write the row
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_internal.h"
#include "random.h"
#include "store_bound.h"

/* --- the bound as an entry --- */

/* Replays the oracle's element counts batch by batch: `state->data` is this. */
struct bound_state {
    store_bound_fn *store;
    const uint32_t *n_elements;
    size_t n_batches;
    size_t next;
};

static uint32_t run_bound(const struct dv *dv, struct kernel_state *state, uint64_t start, uint32_t n_rows,
                          struct sink *sink)
{
    struct bound_state *bound = state->data;
    (void)dv;
    (void)start;
    bound->store(sink->out, bound->n_elements[bound->next]);
    bound->next = bound->next + 1 == bound->n_batches ? 0 : bound->next + 1;
    return n_rows;
}

static int open_bound(const struct block *block, struct kernel_state *state, struct dv_error *error_out)
{
    struct bound_state *bound = calloc(1, sizeof *bound);
    if (!bound)
        return dv_no_memory(error_out);
    *bound = (struct bound_state){store_bound(block->plan->sink), block->bound_elements,
                                  block->batches.n_items, 0};
    state->data = bound;
    return 0;
}

/* --- entries --- */

void block_close_state(const struct block_entry *entry, struct kernel_state *state)
{
    if (!entry->cell)
        free(state->data);
    else if (entry->cell->kernel->close && state->data)
        entry->cell->kernel->close(state);
}

int block_open_state(const struct block *block, const struct block_entry *entry, const struct dv *dv,
                     struct kernel_state *state, struct dv_error *error_out)
{
    if (!entry->cell)
        return open_bound(block, state, error_out);
    if (!entry->cell->kernel->open)
        return 0;
    return entry->cell->kernel->open(dv, state, error_out);
}

/* A kernel that expands the vector reads its own bytes, many times the vector's: as many targets as these ask
 * for. */
static int open_states(struct block *block, struct block_entry *entry, struct dv_error *error_out)
{
    const bool is_cold = block->plan->mode == MODE_cold;
    entry->n_targets = block->n_targets;
    entry->states = calloc(block->n_targets, sizeof *entry->states);
    entry->targets = calloc(block->n_targets * 2, sizeof *entry->targets);
    if (!entry->states || !entry->targets)
        return dv_no_memory(error_out);
    for (size_t t = 0; t < entry->n_targets; t++) {
        int status = block_open_state(block, entry, &block->dvs[t], &entry->states[t], error_out);
        if (status < 0)
            return status;
        if (is_cold && t == 0)
            entry->n_targets = block_cold_targets(block, entry->states[0].n_bytes, block->n_targets);
    }
    for (size_t t = 0; t < entry->n_targets * (is_cold ? 2 : 1); t++)
        entry->targets[t] =
            (struct measure_target){&block->dvs[t % entry->n_targets], &entry->states[t % entry->n_targets]};
    return 0;
}

/* `cell` NULL: the bound. `suffix`: of a twin, else "". */
static int add_entry(struct block *block, const struct block_cell *cell, const char *suffix, const char *hash,
                     struct dv_error *error_out)
{
    struct block_entry *entry = &block->entries[block->n_entries++];
    *entry = (struct block_entry){
        .cell = cell, .n_passes = 1, .run = cell ? cell->kernel->run[block->plan->sink] : run_bound};
    if (asprintf(&entry->label, "%s%s", cell ? cell->kernel->id : SAMPLES_BOUND, suffix) < 0)
        entry->label = NULL;
    entry->name = entry->label ? plan_cell_name(block->plan, entry->label) : NULL;
    if (!entry->name)
        return dv_no_memory(error_out);
    if (suffix[0]) /* a twin is a cell of its own in samples.csv */
        (void)samples_twin_hash(hash, entry->hash);
    else
        snprintf(entry->hash, sizeof entry->hash, "%s", hash);
    return open_states(block, entry, error_out);
}

/* The next window of targets; in every other mode the one target. Every sample moves the window on, so that
 * the bytes of a target have left the cache when it comes again. */
static struct measure_job next_job(struct block *block, struct block_entry *entry, struct sink *sink)
{
    struct measure_job job = {entry->run, entry->targets, 1, &block->batches, sink};
    if (block->plan->mode == MODE_cold) {
        size_t *next = entry->n_targets < block->n_targets ? &entry->next_target : &block->next_target;
        job.targets = entry->targets + *next;
        job.n_targets = (size_t)entry->n_passes;
        *next = (*next + job.n_targets) % entry->n_targets;
    }
    return job;
}

static int measure_entry(struct block *block, struct block_entry *entry, struct gbench_json *json,
                         struct measure_sample *sample_out, struct sink *sink, struct dv_error *error_out)
{
    const struct measure_job job = next_job(block, entry, sink);
    sink->out = block->buffer.data;
    sink->n_out = 0;
    return measure_kernel(&job, entry->name, block->plan->mode == MODE_cold ? 1 : entry->n_passes, json,
                          sample_out, error_out);
}

/* Fixes the passes of a sample: the fewest that reach the minimum time. The first pass warms up and shows how
 * many make a tenth of that time; of two such tenths the faster counts, since a disturbed one would
 * make all samples too short. */
static int size_entry(struct block *block, struct block_entry *entry, struct dv_error *error_out)
{
    const double min_time_ns = block->context->options->min_time_ns;
    const double max_passes = block->plan->mode == MODE_cold ? (double)entry->n_targets : 1e9;
    const double wanted_ns[] = {min_time_ns / 10, min_time_ns / 10, min_time_ns};
    entry->pass_ns = INFINITY;
    for (size_t attempt = 0; attempt < sizeof wanted_ns / sizeof *wanted_ns; attempt++) {
        struct measure_sample sample;
        struct sink sink;
        int status = measure_entry(block, entry, NULL, &sample, &sink, error_out);
        if (status < 0)
            return status;
        entry->pass_ns = fmin(entry->pass_ns, sample.ns_per_row * (double)block->batches.n_rows);
        const double n_passes = entry->pass_ns > 0 ? ceil(wanted_ns[attempt] / entry->pass_ns) : max_passes;
        entry->n_passes = n_passes < 1 ? 1 : n_passes < max_passes ? (int64_t)n_passes : (int64_t)max_passes;
    }
    return 0;
}

static int add_twins(struct block *block, size_t n_cells, struct dv_error *error_out)
{
    const struct block_entry *slowest = &block->entries[0], *fastest = &block->entries[0];
    for (size_t i = 1; i < n_cells; i++) {
        if (block->entries[i].pass_ns > slowest->pass_ns)
            slowest = &block->entries[i];
        if (block->entries[i].pass_ns < fastest->pass_ns)
            fastest = &block->entries[i];
    }
    const struct block_entry *const twins[] = {slowest, fastest};
    for (size_t i = 0; i < 2 - (size_t)(slowest == fastest); i++) {
        int status = add_entry(block, twins[i]->cell, SAMPLES_TWIN_SUFFIX, twins[i]->hash, error_out);
        if (status < 0)
            return status;
        block->entries[block->n_entries - 1].n_passes = twins[i]->n_passes;
        block->entries[block->n_entries - 1].pass_ns = twins[i]->pass_ns;
    }
    return 0;
}

int block_make_entries(struct block *block, struct dv_error *error_out)
{
    block->entries = calloc(block->result->n_cells + 3, sizeof *block->entries);
    if (!block->entries)
        return dv_no_memory(error_out);
    int status = 0;
    for (size_t i = 0; status == 0 && i < block->result->n_cells; i++)
        if (block->result->cells[i].verdict.kind == VERDICT_OK)
            status = add_entry(block, &block->result->cells[i], "", block->result->cells[i].hash, error_out);
    const size_t n_cells = block->n_entries;
    if (status == 0 && n_cells && store_bound(block->plan->sink))
        status = add_entry(block, NULL, "", block->result->bound_hash, error_out);
    for (size_t i = 0; status == 0 && i < block->n_entries && !*block->context->interrupted; i++)
        status = size_entry(block, &block->entries[i], error_out);
    if (status == 0 && n_cells)
        status = add_twins(block, n_cells, error_out);
    return status;
}

void block_free_entries(struct block *block)
{
    for (size_t i = 0; i < block->n_entries; i++) {
        for (size_t t = 0; block->entries[i].states && t < block->entries[i].n_targets; t++)
            block_close_state(&block->entries[i], &block->entries[i].states[t]);
        free(block->entries[i].states);
        free(block->entries[i].targets);
        free(block->entries[i].label);
        free(block->entries[i].name);
    }
    free(block->entries);
    block->entries = NULL;
    block->n_entries = 0;
}

/* --- rounds --- */

/* The order must be the same for the same seed on every machine. */
static void shuffle(size_t *order, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    random_shuffle(order, n, sizeof *order, seed);
}

static uint64_t round_seed(const struct block *block, int round)
{
    return block->context->options->seed * 1000003u + block->result->digest +
           (uint64_t)block->context->start * 4099u + (uint64_t)round * 131071u;
}

/* --- what a sample is worth --- */

bool block_is_output_right(const struct expected *expected, const struct batch *batch, uint32_t n_live,
                           const struct sink *sink, const struct guard_buffer *buffer, const char *which,
                           struct verdict *verdict_out)
{
    struct verdict found;
    if (verify_output(expected, batch, n_live, sink, &found) && guard_check(buffer) == 0)
        return true;
    snprintf(verdict_out->reason, sizeof verdict_out->reason, "%s: %.400s", which,
             found.kind == VERDICT_OK ? "wrote around the sink's buffer" : found.reason);
    return false;
}

/* Once more after the clock: a batch that nobody could foresee, into a buffer of garbage. */
static bool is_drawn_batch_right(struct block *block, const struct block_entry *entry, uint64_t seed,
                                 struct verdict *verdict_out)
{
    const struct batch *batch = &block->batches.items[random_below(&seed, block->batches.n_items)];
    const struct measure_target *target = &entry->targets[random_below(&seed, entry->n_targets)];
    struct sink sink = {.out = block->buffer.data};
    expected_fill(&block->drawn, &block->dvs[0], batch);
    guard_fill(&block->buffer, (uint8_t)(0x5a + random_below(&seed, 16)));
    const uint32_t n_live = entry->run(target->dv, target->state, batch->start, batch->n_rows, &sink);
    return block_is_output_right(&block->drawn, batch, n_live, &sink, &block->buffer,
                                 "a batch drawn after a timed sample", verdict_out);
}

/* A kernel that stops working after the check must not get a time: the live rows of all timed calls are summed, and
 * the last batch and one more are compared whole. */
static bool is_sample_right(struct block *block, const struct block_entry *entry,
                            const struct sample_row *row, const struct sink *sink,
                            struct verdict *verdict_out)
{
    const uint64_t n_passes = (uint64_t)row->sample.n_iterations / block->batches.n_items;
    const struct batch *last = &block->batches.items[block->batches.n_items - 1];
    if (row->sample.n_live != n_passes * block->n_live) {
        snprintf(verdict_out->reason, sizeof verdict_out->reason,
                 "%" PRIu64 " live rows in a timed sample; oracle %" PRIu64, row->sample.n_live,
                 n_passes * block->n_live);
        return false;
    }
    return block_is_output_right(&block->expected, last, block->expected.n_live, sink, &block->buffer,
                                 "the last batch of a timed sample", verdict_out) &&
           is_drawn_batch_right(block, entry, round_seed(block, row->round) + (uint64_t)row->order,
                                verdict_out);
}

int block_mark_wrong(struct block *block, const struct block_entry *entry, const struct verdict *verdict,
                     struct dv_error *error_out)
{
    struct block_cell *cell = &block->result->cells[entry->cell - block->result->cells];
    block_set_verdict(&cell->verdict, VERDICT_WRONG, verdict->reason);
    progress_note(block->context->progress, "WRONG: %s: %s", entry->name, cell->verdict.reason);
    return samples_drop_cell(block->context->samples, cell->hash, error_out);
}

static int take_sample(struct block *block, struct block_entry *entry, int round, int order,
                       struct dv_error *error_out)
{
    struct sample_row row = {.dv = block->result->dv,
                             .kernel = entry->label,
                             .sink = block->plan->sink,
                             .batch_rows = block->plan->batch_rows,
                             .mode = block->plan->mode,
                             .start = block->context->start,
                             .round = round,
                             .order = order};
    struct sink sink;
    snprintf(row.cell, sizeof row.cell, "%s", entry->hash);
    guard_fill(&block->buffer, (uint8_t)(0xa5 + round));
    int status = measure_entry(block, entry, block->context->json, &row.sample, &sink, error_out);
    if (status < 0)
        return status;
    struct verdict verdict;
    if (entry->cell && !is_sample_right(block, entry, &row, &sink, &verdict))
        return block_mark_wrong(block, entry, &verdict, error_out);
    return samples_add(block->context->samples, &row, error_out);
}

int block_run_rounds(struct block *block, struct dv_error *error_out)
{
    const int n_rounds = block->context->options->rounds;
    size_t *order = calloc(block->n_entries + 1, sizeof *order);
    if (!order)
        return dv_no_memory(error_out);
    int status = 0;
    for (int round = 0; status == 0 && round < n_rounds; round++) {
        char step[32];
        snprintf(step, sizeof step, "round %d of %d", round + 1, n_rounds);
        progress_step(block->context->progress, step, 0.2 + 0.6 * round / n_rounds);
        shuffle(order, block->n_entries, round_seed(block, round));
        for (size_t i = 0; status == 0 && i < block->n_entries && !*block->context->interrupted; i++) {
            struct block_entry *entry = &block->entries[order[i]];
            if (!entry->cell || entry->cell->verdict.kind == VERDICT_OK)
                status = take_sample(block, entry, round, (int)i, error_out);
        }
    }
    free(order);
    return status;
}
