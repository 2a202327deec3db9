/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "counters_pass.h"

static uint32_t empty_kernel(const struct dv *dv, struct kernel_state *state, uint64_t start, uint32_t n_rows,
                             struct sink *sink)
{
    (void)dv;
    (void)state;
    (void)start;
    (void)sink;
    return n_rows;
}

static int buffer_open(struct counters_pass *pass, enum sink_kind sink, struct dv_error *error_out)
{
    uint32_t most = 0;
    const struct batches *lists[] = {pass->visits.batches, pass->visits.before};
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; lists[list] && i < lists[list]->n_items; i++)
            if (lists[list]->items[i].n_rows > most)
                most = lists[list]->items[i].n_rows;
    size_t n_bytes = (dv_sink_bytes(sink, most) + SINK_SLACK_BYTES + 63) / 64 * 64;
    pass->sink.out = aligned_alloc(64, n_bytes);
    if (!pass->sink.out)
        return dv_fail(error_out, DV_ERROR_MEMORY, "no %zu bytes for a sink buffer", n_bytes);
    memset(pass->sink.out, 0, n_bytes);
    return 0;
}

int counters_pass_open(struct counters_pass *pass_out, const struct dv *dv,
                       const struct counters_visits *visits, const struct kernel *kernel, enum sink_kind sink,
                       struct dv_error *error_out)
{
    *pass_out = (struct counters_pass){
        .dv = dv,
        .visits = *visits,
        .kernel = kernel,
        .run = kernel ? kernel->run[sink] : empty_kernel,
    };
    int status = buffer_open(pass_out, sink, error_out);
    if (status == 0 && kernel && kernel->open)
        status = kernel->open(dv, &pass_out->state, error_out);
    if (status != 0) {
        pass_out->kernel = NULL; /* its state did not open */
        counters_pass_close(pass_out);
    }
    return status;
}

/* Also where the kernel does not run it: the switches are counted with each kernel, the empty one too. */
static void __attribute__((noinline)) run_before(struct counters_pass *pass, size_t at)
{
    const struct batch *before = &pass->visits.before->items[at];
    pass->visits.set_counting(false);
    if (before->n_rows && pass->kernel && pass->kernel->open)
        pass->run(pass->dv, &pass->state, before->start, before->n_rows, &pass->sink);
    pass->visits.set_counting(true);
}

void __attribute__((noinline)) counters_pass_run(struct counters_pass *pass)
{
    const struct batch *items = pass->visits.batches->items;
    const size_t step = pass->visits.replay ? 0 : 1;
    kernel_fn *run = pass->run;
    uint64_t n_live = 0;
    for (size_t i = 0, at = 0; i < pass->visits.n_visits; i++, at += step) {
        if (pass->visits.before)
            run_before(pass, at);
        n_live += run(pass->dv, &pass->state, items[at].start, items[at].n_rows, &pass->sink);
    }
    pass->n_live = n_live;
}

uint64_t counters_pass_rows(const struct counters_pass *pass)
{
    if (pass->visits.replay)
        return (uint64_t)pass->visits.n_visits * pass->visits.batches->items[0].n_rows;
    uint64_t n_rows = 0;
    for (size_t i = 0; i < pass->visits.n_visits; i++)
        n_rows += pass->visits.batches->items[i].n_rows;
    return n_rows;
}

void counters_pass_close(struct counters_pass *pass)
{
    if (pass->kernel && pass->kernel->close)
        pass->kernel->close(&pass->state);
    free(pass->sink.out);
    *pass = (struct counters_pass){0};
}
