/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_internal.h"
#include "counter_status.h"
#include "digest.h"

/* Batches of one pass in replay: the same batch so often that the loop around it costs nothing compared with it. */
enum { REPLAY_BATCHES = 64 };

/* Cold mode makes copies until their bytes exceed the last-level cache so many times, but no more than
 * this. */
enum { COLD_CACHES = 2, COLD_MAX_TARGETS = 16384 };

/* --- names --- */

/* A cell is known by its parameters, the DV's bytes, the rows and batches visited, the program and the machine. */
static void hash_cell(const struct block *block, const char *label, char hash_out[CELL_HASH_CHARS + 1])
{
    char text[1024];
    int n = snprintf(text, sizeof text, "|%s|%s|%u|%s|%" PRIu64 "|%zu|%.0f|%016" PRIx64 "|%016" PRIx64 "|%s",
                     label, sink_id(block->plan->sink), (unsigned)block->plan->batch_rows,
                     mode_id(block->plan->mode), block->source.n_rows, block->batches.n_items,
                     block->context->options->min_time_ns, block->source.digest,
                     block->context->program_digest, block->context->machine);
    size_t n_text = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    uint64_t parts[2] = {digest_bytes(block->source.spec, strlen(block->source.spec)),
                         digest_bytes(text, n_text)};
    snprintf(hash_out, CELL_HASH_CHARS + 1, "%016" PRIx64, digest_bytes(parts, sizeof parts));
}

/* --- opening --- */

static int load_source(struct block *block, struct dv_error *error_out)
{
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    int status =
        vector_options_load(block->context->vectors, block->plan->dv, &sources, &n_sources, error_out);
    if (status == 0 && n_sources != 1)
        status = dv_fail(error_out, DV_ERROR_INPUT, "%s: %zu vectors where one is expected", block->plan->dv,
                         n_sources);
    if (status == 0) {
        block->source = sources[0];
        sources[0] = (struct dv_source){0};
    }
    format_free_sources(sources, n_sources);
    return status;
}

void block_set_verdict(struct verdict *verdict, enum verdict_kind kind, const char *reason)
{
    verdict->kind = kind;
    snprintf(verdict->reason, sizeof verdict->reason, "%s", reason);
    for (char *c = verdict->reason; *c; c++) /* no cell of a CSV ever needs quotes */
        if (*c == ',' || *c == '"' || *c == '\n' || *c == '\r')
            *c = *c == ',' ? ';' : *c == '"' ? '\'' : ' ';
}

/* Hashes and what this build, CPU and mode rule out. The representations that the others need are built one
 * by one, so that one that cannot be had costs only its own kernels. */
static int open_cells(struct block *block, struct dv_error *error_out)
{
    const struct plan_block *plan = block->plan;
    struct block_result *result = block->result;
    result->cells = calloc(plan->n_kernels, sizeof *result->cells);
    if (!result->cells)
        return dv_no_memory(error_out);
    result->n_cells = plan->n_kernels;
    for (size_t i = 0; i < plan->n_kernels; i++) {
        struct block_cell *cell = &result->cells[i];
        cell->kernel = plan->kernels[i];
        cell->open_ns = NAN;
        hash_cell(block, cell->kernel->id, cell->hash);
        const char *reason = kernel_unavailable(cell->kernel, plan->sink);
        if (!reason && block->batches.n_items == 0)
            reason = "no rows: the file states no count; pass --rows, 1 or more";
        if (reason)
            block_set_verdict(&cell->verdict, VERDICT_UNAVAILABLE, reason);
    }
    hash_cell(block, SAMPLES_BOUND, result->bound_hash);
    return 0;
}

/* Of the rows of the file: positions beyond them delete nothing. */
static uint64_t count_deleted(const struct block *block)
{
    const uint64_t begin = block->source.base, end = begin + block->source.n_rows;
    uint64_t n_deleted = 0;
    for (size_t i = 0; i < block->dvs[0].intervals.n_items; i++) {
        const struct dv_interval *interval = &block->dvs[0].intervals.items[i];
        const uint64_t from = interval->start > begin ? interval->start : begin,
                       to = interval->end < end ? interval->end : end;
        n_deleted += to > from ? to - from : 0;
    }
    return n_deleted;
}

