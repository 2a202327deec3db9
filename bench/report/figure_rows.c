/* SPDX-License-Identifier: Apache-2.0 */
#include "figure_rows.h"
#include "spec_parts.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The article's vectors state the rate in basis points. */
#define RATE_KEYS  "rate,bp"
#define CLIFF_LOW  0.045
#define CLIFF_HIGH 0.09

struct axis_rule {
    const char *title; /* for messages */
    const char *names; /* comma list of values of the column axis */
    const char *keys;  /* that leave the spec, so that the rest is what the rows share */
    bool by_batch;     /* rows of different batch sizes share a group */
    bool by_mode;      /* rows of different modes do */
    bool by_machine;   /* rows of different machines do */
    size_t min_x;      /* distinct values that make a picture */
};

static const struct axis_rule axis_rules[] = {
    [FIGURE_AXIS_RATE] = {"the deletion rate", ",rate,bp,", RATE_KEYS, false, false, false, 2},
    [FIGURE_AXIS_CLIFF] = {"the rate around 6.25 %", ",rate,bp,", RATE_KEYS, false, false, false, 4},
    [FIGURE_AXIS_LENGTH] = {"the length of runs", ",length,", "length", false, false, false, 2},
    [FIGURE_AXIS_PERCENT] = {"the share of chunks with deletes", ",percent,", "percent", false, false, false,
                             2},
    [FIGURE_AXIS_BATCH] = {"the batch size", ",batch_rows,", "", true, false, false, 2},
    [FIGURE_AXIS_ROWS] = {"the rows of the file", ",rows,chunks,", "rows", false, false, false, 2},
    [FIGURE_AXIS_MODE] = {"the mode", ",rate,bp,", RATE_KEYS, false, true, false, 2},
    [FIGURE_AXIS_PAIRS] = {"the deletion rate", ",rate,bp,", RATE_KEYS, false, false, false, 1},
    [FIGURE_AXIS_GRID] = {"run length and rate", ",length,rate,bp,", "length," RATE_KEYS, false, false, false,
                          2},
    [FIGURE_AXIS_MACHINE] = {"the machine", ",rate,bp,", RATE_KEYS, false, false, true, 2},
    [FIGURE_AXIS_VECTOR] = {"the vector", NULL, "", false, false, false, 1},
};

const char *figure_axis_name(enum figure_axis axis)
{
    return axis_rules[axis].title;
}

static bool is_named(const char *axis, const char *names)
{
    char probe[64];
    int n = snprintf(probe, sizeof probe, ",%s,", axis);
    return n < (int)sizeof probe && strstr(names, probe) != NULL;
}

static bool is_on_axis(const char *axis, enum figure_axis wanted)
{
    if (axis_rules[wanted].by_batch)
        return true; /* whatever else varies: a block of the usual batch size is named for that */
    if (wanted != FIGURE_AXIS_VECTOR)
        return is_named(axis, axis_rules[wanted].names);
    for (int i = 0; i < FIGURE_AXIS_VECTOR; i++)
        if (is_named(axis, axis_rules[i].names))
            return false;
    return true;
}

double figure_row_cost(const struct csv_table *table, size_t row, double *extra_out)
{
    double ns_per_row = csv_real(table, row, CSV_summary_ns_per_row);
    double total = csv_real(table, row, CSV_summary_total_ns_per_row);
    bool works_at_open = strcmp(csv_text(table, row, CSV_summary_works_at_open), "1") == 0;
    double extra = works_at_open && !isnan(total) ? total - ns_per_row : 0;
    if (extra_out)
        *extra_out = extra;
    return ns_per_row + extra;
}

/* NAN for a mode that this build does not know. */
static double mode_order(const char *mode)
{
    static const char *const modes[] = {"stream", "replay", "cold"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(mode, modes[i]) == 0)
            return (double)i;
    return NAN;
}

