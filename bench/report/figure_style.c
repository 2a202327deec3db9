/* SPDX-License-Identifier: Apache-2.0 */
#include "figure_style.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* An empty variable is one that is not given, so no title is a blank. */
void figure_style_variables(const struct figure_style *style, const char *question,
                            struct gnuplot_variable variables_out[FIGURE_STYLE_VARIABLES])
{
    const bool has_title = !style->title || strcmp(style->title, "none") != 0;
    variables_out[0] = (struct gnuplot_variable){"DVBENCH_FORMAT", style->format ? style->format : "svg"};
    variables_out[1] = (struct gnuplot_variable){"DVBENCH_SIZE", style->size};
    variables_out[2] = (struct gnuplot_variable){"DVBENCH_FONT", style->font ? style->font : ""};
    variables_out[3] = (struct gnuplot_variable){"DVBENCH_TITLE", !has_title     ? " "
                                                                  : style->title ? style->title
                                                                                 : question};
}

void figure_style_free(struct figure_style *style)
{
    strings_free(&style->figures);
    strings_free(&style->kernels);
}
