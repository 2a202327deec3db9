/* SPDX-License-Identifier: Apache-2.0 */
#include "report_key_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure_data.h"
#include "report_numbers.h"
#include "report_places.h"
#include "spec_parts.h"

enum { N_CELLS = 6, CELL_CHARS = 128 };

/* The ratio that the article is known for. */
static void write_cliff(const struct report_text *text, const struct figure_group *group,
                        const struct csv_table *table)
{
    double below = report_cost(table, report_find_row(group, table, "per_row", 0.061));
    double above = report_cost(table, report_find_row(group, table, "per_row", 0.07));
    char ratio[32], low[32], high[32];
    if (isnan(below / above))
        return;
    report_paragraph(text,
                     "A lookup per row costs %s ns at 6.1 %% and %s ns at 7 %%, a ratio of %s: below 6.25 %% "
                     "a chunk's deletes are a sorted array "
                     "to be searched for each row, above it a bitset to be read.",
                     report_number(below, low, sizeof low), report_number(above, high, sizeof high),
                     report_number(below / above, ratio, sizeof ratio));
}

static void put_ns(const struct csv_table *table, size_t row, char *out)
{
    report_number(report_cost(table, row), out, CELL_CHARS);
}

/* The median of the paired ratios; the interval where there are rounds enough for one. */
static void put_speedup(const struct csv_table *table, size_t row, char *out)
{
    char ratio[32], low[32], high[32];
    if (row == REPORT_NO_ROW || isnan(csv_real(table, row, CSV_summary_speedup_vs_per_row)))
        return;
    report_number(csv_real(table, row, CSV_summary_speedup_vs_per_row), ratio, sizeof ratio);
    report_number(csv_real(table, row, CSV_summary_speedup_low), low, sizeof low);
    report_number(csv_real(table, row, CSV_summary_speedup_high), high, sizeof high);
    snprintf(out, CELL_CHARS, low[0] && high[0] ? "%sx (%s to %s)" : "%sx", ratio, low, high);
}

static void put_fastest(const struct csv_table *table, size_t winner, char *out)
{
    char number[32];
    snprintf(out, CELL_CHARS, "%s, %s", csv_text(table, winner, CSV_summary_kernel),
             report_number(report_cost(table, winner), number, sizeof number));
}

static void put_runner_up(const struct csv_table *table, size_t winner, size_t runner_up, char *out)
{
    if (runner_up == REPORT_NO_ROW)
        return;
    const char *kernel = csv_text(table, runner_up, CSV_summary_kernel);
    double lead_pct = figure_data_lead_pct(table, winner, runner_up);
    char number[32];
    if (isnan(lead_pct))
        snprintf(out, CELL_CHARS, "%s, tied (within noise)", kernel);
    else if (lead_pct < 100)
        snprintf(out, CELL_CHARS, "%s, %s %% slower", kernel, report_number(lead_pct, number, sizeof number));
    else
        snprintf(out, CELL_CHARS, "%s, %s times as long", kernel,
                 report_number(1 + lead_pct / 100, number, sizeof number));
}

/* What a row says besides the place on its axis: the fastest kernel there and the one of another technique. */
struct contest {
    size_t per_row, winner, runner_up;
};

static struct contest find_contest(const struct figure_group *group, const struct csv_table *table, double x)
{
    struct contest contest = {.per_row = report_find_row(group, table, "per_row", x),
                              .winner = report_find_fastest(group, table, x, REPORT_NO_ROW)};
    /* Vectors are as near to each other as their numbers, so "near" does not match there. */
    if (contest.per_row != REPORT_NO_ROW && strcmp(csv_text(table, contest.per_row, CSV_summary_dv),
                                                   csv_text(table, contest.winner, CSV_summary_dv)) != 0)
        contest.per_row = REPORT_NO_ROW;
    contest.runner_up = report_find_fastest(group, table, x, contest.winner);
    return contest;
}

static void put_row(const struct report_text *text, char cells[N_CELLS][CELL_CHARS], const char *first)
{
    const char *const row[N_CELLS] = {first, cells[1], cells[2], cells[3], cells[4], cells[5]};
    report_table_row(text, row, N_CELLS);
}

static void write_rate_row(const struct report_text *text, const struct figure_group *group,
                           const struct csv_table *table, double rate)
{
    const struct contest contest = find_contest(group, table, rate);
    const size_t callback = report_find_row(group, table, "for_each_in_range", rate);
    char cells[N_CELLS][CELL_CHARS] = {{0}}, number[32];
    snprintf(cells[0], sizeof cells[0], "%s %%", report_number(100 * rate, number, sizeof number));
    put_ns(table, contest.per_row, cells[1]);
    put_ns(table, callback, cells[2]);
    put_speedup(table, callback, cells[3]);
    put_fastest(table, contest.winner, cells[4]);
    put_runner_up(table, contest.winner, contest.runner_up, cells[5]);
    put_row(text, cells, cells[0]);
}