/* The number noted for what the three texts name, which is `value` where none was; -1 without memory. */
static json_int_t find_or_note(struct figure_groups *groups, char kind, const char *a, const char *b,
                               json_int_t value)
{
    char *name = NULL;
    json_int_t found = -1;
    if (!groups->index && !(groups->index = json_object()))
        return -1;
    if (asprintf(&name, "%c%s|%s", kind, a, b) < 0)
        return -1;
    const json_t *noted = json_object_get(groups->index, name);
    if (noted)
        found = json_integer_value(noted);
    else if (json_object_set_new_nocheck(groups->index, name, json_integer(value)) == 0)
        found = value;
    free(name);
    return found;
}

/* Places a row on the axis; false where it has no place there. */
static bool place_point(struct figure_point *point, struct figure_groups *groups,
                        const struct csv_table *table, size_t row, enum figure_axis axis)
{
    double rate = csv_real(table, row, CSV_summary_rate);
    *point = (struct figure_point){.row = row, .cost = figure_row_cost(table, row, NULL)};
    switch (axis) {
    case FIGURE_AXIS_RATE:
    case FIGURE_AXIS_PAIRS:
        point->x = rate;
        break;
    case FIGURE_AXIS_CLIFF:
        point->x = rate >= CLIFF_LOW && rate <= CLIFF_HIGH ? rate : NAN;
        break;
    case FIGURE_AXIS_MODE:
        point->x = rate;
        point->y = mode_order(csv_text(table, row, CSV_summary_mode));
        break;
    case FIGURE_AXIS_MACHINE:
        point->x = rate;
        point->y = (double)find_or_note(groups, 'm', csv_text(table, row, CSV_summary_machine),
                                        csv_text(table, row, CSV_summary_croaring), (json_int_t)row);
        break;
    case FIGURE_AXIS_BATCH:
        point->x = csv_real(table, row, CSV_summary_batch_rows);
        break;
    case FIGURE_AXIS_ROWS:
        point->x = csv_real(table, row, CSV_summary_rows);
        break;
    case FIGURE_AXIS_GRID:
        point->y = spec_rate(csv_text(table, row, CSV_summary_dv));
        point->x = spec_value(csv_text(table, row, CSV_summary_dv), "length");
        break;
    case FIGURE_AXIS_VECTOR:
        point->x = (double)row; /* of the vector's first row: see place_vector */
        break;
    case FIGURE_AXIS_LENGTH:
    case FIGURE_AXIS_PERCENT:
        point->x = csv_real(table, row, CSV_summary_axis_value);
        break;
    }
    return !isnan(point->x) && !isnan(point->y);
}

/* The group of this key, made where there is none. NULL without memory; takes over `key` and `rest`. */
static struct figure_group *find_or_add_group(struct figure_groups *groups, char *key, char *rest)
{
    const json_int_t place = find_or_note(groups, 'g', key, "", (json_int_t)groups->n_items);
    if (place < (json_int_t)groups->n_items) {
        free(key);
        free(rest);
        return place < 0 ? NULL : &groups->items[place];
    }
    struct figure_group *longer = realloc(groups->items, (groups->n_items + 1) * sizeof *longer);
    if (!longer) {
        free(key);
        free(rest);
        return NULL;
    }
    groups->items = longer;
    longer[groups->n_items] = (struct figure_group){.key = key, .rest = rest, .rate = spec_rate(rest)};
    return &longer[groups->n_items++];
}

static bool append_point(struct figure_group *group, struct figure_point point)
{
    /* Doubles at each power of two. */
    if ((group->n_points & (group->n_points - 1)) == 0) {
        size_t capacity = group->n_points ? group->n_points * 2 : 16;
        struct figure_point *longer = realloc(group->points, capacity * sizeof *longer);
        if (!longer)
            return false;
        group->points = longer;
    }
    group->points[group->n_points++] = point;
    return true;
}