static void fill_facts(struct block *block)
{
    struct block_result *result = block->result;
    const struct dv_view *view = &block->dvs[0].view;
    result->plan = block->plan;
    result->dv = strdup(block->source.spec);
    snprintf(result->recipe, sizeof result->recipe, "%s", block->source.recipe);
    result->n_rows = block->source.n_rows;
    result->seed = block->source.seed;
    result->digest = block->source.digest;
    result->n_payload_bytes = block->source.n_payload_bytes;
    result->n_deleted = count_deleted(block);
    result->n_containers = view->n_containers;
    for (int kind = 0; kind < DV_N_KINDS; kind++)
        result->n_kind[kind] = view->n_kind[kind];
    result->n_batches = block->batches.n_items;
    result->is_sample = block->batches.is_sample;
    result->validate_ns = result->crc_ns = NAN;
}

/* In replay the batches are one batch, the middle one, again and again. */
static int replay_one_batch(struct block *block, struct dv_error *error_out)
{
    const struct batch one = block->batches.items[block->batches.n_items / 2];
    batches_free(&block->batches);
    block->batches.items = calloc(REPLAY_BATCHES, sizeof one);
    if (!block->batches.items)
        return dv_no_memory(error_out);
    block->batches.n_items = REPLAY_BATCHES;
    block->batches.n_rows = (uint64_t)REPLAY_BATCHES * one.n_rows;
    block->batches.is_sample = true;
    for (size_t i = 0; i < REPLAY_BATCHES; i++)
        block->batches.items[i] = one;
    return 0;
}

static int open_batches(struct block *block, struct dv_error *error_out)
{
    int status = batches_plan(&block->batches, &block->dvs[0].view, block->source.base, block->source.n_rows,
                              block->plan->batch_rows, block->context->options->max_batches, error_out);
    if (status == 0 && block->batches.n_items && block->plan->mode == MODE_replay)
        status = replay_one_batch(block, error_out);
    return status;
}

size_t block_cold_targets(const struct block *block, uint64_t each_bytes, size_t most)
{
    const uint64_t n = COLD_CACHES * block->context->llc_bytes / (each_bytes ? each_bytes : 1) + 1;
    return n < most ? (size_t)n : most;
}

int block_open(struct block **block_out, const struct block_context *context, const struct plan_block *plan,
               struct block_result *result_out, struct dv_error *error_out)
{
    struct block *block = calloc(1, sizeof *block);
    *block_out = block;
    *result_out = (struct block_result){0};
    if (!block)
        return dv_no_memory(error_out);
    block->context = context;
    block->plan = plan;
    block->result = result_out;
    int status = load_source(block, error_out);
    if (status == 0) {
        block->dvs = calloc(1, sizeof *block->dvs);
        status = block->dvs ? 0 : dv_no_memory(error_out);
    }
    if (status == 0)
        status = dv_open(&block->dvs[0], block->source.payload, block->source.n_payload_bytes,
                         DV_NEEDS_INTERVALS, error_out);
    if (status == 0) {
        block->n_targets = 1;
        status = open_batches(block, error_out);
    }
    if (status == 0)
        status = open_cells(block, error_out);
    if (status == 0)
        fill_facts(block);
    if (status < 0) {
        block_close(block);
        *block_out = NULL;
    }
    return status;
}

/* --- before any time is taken --- */

/* Builds what the kernels need; a representation that this DV cannot have makes its kernels unavailable, with
 * the reason. */
static void build_representations(struct block *block)
{
    for (size_t i = 0; i < block->result->n_cells; i++) {
        struct block_cell *cell = &block->result->cells[i];
        struct dv_error error = {0};
        if (cell->verdict.kind != VERDICT_OK)
            continue;
        if (dv_add(&block->dvs[0], cell->kernel->needs, &error) < 0)
            block_set_verdict(&cell->verdict, VERDICT_UNAVAILABLE, error.message);
        else
            block->needs |= cell->kernel->needs;
    }
}

static int check_cells(struct block *block, struct dv_error *error_out)
{
    for (size_t i = 0; i < block->result->n_cells; i++) {
        struct block_cell *cell = &block->result->cells[i];
        if (cell->verdict.kind != VERDICT_OK || *block->context->interrupted)
            continue;
        char step[96];
        snprintf(step, sizeof step, "checks %s", cell->kernel->id);
        progress_step(block->context->progress, step, 0.2 * (double)i / (double)block->result->n_cells);
        struct verdict verdict;
        int status = verify_kernel(cell->kernel, &block->dvs[0], &block->batches, block->plan->sink, NULL,
                                   &verdict, error_out);
        if (status < 0)
            return status;
        block_set_verdict(&cell->verdict, verdict.kind, verdict.reason);
        if (verdict.kind == VERDICT_WRONG)
            progress_note(block->context->progress, "WRONG: %s/%s on %s: %s", cell->kernel->id,
                          sink_id(block->plan->sink), block->result->dv, verdict.reason);
    }
    return 0;
}

/* What is expected of the batch that every timed sample ends with, the live rows of a pass, and per batch the
 * elements that the bound writes. */