static void write_vector_row(const struct report_text *text, const struct figure_group *group,
                             const struct csv_table *table, double x)
{
    const struct contest contest = find_contest(group, table, x);
    char cells[N_CELLS][CELL_CHARS] = {{0}}, number[32];
    char *name = spec_without_defaults(csv_text(table, contest.winner, CSV_summary_dv));
    snprintf(cells[1], sizeof cells[1], "%s of %s (%s %%)",
             csv_text(table, contest.winner, CSV_summary_deleted),
             csv_text(table, contest.winner, CSV_summary_rows),
             report_number(100 * csv_real(table, contest.winner, CSV_summary_rate), number, sizeof number));
    put_ns(table, contest.per_row, cells[2]);
    put_fastest(table, contest.winner, cells[3]);
    put_speedup(table, contest.winner, cells[4]);
    put_runner_up(table, contest.winner, contest.runner_up, cells[5]);
    put_row(text, cells, name ? name : "");
    free(name);
}

/* One table per group; a row of it per value of the axis. */
struct key_table {
    enum figure_axis axis;
    const char *const headers[N_CELLS];
    void (*write_row)(const struct report_text *text, const struct figure_group *group,
                      const struct csv_table *table, double x);
};

static const struct key_table key_tables[] = {
    {FIGURE_AXIS_RATE,
     {"deleted", "per_row, ns", "for_each_in_range, ns", "its speed-up (interval)", "fastest, ns",
      "runner-up of another technique"},
     write_rate_row},
    {FIGURE_AXIS_VECTOR,
     {"vector", "deleted rows", "per_row, ns", "fastest, ns", "times as fast as per_row (interval)",
      "runner-up of another technique"},
     write_vector_row},
};

static int write_group(const struct report_text *text, const struct key_table *kind,
                       const struct figure_group *group, const struct csv_table *table,
                       struct dv_error *error_out)
{
    const size_t first = group->points[0].row;
    const bool has_machines = report_has_machines(table);
    size_t n_values;
    double *values = report_axis_values(group, &n_values);
    char *rest = spec_without_defaults(group->rest);
    if (!values || !rest) {
        free(values);
        free(rest);
        return dv_no_memory(error_out);
    }
    report_heading(text, 3, csv_text(table, first, CSV_summary_sink));
    report_paragraph(text,
                     "%s%s%s%sbatches of %s rows, mode %s. Nanoseconds per row are medians of %s samples; "
                     "kernels that expand the vector are charged for opening it.",
                     has_machines ? csv_text(table, first, CSV_summary_machine) : "",
                     has_machines ? ": " : "", rest,
                     rest[0] ? ", " : "Each vector: ", csv_text(table, first, CSV_summary_batch_rows),
                     csv_text(table, first, CSV_summary_mode), csv_text(table, first, CSV_summary_samples));
    if (kind->axis == FIGURE_AXIS_RATE)
        write_cliff(text, group, table);
    report_table_begin(text, kind->headers, N_CELLS);
    for (size_t i = 0; i < n_values; i++)
        kind->write_row(text, group, table, values[i]);
    report_table_end(text);
    free(values);
    free(rest);
    return 0;
}

static int write_table(const struct report_text *text, const struct key_table *kind,
                       const struct csv_table *table, struct dv_error *error_out)
{
    struct figure_groups groups;
    int status =
        figure_rows_group(&groups, table, kind->axis, CSV_summary_ns_per_row, FIGURE_CHOICE_ALL, error_out);
    if (status < 0)
        return status;
    for (size_t i = 0; i < groups.n_items && status == 0; i++) {
        if (i == 2)
            report_fold_begin(text, "other sinks, batch sizes, modes and vectors");
        status = write_group(text, kind, &groups.items[i], table, error_out);
    }
    if (groups.n_items > 2)
        report_fold_end(text);
    figure_groups_free(&groups);
    return status;
}

int report_key_numbers(const struct report_text *text, const struct csv_table *summary,
                       struct dv_error *error_out)
{
    int status = 0;
    report_heading(text, 2, "Key numbers");
    for (size_t i = 0; i < sizeof key_tables / sizeof *key_tables && status == 0; i++)
        status = write_table(text, &key_tables[i], summary, error_out);
    return status;
}
