/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes that say how many rows each chunk loses, or which chunks lose any. A chunk here is a chunk of
 * positions, a container: where base or base + rows is not a multiple of 65,536, the first or the last is
 * partial. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "recipe_job.h"
#include "recipe_random.h"

/* Rows [start, end) of the file, those of its chunk number `i`. */
struct chunk_rows {
    uint64_t start;
    uint64_t end;
};

static uint64_t count_chunks(const struct recipe_job *job)
{
    return (job->base % DV_CHUNK_ROWS + job->n_rows + DV_CHUNK_ROWS - 1) / DV_CHUNK_ROWS;
}

static struct chunk_rows rows_of_chunk(const struct recipe_job *job, uint64_t i)
{
    uint64_t before = job->base % DV_CHUNK_ROWS; /* positions of the first chunk below base */
    uint64_t end = (i + 1) * DV_CHUNK_ROWS - before;
    return (struct chunk_rows){.start = i > 0 ? i * DV_CHUNK_ROWS - before : 0,
                               .end = end < job->n_rows ? end : job->n_rows};
}

/* Deletes exactly `count` random rows of those given, at most all of them. */
static int delete_random(struct recipe_job *job, struct chunk_rows rows, uint64_t count,
                         struct recipe_random *random, struct dv_error *error_out)
{
    uint64_t bits[DV_CHUNK_ROWS / 64];
    uint32_t n = (uint32_t)(rows.end - rows.start);
    assert(count <= n);
    recipe_random_subset(random, bits, n, (uint32_t)count);
    return recipe_delete_bits(job, rows.start, bits, n, error_out);
}

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

int generate_exact(struct recipe_job *job, struct dv_error *error_out)
{
    uint64_t count = recipe_count(job, "count");
    uint64_t n_chunks = count > 0 ? count_chunks(job) : 0;
    struct recipe_random random;
    recipe_random_init(&random, job->seed);
    int status = 0;
    for (uint64_t i = 0; !status && i < n_chunks; i++) {
        struct chunk_rows rows = rows_of_chunk(job, i);
        status = delete_random(job, rows, min(count, rows.end - rows.start), &random, error_out);
    }
    return status;
}

/* Selection sampling: whether the next of n_left chunks is among the n_wanted still to be chosen. Draws one
 * number. */
static bool choose(struct recipe_random *random, uint64_t n_left, uint64_t *n_wanted)
{
    bool chosen = recipe_random_below(random, n_left) < *n_wanted;
    *n_wanted -= chosen;
    return chosen;
}

int generate_occupancy(struct recipe_job *job, struct dv_error *error_out)
{
    struct recipe_rate rate = recipe_rate(job, "rate");
    if (rate.numerator == 0)
        return 0;
    struct recipe_random random;
    struct recipe_geometric gap;
    recipe_random_init(&random, job->seed);
    recipe_geometric_init(&gap, rate.numerator, rate.denominator);
    uint64_t n_chunks = count_chunks(job);
    uint64_t n_wanted = (n_chunks * recipe_count(job, "percent") + 99) / 100;
    int status = 0;
    for (uint64_t i = 0; !status && n_wanted > 0; i++) {
        if (!choose(&random, n_chunks - i, &n_wanted))
            continue;
        struct chunk_rows rows = rows_of_chunk(job, i);
        for (uint64_t row = rows.start + recipe_geometric_next(&gap, &random); !status && row < rows.end;
             row += 1 + recipe_geometric_next(&gap, &random))
            status = recipe_delete(job, row, row + 1, error_out);
    }
    return status;
}

/* The chosen chunks share the deletes evenly; what a partial one cannot take goes to those after it. Where
 * the last ones are partial, fewer rows are deleted than asked for. */
