/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csv.h"
#include "figure_data.h"
#include "figure_pairs.h"
#include "figure_rows.h"
#include "gnuplot.h"
#include "pairs.h"
#include "report_places.h"
#include "run_dir.h"
#include "spec_parts.h"

struct figure_row {
    const char *script;
    enum figure_axis axis;
    enum csv_column column;
    enum figure_choice choice;
    const char *question;
    const char *caption;
};

static const struct figure_row figure_rows[] = {
#define FIGURE(script, axis, column, choice, question, caption)                                              \
    {#script, FIGURE_AXIS_##axis, CSV_summary_##column, FIGURE_CHOICE_##choice, question, caption},
#include "figures.def"
#undef FIGURE
};

static const char *const extensions[] = {"svg", "png", "pdf"};
#define N_EXTENSIONS (sizeof extensions / sizeof *extensions)

static void add_note(struct figures *figures, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A note that finds no memory is lost: it is not what the caller came for. */
static void add_note(struct figures *figures, const char *format, ...)
{
    char **longer = realloc(figures->notes, (figures->n_notes + 1) * sizeof *longer);
    if (!longer)
        return;
    figures->notes = longer;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&longer[figures->n_notes], format, arguments) >= 0)
        figures->n_notes++;
    va_end(arguments);
}

static bool is_name_taken(const struct figures *figures, const char *name)
{
    for (size_t i = 0; i < figures->n_items; i++)
        if (strcmp(figures->items[i].name, name) == 0)
            return true;
    return false;
}

/* Letters, digits and a few signs of the text, "=" left out, anything else as "_": part of a file name. */
static void make_slug(char *slug_out, size_t n_slug, const char *text)
{
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
    size_t n = 0;
    for (; *text && n + 1 < n_slug; text++) {
        if (strchr(kept, *text))
            slug_out[n++] = *text;
        else if (n > 0 && slug_out[n - 1] != '_' && *text != '=')
            slug_out[n++] = '_';
    }
    slug_out[n] = '\0';
}

/* script.sink, then only what is needed beyond the usual: mode, batch size, vector family, machine, a number.
 * NULL without memory. */
static char *make_name(const struct figures *figures, const struct figure_row *row,
                       const struct figure_group *group)
{
    const struct csv_table *table = figures->summary;
    size_t first = group->points[0].row;
    const char *mode = csv_text(table, first, CSV_summary_mode),
               *batch = csv_text(table, first, CSV_summary_batch_rows);
    bool usual_batch = strcmp(batch, "5000") == 0 || row->axis == FIGURE_AXIS_BATCH;
    bool usual_mode = strcmp(mode, "stream") == 0 || row->axis == FIGURE_AXIS_MODE;
    char slug[64], machine[64], *base = NULL, *name = NULL;
    make_slug(slug, sizeof slug, group->rest);
    make_slug(machine, sizeof machine, csv_text(table, first, CSV_summary_machine));
    if (asprintf(&base, "%s%s.%s%s%s%s%s", row->script, row->axis == FIGURE_AXIS_VECTOR ? "_vectors" : "",
                 csv_text(table, first, CSV_summary_sink), usual_mode ? "" : ".", usual_mode ? "" : mode,
                 usual_batch ? "" : ".b", usual_batch ? "" : batch) < 0)
        return NULL;
    if (!is_name_taken(figures, base))
        return base;
    int status = asprintf(&name, "%s.%s", base, slug);
    if (status >= 0 && is_name_taken(figures, name)) {
        free(name);
        status = asprintf(&name, "%s.%s.%s", base, slug, machine);
    }
    for (unsigned number = 2; status >= 0 && is_name_taken(figures, name); number++) {
        free(name);
        status = asprintf(&name, "%s.%s.%s.%u", base, slug, machine, number);
    }
    free(base);
    return status < 0 ? NULL : name;
}