static int ask_oracle(struct block *block, struct dv_error *error_out)
{
    const enum sink_kind kind = block->plan->sink;
    int status = guard_open(&block->buffer, dv_sink_bytes(kind, block->plan->batch_rows), error_out);
    if (status == 0)
        status = expected_open(&block->expected, kind, block->plan->batch_rows, error_out);
    if (status == 0)
        status = expected_open(&block->drawn, kind, block->plan->batch_rows, error_out);
    if (status < 0)
        return status;
    block->bound_elements = calloc(block->batches.n_items + 1, sizeof *block->bound_elements);
    if (!block->bound_elements)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < block->batches.n_items; i++) {
        expected_fill(&block->expected, &block->dvs[0], &block->batches.items[i]);
        block->bound_elements[i] = block->expected.n_out;
        block->n_live += block->expected.n_live;
    }
    return 0;
}

/* Copies of the payload at addresses of their own, each opened as a reader would. */
static int open_cold_targets(struct block *block, struct dv_error *error_out)
{
    const uint64_t each_bytes = block->source.n_payload_bytes + dv_state_bytes(&block->dvs[0], DV_NEEDS_VIEW);
    const size_t n_targets = block_cold_targets(block, each_bytes, COLD_MAX_TARGETS);
    struct dv *dvs = realloc(block->dvs, n_targets * sizeof *dvs);
    if (!dvs)
        return dv_no_memory(error_out);
    block->dvs = dvs;
    block->copies = calloc(n_targets, sizeof *block->copies);
    if (!block->copies)
        return dv_no_memory(error_out);
    for (; block->n_targets < n_targets && !*block->context->interrupted; block->n_targets++) {
        uint8_t *copy = malloc(block->source.n_payload_bytes + 1);
        if (!copy)
            return dv_no_memory(error_out);
        memcpy(copy, block->source.payload, block->source.n_payload_bytes);
        block->copies[block->n_targets] = copy;
        int status =
            dv_open(&dvs[block->n_targets], copy, block->source.n_payload_bytes, block->needs, error_out);
        if (status < 0) {
            free(copy);
            block->copies[block->n_targets] = NULL;
            return status;
        }
    }
    return 0;
}

/* The samples stay. The costs go, for which a resumed run looks, and a count that the signal may have
 * spoiled: it reaches the simulator's children too. */
static void mark_cut_short(struct block *block)
{
    struct counters_result uncounted = {NAN, NAN, NAN, NAN, NAN, .source = "none"};
    snprintf(uncounted.status, sizeof uncounted.status, "%s", counter_status_word(COUNTER_INTERRUPTED));
    for (size_t i = 0; i < block->result->n_cells; i++) {
        struct block_cell *cell = &block->result->cells[i];
        cell->open_ns = NAN;
        if (cell->is_counted)
            continue;
        counters_results_free(&cell->counters, 1);
        if (block->context->counters)
            cell->counters = uncounted;
    }
}

int block_run(struct block *block, bool is_sampled, struct dv_error *error_out)
{
    build_representations(block);
    int status = check_cells(block, error_out);
    if (status == 0)
        status = ask_oracle(block, error_out);
    if (status == 0 && block->plan->mode == MODE_cold)
        status = open_cold_targets(block, error_out);
    if (status == 0 && !*block->context->interrupted)
        status = block_make_entries(block, error_out);
    if (status == 0 && !is_sampled && !*block->context->interrupted)
        status = block_run_rounds(block, error_out);
    if (status == 0 && !*block->context->interrupted)
        status = block_measure_threads(block, error_out);
    if (status == 0 && !*block->context->interrupted)
        status = block_measure_costs(block, error_out);
    if (status == 0 && !*block->context->interrupted)
        status = block_count(block, error_out);
    if (*block->context->interrupted)
        mark_cut_short(block);
    return status;
}

void block_close(struct block *block)
{
    if (!block)
        return;
    block_free_entries(block);
    for (size_t i = 0; i < block->n_targets; i++) {
        dv_close(&block->dvs[i]);
        if (block->copies)
            free(block->copies[i]);
    }
    free(block->dvs);
    free(block->copies);
    free(block->bound_elements);
    guard_close(&block->buffer);
    expected_close(&block->expected);
    expected_close(&block->drawn);
    batches_free(&block->batches);
    source_free(&block->source);
    free(block);
}

void block_result_free(struct block_result *result)
{
    for (size_t i = 0; i < result->n_cells; i++)
        counters_results_free(&result->cells[i].counters, 1);
    free(result->cells);
    free(result->threads);
    free(result->dv);
    *result = (struct block_result){0};
}
