/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of scan.csv: for each group of rows a small CSV and one of two scripts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gnuplot.h"
#include "kernel.h"
#include "run_dir.h"
#include "scan_options.h"
#include "scan_report.h"
#include "scan_rows.h"

static const char *technique_of(const char *id)
{
    const struct kernel *kernel = kernel_find(id);
    return kernel ? kernel->technique : id;
}

/* The place of a row's value on the axis: 1 for the first value of the group, and so on. */
static size_t place_of(const struct csv_table *scan, const struct scan_group *group, size_t row)
{
    size_t place = 0;
    for (size_t at = 0; at < csv_n_rows(scan); at++) {
        place += scan_is_first(scan, group, at, CSV_scan_axis_value);
        if (scan_row_is_of(scan, at, group) &&
            strcmp(csv_text(scan, at, CSV_scan_axis_value), csv_text(scan, row, CSV_scan_axis_value)) == 0)
            break;
    }
    return place;
}

/* Also the columns that the frame of every figure reads (plots/common.gp). */
static int write_data(const char *path, const struct csv_table *scan, const struct scan_group *group,
                      struct dv_error *error_out)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    fputs("place,kernel,technique,works_at_open,verdict,dv_share_pct,dv_share_low,dv_share_high,ns_per_row,"
          "ns_per_row_low,ns_per_row_high,machine,croaring,run,counter_source,batch_rows,mode,sink\n",
          file);
    for (size_t row = 0; row < csv_n_rows(scan); row++)
        if (scan_row_is_of(scan, row, group))
            fprintf(file, "%zu,%s,%s,,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s,2048,stream,is_deleted\n",
                    place_of(scan, group, row), csv_text(scan, row, CSV_scan_kernel),
                    technique_of(csv_text(scan, row, CSV_scan_kernel)), csv_text(scan, row, CSV_scan_verdict),
                    csv_text(scan, row, CSV_scan_dv_share_pct), csv_text(scan, row, CSV_scan_dv_share_low),
                    csv_text(scan, row, CSV_scan_dv_share_high), csv_text(scan, row, CSV_scan_ns_per_row),
                    csv_text(scan, row, CSV_scan_ns_per_row_low),
                    csv_text(scan, row, CSV_scan_ns_per_row_high), csv_text(scan, row, CSV_scan_machine),
                    csv_text(scan, row, CSV_scan_croaring), csv_text(scan, row, CSV_scan_run), "none");
    const int failed = ferror(file);
    return fclose(file) != 0 || failed ? dv_fail(error_out, DV_ERROR_IO, "cannot write %s", path) : 0;
}

/* The values of one column in the group, each once, blanks between. malloc'ed; NULL without memory. */
static char *list_of(const struct csv_table *scan, const struct scan_group *group, enum csv_column column)
{
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (!stream)
        return NULL;
    for (size_t row = 0; row < csv_n_rows(scan); row++)
        if (scan_is_first(scan, group, row, column))
            fprintf(stream, "%s%s", ftell(stream) > 0 ? " " : "", csv_text(scan, row, column));
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static int draw(const char *folder, const char *scripts, const struct figure_style *style,
                const struct csv_table *scan, const struct scan_group *group, const char *axis,
                unsigned number, struct dv_error *error_out)
{
    const struct scan_study *study = scan_study_find(group->study);
    const bool is_cost = strcmp(axis, "rate") == 0 || strcmp(axis, "vector") == 0;
    char *script = NULL, *data = NULL, *out = NULL, said[200] = "";
    char *labels = list_of(scan, group, CSV_scan_axis_value),
         *kernels = list_of(scan, group, CSV_scan_kernel);
    int status = 0;
    if (!labels || !kernels || asprintf(&script, "%s/scan_%s.gp", scripts, is_cost ? "cost" : "share") < 0 ||
        asprintf(&data, "%s/scan_%s.%u.csv", folder, group->study, number) < 0 ||
        asprintf(&out, "%s/scan_%s.%u", folder, group->study, number) < 0)
        status = dv_no_memory(error_out);
    if (status == 0)
        status = write_data(data, scan, group, error_out);
    if (status == 0) {
        char subtitle[200];
        snprintf(subtitle, sizeof subtitle, "%s%s%.120s", csv_text(scan, 0, CSV_scan_engine),
                 group->vectors ? ", " : "", group->vectors ? group->vectors : "");
        const struct gnuplot_variable variables[] = {
            {"DVBENCH_OUT", out},         {"DVBENCH_DATA", data}, {"DVBENCH_SUBTITLE", subtitle},
            {"DVBENCH_KERNELS", kernels}, {"DVBENCH_X", labels},
        };
        status = figure_style_draw(
            style, script, study ? study->question : "What does the vector cost in a scan?", variables,
            sizeof variables / sizeof *variables, true, said, sizeof said, error_out);
    }
    free(script);
    free(data);
    free(out);
    free(labels);
    free(kernels);
    return status;
}

int scan_figures_draw(const char *run_dir, const struct figure_style *style, struct dv_error *error_out)
{
    struct csv_table *scan = NULL;
    char scripts[4096], *folder = NULL;
    int status = run_dir_load(&scan, run_dir, CSV_FILE_scan, error_out);
    if (status == 0) {
        figure_style_keep_kernels(style, scan, CSV_scan_kernel);
        status = figure_style_open(style, run_dir, &folder, scripts, sizeof scripts, error_out);
    }
    const char *study = "";
    unsigned number = 0;
    for (size_t row = 0; status == 0 && row < csv_n_rows(scan); row++) {
        const struct scan_group group = scan_group_of(scan, row), all = {.study = group.study};
        if (!scan_is_first(scan, &all, row, group.vectors ? CSV_scan_dv : CSV_scan_study))
            continue;
        number = strcmp(study, group.study) == 0 ? number + 1 : 1;
        study = group.study;
        if (!figure_style_matches(&style->figures, group.study))
            continue;
        status =
            draw(folder, scripts, style, scan, &group, csv_text(scan, row, CSV_scan_axis), number, error_out);
    }
    csv_free(scan);
    free(folder);
    return status;
}
