/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of deletes.csv: for each pattern and kind a small CSV, all drawn by one script. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "delete_options.h"
#include "delete_report.h"
#include "delete_rows.h"
#include "gnuplot.h"
#include "run_dir.h"

/* Also the columns that the frame of every figure reads (plots/common.gp). Returns how many points there
 * are. */
static size_t write_points(FILE *file, const struct csv_table *deletes, const struct delete_figure *figure,
                           const char *pattern)
{
    size_t n = 0;
    double x, y;
    fputs("x,y,kernel,technique,works_at_open,verdict,machine,croaring,run,counter_source,batch_rows,mode,"
          "sink\n",
          file);
    for (int way = 0; way < DELETE_N_WAYS; way++)
        for (size_t i = 0; i < delete_figure_n_points(figure, deletes); i++)
            if (delete_figure_point(figure, deletes, pattern, (enum delete_way)way, i, &x, &y)) {
                fprintf(file, "%.12g,%.12g,%s,%s,,ok,%s,%s,%s,,,,\n", x, y, delete_way_ids[way],
                        delete_way_ids[way], csv_text(deletes, 0, CSV_deletes_machine),
                        csv_text(deletes, 0, CSV_deletes_engine), csv_text(deletes, 0, CSV_deletes_run));
                n++;
            }
    return n;
}

static int write_data(size_t *n_points_out, const char *path, const struct csv_table *deletes,
                      const struct delete_figure *figure, const char *pattern, struct dv_error *error_out)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    *n_points_out = write_points(file, deletes, figure, pattern);
    const int failed = ferror(file);
    return fclose(file) != 0 || failed ? dv_fail(error_out, DV_ERROR_IO, "cannot write %s", path) : 0;
}

/* Where rewriting pays off, or from where on compacting does; NaN of other figures. */
static double mark_of(const struct delete_figure *figure, const struct delete_group *group)
{
    if (figure->kind == DELETE_OVER_SCANS)
        return delete_crossover(group, DELETE_COW, DELETE_V3, figure->column, DELETE_EACH).median;
    return figure->column == CSV_deletes_load_ms ? delete_compacting_pays_from(group) : NAN;
}

static int run_script(const char *out, const char *data, const char *scripts,
                      const struct figure_style *style, const struct csv_table *deletes,
                      const struct delete_figure *figure, const char *pattern, struct dv_error *error_out)
{
    char *script = run_dir_file(scripts, "deletes.gp"), subtitle[200], mark_text[32] = "", said[200] = "";
    const struct delete_group group = {deletes, pattern, 0};
    const double mark = mark_of(figure, &group);
    if (!script)
        return dv_no_memory(error_out);
    if (figure->kind == DELETE_OVER_SIZES)
        snprintf(subtitle, sizeof subtitle, "pattern %s, one file", pattern);
    else
        snprintf(subtitle, sizeof subtitle, "pattern %s, %s rows in %s files", pattern,
                 csv_text(deletes, 0, CSV_deletes_rows), csv_text(deletes, 0, CSV_deletes_files));
    if (mark > 0 && mark < DELETE_NEVER)
        snprintf(mark_text, sizeof mark_text, "%.12g", mark);
    const struct gnuplot_variable variables[] = {
        {"DVBENCH_OUT", out},
        {"DVBENCH_DATA", data},
        {"DVBENCH_SUBTITLE", subtitle},
        {"DVBENCH_X", figure->x},
        {"DVBENCH_Y", figure->y},
        {"DVBENCH_LOG", figure->logarithmic},
        {"DVBENCH_MARK", mark_text},
        {"DVBENCH_MARK_TEXT", figure->kind == DELETE_OVER_SCANS ? "cow" : "compacting"},
    };
    const int status =
        figure_style_draw(style, script, figure->question, variables, sizeof variables / sizeof *variables,
                          true, said, sizeof said, error_out);
    free(script);
    return status;
}

static int draw(const char *folder, const char *scripts, const struct figure_style *style,
                const struct csv_table *deletes, const struct delete_figure *figure, const char *pattern,
                struct dv_error *error_out)
{
    char *data = NULL, *out = NULL;
    size_t n_points = 0;
    int status = asprintf(&data, "%s/%s.%s.csv", folder, figure->id, pattern) < 0 ||
                         asprintf(&out, "%s/%s.%s", folder, figure->id, pattern) < 0
                     ? dv_no_memory(error_out)
                     : write_data(&n_points, data, deletes, figure, pattern, error_out);
    if (status == 0 && n_points > 0)
        status = run_script(out, data, scripts, style, deletes, figure, pattern, error_out);
    free(data);
    free(out);
    return status;
}

int delete_figures_draw(const char *run_dir, const struct figure_style *style, struct dv_error *error_out)
{
    struct csv_table *deletes = NULL;
    char scripts[4096], *folder = NULL;
    int status = run_dir_load(&deletes, run_dir, CSV_FILE_deletes, error_out);
    if (status == 0)
        status = figure_style_open(style, run_dir, &folder, scripts, sizeof scripts, error_out);
    for (size_t row = 0; status == 0 && row < csv_n_rows(deletes); row++)
        for (size_t i = 0;
             status == 0 && i < delete_n_figures && delete_is_first(deletes, row, CSV_deletes_pattern); i++)
            if (delete_figures[i].study == delete_study_of(deletes) &&
                figure_style_matches(&style->figures, delete_figures[i].id))
                status = draw(folder, scripts, style, deletes, &delete_figures[i],
                              csv_text(deletes, row, CSV_deletes_pattern), error_out);
    csv_free(deletes);
    free(folder);
    return status;
}
