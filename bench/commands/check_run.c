/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int check_tally_open(struct check_tally *tally_out, struct dv_error *error_out)
{
    size_t n_kernels = kernels_count();
    *tally_out = (struct check_tally){
        .n_kernels = n_kernels,
        .cells = calloc(n_kernels, sizeof *tally_out->cells),
        .sinks = calloc(n_kernels, sizeof *tally_out->sinks),
    };
    if (!tally_out->cells || !tally_out->sinks) {
        check_tally_close(tally_out);
        return dv_no_memory(error_out);
    }
    for (size_t i = 0; i < n_kernels; i++)
        tally_out->sinks[i] = SINK_ALL;
    return 0;
}

void check_tally_close(struct check_tally *tally)
{
    free(tally->cells);
    free(tally->sinks);
    verify_room_close(&tally->room);
    *tally = (struct check_tally){0};
}

static void note(struct check_cell *cell, const struct check_case *check, const struct verdict *verdict)
{
    switch (verdict->kind) {
    case VERDICT_OK:
        cell->n_ok++;
        break;
    case VERDICT_UNAVAILABLE:
        cell->n_unavailable++;
        snprintf(cell->unavailable, sizeof cell->unavailable, "%s", verdict->reason);
        break;
    case VERDICT_WRONG:
        if (cell->n_wrong++ == 0)
            snprintf(cell->wrong, sizeof cell->wrong, "%s: %s", check->name, verdict->reason);
        break;
    }
}

/* One kernel into one sink. Returns 0 with the verdict, or a negative code. */
static int verify_one(const struct kernel *kernel, enum sink_kind sink, struct check_case *check,
                      const struct verify_options *options, struct verdict *verdict_out,
                      struct dv_error *error_out)
{
    int status = kernel_unavailable(kernel, sink) ? 0 : dv_add(&check->dv, kernel->needs, error_out);
    if (status == DV_ERROR_UNAVAILABLE) {
        verdict_out->kind = VERDICT_UNAVAILABLE;
        snprintf(verdict_out->reason, sizeof verdict_out->reason, "%s", error_out->message);
        return 0;
    }
    if (status != 0)
        return status;
    return verify_kernel(kernel, &check->dv, &check->batches, sink, options, verdict_out, error_out);
}

/* A kernel that expands a file of far keys to gigabytes shows it in one sink; in all of them it would take
 * minutes. */
enum { MAX_STATE_BYTES = 64 << 20 };

/* One kernel into each of its sinks. */
static int run_kernel(struct check_tally *tally, size_t index, struct check_case *check,
                      const struct verify_options *options, struct dv_error *error_out)
{
    const struct kernel *kernel = kernel_at(index);
    for (int sink = 0; sink < N_SINKS; sink++) {
        struct verdict verdict = {.kind = VERDICT_OK};
        if (!(tally->sinks[index] & kernel->sinks & 1u << sink))
            continue;
        int status = verify_one(kernel, (enum sink_kind)sink, check, options, &verdict, error_out);
        if (status < 0)
            return status;
        note(&tally->cells[index][sink], check, &verdict);
        if (verdict.state_bytes > MAX_STATE_BYTES)
            break;
    }
    return 0;
}

int check_run(struct check_tally *tally, struct check_case *check, uint64_t seed, struct dv_error *error_out)
{
    const struct verify_options options = {.room = &tally->room, .seed = seed, .shuffled = 1, .gaps = 1};
    struct dv_error error = {0};
    int status = 0;
    tally->n_cases++;
    for (size_t i = 0; i < tally->n_kernels && status == 0; i++)
        status = run_kernel(tally, i, check, &options, &error);
    if (status < 0)
        *error_out = error;
    return status;
}

uint64_t check_tally_wrong(const struct check_tally *tally)
{
    uint64_t n = 0;
    for (size_t i = 0; i < tally->n_kernels; i++)
        for (int sink = 0; sink < N_SINKS; sink++)
            n += tally->cells[i][sink].n_wrong;
    return n;
}

uint64_t check_tally_ok(const struct check_tally *tally)
{
    uint64_t n = 0;
    for (size_t i = 0; i < tally->n_kernels; i++)
        for (int sink = 0; sink < N_SINKS; sink++)
            n += tally->cells[i][sink].n_ok;
    return n;
}
