/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sweep.h"

/* "article rate=0.061 into row_ids, replay, batch 5000": the spec whole is in the CSV. */
static void title_of(const struct plan_block *block, char *title, size_t n_title)
{
    const bool has_axis = block->axis[0] && strcmp(block->axis, "batch_rows") != 0;
    const int n_dv = (int)(has_axis ? strcspn(block->dv, ":") : strlen(block->dv));
    snprintf(title, n_title, "%.*s%s%s%s%s into %s%s%s, batch %u", n_dv, block->dv, has_axis ? " " : "",
             has_axis ? block->axis : "", has_axis ? "=" : "", has_axis ? block->axis_value : "",
             sink_id(block->sink), block->mode == MODE_stream ? "" : ", ",
             block->mode == MODE_stream ? "" : mode_id(block->mode), (unsigned)block->batch_rows);
}

/* --- the summary, written so often that it costs a twentieth of the time at most --- */

#define SUMMARY_SHARE 20

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int write_pending(struct sweep *sweep, const struct block_context *context, struct dv_error *error_out)
{
    const double before_s = now_s();
    if (sweep->n_pending == 0)
        return 0;
    int status = samples_tidy(context->samples, error_out);
    if (status == 0)
        status = summary_update(&sweep->facts, sweep->pending, sweep->n_pending, context->samples,
                                context->counters, error_out);
    for (size_t i = 0; i < sweep->n_pending; i++)
        summary_block_free(&sweep->pending[i]);
    sweep->n_pending = 0;
    const double after_s = now_s();
    sweep->next_write_s = after_s + SUMMARY_SHARE * (after_s - before_s);
    return status;
}

/* Takes the block over. */
static int add_pending(struct sweep *sweep, const struct block_context *context, struct summary_block *block,
                       struct dv_error *error_out)
{
    struct summary_block *grown = realloc(sweep->pending, (sweep->n_pending + 1) * sizeof *grown);
    if (!grown)
        return dv_no_memory(error_out);
    sweep->pending = grown;
    grown[sweep->n_pending++] = *block;
    *block = (struct summary_block){0};
    return now_s() >= sweep->next_write_s ? write_pending(sweep, context, error_out) : 0;
}

/* --- blocks --- */

/* What the block left when it was cut short is removed, unless only its row of the summary is missing; what an earlier start measured stays, unless the
 * block has rows that are not comparable with what is measured now. */
static int run_block(struct sweep *sweep, const struct block_context *context, struct block *block,
                     struct summary_block *found, struct dv_error *error_out)
{
    const size_t n_replaced = found->replaced.n_items;
    if (n_replaced && !sweep->options->replace)
        return dv_fail(
            error_out, DV_ERROR_USAGE,
            "%s has %zu rows of it from another program, machine, vector or setting: --replace measures "
            "them again",
            sweep->facts.dir, n_replaced);
    int status =
        sweep->record && sweep->n_measured_out++ == 0 ? run_record_write(sweep->record, error_out) : 0;
    const bool is_sampled =
        n_replaced == 0 &&
        summary_has_samples(&found->result, context->samples, context->start, (size_t)sweep->options->rounds);
    if (status == 0 && !is_sampled)
        status = samples_drop_block(context->samples, found->result.dv, found->result.plan,
                                    n_replaced ? -1 : context->start, error_out);
    if (status == 0)
        status = block_run(block, is_sampled, error_out);
    sweep->n_replaced_out += n_replaced;
    return status;
}

/* Rows with a reason follow, but nobody should have to look for them. */
static void note_nothing_to_measure(const struct block_context *context, const struct block_result *result)
{
    for (size_t i = 0; i < result->n_cells; i++)
        if (result->cells[i].verdict.kind == VERDICT_OK)
            return;
    progress_note(context->progress, "%s: nothing to measure: %s", result->dv,
                  result->cells[0].verdict.reason);
}

static int do_block(struct sweep *sweep, const struct block_context *context,
                    const struct plan_block *plan_block, struct dv_error *error_out)
{
    struct block *block;
    struct summary_block found = {0};
    bool is_done = false;
    char title[160];
    title_of(plan_block, title, sizeof title);
    progress_block(context->progress, title);
    int status = block_open(&block, context, plan_block, &found.result, error_out);
    sweep->n_cells_out += found.result.n_cells;
    if (status == 0)
        status = summary_find_block(&found, &is_done, &sweep->found, context->samples, context->start,
                                    sweep->options, error_out);
    const bool is_new = status == 0 && !is_done;
    if (is_new)
        note_nothing_to_measure(context, &found.result);
    if (is_new)
        status = run_block(sweep, context, block, &found, error_out);
    block_close(block); /* before its cells go */
    if (is_new && status == 0)
        status = add_pending(sweep, context, &found, error_out);
    if (status < 0)
        (void)dv_error_set_where(error_out, plan_block->dv);
    summary_block_free(&found);
    progress_block_done(context->progress, is_new);
    return status;
}

static int open_json(struct sweep *sweep, struct gbench_json **json_out, struct dv_error *error_out)
{
    *json_out = NULL;
    if (!sweep->json_path)
        return 0;
    *json_out = gbench_json_open(sweep->json_path);
    if (!*json_out)
        return dv_fail(error_out, DV_ERROR_IO, "--benchmark_out=%s: %s", sweep->json_path, strerror(errno));
    return 0;
}

int sweep_run(struct sweep *sweep, struct dv_error *error_out)
{
    struct samples samples = {0};
    struct progress progress;
    struct gbench_json *json = NULL;
    int status = samples_open(&samples, sweep->facts.dir, sweep->facts.run, error_out);
    if (status == 0)
        status = summary_load(&sweep->found, sweep->facts.dir, error_out);
    if (status == 0)
        status = open_json(sweep, &json, error_out);
    const struct block_context context = {.options = sweep->options,
                                          .vectors = sweep->vectors,
                                          .samples = &samples,
                                          .json = json,
                                          .counters = sweep->counters,
                                          .progress = &progress,
                                          .program_digest = sweep->program_digest,
                                          .machine = sweep->facts.machine,
                                          .workers = sweep->workers,
                                          .llc_bytes = sweep->llc_bytes,
                                          .start = sweep->start,
                                          .interrupted = sweep->interrupted};
    progress_begin(&progress, sweep->plan->n_blocks, sweep->options->quiet);
    for (size_t i = 0; status == 0 && i < sweep->plan->n_blocks && !*sweep->interrupted; i++)
        status = do_block(sweep, &context, &sweep->plan->blocks[i], error_out);
    progress_end(&progress);
    const int written = write_pending(sweep, &context, status == 0 ? error_out : NULL);
    status = status < 0 ? status : written;
    free(sweep->pending);
    summary_found_free(&sweep->found);
    sweep->n_wrong_out = summary_count_verdict(sweep->facts.dir, "wrong");
    const size_t n_rows = summary_count(sweep->facts.dir);
    if (status == 0 && !*sweep->interrupted && n_rows > sweep->n_cells_out)
        sweep->n_kept_out = n_rows - sweep->n_cells_out;
    if (gbench_json_close(json) != 0 && status == 0)
        status = dv_fail(error_out, DV_ERROR_IO, "--benchmark_out=%s: a write failed", sweep->json_path);
    int closed = samples_close(&samples, status == 0 ? error_out : NULL);
    return status < 0 ? status : closed;
}
