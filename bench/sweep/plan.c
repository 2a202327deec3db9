/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cell_name.h"
#include "plan.h"

/* --- kernels of a block --- */

/* `best`: of the rows of one family that differ only in the gap fill, the plain one and the best that runs
 * here. Rows that cannot run here stay: they are listed with the reason. */
static bool is_best(const struct kernel *kernel, enum sink_kind sink)
{
    if (!kernel_find(kernel->technique) || strcmp(kernel->id, kernel->technique) == 0 ||
        kernel_unavailable(kernel, sink))
        return true;
    for (size_t i = 0; i < kernels_count(); i++) {
        const struct kernel *other = kernel_at(i);
        if (strcmp(other->technique, kernel->technique) == 0 && other->isa > kernel->isa &&
            !kernel_unavailable(other, sink))
            return false;
    }
    return true;
}

bool plan_takes_kernel(const struct strings *patterns, const struct kernel *kernel, enum sink_kind sink)
{
    if (patterns->n_items == 0)
        return is_best(kernel, sink);
    for (size_t i = 0; i < patterns->n_items; i++) {
        const char *pattern = patterns->items[i];
        if (strcmp(pattern, "all") == 0 || fnmatch(pattern, kernel->id, 0) == 0)
            return true;
        if (strcmp(pattern, "best") == 0 && is_best(kernel, sink))
            return true;
    }
    return false;
}

int plan_check_kernels(const struct strings *patterns, struct dv_error *error_out)
{
    for (size_t i = 0; i < patterns->n_items; i++) {
        const char *pattern = patterns->items[i];
        bool known = strcmp(pattern, "all") == 0 || strcmp(pattern, "best") == 0;
        for (size_t k = 0; k < kernels_count() && !known; k++)
            known = fnmatch(pattern, kernel_at(k)->id, 0) == 0;
        if (!known)
            return dv_fail(error_out, DV_ERROR_USAGE,
                           "--kernel: unknown kernel \"%s\" (see dvbench list kernels)", pattern);
    }
    return 0;
}

static bool has_kernel(const struct plan_block *block, const struct kernel *kernel)
{
    for (size_t i = 0; i < block->n_kernels; i++)
        if (block->kernels[i] == kernel)
            return true;
    return false;
}

/* Adds what the group asks for to what the block has, in the registry's order. None where the filter passes none:
 * per_row by itself compares nothing. */
static int choose_kernels(struct plan_block *block, const struct sweep_group *group,
                          bool (*passes)(const char *name), struct dv_error *error_out)
{
    const struct kernel **kernels = calloc(kernels_count(), sizeof *kernels);
    size_t n_kernels = 0, n_chosen = 0;
    if (!kernels)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < kernels_count(); i++) {
        const struct kernel *kernel = kernel_at(i);
        if (!(kernel->sinks & 1u << block->sink))
            continue;
        bool chosen = plan_takes_kernel(&group->kernels, kernel, block->sink);
        if (chosen && passes) {
            char *name = plan_cell_name(block, kernel->id);
            if (!name) {
                free(kernels);
                return dv_no_memory(error_out);
            }
            chosen = passes(name);
            free(name);
        }
        n_chosen += chosen;
        if (chosen || has_kernel(block, kernel) || strcmp(kernel->id, "per_row") == 0)
            kernels[n_kernels++] = kernel;
    }
    const bool had_kernels = block->n_kernels > 0;
    free(block->kernels);
    block->kernels = kernels;
    block->n_kernels = passes && n_chosen == 0 && !had_kernels ? 0 : n_kernels;
    return 0;
}

/* --- blocks --- */

void plan_block_free(struct plan_block *block)
{
    free(block->dv);
    free(block->axis);
    free(block->axis_value);
    free(block->kernels);
}

struct expansion {
    struct plan *plan;
    struct sweep_options *options;
    const struct sweep_group *group;
    bool (*passes)(const char *name);
    json_t *places; /* of the blocks, by the name of a cell without its kernel */
    struct dv_error *error_out;
};

/* The place of a block's like, or n_blocks, which is noted as the block's own. DV_ERROR_MEMORY without memory. */
static int64_t place_of(const struct expansion *ex, const struct plan_block *block)
{
    char *name = plan_cell_name(block, "");
    const json_t *found = name ? json_object_get(ex->places, name) : NULL;
    const int64_t place = found ? json_integer_value(found) : (int64_t)ex->plan->n_blocks;
    const bool is_noted =
        found || (name && json_object_set_new_nocheck(ex->places, name, json_integer(place)) == 0);
    free(name);
    return is_noted ? place : DV_ERROR_MEMORY;
}

