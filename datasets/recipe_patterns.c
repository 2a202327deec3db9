/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes that walk the file from its first row on and know nothing of chunks. */
#include <inttypes.h>

#include "recipe_job.h"
#include "recipe_random.h"

int generate_uniform(struct recipe_job *job, struct dv_error *error_out)
{
    struct recipe_rate rate = recipe_rate(job, "rate");
    if (rate.numerator == 0)
        return 0;
    struct recipe_random random;
    struct recipe_geometric gap; /* live rows before the next deleted one */
    recipe_random_init(&random, job->seed);
    recipe_geometric_init(&gap, rate.numerator, rate.denominator);
    int status = 0;
    for (uint64_t row = recipe_geometric_next(&gap, &random); !status && row < job->n_rows;
         row += 1 + recipe_geometric_next(&gap, &random))
        status = recipe_delete(job, row, row + 1, error_out);
    return status;
}

/* The gap between two stretches of `length` deleted rows (in the mean) that makes `rate` of all rows deleted:
 * 1 + a geometric number, its mean length * (1 - rate) / rate. So success has probability rate / (length * (1
 * - rate)), and rates beyond length / (length + 1) would need gaps shorter than one row. rate > 0. */
static int init_gap(const struct recipe_job *job, struct recipe_geometric *gap_out,
                    struct dv_error *error_out)
{
    struct recipe_rate rate = recipe_rate(job, "rate");
    uint64_t length = recipe_count(job, "length");
    unsigned __int128 denominator = (unsigned __int128)length * (rate.denominator - rate.numerator);
    if (rate.numerator > denominator)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%s: rate is at most length / (length + 1), %" PRIu64 " / %" PRIu64
                       " here: a live row is between two runs",
                       job->recipe->id, length, length + 1);
    recipe_geometric_init(gap_out, rate.numerator, denominator);
    return 0;
}

int generate_runs(struct recipe_job *job, struct dv_error *error_out)
{
    if (recipe_rate(job, "rate").numerator == 0)
        return 0;
    uint64_t length = recipe_count(job, "length");
    struct recipe_random random;
    struct recipe_geometric gap;
    recipe_random_init(&random, job->seed);
    int status = init_gap(job, &gap, error_out);
    if (status)
        return status;
    /* The first gap may be of no row, all others are of one at least. */
    for (uint64_t row = recipe_geometric_next(&gap, &random); !status && row < job->n_rows;
         row += length + 1 + recipe_geometric_next(&gap, &random))
        status = recipe_delete(job, row, row + length, error_out);
    return status;
}

int generate_bursts(struct recipe_job *job, struct dv_error *error_out)
{
    if (recipe_rate(job, "rate").numerator == 0)
        return 0;
    struct recipe_random random;
    struct recipe_geometric gap, more; /* more: rows of a burst after its first */
    recipe_random_init(&random, job->seed);
    int status = init_gap(job, &gap, error_out);
    if (status)
        return status;
    recipe_geometric_init(&more, 1, recipe_count(job, "length"));
    uint64_t row = recipe_geometric_next(&gap, &random);
    while (!status && row < job->n_rows) {
        uint64_t end = row + 1 + recipe_geometric_next(&more, &random);
        status = recipe_delete(job, row, end, error_out);
        row = end + 1 + recipe_geometric_next(&gap, &random);
    }
    return status;
}

int generate_stride(struct recipe_job *job, struct dv_error *error_out)
{
    uint64_t step = recipe_count(job, "step");
    int status = 0;
    for (uint64_t row = recipe_count(job, "offset"); !status && row < job->n_rows; row += step)
        status = recipe_delete(job, row, row + 1, error_out);
    return status;
}

int generate_alternating(struct recipe_job *job, struct dv_error *error_out)
{
    uint64_t length = recipe_count(job, "length");
    int status = 0;
    for (uint64_t row = length; !status && row < job->n_rows; row += 2 * length)
        status = recipe_delete(job, row, row + length, error_out);
    return status;
}

int generate_prefix(struct recipe_job *job, struct dv_error *error_out)
{
    return recipe_delete(job, 0, recipe_count(job, "count"), error_out);
}

int generate_suffix(struct recipe_job *job, struct dv_error *error_out)
{
    uint64_t count = recipe_count(job, "count");
    return recipe_delete(job, count < job->n_rows ? job->n_rows - count : 0, job->n_rows, error_out);
}

int generate_none(struct recipe_job *job, struct dv_error *error_out)
{
    (void)job;
    (void)error_out;
    return 0;
}

int generate_one(struct recipe_job *job, struct dv_error *error_out)
{
    uint64_t row = recipe_count(job, "row");
    if (row >= job->n_rows)
        return dv_fail(error_out, DV_ERROR_USAGE, "one: row=%" PRIu64 " is not below rows=%" PRIu64, row,
                       job->n_rows);
    return recipe_delete(job, row, row + 1, error_out);
}

int generate_all(struct recipe_job *job, struct dv_error *error_out)
{
    return recipe_delete(job, 0, job->n_rows, error_out);
}
