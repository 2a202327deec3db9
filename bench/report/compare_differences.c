/* SPDX-License-Identifier: Apache-2.0 */
#include "compare_differences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_json.h"
#include "string_list.h"

#define NO_COLUMN CSV_N_COLUMNS

/* What may differ, where run.json states it, and which column repeats it. */
static const struct fact {
    const char *what;
    const char *path[3];
    enum csv_column column;
    bool is_other; /* times of both sides are those of another machine or build */
} facts[] = {
    {"the machine", {"machine"}, CSV_summary_machine, true},
    {"the CPU", {"cpu"}, CSV_summary_cpu, true},
    {"CRoaring", {"croaring"}, CSV_summary_croaring, true},
    {"the compiler", {"compiler"}, CSV_summary_compiler, true},
    {"the compiler flags", {"builds", "dvbench", "flags"}, NO_COLUMN, true},
    {"CRoaring's compiler flags", {"builds", "croaring", "flags"}, NO_COLUMN, true},
    {"the CPU features masked", {"settings", "cpu_mask"}, NO_COLUMN, true},
    {"the commit", {"builds", "dvbench", "git_commit"}, NO_COLUMN, false},
};

static int add_once(struct strings *values, const char *text, struct dv_error *error_out)
{
    for (size_t i = 0; i < values->n_items; i++)
        if (strcmp(values->items[i], text) == 0)
            return 0;
    return strings_add(values, text, strlen(text)) < 0 ? dv_no_memory(error_out) : 0;
}

static const json_t *at_path(const json_t *run, const char *const path[3])
{
    for (int i = 0; i < 3 && path[i]; i++)
        run = json_object_get(run, path[i]);
    return run;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* All values of the fact, a merged run has several, in the order of their text. */
static int collect(struct strings *values_out, const struct fact *fact, const json_t *run,
                   const struct csv_table *summary, struct dv_error *error_out)
{
    int status = 0;
    *values_out = (struct strings){0};
    for (size_t i = 0; status == 0 && i < run_json_n_parts(run); i++) {
        const char *text = json_string_value(at_path(run_json_part(run, i), fact->path));
        status = add_once(values_out, text ? text : "none", error_out);
    }
    for (size_t row = 0; status == 0 && !run && fact->column != NO_COLUMN && row < csv_n_rows(summary); row++)
        status = add_once(values_out, csv_text(summary, row, fact->column), error_out);
    qsort(values_out->items, values_out->n_items, sizeof *values_out->items, by_text);
    return status;
}

static bool is_equal(const struct strings *a, const struct strings *b)
{
    bool is_same = a->n_items == b->n_items;
    for (size_t i = 0; is_same && i < a->n_items; i++)
        is_same = strcmp(a->items[i], b->items[i]) == 0;
    return is_same;
}

static void print_values(FILE *line, const char *before, const struct strings *values)
{
    for (size_t i = 0; i < values->n_items; i++)
        fprintf(line, "%s%s", i ? " + " : before, values->items[i]);
}

static int add_difference(struct strings *lines, const char *what, const struct strings *a,
                          const struct strings *b, struct dv_error *error_out)
{
    char *text = NULL;
    size_t n_bytes;
    FILE *line = open_memstream(&text, &n_bytes);
    if (!line)
        return dv_no_memory(error_out);
    fprintf(line, "the runs differ in %s: ", what);
    print_values(line, "A ", a);
    print_values(line, ", B ", b);
    int status = fclose(line) == 0 ? strings_add_text(lines, text, error_out) : dv_no_memory(error_out);
    free(text);
    return status;
}

/* Nothing is said where one side does not know. */
static int tell_fact(struct strings *lines, const struct fact *fact, const json_t *json_a,
                     const struct csv_table *summary_a, const json_t *json_b,
                     const struct csv_table *summary_b, size_t *n_other, struct dv_error *error_out)
{
    struct strings a, b = {0};
    int status = collect(&a, fact, json_a, summary_a, error_out);
    if (status == 0)
        status = collect(&b, fact, json_b, summary_b, error_out);
    if (status == 0 && a.n_items > 0 && b.n_items > 0 && !is_equal(&a, &b)) {
        status = add_difference(lines, fact->what, &a, &b, error_out);
        *n_other += fact->is_other;
    }
    strings_free(&a);
    strings_free(&b);
    return status;
}

static double highest_load(const json_t *run)
{
    static const char *const path[3] = {"machine_details", "load_1min"};
    double highest = NAN;
    for (size_t i = 0; i < run_json_n_parts(run); i++) {
        const json_t *load = at_path(run_json_part(run, i), path);
        highest = fmax(highest, json_is_number(load) ? json_number_value(load) : NAN);
    }
    return highest;
}

/* Below half a busy CPU more or less, a load says nothing. */
static int tell_load(struct strings *lines, const json_t *a, const json_t *b, struct dv_error *error_out)
{
    const double load_a = highest_load(a), load_b = highest_load(b);
    char line[96];
    if (!(fabs(load_a - load_b) >= 0.5))
        return 0;
    snprintf(line, sizeof line, "the runs differ in the load of the machine: A %.1f, B %.1f", load_a, load_b);
    return strings_add_text(lines, line, error_out);
}

/* A run without run.json is compared nevertheless: `json_out` is NULL then. */
static int load_run_json(json_t **json_out, struct strings *lines, const char *run, char side,
                         struct dv_error *error_out)
{
    struct dv_error error = {0};
    char line[sizeof error.message + 96];
    if (run_json_load(json_out, run, &error) == 0)
        return 0;
    snprintf(line, sizeof line, "run.json of %c cannot be read (%s): its compiler flags are not known", side,
             error.message);
    return strings_add_text(lines, line, error_out);
}

int compare_differences(struct strings *lines, const char *run_a, const struct csv_table *summary_a,
                        const char *run_b, const struct csv_table *summary_b, size_t *n_other_out,
                        struct dv_error *error_out)
{
    json_t *json[2] = {NULL, NULL};
    int status = load_run_json(&json[0], lines, run_a, 'A', error_out);
    if (status == 0)
        status = load_run_json(&json[1], lines, run_b, 'B', error_out);
    *n_other_out = !json[0] + !json[1];
    for (size_t i = 0; status == 0 && i < sizeof facts / sizeof *facts; i++)
        status = tell_fact(lines, &facts[i], json[0], summary_a, json[1], summary_b, n_other_out, error_out);
    if (status == 0)
        status = tell_load(lines, json[0], json[1], error_out);
    json_decref(json[0]);
    json_decref(json[1]);
    return status;
}