/* A block that two lines of a plan name is one block, with the kernels of both. */
static int add_block(struct expansion *ex, const char *dv, const char *axis, const char *axis_value,
                     struct plan_block shape)
{
    shape.dv = (char *)(uintptr_t)dv; /* only read */
    const int64_t place = place_of(ex, &shape);
    if (place < 0)
        return dv_no_memory(ex->error_out);
    if (place < (int64_t)ex->plan->n_blocks)
        return choose_kernels(&ex->plan->blocks[place], ex->group, ex->passes, ex->error_out);
    struct plan_block *grown = realloc(ex->plan->blocks, (ex->plan->n_blocks + 1) * sizeof *grown);
    if (!grown)
        return dv_no_memory(ex->error_out);
    ex->plan->blocks = grown;
    struct plan_block *block = &grown[ex->plan->n_blocks++];
    *block = shape;
    block->dv = strdup(dv);
    block->axis = strdup(axis);
    block->axis_value = strdup(axis_value);
    if (!block->dv || !block->axis || !block->axis_value)
        return dv_no_memory(ex->error_out);
    return choose_kernels(block, ex->group, ex->passes, ex->error_out);
}

/* One DV with all its sinks, batch sizes and modes. Where the DV does not vary but the batch size does, that
 * is the axis. */
static int add_blocks_of_dv(struct expansion *ex, const char *dv, const char *axis, const char *axis_value)
{
    const struct sweep_group *group = ex->group;
    static const uint32_t default_batch_rows[] = {5000}; /* Iceberg's read.parquet.vectorization.batch-size */
    const uint32_t *batch_rows = group->n_batch_rows ? group->batch_rows : default_batch_rows;
    const size_t n_batch_rows = group->n_batch_rows ? group->n_batch_rows : 1;
    const unsigned sinks = group->sinks ? group->sinks : 1u << SINK_row_ids | 1u << SINK_is_deleted;
    const unsigned modes = group->modes ? group->modes : 1u << MODE_stream;
    for (int sink = 0; sink < N_SINKS; sink++)
        for (size_t b = 0; b < n_batch_rows; b++)
            for (int mode = 0; mode < N_MODES; mode++) {
                if (!(sinks & 1u << sink) || !(modes & 1u << mode))
                    continue;
                char rows_text[16];
                snprintf(rows_text, sizeof rows_text, "%u", (unsigned)batch_rows[b]);
                const bool batch_is_axis = axis[0] == '\0' && n_batch_rows > 1;
                int status = add_block(
                    ex, dv, batch_is_axis ? "batch_rows" : axis, batch_is_axis ? rows_text : axis_value,
                    (struct plan_block){.sink = sink, .batch_rows = batch_rows[b], .mode = mode});
                if (status < 0)
                    return status;
            }
    return 0;
}

/* --- DVs of a group --- */

/* The article states rates in basis points: bp=610 is the axis `rate` at 0.061, and --rates 0.061 is
 * bp=610. */
static bool is_article(const char *recipe)
{
    return strncmp(recipe, "article", 7) == 0 && (recipe[7] == ':' || recipe[7] == '\0');
}

static int basis_points(const char *rate, char *text, size_t n_text, struct dv_error *error_out)
{
    char *end;
    double value = strtod(rate, &end) * (strchr(rate, '%') ? 100 : 10000);
    long whole = (long)(value + 0.5);
    if (end == rate || (*end && strcmp(end, "%") != 0) || value < 0 || value > 10000 ||
        value - (double)whole > 1e-6 || (double)whole - value > 1e-6)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--rates %s: the article's sets have whole basis points, 0 to 1", rate);
    snprintf(text, n_text, "%ld", whole);
    return 0;
}

static void axis_of(const char *key, const char *value, char *axis_value, size_t n_axis_value,
                    const char **axis_out)
{
    *axis_out = key;
    snprintf(axis_value, n_axis_value, "%s", value);
    if (strcmp(key, "bp") == 0) {
        *axis_out = "rate";
        snprintf(axis_value, n_axis_value, "%.6g", strtod(value, NULL) / 10000);
    } else if (strchr(value, '%')) {
        snprintf(axis_value, n_axis_value, "%.9g", strtod(value, NULL) / 100);
    }
}

/* Goes through the product of the axes, from `first_axis` on, adding keys to `spec`; the first axis names the
 * plan's axis. */
static int add_recipe(struct expansion *ex, const char *spec, size_t first_axis, const char *axis,
                      const char *axis_value)
{
    if (first_axis >= SWEEP_MAX_AXES || first_axis >= ex->group->n_axes) {
        char *canonical;
        int status = source_check_spec(spec, &canonical, ex->error_out);
        if (status == 0)
            status = add_blocks_of_dv(ex, canonical, axis, axis_value);
        free(canonical);
        return status;
    }
    const struct sweep_axis *dimension = &ex->group->axes[first_axis];
    for (size_t i = 0; i < dimension->values.n_items; i++) {
        const char *key = dimension->key, *value = dimension->values.items[i];
        char points[16];
        if (is_article(spec) && strcmp(key, "rate") == 0) {
            int status = basis_points(value, points, sizeof points, ex->error_out);
            if (status < 0)
                return status;
            key = "bp";
            value = points;
        }
        char *longer = NULL;
        if (asprintf(&longer, "%s:%s=%s", spec, key, value) < 0)
            return dv_no_memory(ex->error_out);
        const char *own_axis;
        char own_value[64];
        axis_of(key, value, own_value, sizeof own_value, &own_axis);
        int status = add_recipe(ex, longer, first_axis + 1, first_axis ? axis : own_axis,
                                first_axis ? axis_value : own_value);
        free(longer);
        if (status < 0)
            return status;
    }
    return 0;
}