/* Of one machine where there are several; the figure of all of them names them in its panels. */
static char *make_subtitle(const struct figures *figures, const struct figure_row *row,
                           const struct figure_group *group)
{
    const struct csv_table *table = figures->summary;
    const bool is_of_all = row->axis == FIGURE_AXIS_MACHINE, has_name = figures->has_machines && !is_of_all;
    size_t first = group->points[0].row;
    const char *mode = csv_text(table, first, CSV_summary_mode);
    bool is_counted = row->column >= CSV_summary_instructions_per_row && row->axis != FIGURE_AXIS_PAIRS;
    char batch[64] = "", *subtitle = NULL;
    char *rest = spec_without_defaults(group->rest);
    if (!rest)
        return NULL;
    if (row->axis != FIGURE_AXIS_BATCH)
        snprintf(batch, sizeof batch, ", batches of %s rows", csv_text(table, first, CSV_summary_batch_rows));
    if (row->axis == FIGURE_AXIS_MODE)
        mode = "as in the legend";
    int n = asprintf(&subtitle, "%s%ssink %s%s%s%s, mode %s, %s%s%s",
                     has_name ? csv_text(table, first, CSV_summary_machine) : "", has_name ? ", " : "",
                     csv_text(table, first, CSV_summary_sink), rest[0] ? ", " : "", rest, batch, mode,
                     is_counted ? "counted in passes of their own" : "median of ",
                     is_counted || is_of_all ? "" : csv_text(table, first, CSV_summary_samples),
                     is_counted  ? ""
                     : is_of_all ? "the samples"
                                 : " samples");
    free(rest);
    return n < 0 ? NULL : subtitle;
}

/* Finds the newest picture of that name. */
static void find_picture(struct figure *figure, const char *run_dir)
{
    struct timespec newest = {0};
    for (size_t i = 0; i < N_EXTENSIONS; i++) {
        char *path = NULL;
        struct stat facts;
        if (asprintf(&path, "%s/plots/%s.%s", run_dir, figure->name, extensions[i]) < 0)
            return;
        bool is_newer = stat(path, &facts) == 0 && facts.st_size > 0 &&
                        (facts.st_mtim.tv_sec > newest.tv_sec ||
                         (facts.st_mtim.tv_sec == newest.tv_sec && facts.st_mtim.tv_nsec > newest.tv_nsec));
        if (is_newer) {
            newest = facts.st_mtim;
            snprintf(figure->extension, sizeof figure->extension, "%s", extensions[i]);
        }
        free(path);
    }
}

static void free_figure(struct figure *figure)
{
    free(figure->name);
    free(figure->subtitle);
    free(figure->kernels);
    free(figure->rows);
}

static int add_figure(struct figures *figures, const struct figure_row *row, struct figure_group *group,
                      const char *run_dir, struct dv_error *error_out)
{
    struct figure *longer = realloc(figures->items, (figures->n_items + 1) * sizeof *longer);
    if (!longer)
        return dv_no_memory(error_out);
    figures->items = longer;
    struct figure figure = {.script = row->script,
                            .question = row->question,
                            .caption = row->caption,
                            .column = row->column,
                            .x_column = row->axis == FIGURE_AXIS_VECTOR ? "dv" : "",
                            .data = row->axis == FIGURE_AXIS_GRID    ? FIGURE_DATA_MAP
                                    : row->axis == FIGURE_AXIS_PAIRS ? FIGURE_DATA_PAIRS
                                                                     : FIGURE_DATA_ROWS};
    figure.name = make_name(figures, row, group);
    figure.subtitle = make_subtitle(figures, row, group);
    figure.kernels = strdup(group->kernels);
    figure.rows = malloc(group->n_points * sizeof *figure.rows);
    longer[figures->n_items++] = figure;
    if (!figure.name || !figure.subtitle || !figure.kernels || !figure.rows)
        return dv_no_memory(error_out);
    struct figure *placed = &longer[figures->n_items - 1];
    for (size_t i = 0; i < group->n_points; i++)
        placed->rows[i] = group->points[i].row;
    placed->n_rows = group->n_points;
    find_picture(placed, run_dir);
    if (!figure_style_matches(&figures->style->figures, placed->script) &&
        !figure_style_matches(&figures->style->figures, placed->name))
        free_figure(&figures->items[--figures->n_items]);
    return 0;
}

