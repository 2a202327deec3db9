/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels a picture shows, and in which order. Thirty lines cannot be told apart: one stands for each
 * technique. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "figure_rows.h"

struct candidate {
    const char *kernel, *technique, *isa; /* borrowed from the table */
    double sum_log_cost;
    size_t n;
    bool is_chosen;
};

struct candidates {
    struct candidate *items;
    size_t n_items;
};

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
        size_t row = group->points[i].row;
        const char *kernel = csv_text(table, row, CSV_summary_kernel);
        struct candidate *candidate = find(candidates, kernel);
        if (!candidate) {
            struct candidate *longer = realloc(candidates->items, (candidates->n_items + 1) * sizeof *longer);
            if (!longer)
                return dv_no_memory(error_out);
            candidates->items = longer;
            candidate = &longer[candidates->n_items++];
            *candidate = (struct candidate){.kernel = kernel,
                                            .technique = csv_text(table, row, CSV_summary_technique),
                                            .isa = csv_text(table, row, CSV_summary_isa)};
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

static bool is_best_of_technique(const struct candidates *candidates, const struct candidate *one)
{
    for (size_t i = 0; i < candidates->n_items; i++) {
        const struct candidate *other = &candidates->items[i];
        if (other != one && strcmp(other->technique, one->technique) == 0 && is_better(other, one))
            return false;
    }
    return true;
}

/* How many instruction sets the technique ran in. */
static size_t count_isas(const struct candidates *candidates, const char *technique)
{
    size_t n_isas = 0;
    for (size_t i = 0; i < candidates->n_items; i++) {
        const struct candidate *one = &candidates->items[i];
        bool is_new = strcmp(one->technique, technique) == 0;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = strcmp(candidates->items[j].technique, technique) != 0 ||
                     strcmp(candidates->items[j].isa, one->isa) != 0;
        n_isas += is_new;
    }
    return n_isas;
}

/* The technique that ran in the most instruction sets, the fastest of such; NULL where none ran in two. */
static const char *find_isa_technique(const struct candidates *candidates)
{
    const struct candidate *best = NULL;
    size_t n_best = 1;
    for (size_t i = 0; i < candidates->n_items; i++) {
        const struct candidate *one = &candidates->items[i];
        size_t n_isas = count_isas(candidates, one->technique);
        if (n_isas > n_best || (best && n_isas == n_best && is_better(one, best))) {
            best = one;
            n_best = n_isas;
        }
    }
    return best ? best->technique : NULL;
}

static bool is_main(const char *technique)
{
    const size_t n = strlen(technique);
    for (const char *at = FIGURE_MAIN_TECHNIQUES; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && memcmp(at, technique, n) == 0)
            return true;
    return false;
}

static void choose(struct candidates *candidates, enum figure_choice choice)
{
    const char *isa_technique = find_isa_technique(candidates);
    for (size_t i = 0; i < candidates->n_items; i++) {
        struct candidate *one = &candidates->items[i];
        if (choice == FIGURE_CHOICE_ALL)
            one->is_chosen = true;
        else if (choice == FIGURE_CHOICE_ISA)
            one->is_chosen = isa_technique && strcmp(one->technique, isa_technique) == 0;
        else
            one->is_chosen = is_best_of_technique(candidates, one) &&
                             (choice == FIGURE_CHOICE_TECHNIQUES || is_main(one->technique));
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
