/* SPDX-License-Identifier: Apache-2.0 */
#include "versions_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "report_numbers.h"
#include "run_dir.h"

/* --- groups: the rows of one picture and one table --- */

static bool is_equal(const struct csv_table *versions, size_t a, size_t b, enum csv_column column)
{
    return strcmp(csv_text(versions, a, column), csv_text(versions, b, column)) == 0;
}

static bool is_same_group(const struct csv_table *versions, size_t a, size_t b)
{
    return is_equal(versions, a, b, CSV_versions_dv) && is_equal(versions, a, b, CSV_versions_sink) &&
           is_equal(versions, a, b, CSV_versions_batch_rows) && is_equal(versions, a, b, CSV_versions_mode);
}

static bool is_first_of_group(const struct csv_table *versions, size_t row)
{
    for (size_t before = 0; before < row; before++)
        if (is_same_group(versions, before, row))
            return false;
    return true;
}

/* Whether no row before of the same group has this value. */
static bool is_first_value(const struct csv_table *versions, size_t row, enum csv_column column)
{
    for (size_t before = 0; before < row; before++)
        if (is_same_group(versions, before, row) && is_equal(versions, before, row, column))
            return false;
    return true;
}

/* The values of a column in the group of `first`, each once, blanks between. malloc'ed; NULL without memory. */
static char *list_of(const struct csv_table *versions, size_t first, enum csv_column column)
{
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (!stream)
        return NULL;
    for (size_t row = first; row < csv_n_rows(versions); row++)
        if (is_same_group(versions, first, row) && is_first_value(versions, row, column))
            fprintf(stream, "%s%s", ftell(stream) > 0 ? " " : "", csv_text(versions, row, column));
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* --- figures --- */

/* The series of a picture are versions: they stand in the column that the frame (plots/common.gp) calls kernel. */
static int write_data(const char *path, const struct csv_table *versions, size_t first,
                      struct dv_error *error_out)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    fputs("row,kernel,technique,works_at_open,verdict,ratio,ratio_low,ratio_high,machine,croaring,run,"
          "counter_source,batch_rows,mode,sink\n",
          file);
    for (size_t row = first; row < csv_n_rows(versions); row++)
        if (is_same_group(versions, first, row) && csv_text(versions, row, CSV_versions_ratio_low)[0])
            fprintf(
                file, "%s,%s,,,ok,%s,%s,%s,%s,%s,%s,none,%s,%s,%s\n",
                csv_text(versions, row, CSV_versions_kernel), csv_text(versions, row, CSV_versions_version),
                csv_text(versions, row, CSV_versions_ratio), csv_text(versions, row, CSV_versions_ratio_low),
                csv_text(versions, row, CSV_versions_ratio_high),
                csv_text(versions, row, CSV_versions_machine), csv_text(versions, row, CSV_versions_base),
                csv_text(versions, row, CSV_versions_run), csv_text(versions, row, CSV_versions_batch_rows),
                csv_text(versions, row, CSV_versions_mode), csv_text(versions, row, CSV_versions_sink));
    const int failed = ferror(file);
    return fclose(file) != 0 || failed ? dv_fail(error_out, DV_ERROR_IO, "cannot write %s", path) : 0;
}

static int run_script(const char *scripts, const char *data, const char *out,
                      const struct figure_style *style, const struct csv_table *versions, size_t first,
                      struct dv_error *error_out)
{
    char said[200] = "", subtitle[300], question[120];
    char *script = run_dir_file(scripts, "versions.gp"),
         *kernels = list_of(versions, first, CSV_versions_kernel),
         *labels = list_of(versions, first, CSV_versions_version);
    int status = script && kernels && labels ? 0 : dv_no_memory(error_out);
    snprintf(subtitle, sizeof subtitle, "%.160s, %s, batches of %s rows, mode %s",
             csv_text(versions, first, CSV_versions_dv), csv_text(versions, first, CSV_versions_sink),
             csv_text(versions, first, CSV_versions_batch_rows),
             csv_text(versions, first, CSV_versions_mode));
    snprintf(question, sizeof question, "What does another CRoaring change, against %.40s?",
             csv_text(versions, first, CSV_versions_base));
    if (status == 0) {
        const struct gnuplot_variable variables[] = {
            {"DVBENCH_OUT", out},        {"DVBENCH_DATA", data}, {"DVBENCH_SUBTITLE", subtitle},
            {"DVBENCH_KERNELS", labels}, {"DVBENCH_X", kernels},
        };
        status = figure_style_draw(style, script, question, variables, sizeof variables / sizeof *variables,
                                   true, said, sizeof said, error_out);
    }
    free(script);
    free(kernels);
    free(labels);
    return status;
}

