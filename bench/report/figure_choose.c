/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels a picture shows, and in which order. Thirty lines cannot be told apart: one stands for each
 * family. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "figure_rows.h"

#define N_FAMILY 64

struct candidate {
    const char *kernel; /* borrowed from the table */
    char family[N_FAMILY];
    double sum_log_cost;
    size_t n;
    bool is_chosen;
};

struct candidates {
    struct candidate *items;
    size_t n_items;
};

void figure_kernel_family(const char *kernel, char *family_out, size_t n_family)
{
    static const char *const variants[] = {"_base", "_vbmi2", "_avx512", "_avx2",
                                           "_bmi2", "_neon",  "_scalar", "_inline"};
    size_t n = strlen(kernel) < n_family - 1 ? strlen(kernel) : n_family - 1;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        size_t n_variant = strlen(variants[i]);
        if (n > n_variant && memcmp(kernel + n - n_variant, variants[i], n_variant) == 0)
            n -= n_variant;
    }
    memcpy(family_out, kernel, n);
    family_out[n] = '\0';
}

static struct candidate *find(struct candidates *candidates, const char *kernel)
{
    for (size_t i = 0; i < candidates->n_items; i++)
        if (strcmp(candidates->items[i].kernel, kernel) == 0)
            return &candidates->items[i];
    return NULL;
}

static int collect(struct candidates *candidates, const struct figure_group *group,
                   const struct csv_table *table, struct dv_error *error_out)
{
    for (size_t i = 0; i < group->n_points; i++) {
        const char *kernel = csv_text(table, group->points[i].row, CSV_summary_kernel);
        struct candidate *candidate = find(candidates, kernel);
        if (!candidate) {
            struct candidate *longer = realloc(candidates->items, (candidates->n_items + 1) * sizeof *longer);
            if (!longer)
                return dv_no_memory(error_out);
            candidates->items = longer;
            candidate = &longer[candidates->n_items++];
            *candidate = (struct candidate){.kernel = kernel};
            figure_kernel_family(kernel, candidate->family, sizeof candidate->family);
        }
        double cost = group->points[i].cost;
        candidate->sum_log_cost += cost > 0 ? log(cost) : 0;
        candidate->n++;
    }
    return 0;
}

static double mean_log_cost(const struct candidate *candidate)
{
    return candidate->sum_log_cost / (double)candidate->n;
}

/* A kernel that has more points beats one that is missing somewhere; then the faster one. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
    return a->n != b->n ? a->n > b->n : mean_log_cost(a) < mean_log_cost(b);
}

static bool is_best_of_family(const struct candidates *candidates, const struct candidate *one)
{
    for (size_t i = 0; i < candidates->n_items; i++) {
        const struct candidate *other = &candidates->items[i];
        if (other != one && strcmp(other->family, one->family) == 0 && is_better(other, one))
            return false;
    }
    return true;
}

static void choose(struct candidates *candidates, enum figure_choice choice)
{
    for (size_t i = 0; i < candidates->n_items; i++) {
        struct candidate *one = &candidates->items[i];
        /* What everybody compares with, whether or not it is the best of its family. */
        bool is_landmark =
            strcmp(one->kernel, "per_row") == 0 || strcmp(one->kernel, "for_each_in_range") == 0;
        if (choice == FIGURE_CHOICE_ALL)
            one->is_chosen = true;
        else if (choice == FIGURE_CHOICE_MAIN)
            one->is_chosen = is_landmark || strcmp(one->kernel, "per_row_branchless") == 0 ||
                             (strcmp(one->family, "direct") == 0 && is_best_of_family(candidates, one));
        else if (choice == FIGURE_CHOICE_ISA)
            one->is_chosen = strcmp(one->family, "direct") == 0;
        else
            one->is_chosen = is_landmark || is_best_of_family(candidates, one);
    }
}

/* The most expensive first, as the lines lie on the picture. */
static int by_cost(const void *left, const void *right)
{
    double a = mean_log_cost(left), b = mean_log_cost(right);
    return (a < b) - (a > b);
}

struct ranked_point {
    size_t rank;
    struct figure_point point;
};

static int by_rank(const void *left, const void *right)
{
    const struct ranked_point *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->point.y != b->point.y)
        return a->point.y < b->point.y ? -1 : 1;
    return (a->point.x > b->point.x) - (a->point.x < b->point.x);
}

/* Leaves the points of chosen kernels, by kernel in the order of `candidates` and then along the axis. */
static bool sort_points(struct figure_group *group, struct candidates *candidates,
                        const struct csv_table *table)
{
    struct ranked_point *ranked = malloc((group->n_points + 1) * sizeof *ranked);
    if (!ranked)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < group->n_points; i++) {
        const struct candidate *one =
            find(candidates, csv_text(table, group->points[i].row, CSV_summary_kernel));
        if (one->is_chosen)
            ranked[n++] = (struct ranked_point){(size_t)(one - candidates->items), group->points[i]};
    }
    qsort(ranked, n, sizeof *ranked, by_rank);
    for (size_t i = 0; i < n; i++)
        group->points[i] = ranked[i].point;
    group->n_points = n;
    free(ranked);
    return true;
}

static char *join_chosen(const struct candidates *candidates)
{
    size_t n_bytes = 1;
    for (size_t i = 0; i < candidates->n_items; i++)
        n_bytes += strlen(candidates->items[i].kernel) + 1;
    char *joined = malloc(n_bytes);
    if (!joined)
        return NULL;
    char *end = joined;
    for (size_t i = 0; i < candidates->n_items; i++) {
        if (!candidates->items[i].is_chosen)
            continue;
        if (end != joined)
            *end++ = ' ';
        end = stpcpy(end, candidates->items[i].kernel);
    }
    *end = '\0';
    return joined;
}

int figure_group_choose(struct figure_group *group, const struct csv_table *table, enum figure_choice choice,
                        struct dv_error *error_out)
{
    struct candidates candidates = {0};
    int status = collect(&candidates, group, table, error_out);
    if (status == 0) {
        choose(&candidates, choice);
        qsort(candidates.items, candidates.n_items, sizeof *candidates.items, by_cost);
        group->kernels = join_chosen(&candidates);
        if (!group->kernels || !sort_points(group, &candidates, table))
            status = dv_no_memory(error_out);
    }
    free(candidates.items);
    return status;
}
