/* SPDX-License-Identifier: Apache-2.0 */
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Turns of a worker at the gate before it lets others have its CPU: one that must yield there shares it. */
enum { SPINS = 10000 };

struct workers_gate {
    size_t n;
    atomic_size_t n_waiting;
    atomic_size_t n_opened; /* how often all have come */
    atomic_llong opened_ns;
    pthread_mutex_t started; /* held until all threads are there */
    bool is_cancelled;
};

struct worker_thread {
    pthread_t thread;
    struct workers_gate *gate;
    workers_fn *work;
    void *context;
    size_t index;
};

int64_t workers_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t workers_wait(struct workers_gate *gate)
{
    const size_t n_opened = atomic_load(&gate->n_opened);
    if (atomic_fetch_add(&gate->n_waiting, 1) + 1 == gate->n) {
        atomic_store(&gate->n_waiting, 0);
        atomic_store(&gate->opened_ns, workers_now_ns());
        atomic_fetch_add(&gate->n_opened, 1);
    } else {
        for (long n_spins = 0; atomic_load(&gate->n_opened) == n_opened; n_spins++)
            if (n_spins >= SPINS)
                sched_yield();
    }
    return atomic_load(&gate->opened_ns);
}

static void *begin(void *argument)
{
    const struct worker_thread *thread = argument;
    pthread_mutex_lock(&thread->gate->started);
    const bool is_cancelled = thread->gate->is_cancelled;
    pthread_mutex_unlock(&thread->gate->started);
    if (!is_cancelled)
        thread->work(thread->context, thread->index, thread->gate);
    return NULL;
}

/* Pinned from its first instruction: what it allocates is then of its own node. */
static int start(struct worker_thread *thread, int cpu)
{
    pthread_attr_t attributes;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    pthread_attr_init(&attributes);
    int failed = pthread_attr_setaffinity_np(&attributes, sizeof cpus, &cpus);
    if (!failed)
        failed = pthread_create(&thread->thread, &attributes, begin, thread);
    pthread_attr_destroy(&attributes);
    return failed;
}

int workers_call(const int *cpus, size_t n, workers_fn *work, void *context, struct dv_error *error_out)
{
    struct workers_gate gate = {.n = n, .started = PTHREAD_MUTEX_INITIALIZER};
    struct worker_thread *threads = calloc(n + 1, sizeof *threads);
    if (!threads)
        return dv_no_memory(error_out);
    size_t n_started = 0;
    int failed = 0;
    pthread_mutex_lock(&gate.started);
    while (n_started < n && !failed) {
        threads[n_started] =
            (struct worker_thread){.gate = &gate, .work = work, .context = context, .index = n_started};
        failed = start(&threads[n_started], cpus[n_started]);
        n_started += !failed;
    }
    gate.is_cancelled = failed != 0;
    pthread_mutex_unlock(&gate.started);
    for (size_t i = 0; i < n_started; i++)
        pthread_join(threads[i].thread, NULL);
    free(threads);
    return failed ? dv_fail(error_out, DV_ERROR_UNAVAILABLE, "cannot start thread %zu of %zu on CPU %d: %s",
                            n_started + 1, n, cpus[n_started], strerror(failed))
                  : 0;
}
