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

/* The bit of the ISA that has this id; 0 where none has. */
static unsigned isa_bit(const char *id, size_t n_id)
{
    for (int isa = 0; isa < N_ISAS; isa++)
        if (strlen(isa_ids[isa]) == n_id && memcmp(isa_ids[isa], id, n_id) == 0)
            return 1u << isa;
    return 0;
}

/* What the comma list `mask` keeps. Its first unknown word, if it has one, is *unknown_out, else that is NULL. */
static unsigned kept_by(const char *mask, const char **unknown_out)
{
    unsigned kept = 1u << ISA_GENERIC;
    *unknown_out = NULL;
    for (const char *word = mask; *word;) {
        size_t n_word = strcspn(word, ",");
        unsigned bit = isa_bit(word, n_word);
        if (bit == 0 && !*unknown_out)
            *unknown_out = word;
        kept |= bit;
        word += n_word + (word[n_word] == ',');
    }
    return kept;
}

int cpu_mask_check(struct dv_error *error_out)
{
    const char *mask = getenv("DVBENCH_CPU_MASK"), *unknown = NULL;
    char known[128] = "";
    if (!mask)
        return 0;
    (void)kept_by(mask, &unknown);
    if (!unknown)
        return 0;
    for (int isa = 0; isa < N_ISAS; isa++) {
        strcat(known, isa > 0 ? ", " : "");
        strcat(known, isa_ids[isa]);
    }
    return dv_fail(error_out, DV_ERROR_USAGE, "DVBENCH_CPU_MASK: unknown word '%.*s'; known: %s",
                   (int)strcspn(unknown, ","), unknown, known);
}

static unsigned ask(void)
{
    const char *mask = getenv("DVBENCH_CPU_MASK"), *unknown;
    unsigned has = 1u << ISA_GENERIC;
    for (int isa = ISA_GENERIC + 1; isa < N_ISAS; isa++)
        if (hardware_has(isa))
            has |= 1u << isa;
    return mask ? has & kept_by(mask, &unknown) : has;
}

bool cpu_has(enum isa isa)
{
    static unsigned has; /* 0 until asked: the bit of ISA_GENERIC is always set */
    if (!has)
        has = ask();
    return has >> isa & 1;
}