int generate_clustered(struct recipe_job *job, struct dv_error *error_out)
{
    struct recipe_rate fill = recipe_rate(job, "fill");
    uint64_t n_left = recipe_share(recipe_rate(job, "rate"), job->n_rows);
    uint64_t per_chunk = recipe_share(fill, DV_CHUNK_ROWS);
    uint64_t n_chunks = count_chunks(job);
    uint64_t n_wanted = per_chunk > 0 ? (n_left + per_chunk - 1) / per_chunk : 0;
    if (n_left > 0 && (per_chunk == 0 || n_wanted > n_chunks))
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "clustered: %" PRIu64 " deletes do not fit into %" PRIu64
                       " chunks at this fill; raise fill or lower rate",
                       n_left, n_chunks);
    struct recipe_random random;
    recipe_random_init(&random, job->seed);
    int status = 0;
    for (uint64_t i = 0; !status && n_wanted > 0; i++) {
        uint64_t share = (n_left + n_wanted - 1) / n_wanted;
        if (!choose(&random, n_chunks - i, &n_wanted))
            continue;
        struct chunk_rows rows = rows_of_chunk(job, i);
        uint64_t count = min(share, rows.end - rows.start);
        status = delete_random(job, rows, count, &random, error_out);
        n_left -= count;
    }
    return status;
}

/* --- zipf --- */

/* A random permutation of [0, n): for i from n - 1 down to 1, item i changes places with one drawn below i
 * + 1. */
static void shuffle(uint32_t *items, uint64_t n, struct recipe_random *random)
{
    for (uint64_t i = 0; i < n; i++)
        items[i] = (uint32_t)i;
    for (uint64_t i = n; i-- > 1;) {
        uint64_t j = recipe_random_below(random, i + 1);
        uint32_t swapped = items[i];
        items[i] = items[j];
        items[j] = swapped;
    }
}

/* 2^40 / rank^exponent, rounded down. */
static uint64_t zipf_weight(uint64_t rank, uint64_t exponent)
{
    uint64_t weight = UINT64_C(1) << 40;
    while (exponent-- > 0)
        weight /= rank;
    return weight;
}

/* counts[c] = deletes of chunk c, by the rank it has in by_rank: the differences of floor(total * cumulative
 * weight / all weights). What a chunk cannot take goes to the next rank, and from the last round to the
 * first. */
static void share_out(const struct recipe_job *job, const uint32_t *by_rank, uint64_t n_chunks,
                      uint64_t total, uint32_t *counts)
{
    uint64_t exponent = recipe_count(job, "exponent");
    uint64_t all_weights = 0, cumulative = 0, shared = 0, n_over = 0;
    for (uint64_t rank = 1; rank <= n_chunks; rank++)
        all_weights += zipf_weight(rank, exponent);
    for (uint64_t rank = 1; rank <= n_chunks; rank++) {
        struct chunk_rows rows = rows_of_chunk(job, by_rank[rank - 1]);
        cumulative += zipf_weight(rank, exponent);
        uint64_t shared_now = (uint64_t)((unsigned __int128)total * cumulative / all_weights);
        uint64_t wanted = shared_now - shared + n_over;
        uint64_t count = min(wanted, rows.end - rows.start);
        counts[by_rank[rank - 1]] = (uint32_t)count;
        n_over = wanted - count;
        shared = shared_now;
    }
    for (uint64_t rank = 1; rank <= n_chunks && n_over > 0; rank++) {
        struct chunk_rows rows = rows_of_chunk(job, by_rank[rank - 1]);
        uint64_t more = min(n_over, rows.end - rows.start - counts[by_rank[rank - 1]]);
        counts[by_rank[rank - 1]] += (uint32_t)more;
        n_over -= more;
    }
}

int generate_zipf(struct recipe_job *job, struct dv_error *error_out)
{
    uint64_t n_chunks = count_chunks(job); /* below 2^25, since rows are at most 2^40 */
    uint64_t total = recipe_share(recipe_rate(job, "rate"), job->n_rows);
    uint32_t *by_rank = malloc(n_chunks * sizeof *by_rank);
    uint32_t *counts = malloc(n_chunks * sizeof *counts);
    struct recipe_random random;
    int status = 0;
    if (!by_rank || !counts) {
        status = dv_no_memory(error_out);
        goto out;
    }
    recipe_random_init(&random, job->seed);
    shuffle(by_rank, n_chunks, &random);
    share_out(job, by_rank, n_chunks, total, counts);
    for (uint64_t i = 0; !status && i < n_chunks; i++) {
        if (counts[i] > 0)
            status = delete_random(job, rows_of_chunk(job, i), counts[i], &random, error_out);
    }
out:
    free(by_rank);
    free(counts);
    return status;
}
