/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cpu.h"
#include "dvkernels.h"
#include "kernel_instance.h"

struct reader_kernel {
    const char *id;
    enum isa isa;
    kernel_open_fn *open;
    kernel_close_fn *close;
    kernel_fn *run[N_SINKS];
};

struct dv_reader {
    struct dv dv; /* only the view */
    const struct reader_kernel *kernel;
    struct kernel_state state;
};

#define RUN(id, sink, ...) [SINK_##sink] = id##_##sink,
#define READER_KERNEL(id_, isa_, hooks)                                                                      \
    {                                                                                                        \
        .id = #id_, .isa = isa_, .open = hooks##_open, .close = hooks##_close, .run = {                      \
            FOR_EACH_SINK(RUN, id_)                                                                          \
        }                                                                                                    \
    }

/* Fastest first; the last one runs everywhere. direct_bmi2 is not among them: no CPU that lacks AVX2 runs it
 * faster than direct_scalar. */
static const struct reader_kernel reader_kernels[] = {
#if defined(__x86_64__)
    READER_KERNEL(direct_avx512, ISA_AVX512_VBMI2, direct_flags),
    READER_KERNEL(direct_avx512_base, ISA_AVX512, direct_flags),
    READER_KERNEL(direct_avx2, ISA_AVX2, direct_flags),
#elif defined(__aarch64__)
    READER_KERNEL(direct_neon, ISA_NEON, direct_flags),
#endif
    READER_KERNEL(direct_scalar, ISA_GENERIC, direct_words),
};

int dv_reader_open(struct dv_reader **reader_out, const uint8_t *bytes, size_t n_bytes,
                   struct dv_error *error_out)
{
    *reader_out = NULL;
    int status = cpu_mask_check(error_out);
    if (status != 0)
        return status;
    struct dv_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return dv_no_memory(error_out);
    reader->kernel = reader_kernels;
    while (!cpu_has(reader->kernel->isa))
        reader->kernel++;
    reader->dv.bytes = bytes;
    reader->dv.n_bytes = n_bytes;
    status = dv_view_index(&reader->dv.view, bytes, n_bytes, error_out);
    if (status == 0)
        status = dv_view_validate(&reader->dv.view, bytes, error_out);
    if (status == 0)
        status = reader->kernel->open(&reader->dv, &reader->state, error_out);
    if (status != 0) {
        dv_view_free(&reader->dv.view);
        free(reader);
        return status;
    }
    *reader_out = reader;
    return 0;
}

uint32_t dv_reader_apply(struct dv_reader *reader, enum sink_kind kind, uint64_t start, uint32_t n_rows,
                         struct sink *sink)
{
    return reader->kernel->run[kind](&reader->dv, &reader->state, start, n_rows, sink);
}

uint64_t dv_reader_cardinality(const struct dv_reader *reader)
{
    return reader->dv.view.cardinality;
}

static uint16_t le16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* Offsets in their chunk; a validated container holds at least one position. */
static uint32_t first_of(const struct dv_container *container)
{
    if (container->kind != DV_BITSET)
        return le16(container->bytes + (container->kind == DV_RUN ? 2 : 0));
    uint32_t i = 0;
    while (container->bytes[i] == 0)
        i++;
    return i * 8 + (uint32_t)__builtin_ctz(container->bytes[i]);
}

static uint32_t last_of(const struct dv_container *container)
{
    if (container->kind == DV_ARRAY)
        return le16(container->bytes + 2 * (size_t)(container->cardinality - 1));
    if (container->kind == DV_RUN) {
        const uint8_t *run = container->bytes + 2 + 4 * (size_t)(container->n_runs - 1);
        return (uint32_t)le16(run) + le16(run + 2);
    }
    uint32_t i = DV_BITSET_BYTES - 1;
    while (container->bytes[i] == 0)
        i--;
    return i * 8 + 31 - (uint32_t)__builtin_clz(container->bytes[i]);
}

void dv_reader_stats(const struct dv_reader *reader, struct dv_reader_stats *stats_out)
{
    const struct dv_view *view = &reader->dv.view;
    const size_t n = view->n_containers;
    *stats_out = (struct dv_reader_stats){
        .n_deleted = view->cardinality,
        .n_arrays = view->n_kind[DV_ARRAY],
        .n_bitsets = view->n_kind[DV_BITSET],
        .n_run_chunks = view->n_kind[DV_RUN],
        .first_deleted = UINT64_MAX,
        .last_deleted = UINT64_MAX,
        .payload_bytes = reader->dv.n_bytes,
        .reader_bytes = sizeof *reader + n * sizeof *view->containers + reader->state.n_bytes,
    };
    for (size_t i = 0; i < n; i++)
        stats_out->n_runs += view->containers[i].n_runs;
    if (n == 0)
        return;
    const struct dv_container *first = view->containers, *last = first + n - 1;
    stats_out->first_deleted = dv_container_start(first) + first_of(first);
    stats_out->last_deleted = dv_container_start(last) + last_of(last);
}

const char *dv_reader_kernel(const struct dv_reader *reader)
{
    return reader->kernel->id;
}

void dv_reader_close(struct dv_reader *reader)
{
    if (!reader)
        return;
    reader->kernel->close(&reader->state);
    dv_view_free(&reader->dv.view);
    free(reader);
}
