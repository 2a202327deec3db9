/* SPDX-License-Identifier: Apache-2.0 */
/* The block once more with several threads at the same time, each on a CPU of its own with its own state, sink and, unless
 * they share it, copy of the vector.
 *
 *     for each kernel, then the bound:
 *         each worker, on its CPU: open; all at once: every batch of a pass against the oracle
 *         round:  for count in permutation(counts): a pass uncounted; start together; passes; compare sum of live rows and last batch
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_internal.h"
#include "random.h"
#include "workers.h"

struct worker {
    const struct block *block;
    const struct block_entry *entry;
    struct dv *dvs;                 /* owned, n_targets long; NULL where the block's first is read */
    uint8_t **copies;               /* owned: their payloads */
    size_t n_dvs;                   /* open */
    struct kernel_state *states;    /* owned */
    size_t n_states;                /* open */
    struct measure_target *targets; /* owned: twice n_targets long, so that a window never wraps */
    size_t n_targets;
    size_t next_target; /* where the next cold sample goes on */
    struct guard_buffer buffer;
    struct expected expected;
    struct sink sink;
    int status; /* of opening */
    struct dv_error error;
    struct verdict verdict;
    double ns; /* from the common start to its own end */
    uint64_t n_live;
    char taint[TAINT_BYTES];
};

bool block_shares_dv(const struct plan_block *plan, const struct sweep_options *options)
{
    return options->share_dv && plan->mode != MODE_cold;
}

/* --- opening, on the worker's CPU: its memory is then of that CPU's node --- */

static int open_copy(struct worker *worker, struct dv_error *error_out)
{
    const struct dv_source *source = &worker->block->source;
    uint8_t *copy = malloc(source->n_payload_bytes + 1);
    if (!copy)
        return dv_no_memory(error_out);
    memcpy(copy, source->payload, source->n_payload_bytes);
    worker->copies[worker->n_dvs] = copy;
    const int status = dv_open(&worker->dvs[worker->n_dvs], copy, source->n_payload_bytes,
                               worker->entry->cell->kernel->needs, error_out);
    if (status < 0) {
        free(copy);
        return status;
    }
    worker->n_dvs++;
    return 0;
}

static int open_targets(struct worker *worker, struct dv_error *error_out)
{
    const struct block *block = worker->block;
    const size_t n = worker->n_targets;
    const bool has_copies = worker->entry->cell && !block_shares_dv(block->plan, block->context->options);
    worker->dvs = has_copies ? calloc(n, sizeof *worker->dvs) : NULL;
    worker->copies = calloc(n, sizeof *worker->copies);
    worker->states = calloc(n, sizeof *worker->states);
    worker->targets = calloc(2 * n, sizeof *worker->targets);
    if ((has_copies && !worker->dvs) || !worker->copies || !worker->states || !worker->targets)
        return dv_no_memory(error_out);
    for (size_t t = 0; t < n && !*block->context->interrupted; t++) {
        int status = has_copies ? open_copy(worker, error_out) : 0;
        const struct dv *dv = has_copies ? &worker->dvs[t] : &block->dvs[0];
        if (status == 0)
            status = block_open_state(block, worker->entry, dv, &worker->states[t], error_out);
        if (status < 0)
            return status;
        worker->n_states++;
        worker->targets[t] = worker->targets[n + t] = (struct measure_target){dv, &worker->states[t]};
    }
    return 0;
}

static void open_worker(void *context, size_t index, struct workers_gate *gate)
{
    struct worker *worker = (struct worker *)context + index;
    const struct block *block = worker->block;
    (void)gate;
    worker->status = guard_open(&worker->buffer, block->buffer.n_bytes, &worker->error);
    if (worker->status == 0)
        worker->status =
            expected_open(&worker->expected, block->plan->sink, block->plan->batch_rows, &worker->error);
    if (worker->status == 0)
        worker->status = open_targets(worker, &worker->error);
}

static void close_worker(struct worker *worker)
{
    for (size_t t = 0; t < worker->n_states; t++)
        block_close_state(worker->entry, &worker->states[t]);
    for (size_t t = 0; t < worker->n_dvs; t++) {
        dv_close(&worker->dvs[t]);
        free(worker->copies[t]);
    }
    free(worker->dvs);
    free(worker->copies);
    free(worker->states);
    free(worker->targets);
    guard_close(&worker->buffer);
    expected_close(&worker->expected);
}