/* False without memory. */
static bool add_row(struct figure_groups *groups, const struct csv_table *table, size_t row,
                    enum figure_axis axis, struct figure_point point)
{
    const struct axis_rule *rule = &axis_rules[axis];
    const char *spec = csv_text(table, row, CSV_summary_dv);
    char *rest = axis == FIGURE_AXIS_VECTOR ? strdup("") : spec_without(spec, rule->keys);
    char *key = NULL;
    if (!rest ||
        asprintf(&key, "%s|%s|%s|%s|%s|%s", rule->by_machine ? "" : csv_text(table, row, CSV_summary_machine),
                 rule->by_machine ? "" : csv_text(table, row, CSV_summary_croaring), rest,
                 csv_text(table, row, CSV_summary_sink),
                 rule->by_batch ? "" : csv_text(table, row, CSV_summary_batch_rows),
                 rule->by_mode ? "" : csv_text(table, row, CSV_summary_mode)) < 0) {
        free(rest);
        return false;
    }
    struct figure_group *group = find_or_add_group(groups, key, rest);
    if (group && axis == FIGURE_AXIS_VECTOR) /* all rows of a vector have the place of its first one */
        point.x = (double)find_or_note(groups, 'v', group->key, spec, (json_int_t)row);
    return group && point.x >= 0 && append_point(group, point);
}

/* Whether the points have `wanted` distinct values of x, and in a grid of y too. */
static bool is_varied(const struct figure_group *group, size_t wanted, bool in_y)
{
    size_t n_distinct = 0;
    for (size_t i = 0; i < group->n_points && n_distinct < wanted; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new =
                in_y ? group->points[j].y != group->points[i].y : group->points[j].x != group->points[i].x;
        n_distinct += is_new;
    }
    return n_distinct >= wanted;
}

static void free_group(struct figure_group *group)
{
    free(group->key);
    free(group->rest);
    free(group->points);
    free(group->kernels);
}

/* Chooses the kernels of each group and drops the groups that make no picture. */
static int finish_groups(struct figure_groups *groups, const struct csv_table *table, enum figure_axis axis,
                         enum figure_choice choice, struct dv_error *error_out)
{
    size_t n_kept = 0;
    int status = 0;
    for (size_t i = 0; i < groups->n_items; i++) {
        struct figure_group *group = &groups->items[i];
        if (status == 0)
            status = figure_group_choose(group, table, choice, error_out);
        if (status == 0 && group->n_points > 0 && is_varied(group, axis_rules[axis].min_x, false) &&
            ((axis != FIGURE_AXIS_GRID && axis != FIGURE_AXIS_MODE && axis != FIGURE_AXIS_MACHINE) ||
             is_varied(group, axis_rules[axis].min_x, true)))
            groups->items[n_kept++] = *group;
        else
            free_group(group);
    }
    groups->n_items = n_kept;
    return status;
}

int figure_rows_group(struct figure_groups *groups_out, const struct csv_table *table, enum figure_axis axis,
                      enum csv_column column, enum figure_choice choice, struct dv_error *error_out)
{
    *groups_out = (struct figure_groups){0};
    for (size_t row = 0; row < csv_n_rows(table); row++) {
        struct figure_point point;
        if (strcmp(csv_text(table, row, CSV_summary_verdict), "ok") != 0 ||
            isnan(csv_real(table, row, column)) ||
            !is_on_axis(csv_text(table, row, CSV_summary_axis), axis) ||
            !place_point(&point, groups_out, table, row, axis))
            continue;
        if (!add_row(groups_out, table, row, axis, point)) {
            figure_groups_free(groups_out);
            return dv_no_memory(error_out);
        }
    }
    int status = finish_groups(groups_out, table, axis, choice, error_out);
    if (status < 0)
        figure_groups_free(groups_out);
    return status;
}

void figure_groups_free(struct figure_groups *groups)
{
    for (size_t i = 0; i < groups->n_items; i++)
        free_group(&groups->items[i]);
    free(groups->items);
    json_decref(groups->index);
    *groups = (struct figure_groups){0};
}
