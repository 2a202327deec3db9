/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cpu.h"

static const char *const isa_ids[N_ISAS] = {
    [ISA_GENERIC] = "generic", [ISA_BMI2] = "bmi2", [ISA_AVX2] = "avx2",
    [ISA_AVX512] = "avx512",   [ISA_NEON] = "neon", [ISA_AVX512_VBMI2] = "avx512_vbmi2",
};

const char *isa_id(enum isa isa)
{
    return isa_ids[isa];
}

static bool hardware_has(enum isa isa)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    switch (isa) {
    case ISA_GENERIC:
        return true;
    case ISA_BMI2:
        /* lzcnt is not asked for: no CPU has bmi2 without it, and older compilers do not know its name
         * here. */
        return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("popcnt");
    case ISA_AVX2:
        return __builtin_cpu_supports("avx2") && hardware_has(ISA_BMI2);
    case ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               hardware_has(ISA_AVX2);
    case ISA_AVX512_VBMI2:
        return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("avx512vpopcntdq") && hardware_has(ISA_AVX512);
    default:
        return false;
    }
#elif defined(__aarch64__)
    return isa == ISA_GENERIC || isa == ISA_NEON;
#else
    return isa == ISA_GENERIC;
#endif
}

/* Whether the comma list `mask` names `id`. */
static bool mask_keeps(const char *mask, const char *id)
{
    size_t n_id = strlen(id);
    for (const char *item = mask; item; item = strchr(item, ',')) {
        item += *item == ',';
        if (strncmp(item, id, n_id) == 0 && (item[n_id] == ',' || item[n_id] == '\0'))
            return true;
    }
    return false;
}

static unsigned ask(void)
{
    const char *mask = getenv("DVBENCH_CPU_MASK");
    unsigned has = 1u << ISA_GENERIC;
    for (int isa = ISA_GENERIC + 1; isa < N_ISAS; isa++)
        if (hardware_has(isa) && (!mask || mask_keeps(mask, isa_id(isa))))
            has |= 1u << isa;
    return has;
}

bool cpu_has(enum isa isa)
{
    static unsigned has; /* 0 until asked: the bit of ISA_GENERIC is always set */
    if (!has)
        has = ask();
    return has >> isa & 1;
}
