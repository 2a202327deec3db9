/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of the article's microbenchmark, which replayed the 5,000 rows from 30,268 on of a single
 * chunk. The three random patterns each start a java.util.Random with the seed 20260817 and add
 * nextInt(65536) until the cardinality is reached. That generator is a 48-bit linear congruence: state =
 * state * 0x5DEECE66D + 0xB from seed XOR 0x5DEECE66D, and nextInt of a power of two takes the highest bits
 * of the state. */
#include "recipe_job.h"

enum {
    BATCH_START = 30268,
    SEED_RANDOM = 20260817,
    N_BLOCKS = 51,
    BLOCK_ROWS = 64,
    BLOCK_STEP = DV_CHUNK_ROWS / N_BLOCKS,
};

static int delete_java_random(struct recipe_job *job, uint32_t cardinality, struct dv_error *error_out)
{
    const uint64_t multiplier = 0x5DEECE66D, state_mask = (UINT64_C(1) << 48) - 1;
    uint64_t state = SEED_RANDOM ^ multiplier;
    uint64_t bits[DV_CHUNK_ROWS / 64] = {0};
    for (uint32_t n_rows = 0; n_rows < cardinality;) {
        state = (state * multiplier + 0xB) & state_mask;
        uint64_t row = state >> 32; /* the highest 16 of 48 bits */
        n_rows += !(bits[row / 64] >> row % 64 & 1);
        bits[row / 64] |= UINT64_C(1) << row % 64;
    }
    return recipe_delete_bits(job, 0, bits, DV_CHUNK_ROWS, error_out);
}

static int delete_blocks(struct recipe_job *job, struct dv_error *error_out)
{
    int status = 0;
    for (uint64_t i = 0; !status && i < N_BLOCKS; i++)
        status = recipe_delete(job, i * BLOCK_STEP, i * BLOCK_STEP + BLOCK_ROWS, error_out);
    return status;
}

int generate_microbench(struct recipe_job *job, struct dv_error *error_out)
{
    if (recipe_is(job, "pattern", "sparse_0_5"))
        return delete_java_random(job, DV_CHUNK_ROWS * 5 / 1000, error_out);
    if (recipe_is(job, "pattern", "medium_5"))
        return delete_java_random(job, DV_CHUNK_ROWS * 5 / 100, error_out);
    if (recipe_is(job, "pattern", "dense_12"))
        return delete_java_random(job, DV_CHUNK_ROWS * 12 / 100, error_out);
    if (recipe_is(job, "pattern", "run_contig"))
        return recipe_delete(job, DV_CHUNK_ROWS * 35 / 100, DV_CHUNK_ROWS * 65 / 100, error_out);
    if (recipe_is(job, "pattern", "run_partial"))
        return delete_blocks(job, error_out);
    return recipe_delete(job, 0, BATCH_START, error_out); /* empty_batch */
}