static int draw(const char *folder, const char *scripts, const struct figure_style *style,
                const struct csv_table *versions, size_t first, unsigned number, struct dv_error *error_out)
{
    char *data = NULL, *out = NULL;
    int status = asprintf(&data, "%s/versions.%u.csv", folder, number) < 0 ||
                         asprintf(&out, "%s/versions.%u", folder, number) < 0
                     ? dv_no_memory(error_out)
                     : write_data(data, versions, first, error_out);
    if (status == 0)
        status = run_script(scripts, data, out, style, versions, first, error_out);
    free(data);
    free(out);
    return status;
}

/* Whether something of the group can be drawn: an interval. */
static bool has_interval(const struct csv_table *versions, size_t first)
{
    for (size_t row = first; row < csv_n_rows(versions); row++)
        if (is_same_group(versions, first, row) && csv_text(versions, row, CSV_versions_ratio_low)[0])
            return true;
    return false;
}

int versions_figures_draw(const char *run_dir, const struct figure_style *style, struct dv_error *error_out)
{
    struct csv_table *versions = NULL;
    char scripts[4096], *folder = NULL;
    unsigned number = 0;
    int status = run_dir_load(&versions, run_dir, CSV_FILE_versions, error_out);
    if (status == 0) {
        figure_style_keep_kernels(style, versions, CSV_versions_kernel);
        status = figure_style_open(style, run_dir, &folder, scripts, sizeof scripts, error_out);
    }
    for (size_t row = 0; status == 0 && row < csv_n_rows(versions); row++) {
        if (!is_first_of_group(versions, row))
            continue;
        char name[32];
        snprintf(name, sizeof name, "versions.%u", ++number);
        if ((figure_style_matches(&style->figures, "versions") ||
             figure_style_matches(&style->figures, name)) &&
            has_interval(versions, row))
            status = draw(folder, scripts, style, versions, row, number, error_out);
    }
    csv_free(versions);
    free(folder);
    return status;
}

/* --- the report --- */

static bool is_again(const struct csv_table *versions, size_t row)
{
    return strcmp(csv_text(versions, row, CSV_versions_side), "a-again") == 0;
}

/* One sentence per version: how many cells, and the ends of the ratios. */
static void write_sentence(const struct report_text *text, const struct csv_table *versions, size_t first)
{
    size_t n_cells = 0, n_slower = 0, n_faster = 0, least = first, most = first;
    for (size_t row = first; row < csv_n_rows(versions); row++) {
        const double ratio = csv_real(versions, row, CSV_versions_ratio);
        if (!is_equal(versions, first, row, CSV_versions_side))
            continue;
        n_cells += !isnan(ratio);
        n_slower += strcmp(csv_text(versions, row, CSV_versions_verdict), "slower") == 0;
        n_faster += strcmp(csv_text(versions, row, CSV_versions_verdict), "faster") == 0;
        if (!(ratio >= csv_real(versions, least, CSV_versions_ratio)))
            least = isnan(ratio) ? least : row;
        if (!(ratio <= csv_real(versions, most, CSV_versions_ratio)))
            most = isnan(ratio) ? most : row;
    }
    char low[32], high[32];
    report_number(csv_real(versions, least, CSV_versions_ratio), low, sizeof low);
    report_number(csv_real(versions, most, CSV_versions_ratio), high, sizeof high);
    report_paragraph(
        text,
        "%s against %s: of %zu cells %zu are faster, %zu slower; the others cannot be told "
        "apart. Time over that of %s: from %s (%s, %s, %s) to %s (%s, %s, %s).",
        csv_text(versions, first, CSV_versions_version), csv_text(versions, first, CSV_versions_base),
        n_cells, n_faster, n_slower, csv_text(versions, first, CSV_versions_base), low,
        csv_text(versions, least, CSV_versions_kernel), csv_text(versions, least, CSV_versions_sink),
        csv_text(versions, least, CSV_versions_dv), high, csv_text(versions, most, CSV_versions_kernel),
        csv_text(versions, most, CSV_versions_sink), csv_text(versions, most, CSV_versions_dv));
}

