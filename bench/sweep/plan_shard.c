/* SPDX-License-Identifier: Apache-2.0 */
/* --shard: which blocks of a plan are one machine's, by the time they are expected to take. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "recipe_job.h"

/* Fitted to sweeps of 1 and 34 kernels over 0.2 to 100 million rows on Zen 5. Only ratios matter. */
#define NS_PER_ROW_OF_FILE   40.0 /* to generate, write and open the vector, and to count */
#define NS_PER_ROW_OF_SAMPLE 6.0  /* of a kernel, on average */
#define NS_PER_ROW_CHECKED   10.0 /* against the oracle, and to find how many passes a sample has */
#define NS_PER_KERNEL        30e6

struct weight {
    size_t index; /* in the plan */
    double cost_ns;
};

/* Families, not kernels: which members of a family run differs between machines, and a split that differed
 * too would lose blocks and repeat others. */
static size_t count_families(const struct plan_block *block)
{
    size_t n_families = 0;
    for (size_t i = 0; i < block->n_kernels; i++) {
        size_t first = 0;
        while (strcmp(block->kernels[first]->technique, block->kernels[i]->technique) != 0)
            first++;
        n_families += first == i;
    }
    return n_families;
}

/* 0 for a file: how many rows it stands for is known only after it was read. */
static double rows_of(const struct plan_block *block)
{
    struct recipe_job job = {0};
    return recipe_job_parse(&job, block->dv, NULL) == 0 ? (double)job.n_rows : 0;
}

static double cost_of(const struct plan_block *block, const struct sweep_options *options)
{
    const double n_rows = rows_of(block);
    const double n_pass_rows = fmin(n_rows, (double)options->max_batches * block->batch_rows);
    const double n_samples = (double)options->rounds * options->starts;
    const double sample_ns = fmax(options->min_time_ns, n_pass_rows * NS_PER_ROW_OF_SAMPLE);
    const double kernel_ns = n_samples * sample_ns + n_pass_rows * NS_PER_ROW_CHECKED + NS_PER_KERNEL;
    return n_rows * NS_PER_ROW_OF_FILE + (double)count_families(block) * kernel_ns;
}

/* The longest first; in the order of the plan where they are equal. */
static int by_cost(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;
    if (a->cost_ns != b->cost_ns)
        return a->cost_ns < b->cost_ns ? 1 : -1;
    return a->index < b->index ? -1 : 1;
}

/* Each block goes to the part that has least so far, the longest block first. */
static void deal(struct weight *weights, size_t n_blocks, double *loads, size_t n_parts, size_t *part_out)
{
    qsort(weights, n_blocks, sizeof *weights, by_cost);
    for (size_t i = 0; i < n_blocks; i++) {
        size_t least = 0;
        for (size_t part = 1; part < n_parts; part++)
            if (loads[part] < loads[least])
                least = part;
        loads[least] += weights[i].cost_ns;
        part_out[weights[i].index] = least;
    }
}

static void keep_part(struct plan *plan, const size_t *parts, size_t part)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < plan->n_blocks; i++)
        if (parts[i] == part)
            plan->blocks[n_kept++] = plan->blocks[i];
        else
            plan_block_free(&plan->blocks[i]);
    plan->n_blocks = n_kept;
}

int plan_take_shard(struct plan *plan, const struct sweep_options *options, struct dv_error *error_out)
{
    unsigned index = 1, count = 1;
    sscanf(options->shard, "%u/%u", &index, &count);
    if (index > plan->n_blocks)
        return dv_fail(error_out, DV_ERROR_USAGE, "--shard %s: nothing to do, the plan has %zu blocks",
                       options->shard, plan->n_blocks);
    const size_t n_parts = count < plan->n_blocks ? count : plan->n_blocks;
    struct weight *weights = calloc(plan->n_blocks, sizeof *weights);
    double *loads = calloc(n_parts, sizeof *loads);
    size_t *parts = calloc(plan->n_blocks, sizeof *parts);
    const bool has_memory = weights && loads && parts;
    if (has_memory) {
        for (size_t i = 0; i < plan->n_blocks; i++)
            weights[i] = (struct weight){i, cost_of(&plan->blocks[i], options)};
        deal(weights, plan->n_blocks, loads, n_parts, parts);
        keep_part(plan, parts, index - 1);
    }
    free(weights);
    free(loads);
    free(parts);
    return has_memory ? 0 : dv_no_memory(error_out);
}