/* --- checking --- */

static void check_batches(void *argument)
{
    struct worker *worker = argument;
    const struct batches *batches = &worker->block->batches;
    const struct measure_target *target = &worker->targets[0];
    for (size_t b = 0; b < batches->n_items && worker->verdict.kind == VERDICT_OK; b++) {
        const struct batch *batch = &batches->items[b];
        expected_fill(&worker->expected, &worker->block->dvs[0], batch);
        guard_fill(&worker->buffer, (uint8_t)(0x5a + b));
        const uint32_t n_live =
            worker->entry->run(target->dv, target->state, batch->start, batch->n_rows, &worker->sink);
        if (!block_is_output_right(&worker->expected, batch, n_live, &worker->sink, &worker->buffer,
                                   "threads at once", &worker->verdict))
            worker->verdict.kind = VERDICT_WRONG;
    }
}

static void check_worker(void *context, size_t index, struct workers_gate *gate)
{
    struct worker *worker = (struct worker *)context + index;
    struct guard_fault fault;
    worker->sink = (struct sink){.out = worker->buffer.data};
    (void)workers_wait(gate);
    if (guard_call(check_batches, worker, &fault)) {
        worker->verdict.kind = VERDICT_WRONG;
        snprintf(worker->verdict.reason, sizeof worker->verdict.reason, "threads at once: %s",
                 strsignal(fault.signal));
    }
}

/* --- measuring --- */

/* A pass is one over the vector; in cold mode the passes are over as many copies. */
static uint64_t run_passes(struct worker *worker, const struct measure_target *targets, size_t n_targets,
                           int64_t n_passes)
{
    const struct batch *const items = worker->block->batches.items;
    const size_t n_items = worker->block->batches.n_items;
    kernel_fn *const run = worker->entry->run;
    uint64_t n_live = 0;
    for (int64_t pass = 0; pass < n_passes; pass++)
        for (size_t t = 0; t < n_targets; t++)
            for (size_t b = 0; b < n_items; b++)
                n_live +=
                    run(targets[t].dv, targets[t].state, items[b].start, items[b].n_rows, &worker->sink);
    return n_live;
}

static void measure_worker(void *context, size_t index, struct workers_gate *gate)
{
    struct worker *worker = (struct worker *)context + index;
    const bool is_cold = worker->block->plan->mode == MODE_cold;
    const struct measure_target *targets = worker->targets + worker->next_target;
    const size_t n_targets = is_cold ? (size_t)worker->entry->n_passes : 1;
    struct taint_reading before, after;
    worker->sink = (struct sink){.out = worker->buffer.data};
    guard_fill(&worker->buffer, 0xa5);
    if (is_cold)
        worker->next_target = (worker->next_target + n_targets) % worker->n_targets;
    else
        (void)run_passes(worker, targets, 1, 1);
    (void)workers_wait(gate); /* not within the readings: whoever waits long may be switched there */
    taint_read_before(&before);
    const int64_t start_ns = workers_wait(gate);
    worker->n_live = run_passes(worker, targets, n_targets, is_cold ? 1 : worker->entry->n_passes);
    worker->ns = (double)(workers_now_ns() - start_ns);
    taint_read_after(&after, &before);
    taint_between(&before, &after, worker->taint);
}

/* The first worker whose answers are wrong; NULL where all are right. */
static const struct worker *find_wrong(struct worker *workers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (workers[i].verdict.kind == VERDICT_WRONG)
            return &workers[i];
    return NULL;
}

static void judge_sample(struct worker *worker)
{
    const struct block *block = worker->block;
    const struct batch *last = &block->batches.items[block->batches.n_items - 1];
    const uint64_t wanted = (uint64_t)worker->entry->n_passes * block->n_live;
    if (worker->n_live != wanted)
        snprintf(worker->verdict.reason, sizeof worker->verdict.reason,
                 "threads at once: %" PRIu64 " live rows in a timed sample; oracle %" PRIu64, worker->n_live,
                 wanted);
    if (worker->n_live != wanted ||
        !block_is_output_right(&block->expected, last, block->expected.n_live, &worker->sink, &worker->buffer,
                               "threads at once: the last batch of a timed sample", &worker->verdict))
        worker->verdict.kind = VERDICT_WRONG;
}

