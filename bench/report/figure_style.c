/* SPDX-License-Identifier: Apache-2.0 */
#include "figure_style.h"

#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int figure_style_check_format(const char *format, struct dv_error *error_out)
{
    if (strcmp(format, "svg") == 0 || strcmp(format, "png") == 0 || strcmp(format, "pdf") == 0)
        return 0;
    return dv_fail(error_out, DV_ERROR_USAGE, "unknown picture format %s: svg, png or pdf", format);
}

int figure_style_set_size(struct figure_style *style, const char *text, struct dv_error *error_out)
{
    double width, height;
    int n_read = 0;
    if (strcmp(text, "column") == 0)
        text = "3.3x3.5";
    else if (strcmp(text, "slide") == 0)
        text = "13.33x7.5";
    if (sscanf(text, "%lfx%lf%n", &width, &height, &n_read) != 2 || text[n_read] != '\0' ||
        !(width >= 1 && width <= 50 && height >= 1 && height <= 50))
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--size %s: expected WIDTHxHEIGHT in inches (1 to 50), column or slide", text);
    snprintf(style->size, sizeof style->size, "%.6g %.6g", width, height);
    return 0;
}

/* The script puts the name between quotes of its own, so it may hold no others. */
int figure_style_set_font(struct figure_style *style, const char *text, struct dv_error *error_out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -";
    const size_t n_name = strspn(text, letters);
    char *end = NULL;
    const double points = text[n_name] == ',' ? strtod(text + n_name + 1, &end) : 0;
    if (n_name == 0 || !end || *end != '\0' || !(points >= 4 && points <= 72))
        return dv_fail(error_out, DV_ERROR_USAGE, "--font %s: expected NAME,POINTS (4 to 72), as Helvetica,9",
                       text);
    style->font = text;
    return 0;
}

bool figure_style_matches(const struct strings *patterns, const char *text)
{
    for (size_t i = 0; i < patterns->n_items; i++)
        if (fnmatch(patterns->items[i], text, 0) == 0)
            return true;
    return patterns->n_items == 0;
}

struct kernel_filter {
    const struct strings *patterns;
    enum csv_column column;
};

static bool is_kept(const struct csv_table *table, size_t row, const void *context)
{
    const struct kernel_filter *filter = context;
    return figure_style_matches(filter->patterns, csv_text(table, row, filter->column));
}

void figure_style_keep_kernels(const struct figure_style *style, struct csv_table *table,
                               enum csv_column column)
{
    const struct kernel_filter filter = {&style->kernels, column};
    csv_keep(table, is_kept, &filter);
}

char *figure_style_folder(const struct figure_style *style, const char *run_dir)
{
    char *folder = NULL;
    if (style->out_dir)
        return strdup(style->out_dir);
    return asprintf(&folder, "%s/plots", run_dir) < 0 ? NULL : folder;
}

int figure_style_open(const struct figure_style *style, const char *run_dir, char **folder_out,
                      char *scripts_out, size_t n_scripts, struct dv_error *error_out)
{
    char *folder = figure_style_folder(style, run_dir);
    int status = folder ? figure_style_check_format(style->format ? style->format : "svg", error_out)
                        : dv_no_memory(error_out);
    if (status == 0)
        status = gnuplot_find_scripts(scripts_out, n_scripts, error_out);
    if (status == 0 && mkdir(folder, 0777) != 0 && errno != EEXIST)
        status = dv_fail(error_out, DV_ERROR_IO, "cannot make the folder %s: %s", folder, strerror(errno));
    if (status < 0) {
        free(folder);
        folder = NULL;
    }
    *folder_out = folder;
    return status;
}

/* Nothing that fails here is a failure: the picture itself is there, and one that is too small to read can be scrolled. */
static void draw_narrow(const char *script, struct gnuplot_variable *variables, size_t n_variables,
                        bool is_wanted)
{
    const char *out = variables[0].value, *dot = strrchr(out, '.');
    const size_t n_out = dot && strcmp(dot, ".part") == 0 ? (size_t)(dot - out) : strlen(out);
    char *narrow = NULL, *picture = NULL, said[200];
    struct dv_error error = {0};
    if (asprintf(&narrow, "%.*s.narrow", (int)n_out, out) >= 0 && asprintf(&picture, "%s.svg", narrow) >= 0) {
        unlink(picture); /* of another choice of kernels, or of another format */
        variables[0].value = narrow;
        if (is_wanted && gnuplot_run(script, variables, n_variables, said, sizeof said, &error) < 0)
            unlink(picture);
    }
    free(narrow);
    free(picture);
}

/* An empty variable is one that is not given, so no title is a blank. */
int figure_style_draw(const struct figure_style *style, const char *script, const char *question,
                      const struct gnuplot_variable *own, size_t n_own, bool has_narrow, char *said_out,
                      size_t n_said, struct dv_error *error_out)
{
    const bool has_title = !style->title || strcmp(style->title, "none") != 0,
               is_svg = !style->format || strcmp(style->format, "svg") == 0;
    struct gnuplot_variable variables[FIGURE_MOST_VARIABLES];
    const size_t n = n_own + FIGURE_STYLE_VARIABLES;
    assert(n <= FIGURE_MOST_VARIABLES && strcmp(own[0].name, "DVBENCH_OUT") == 0);
    memcpy(variables, own, n_own * sizeof *own);
    variables[n - 4] = (struct gnuplot_variable){"DVBENCH_SIZE", style->size};
    variables[n - 3] = (struct gnuplot_variable){"DVBENCH_FORMAT", style->format ? style->format : "svg"};
    variables[n - 2] = (struct gnuplot_variable){"DVBENCH_FONT", style->font ? style->font : ""};
    variables[n - 1] = (struct gnuplot_variable){"DVBENCH_TITLE", !has_title     ? " "
                                                                  : style->title ? style->title
                                                                                 : question};
    const int status = gnuplot_run(script, variables, n, said_out, n_said, error_out);
    variables[n - 4].value = "3.5 4.2";
    draw_narrow(script, variables, n,
                status == 0 && has_narrow && is_svg && !style->size[0] && style->figures.n_items == 0);
    return status;
}

void figure_style_free(struct figure_style *style)
{
    strings_free(&style->figures);
    strings_free(&style->kernels);
}