static int add_recipe_with_rows(struct expansion *ex, const char *recipe)
{
    char *spec = NULL;
    if (asprintf(&spec, "%s%s%s", recipe, ex->group->rows ? ":rows=" : "",
                 ex->group->rows ? ex->group->rows : "") < 0)
        return dv_no_memory(ex->error_out);
    int status = add_recipe(ex, spec, 0, "", "");
    free(spec);
    return status;
}

/* Each block reads its vector again: a pipe would be empty by then, and a silent one holds up the run. */
static int refuse_pipe(struct expansion *ex, const char *name)
{
    struct stat status;
    char *path = vector_options_path(name);
    bool is_pipe = path && stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
    free(path);
    if (!is_pipe)
        return 0;
    return dv_fail(ex->error_out, DV_ERROR_INPUT,
                   "%s: found a pipe, expected a file, which a sweep reads more than once", name);
}

static int add_file(struct expansion *ex, const char *name)
{
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    int status = refuse_pipe(ex, name);
    if (status < 0)
        return status;
    status = vector_options_load(&ex->options->vectors, name, &sources, &n_sources, ex->error_out);
    if (status == 0 && n_sources == 0)
        status = dv_fail(ex->error_out, DV_ERROR_INPUT, "%s: holds no deletion vector", name);
    for (size_t i = 0; status == 0 && i < n_sources; i++)
        status = add_blocks_of_dv(ex, sources[i].spec, "", "");
    format_free_sources(sources, n_sources);
    return status;
}

static int expand_group(struct expansion *ex)
{
    int status = plan_check_kernels(&ex->group->kernels, ex->error_out);
    for (size_t i = 0; status == 0 && i < ex->group->recipes.n_items; i++)
        status = add_recipe_with_rows(ex, ex->group->recipes.items[i]);
    for (size_t i = 0; status == 0 && i < ex->group->files.n_items; i++)
        status = add_file(ex, ex->group->files.items[i]);
    if (status < 0 && ex->group->n_line) { /* the plan's line besides what is wrong in it */
        char where[sizeof ex->error_out->where];
        snprintf(where, sizeof where, "plan %.80s, line %d%s%.120s", ex->options->plan_name,
                 ex->group->n_line, ex->error_out->where[0] ? ": " : "", ex->error_out->where);
        snprintf(ex->error_out->where, sizeof where, "%s", where);
    }
    return status;
}

/* Takes out the blocks of which the filter left nothing. */
static int drop_empty(struct plan *plan, struct dv_error *error_out)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < plan->n_blocks; i++)
        if (plan->blocks[i].n_kernels)
            plan->blocks[n_kept++] = plan->blocks[i];
        else
            plan_block_free(&plan->blocks[i]);
    plan->n_blocks = n_kept;
    return n_kept
               ? 0
               : dv_fail(error_out, DV_ERROR_USAGE,
                         "--benchmark_filter matches no cell of the plan; --benchmark_list_tests lists them");
}

int plan_expand(struct plan *plan_out, struct sweep_options *options, bool (*passes)(const char *name),
                struct dv_error *error_out)
{
    *plan_out = (struct plan){0};
    struct expansion ex = {.plan = plan_out,
                           .options = options,
                           .passes = passes,
                           .places = json_object(),
                           .error_out = error_out};
    int status = ex.places ? 0 : dv_no_memory(error_out);
    for (size_t i = 0; status == 0 && i < options->n_groups; i++) {
        ex.group = &options->groups[i];
        status = expand_group(&ex);
    }
    json_decref(ex.places);
    if (status == 0 && passes)
        status = drop_empty(plan_out, error_out);
    if (status == 0 && options->shard)
        status = plan_take_shard(plan_out, options, error_out);
    if (status < 0)
        plan_free(plan_out);
    return status;
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_blocks; i++)
        plan_block_free(&plan->blocks[i]);
    free(plan->blocks);
    *plan = (struct plan){0};
}

char *plan_cell_name(const struct plan_block *block, const char *kernel_id)
{
    char batch[16];
    snprintf(batch, sizeof batch, "%u", (unsigned)block->batch_rows);
    return cell_name_format(kernel_id, sink_id(block->sink), block->dv, batch, mode_id(block->mode));
}
