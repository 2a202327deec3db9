/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cpu.h"
#include "kernel.h"
#include "kernel_instance.h"

/* What a row's `build` column may ask for: HAVE_x says whether this program has it, MISSING_x why not. */
#define HAVE_any    1
#define MISSING_any NULL

#if DVBENCH_HAVE_ROARING
#define HAVE_croaring 1
#define NO_CROARING_  "CRoaring " DVBENCH_ROARING_VERSION " has no "
#else
#define HAVE_croaring 0
#define NO_CROARING_  "built without CRoaring, which would bring "
#endif
#define MISSING_croaring "built without CRoaring"

#if DVBENCH_HAVE_ROARING_BULK
#define HAVE_croaring_bulk 1
#else
#define HAVE_croaring_bulk 0
#endif
#define MISSING_croaring_bulk NO_CROARING_ "roaring_bitmap_contains_bulk"

#if DVBENCH_HAVE_ROARING64
#define HAVE_croaring64 1
#else
#define HAVE_croaring64 0
#endif
#define MISSING_croaring64 NO_CROARING_ "roaring64.h"

#if defined(__x86_64__)
#define HAVE_x86 1
#define HAVE_arm 0
#elif defined(__aarch64__)
#define HAVE_x86 0
#define HAVE_arm 1
#else
#define HAVE_x86 0
#define HAVE_arm 0
#endif
#define MISSING_x86 "code for x86-64, built for another architecture"
#define MISSING_arm "code for aarch64, built for another architecture"

#if DVBENCH_HAVE_ROARING
#define HAVE_croaring_x86    HAVE_x86
#define HAVE_croaring_arm    HAVE_arm
#define MISSING_croaring_x86 MISSING_x86
#define MISSING_croaring_arm MISSING_arm
#else
#define HAVE_croaring_x86    0
#define HAVE_croaring_arm    0
#define MISSING_croaring_x86 MISSING_croaring
#define MISSING_croaring_arm MISSING_croaring
#endif

/* IF(HAVE_x)(tokens): the tokens where it is 1, nothing where it is 0. */
#define IF_0(...)
#define IF_1(...)         __VA_ARGS__
#define IF_JOIN(have)     IF_##have
#define IF(have)          IF_JOIN(have)
#define REASON_0(why)     why
#define REASON_1(why)     NULL
#define REASON_JOIN(have) REASON_##have
#define REASON(have)      REASON_JOIN(have)

/* A duplicate id is a redefined enumerator. */
#define KERNEL(id, ...) KERNEL_##id,
enum kernel_index {
#include "kernels.def"
    N_KERNELS
};
#undef KERNEL

#define none_open  NULL
#define none_close NULL

#define SINK_BIT(kernel_id, sink, ...) | 1u << SINK_##sink
#define SINK_RUN(kernel_id, sink, ...) [SINK_##sink] = kernel_id##_##sink,
#define KERNEL(id_, technique_, build_, isa_, needs_, sinks_, flags_, hooks_, stands_for_, description_)     \
    [KERNEL_##id_] = {                                                                                       \
        .id = #id_,                                                                                          \
        .technique = #technique_,                                                                            \
        .stands_for = stands_for_,                                                                           \
        .description = description_,                                                                         \
        .isa = isa_,                                                                                         \
        .needs = needs_,                                                                                     \
        .sinks = 0 KERNEL_SINKS_##sinks_(SINK_BIT, id_),                                                     \
        .flags = flags_,                                                                                     \
        IF(HAVE_##build_)(.open = hooks_##_open, .close = hooks_##_close,                                    \
                          .run = {KERNEL_SINKS_##sinks_(SINK_RUN, id_)}, )                                   \
            .missing = REASON(HAVE_##build_)(MISSING_##build_),                                              \
    },
static const struct kernel kernels[N_KERNELS] = {
#include "kernels.def"
};
#undef KERNEL

static const struct kernel *added[KERNELS_ADDED_MOST];
static size_t n_added;

size_t kernels_count(void)
{
    return N_KERNELS + n_added;
}

const struct kernel *kernel_at(size_t index)
{
    return index < N_KERNELS ? &kernels[index] : added[index - N_KERNELS];
}

const struct kernel *kernel_find(const char *id)
{
    for (size_t i = 0; i < kernels_count(); i++)
        if (strcmp(kernel_at(i)->id, id) == 0)
            return kernel_at(i);
    return NULL;
}

int kernel_add(const struct kernel *kernel)
{
    if (n_added == KERNELS_ADDED_MOST)
        return -1;
    added[n_added++] = kernel;
    return 0;
}

const char *kernel_unavailable(const struct kernel *kernel, enum sink_kind sink)
{
    static const char *const lacks[N_ISAS] = {
        [ISA_GENERIC] = "",
        [ISA_BMI2] = "this CPU lacks bmi2 or DVBENCH_CPU_MASK hides it",
        [ISA_AVX2] = "this CPU lacks avx2 or DVBENCH_CPU_MASK hides it",
        [ISA_AVX512] = "this CPU lacks avx512 (f bw dq vl) or DVBENCH_CPU_MASK hides it",
        [ISA_AVX512_VBMI2] = "this CPU lacks avx512_vbmi2 or DVBENCH_CPU_MASK hides it",
        [ISA_NEON] = "this CPU lacks neon or DVBENCH_CPU_MASK hides it",
    };
    if (kernel->missing)
        return kernel->missing;
    if (!cpu_has(kernel->isa))
        return lacks[kernel->isa];
    if (kernel->flags & KERNEL_IS_FOREIGN && !(kernel->sinks >> sink & 1))
        return "the plugin does not offer this sink";
    return kernel->sinks >> sink & 1
               ? NULL
               : "only row_ids is built for this variant; use the plain kernel for other sinks";
}