static int compare_doubles(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* What one entry was measured to be, a value per count and round. */
struct measured {
    size_t n_rounds;
    double *rows_per_s; /* owned: n_rounds of the first count, then of the next */
    double *thread_ns;  /* owned: likewise, of the middle worker per row */
    double *worker_ns;  /* owned: scratch, one per worker */
    size_t n_tainted[SWEEP_MAX_THREADS];
};

static void add_sample(struct measured *measured, const struct worker *workers, size_t n, size_t count,
                       size_t round)
{
    const double n_rows = (double)workers->block->batches.n_rows * (double)workers->entry->n_passes;
    bool is_tainted = false;
    for (size_t i = 0; i < n; i++) {
        measured->worker_ns[i] = workers[i].ns;
        is_tainted |= workers[i].taint[0] != '\0';
    }
    qsort(measured->worker_ns, n, sizeof *measured->worker_ns, compare_doubles);
    measured->rows_per_s[count * measured->n_rounds + round] =
        (double)n * n_rows * 1e9 / measured->worker_ns[n - 1];
    measured->thread_ns[count * measured->n_rounds + round] = stats_median(measured->worker_ns, n) / n_rows;
    measured->n_tainted[count] += is_tainted;
}

/* Returns 0 also where an answer was wrong: in a worker's verdict. */
static int measure_rounds(struct measured *measured, struct worker *workers, struct dv_error *error_out)
{
    const struct block_context *context = workers->block->context;
    const struct sweep_options *options = context->options;
    size_t order[SWEEP_MAX_THREADS];
    for (size_t round = 0; round < measured->n_rounds; round++) {
        for (size_t i = 0; i < options->n_threads; i++)
            order[i] = i;
        random_shuffle(order, options->n_threads, sizeof *order, options->seed * 1000003u + round);
        for (size_t i = 0; i < options->n_threads && !*context->interrupted; i++) {
            const size_t n = (size_t)options->threads[order[i]];
            int status = workers_call(context->workers->cpus, n, measure_worker, workers, error_out);
            if (status < 0)
                return status;
            for (size_t w = 0; w < n && workers->entry->cell; w++)
                judge_sample(&workers[w]);
            if (find_wrong(workers, n))
                return 0;
            add_sample(measured, workers, n, order[i], round);
        }
    }
    return 0;
}

/* --- one entry --- */

/* Rows of the entry, all with this verdict. */
static struct threads_row *add_rows(struct block *block, const struct block_entry *entry,
                                    const struct verdict *verdict)
{
    const struct block_context *context = block->context;
    struct threads_row *rows = block->result->threads + block->result->n_threads;
    for (size_t i = 0; i < context->options->n_threads; i++) {
        const size_t n = (size_t)context->options->threads[i], n_cores = context->workers->n_cores;
        rows[i] = (struct threads_row){.cell = entry->cell,
                                       .n_threads = (int)n,
                                       .n_cores = n < n_cores ? n : n_cores,
                                       .is_shared = block_shares_dv(block->plan, context->options),
                                       .thread_ns_per_row = NAN,
                                       .pct_of_bound = NAN};
        stats_summarise(&rows[i].rows_per_s, NULL, 0);
        stats_summarise(&rows[i].scaling, NULL, 0);
        block_set_verdict(&rows[i].verdict, verdict->kind, verdict->reason);
    }
    block->result->n_threads += context->options->n_threads;
    return rows;
}

static int fill_rows(struct threads_row *rows, const struct measured *measured, size_t n_counts,
                     struct dv_error *error_out)
{
    const size_t n_rounds = measured->n_rounds;
    for (size_t i = 0; i < n_counts; i++) {
        const double *rows_per_s = measured->rows_per_s + i * n_rounds;
        if (stats_summarise(&rows[i].rows_per_s, rows_per_s, n_rounds) < 0 ||
            stats_summarise_ratios(&rows[i].scaling, rows_per_s, measured->rows_per_s, n_rounds) < 0)
            return dv_no_memory(error_out);
        rows[i].thread_ns_per_row = stats_median(measured->thread_ns + i * n_rounds, n_rounds);
        rows[i].n_tainted = measured->n_tainted[i];
    }
    return 0;
}

static int measure_opened(struct block *block, const struct block_entry *entry, struct worker *workers,
                          struct dv_error *error_out)
{
    const struct sweep_options *options = block->context->options;
    const size_t n_counts = options->n_threads, n_rounds = (size_t)options->rounds,
                 n_workers = (size_t)options->threads[n_counts - 1];
    struct measured measured = {.n_rounds = n_rounds,
                                .rows_per_s = calloc(n_counts * n_rounds, sizeof(double)),
                                .thread_ns = calloc(n_counts * n_rounds, sizeof(double)),
                                .worker_ns = calloc(n_workers, sizeof(double))};
    struct guard_handlers handlers;
    int status =
        measured.rows_per_s && measured.thread_ns && measured.worker_ns ? 0 : dv_no_memory(error_out);
    if (status == 0 && entry->cell) {
        guard_catch(&handlers);
        status = workers_call(block->context->workers->cpus, n_workers, check_worker, workers, error_out);
        guard_release(&handlers);
    }
    if (status == 0 && !find_wrong(workers, n_workers))
        status = measure_rounds(&measured, workers, error_out);
    const struct worker *wrong = find_wrong(workers, n_workers);
    if (status == 0 && !*block->context->interrupted) {
        struct threads_row *rows = add_rows(block, entry, wrong ? &wrong->verdict : &workers->verdict);
        status = wrong ? block_mark_wrong(block, entry, &wrong->verdict, error_out)
                       : fill_rows(rows, &measured, n_counts, error_out);
    }
    free(measured.rows_per_s);
    free(measured.thread_ns);
    free(measured.worker_ns);
    return status;
}

/* A kernel that opens one vector but not as many as there are workers is unavailable here. */
static int measure_entry(struct block *block, const struct block_entry *entry, struct dv_error *error_out)
{
    const struct sweep_options *options = block->context->options;
    const size_t n_workers = (size_t)options->threads[options->n_threads - 1];
    struct worker *workers = calloc(n_workers, sizeof *workers);
    if (!workers)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < n_workers; i++)
        workers[i] = (struct worker){.block = block, .entry = entry, .n_targets = entry->n_targets};
    int status = workers_call(block->context->workers->cpus, n_workers, open_worker, workers, error_out);
    size_t n_open = 0;
    while (n_open < n_workers && workers[n_open].status == 0)
        n_open++;
    if (status == 0 && n_open < n_workers) {
        struct verdict verdict = {.kind = VERDICT_UNAVAILABLE};
        snprintf(verdict.reason, sizeof verdict.reason, "thread %zu of %zu: %.400s", n_open + 1, n_workers,
                 workers[n_open].error.message);
        (void)add_rows(block, entry, &verdict);
    } else if (status == 0 && !*block->context->interrupted)
        status = measure_opened(block, entry, workers, error_out);
    for (size_t i = 0; i < n_workers; i++)
        close_worker(&workers[i]);
    free(workers);
    return status;
}

