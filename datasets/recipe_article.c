/* SPDX-License-Identifier: Apache-2.0 */
/* The article's own deletion sets, bit for bit. Its tables were made by Spark: a row is deleted iff
 *
 *   pmod(hash(key, 20260817), 10000) < bp
 *
 * where hash is Murmur3 x86 32 chained over the columns from seed 42: a BIGINT is two words, the low one
 * first, and its hash is the seed of the next column; an INT is one word. The result is a signed number and
 * pmod makes it non-negative.
 *
 * Three axes: `rate` takes the row's number in a table of four files of 2,000,000 rows as the key; `runs`
 * takes row div length, which deletes whole runs and makes the four files alike; `occupancy` takes the row
 * (files of 8,000,000 rows) and lets only those chunks have deletes for which a second hash, of the chunk's
 * number with the seed 20260818, is below 100 * percent. */
#include <stdint.h>

#include "recipe_job.h"

enum {
    SPARK_SEED = 42,
    ROW_SEED = 20260817,
    CHUNK_SEED = 20260818,
    MODULUS = 10000,
    TABLE_FILE_ROWS = 2000000, /* of the axes `rate` and `runs` */
};

static uint32_t rotate_left(uint32_t x, unsigned n_bits)
{
    return x << n_bits | x >> (32 - n_bits);
}

static uint32_t murmur3_word(uint32_t hash, uint32_t word)
{
    word *= 0xcc9e2d51;
    word = rotate_left(word, 15) * 0x1b873593;
    return rotate_left(hash ^ word, 13) * 5 + 0xe6546b64;
}

static uint32_t murmur3_finish(uint32_t hash, uint32_t n_bytes)
{
    hash ^= n_bytes;
    hash = (hash ^ hash >> 16) * 0x85ebca6b;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35;
    return hash ^ hash >> 16;
}

/* pmod(hash(key, salt), 10000), key a BIGINT and salt an INT. */
static uint32_t spark_bucket(uint64_t key, uint32_t salt)
{
    uint32_t hash = murmur3_word(SPARK_SEED, (uint32_t)key);
    hash = murmur3_finish(murmur3_word(hash, (uint32_t)(key >> 32)), 8);
    hash = murmur3_finish(murmur3_word(hash, salt), 4);
    int32_t remainder = (int32_t)hash % MODULUS;
    return (uint32_t)(remainder < 0 ? remainder + MODULUS : remainder);
}

/* Deletes those of the rows [start, end) whose key's hash falls below `bp`; row r has the key (first_key + r)
 * div length. */
static int delete_hashed(struct recipe_job *job, uint64_t start, uint64_t end, uint64_t first_key,
                         uint64_t length, uint64_t bp, struct dv_error *error_out)
{
    int status = 0;
    for (uint64_t row = start; !status && row < end;) {
        uint64_t key = (first_key + row) / length;
        uint64_t next_row = (key + 1) * length - first_key;
        if (spark_bucket(key, ROW_SEED) < bp)
            status = recipe_delete(job, row, next_row < end ? next_row : end, error_out);
        row = next_row;
    }
    return status;
}

int generate_article(struct recipe_job *job, struct dv_error *error_out)
{
    uint64_t bp = recipe_count(job, "bp");
    if (recipe_is(job, "axis", "rate"))
        return delete_hashed(job, 0, job->n_rows, recipe_count(job, "file") * TABLE_FILE_ROWS, 1, bp,
                             error_out);
    if (recipe_is(job, "axis", "runs"))
        return delete_hashed(job, 0, job->n_rows, 0, recipe_count(job, "length"), bp, error_out);

    uint64_t chosen_below = 100 * recipe_count(job, "percent");
    int status = 0;
    for (uint64_t chunk = 0; !status && chunk * DV_CHUNK_ROWS < job->n_rows; chunk++) {
        uint64_t start = chunk * DV_CHUNK_ROWS;
        uint64_t end = start + DV_CHUNK_ROWS < job->n_rows ? start + DV_CHUNK_ROWS : job->n_rows;
        if (spark_bucket(chunk, CHUNK_SEED) < chosen_below)
            status = delete_hashed(job, start, end, 0, 1, bp, error_out);
    }
    return status;
}