static int plan_row(struct figures *figures, const struct figure_row *row, const char *run_dir,
                    struct dv_error *error_out)
{
    struct figure_groups groups;
    int status = figure_rows_group(&groups, figures->summary, row->axis, row->column, row->choice, error_out);
    if (status < 0)
        return status;
    for (size_t i = 0; i < groups.n_items && status == 0; i++)
        status = add_figure(figures, row, &groups.items[i], run_dir, error_out);
    if (groups.n_items == 0 && row->axis != FIGURE_AXIS_VECTOR && figures->has_axis &&
        (row->axis != FIGURE_AXIS_MACHINE || figures->has_machines) &&
        figure_style_matches(&figures->style->figures, row->script))
        add_note(figures, "%s: not drawn, this run has no rows that vary %s with a value in column %s",
                 row->script, figure_axis_name(row->axis), csv_column_info(row->column)->name);
    figure_groups_free(&groups);
    return status;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The ids of all kernels of the summary, in alphabetical order, blanks between. NULL without memory. */
static char *list_kernels(const struct csv_table *summary)
{
    size_t n = csv_n_rows(summary), n_bytes = 1;
    const char **ids = malloc((n + 1) * sizeof *ids);
    if (!ids)
        return NULL;
    for (size_t row = 0; row < n; row++)
        ids[row] = csv_text(summary, row, CSV_summary_kernel);
    qsort(ids, n, sizeof *ids, compare_texts);
    size_t n_distinct = 0;
    for (size_t i = 0; i < n; i++)
        if (n_distinct == 0 || strcmp(ids[i], ids[n_distinct - 1]) != 0) {
            n_bytes += strlen(ids[i]) + 1;
            ids[n_distinct++] = ids[i];
        }
    char *list = malloc(n_bytes), *end = list;
    for (size_t i = 0; list && i < n_distinct; i++)
        end = stpcpy(stpcpy(end, i ? " " : ""), ids[i]);
    if (list)
        *end = '\0';
    free(ids);
    return list;
}

/* A run without counters.csv has none. */
static int load_penalty(struct attribution_penalty *penalty_out, const char *run_dir,
                        struct dv_error *error_out)
{
    struct csv_table *counters;
    const int status = run_dir_load_if_there(&counters, run_dir, CSV_FILE_counters, error_out);
    *penalty_out = pairs_penalty(counters, NULL);
    csv_free(counters);
    return status;
}

static bool has_axis(const struct csv_table *summary)
{
    for (size_t row = 0; row < csv_n_rows(summary); row++)
        if (csv_text(summary, row, CSV_summary_axis)[0] != '\0')
            return true;
    return false;
}

int figures_plan(struct figures *figures_out, const char *run_dir, const struct figure_style *style,
                 struct dv_error *error_out)
{
    static const struct figure_style all = {0};
    *figures_out = (struct figures){.style = style ? style : &all};
    int status = run_dir_load(&figures_out->summary, run_dir, CSV_FILE_summary, error_out);
    if (status == 0)
        figure_style_keep_kernels(figures_out->style, figures_out->summary, CSV_summary_kernel);
    if (status == 0)
        status = load_penalty(&figures_out->penalty, run_dir, error_out);
    if (status == 0 && !(figures_out->kernel_order = list_kernels(figures_out->summary)))
        status = dv_no_memory(error_out);
    figures_out->has_axis = status == 0 && has_axis(figures_out->summary);
    figures_out->has_machines = status == 0 && report_has_machines(figures_out->summary);
    if (status == 0 && !figures_out->has_axis)
        add_note(figures_out,
                 "figures over a rate, a run length or a batch size need a run that varies it; this one "
                 "compares its vectors");
    for (size_t i = 0; i < sizeof figure_rows / sizeof *figure_rows && status == 0; i++)
        status = plan_row(figures_out, &figure_rows[i], run_dir, error_out);
    if (status < 0)
        figures_free(figures_out);
    return status;
}

/* The picture that gnuplot left as NAME.part.EXT becomes NAME.EXT at once. False where there is none, or an
 * empty one. */
static bool take_picture(struct figure *figure, const char *part)
{
    for (size_t i = 0; i < N_EXTENSIONS; i++) {
        char *from = NULL, *to = NULL;
        struct stat facts;
        bool is_taken = false;
        if (asprintf(&from, "%s.%s", part, extensions[i]) >= 0 &&
            asprintf(&to, "%.*s.%s", (int)(strlen(part) - strlen(".part")), part, extensions[i]) >= 0 &&
            stat(from, &facts) == 0) {
            is_taken = facts.st_size > 0 && rename(from, to) == 0;
            if (!is_taken)
                unlink(from);
        }
        free(from);
        free(to);
        if (is_taken) {
            snprintf(figure->extension, sizeof figure->extension, "%s", extensions[i]);
            return true;
        }
    }
    return false;
}

static int draw_one(struct figures *figures, struct figure *figure, const char *folder, const char *scripts,
                    const struct figure_style *style, bool is_in_the_open, struct dv_error *error_out)
{
    const char *format = style->format ? style->format : "svg";
    char *script = NULL, *data = NULL, *part = NULL, said[200] = "";
    int status = dv_no_memory(error_out);
    if (asprintf(&script, "%s/%s.gp", scripts, figure->script) >= 0 &&
        asprintf(&data, "%s/%s.csv", folder, figure->name) >= 0 &&
        asprintf(&part, "%s/%s.part", folder, figure->name) >= 0)
        status = figure_data_write(data, figure, figures->summary, &figures->penalty, error_out);
    if (status == 0) {
        const struct gnuplot_variable variables[] = {
            {"DVBENCH_OUT", part},
            {"DVBENCH_DATA", data},
            {"DVBENCH_SUBTITLE", figure->subtitle},
            {"DVBENCH_KERNELS", figure->kernels},
            {"DVBENCH_STYLE_ORDER", figures->kernel_order},
            {"DVBENCH_MAIN", FIGURE_MAIN_TECHNIQUES},
            {"DVBENCH_X", figure->x_column},
        };
        status = figure_style_draw(style, script, figure->question, variables,
                                   sizeof variables / sizeof *variables, is_in_the_open, said, sizeof said,
                                   error_out);
        bool is_drawn = take_picture(figure, part);
        if (status == 0 && !is_drawn)
            status = dv_fail(error_out, DV_ERROR_IO, "gnuplot drew nothing: %s", said);
        else if (status == 0 && strcmp(figure->extension, format) != 0)
            add_note(figures, "%s: drawn as %s, this gnuplot has no terminal for %s", figure->name,
                     figure->extension, format);
        else if (status == 0 && said[0] && strcmp(format, "pdf") == 0)
            add_note(figures, "%s: %s", figure->name, said);
    }
    free(script);
    free(data);
    free(part);
    return status;
}

/* Names the figures from `first` on, which a signal left out. */
static int fail_interrupted(const struct figures *figures, size_t first, const char *run_dir,
                            struct dv_error *error_out)
{
    char names[256] = "";
    for (size_t i = first, n = 0; i < figures->n_items && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i > first ? ", " : "",
                              figures->items[i].name);
    return dv_fail(error_out, DV_ERROR_IO, "interrupted; dvbench plot %s draws what is missing: %s", run_dir,
                   names);
}

static int draw_into(struct figures *figures, const char *run_dir, const char *folder, const char *scripts,
                     const struct figure_style *style, const volatile sig_atomic_t *interrupted,
                     struct dv_error *error_out)
{
    size_t n_drawn = 0;
    struct dv_error last = {0};
    for (size_t i = 0; i < figures->n_items; i++)
        figures->items[i].extension[0] = '\0'; /* a picture drawn before is not one of now */
    for (size_t i = 0; i < figures->n_items; i++) {
        struct figure *figure = &figures->items[i];
        const bool is_in_the_open = i == 0 || figure[-1].question != figure->question;
        int status =
            *interrupted ? 0 : draw_one(figures, figure, folder, scripts, style, is_in_the_open, &last);
        if (*interrupted) /* the signal may have ended gnuplot, too */
            return fail_interrupted(figures, i, run_dir, error_out);
        n_drawn += status == 0;
        if (status == DV_ERROR_UNAVAILABLE || status == DV_ERROR_MEMORY)
            break;
        if (status < 0)
            add_note(figures, "%s: not drawn, %s", figure->name, last.message);
    }
    if (n_drawn > 0 || figures->n_items == 0)
        return 0;
    *error_out = last;
    return last.code;
}

int figures_draw_all(struct figures *figures, const char *run_dir, const struct figure_style *style,
                     const volatile sig_atomic_t *interrupted, struct dv_error *error_out)
{
    char scripts[4096], *folder;
    int status = figure_style_open(style, run_dir, &folder, scripts, sizeof scripts, error_out);
    if (status == 0)
        status = draw_into(figures, run_dir, folder, scripts, style, interrupted, error_out);
    else
        for (size_t i = 0; i < figures->n_items; i++)
            figures->items[i].extension[0] = '\0'; /* no picture */
    free(folder);
    return status;
}

void figures_free(struct figures *figures)
{
    for (size_t i = 0; i < figures->n_items; i++)
        free_figure(&figures->items[i]);
    for (size_t i = 0; i < figures->n_notes; i++)
        free(figures->notes[i]);
    free(figures->items);
    free(figures->notes);
    free(figures->kernel_order);
    csv_free(figures->summary);
    *figures = (struct figures){0};
}

int figures_draw(const char *run_dir, const struct figure_style *style,
                 const volatile sig_atomic_t *interrupted, struct dv_error *error_out)
{
    struct figures figures;
    int status = figures_plan(&figures, run_dir, style, error_out);
    if (status < 0)
        return status;
    status = figures_draw_all(&figures, run_dir, style, interrupted, error_out);
    figures_free(&figures);
    return status;
}