/* Against the bound with as many threads, which is measured last. */
static void compare_with_bound(struct block_result *result)
{
    for (size_t i = 0; i < result->n_threads; i++)
        for (size_t b = 0; b < result->n_threads; b++)
            if (!result->threads[b].cell && result->threads[b].n_threads == result->threads[i].n_threads)
                result->threads[i].pct_of_bound =
                    100 * result->threads[i].rows_per_s.median / result->threads[b].rows_per_s.median;
}

static bool is_twin(const struct block_entry *entry)
{
    return entry->cell && strcmp(entry->hash, entry->cell->hash) != 0;
}

int block_measure_threads(struct block *block, struct dv_error *error_out)
{
    const struct sweep_options *options = block->context->options;
    struct block_result *result = block->result;
    if (options->n_threads == 0 || result->has_threads)
        return 0;
    result->threads = calloc(block->n_entries * options->n_threads + 1, sizeof *result->threads);
    if (!result->threads)
        return dv_no_memory(error_out);
    int status = 0;
    for (size_t i = 0; status == 0 && i < block->n_entries && !*block->context->interrupted; i++) {
        const struct block_entry *entry = &block->entries[i];
        if (is_twin(entry) || (entry->cell && entry->cell->verdict.kind != VERDICT_OK))
            continue;
        char step[96];
        snprintf(step, sizeof step, "threads %s", entry->label);
        progress_step(block->context->progress, step, 0.8);
        status = measure_entry(block, entry, error_out);
    }
    if (*block->context->interrupted) /* of a block without all of them nothing is known */
        result->n_threads = 0;
    compare_with_bound(result);
    return status;
}
