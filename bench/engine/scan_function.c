/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_function.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MAX_THREADS = 256,
    PIECE_ROWS = 16384, /* of a kernel call at most; vectors of engines are shorter */
    N_CLOCK_TRIES = 2000,
};

/* A thread of the engine: only it uses these, except for the sums at the end. */
struct scan_thread {
    pthread_t thread;
    struct kernel_state *states; /* owned, one per file; data NULL and is_open 0 before its first rows */
    uint8_t *is_open;            /* owned, one per file */
    uint8_t *buffer;             /* owned, 64-byte aligned, with slack */
    struct scan_counts counts;
};

struct scan_function {
    const struct scan_vector *vectors;
    size_t n_vectors;
    const struct kernel *kernel;
    enum sink_kind sink;
    clockid_t clock;
    double clock_ns;               /* what a measured time holds of its own measuring */
    pthread_mutex_t lock;          /* of opening */
    struct scan_open_vector *open; /* owned, one per file */
    atomic_bool *is_open;          /* owned, likewise: set once `open` may be read */
    struct scan_thread threads[MAX_THREADS];
    atomic_size_t n_threads; /* those before it are complete */
};

static double now_ns(const struct scan_function *function)
{
    struct timespec now;
    clock_gettime(function->clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The time between two readings with nothing between them; the least of many: what disturbs a reading is not its cost. */
static double measure_clock(const struct scan_function *function)
{
    double least = 1e9;
    for (int i = 0; i < N_CLOCK_TRIES; i++) {
        const double begin = now_ns(function), nothing = now_ns(function) - begin;
        least = nothing < least ? nothing : least;
    }
    return least;
}

/* --- threads --- */

static struct scan_thread *add_thread(struct scan_function *function, struct dv_error *error_out)
{
    struct scan_thread *thread = NULL;
    pthread_mutex_lock(&function->lock);
    const size_t n = atomic_load(&function->n_threads);
    if (n < MAX_THREADS) {
        thread = &function->threads[n];
        *thread = (struct scan_thread){
            .thread = pthread_self(),
            .states = calloc(function->n_vectors + 1, sizeof *thread->states),
            .is_open = calloc(function->n_vectors + 1, 1),
            .buffer = aligned_alloc(64, PIECE_ROWS * sizeof(int32_t) + 2 * SINK_SLACK_BYTES),
        };
        const bool is_complete = thread->states && thread->is_open && thread->buffer;
        atomic_store(&function->n_threads, n + 1);
        if (!is_complete)
            thread = NULL;
    }
    pthread_mutex_unlock(&function->lock);
    if (!thread)
        dv_fail(error_out, DV_ERROR_MEMORY, "no memory for another thread of the engine (at most %d)",
                MAX_THREADS);
    return thread;
}

static struct scan_thread *thread_of_caller(struct scan_function *function, struct dv_error *error_out)
{
    const pthread_t self = pthread_self();
    const size_t n = atomic_load_explicit(&function->n_threads, memory_order_acquire);
    for (size_t i = 0; i < n; i++)
        if (pthread_equal(function->threads[i].thread, self) && function->threads[i].buffer)
            return &function->threads[i];
    return add_thread(function, error_out);
}

/* --- opening --- */

static int open_shared(struct scan_function *function, struct scan_thread *thread, uint64_t file,
                       struct dv_error *error_out)
{
    int status = 0;
    pthread_mutex_lock(&function->lock);
    if (!atomic_load(&function->is_open[file])) {
        status = scan_vector_open(&function->open[file], &function->vectors[file], function->kernel->needs,
                                  error_out);
        atomic_store(&function->is_open[file], status == 0);
        thread->counts.n_opened += status == 0;
    }
    pthread_mutex_unlock(&function->lock);
    return status;
}

static int open_file(struct scan_function *function, struct scan_thread *thread, uint64_t file,
                     struct dv_error *error_out)
{
    const double begin = now_ns(function);
    int status = 0;
    if (file >= function->n_vectors)
        return dv_fail(error_out, DV_ERROR_IO,
                       "the engine read data file %" PRIu64 ", but vectors are given for %zu files", file,
                       function->n_vectors);
    if (!atomic_load_explicit(&function->is_open[file], memory_order_acquire))
        status = open_shared(function, thread, file, error_out);
    if (status == 0 && function->kernel->open)
        status = function->kernel->open(&function->open[file].dv, &thread->states[file], error_out);
    thread->is_open[file] = status == 0;
    thread->counts.open_ns += now_ns(function) - begin;
    return status;
}

/* --- answering --- */

/* Where the rows from `begin` on stop being consecutive rows of one file. The first look is enough for an engine that
 * reads a row group in order: rows of one file ascend, so first and last are enough. */
static size_t piece_end(const struct engine_rows *rows, size_t begin)
{
    const size_t last = rows->n_rows - begin > PIECE_ROWS ? begin + PIECE_ROWS - 1 : rows->n_rows - 1;
    if (rows->file[begin] == rows->file[last] &&
        rows->row[last] - rows->row[begin] == (int64_t)(last - begin))
        return last + 1;
    size_t end = begin + 1;
    while (end <= last && rows->file[end] == rows->file[begin] && rows->row[end] == rows->row[end - 1] + 1)
        end++;
    return end;
}

/* Live rows' numbers, spread over a byte per row. */
static void spread(uint8_t *deleted_out, size_t n_rows, const int32_t *live, size_t n_live)
{
    memset(deleted_out, 1, n_rows);
    for (size_t i = 0; i < n_live; i++)
        deleted_out[live[i]] = 0;
}

static int answer_piece(struct scan_function *function, struct scan_thread *thread, uint64_t file,
                        uint64_t row, size_t n_rows, uint8_t *deleted_out, struct dv_error *error_out)
{
    if (file >= function->n_vectors || !thread->is_open[file]) {
        const int status = open_file(function, thread, file, error_out);
        if (status < 0)
            return status;
    }
    struct sink sink = {.out = thread->buffer};
    function->kernel->run[function->sink](&function->open[file].dv, &thread->states[file], row,
                                          (uint32_t)n_rows, &sink);
    if (function->sink == SINK_row_ids)
        spread(deleted_out, n_rows, sink.out, sink.n_out);
    else
        memcpy(deleted_out, thread->buffer, n_rows);
    return 0;
}

static int answer(struct scan_function *function, struct scan_thread *thread, const struct engine_rows *rows,
                  uint8_t *deleted_out, struct dv_error *error_out)
{
    if (!function->kernel) {
        memset(deleted_out, 0, rows->n_rows);
        return 0;
    }
    for (size_t begin = 0; begin < rows->n_rows;) {
        const size_t end = piece_end(rows, begin);
        if (rows->row[begin] < 0)
            return dv_fail(error_out, DV_ERROR_IO, "the engine passed a negative row number");
        const int status = answer_piece(function, thread, rows->file[begin], (uint64_t)rows->row[begin],
                                        end - begin, deleted_out + begin, error_out);
        if (status < 0)
            return status;
        thread->counts.n_pieces++;
        begin = end;
    }
    return 0;
}

/* The function itself. `user` is the struct scan_function. */
static int answer_rows(void *user, const struct engine_rows *rows, uint8_t *deleted_out,
                       struct dv_error *error_out)
{
    struct scan_function *function = user;
    const double begin = now_ns(function);
    struct scan_thread *thread = thread_of_caller(function, error_out);
    if (!thread)
        return DV_ERROR_MEMORY;
    const double open_before = thread->counts.open_ns;
    const int status = answer(function, thread, rows, deleted_out, error_out);
    thread->counts.n_vectors++;
    thread->counts.n_rows += rows->n_rows;
    thread->counts.apply_ns += now_ns(function) - begin - (thread->counts.open_ns - open_before);
    return status;
}

/* --- between queries --- */

static void close_thread(struct scan_function *function, struct scan_thread *thread)
{
    for (size_t file = 0; thread->is_open && file < function->n_vectors; file++)
        if (thread->is_open[file] && function->kernel->close)
            function->kernel->close(&thread->states[file]);
    free(thread->states);
    free(thread->is_open);
    free(thread->buffer);
    *thread = (struct scan_thread){0};
}

void scan_function_begin(struct scan_function *function, const struct scan_vector *vectors, size_t n_vectors,
                         const struct kernel *kernel, enum sink_kind sink)
{
    (void)scan_function_end(function);
    function->vectors = vectors;
    function->kernel = kernel;
    function->sink = sink;
    function->open = calloc(n_vectors + 1, sizeof *function->open);
    function->is_open = calloc(n_vectors + 1, sizeof *function->is_open);
    /* Without memory no file is known, and the first call says so. */
    function->n_vectors = function->open && function->is_open ? n_vectors : 0;
}

struct scan_counts scan_function_end(struct scan_function *function)
{
    struct scan_counts sum = {0};
    const size_t n = atomic_load(&function->n_threads);
    for (size_t i = 0; i < n; i++) {
        const struct scan_counts *counts = &function->threads[i].counts;
        sum.n_vectors += counts->n_vectors;
        sum.n_pieces += counts->n_pieces;
        sum.n_rows += counts->n_rows;
        sum.n_opened += counts->n_opened;
        sum.apply_ns += counts->apply_ns;
        sum.open_ns += counts->open_ns;
        close_thread(function, &function->threads[i]);
    }
    sum.clock_ns = (double)sum.n_vectors * function->clock_ns;
    sum.apply_ns = sum.apply_ns > sum.clock_ns ? sum.apply_ns - sum.clock_ns : 0;
    for (size_t file = 0; file < function->n_vectors; file++)
        if (atomic_load(&function->is_open[file]))
            scan_vector_close(&function->open[file]);
    free(function->open);
    free(function->is_open);
    function->open = NULL;
    function->is_open = NULL;
    function->n_vectors = 0;
    atomic_store(&function->n_threads, 0);
    return sum;
}

int scan_function_new(struct scan_function **function_out, struct engine *engine, uint64_t n_threads,
                      struct dv_error *error_out)
{
    struct scan_function *function = *function_out = calloc(1, sizeof *function);
    if (!function)
        return dv_no_memory(error_out);
    pthread_mutex_init(&function->lock, NULL);
    function->clock = n_threads > 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    function->clock_ns = measure_clock(function);
    return engine->add_function(engine, SCAN_FUNCTION_NAME, answer_rows, function, error_out);
}

void scan_function_free(struct scan_function *function)
{
    if (!function)
        return;
    (void)scan_function_end(function);
    pthread_mutex_destroy(&function->lock);
    free(function);
}