static bool is_first_of_side(const struct csv_table *versions, size_t row)
{
    for (size_t before = 0; before < row; before++)
        if (is_equal(versions, before, row, CSV_versions_side))
            return false;
    return true;
}

static void write_table(const struct report_text *text, const struct csv_table *versions, size_t first)
{
    static const char *const headers[] = {"kernel", "CRoaring",  "ns/row", "with the first, ns/row",
                                          "ratio",  "95 % from", "to",     "noise floor, %",
                                          "verdict"};
    report_table_begin(text, headers, 9);
    for (size_t row = first; row < csv_n_rows(versions); row++) {
        static const enum csv_column numbers[] = {CSV_versions_ns_per_row, CSV_versions_base_ns_per_row,
                                                  CSV_versions_ratio,      CSV_versions_ratio_low,
                                                  CSV_versions_ratio_high, CSV_versions_noise_floor_pct};
        char texts[6][32];
        const char *cells[9] = {csv_text(versions, row, CSV_versions_kernel),
                                csv_text(versions, row, CSV_versions_version)};
        if (!is_same_group(versions, first, row) || is_again(versions, row))
            continue;
        for (int i = 0; i < 6; i++)
            cells[2 + i] = report_number(csv_real(versions, row, numbers[i]), texts[i], sizeof texts[i]);
        cells[8] = csv_text(versions, row, CSV_versions_verdict);
        report_table_row(text, cells, 9);
    }
    report_table_end(text);
}

static void write_group(const struct report_text *text, const char *run_dir, const struct csv_table *versions,
                        size_t first, unsigned number)
{
    static const char *const extensions[] = {"svg", "png"};
    char heading[400], path[64], seen[400], ratios[2][32];
    size_t least = first, most = first;
    for (size_t row = first; row < csv_n_rows(versions); row++) {
        const double ratio = csv_real(versions, row, CSV_versions_ratio);
        if (!is_same_group(versions, first, row) || is_again(versions, row))
            continue;
        least = ratio < csv_real(versions, least, CSV_versions_ratio) ? row : least;
        most = ratio > csv_real(versions, most, CSV_versions_ratio) ? row : most;
    }
    snprintf(
        seen, sizeof seen,
        "Time over that of %s for each kernel and version, with intervals: the lowest is %s (%s, %s), the "
        "highest %s (%s, %s).",
        csv_text(versions, first, CSV_versions_base),
        report_number(csv_real(versions, least, CSV_versions_ratio), ratios[0], 32),
        csv_text(versions, least, CSV_versions_kernel), csv_text(versions, least, CSV_versions_version),
        report_number(csv_real(versions, most, CSV_versions_ratio), ratios[1], 32),
        csv_text(versions, most, CSV_versions_kernel), csv_text(versions, most, CSV_versions_version));
    snprintf(heading, sizeof heading, "%s, %s, batches of %s rows, %s",
             csv_text(versions, first, CSV_versions_dv), csv_text(versions, first, CSV_versions_sink),
             csv_text(versions, first, CSV_versions_batch_rows),
             csv_text(versions, first, CSV_versions_mode));
    report_heading(text, 2, heading);
    bool is_shown = false;
    for (size_t i = 0; i < 2 && !is_shown; i++) {
        snprintf(path, sizeof path, "plots/versions.%u.%s", number, extensions[i]);
        is_shown = report_picture(text, run_dir, path, seen);
    }
    write_table(text, versions, first);
}

void versions_report_write(const struct report_text *text, const char *run_dir,
                           const struct csv_table *versions)
{
    const size_t n_rows = csv_n_rows(versions);
    unsigned number = 0;
    report_heading(text, 2, "What another CRoaring changes");
    for (size_t row = 0; row < n_rows; row++)
        if (is_first_of_side(versions, row) && !is_again(versions, row))
            write_sentence(text, versions, row);
    report_paragraph(
        text, "A ratio is the median of the ratios of samples of the same process start and round: "
              "below 1 is faster. A kernel is faster or slower where the whole interval is, by more than the "
              "noise floor: the threshold, or what the first version and its own second run (a-again) "
              "differ by beyond their intervals, whichever is more.");
    if (n_rows)
        report_paragraph(text, "Machine: %s.", csv_text(versions, 0, CSV_versions_machine));
    for (size_t row = 0; row < n_rows; row++)
        if (is_first_of_group(versions, row))
            write_group(text, run_dir, versions, row, ++number);
}
