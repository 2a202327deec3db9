/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_name.h"
#include "explain_text.h"
#include "pairs.h"
#include "run_dir.h"

int explain_open(struct explain *explain_out, const struct csv_table *summary,
                 const struct csv_table *counters, double penalty, const char *run_dir, const char *csv_path,
                 struct dv_error *error_out)
{
    *explain_out = (struct explain){.summary = summary,
                                    .penalty = {penalty, NAN, NAN},
                                    .is_given = !isnan(penalty),
                                    .run = run_dir_name(run_dir)};
    if (!explain_out->is_given)
        explain_out->penalty = pairs_penalty(counters, NULL);
    if (!csv_path)
        return run_dir_create_csv(&explain_out->csv, run_dir, CSV_FILE_explain, error_out);
    return strcmp(csv_path, "-") == 0 ? 0
                                      : csv_create(&explain_out->csv, csv_path, CSV_FILE_explain, error_out);
}

int explain_close(struct explain *explain, struct dv_error *error_out)
{
    return csv_close(explain->csv, error_out);
}

/* --- one pair --- */

struct compared {
    const struct csv_table *summary;
    size_t rows[2];
    struct attribution_side sides[2];
    struct attribution attribution;
};

static void print_number(double value)
{
    if (isnan(value))
        printf(" %12s", "-");
    else
        printf(" %12.5g", value);
}

static void print_line(const char *what, double a, double b)
{
    printf("  %-26s", what);
    print_number(a);
    print_number(b);
    print_number(a - b);
    if (a > 0 && b > 0)
        printf("   %.3g x", a / b);
    printf("\n");
}

static void print_cell(char letter, const struct csv_table *summary, size_t row)
{
    const char *status = csv_text(summary, row, CSV_summary_counter_status);
    char *name = cell_name_of_row(summary, row);
    printf("  %c  %s\n", letter, name ? name : "");
    free(name);
    const char *source = csv_text(summary, row, CSV_summary_counter_source);
    printf("     counters: %s%s%s%s\n", source,
           strcmp(source, "step") == 0 ? " (only instructions, over a sample of the batches)" : "",
           *status ? "; empty: " : "", status);
}

static void print_share(const struct explain *explain, const struct attribution *attribution)
{
    const struct attribution_penalty *penalty = &explain->penalty;
    if (attribution->status != ATTRIBUTION_OK) {
        printf("  no share of branch misses: %s\n", attribution_status_text(attribution->status));
        return;
    }
    printf("  branch misses explain %.3g %% of the difference in core cycles", attribution->share_pct);
    if (!isnan(attribution->share_low_pct))
        printf(" [%.3g, %.3g]", attribution->share_low_pct, attribution->share_high_pct);
    printf("\n  at %.3g core cycles a miss", penalty->core_cycles);
    if (!isnan(penalty->low))
        printf(" [%.3g, %.3g]", penalty->low, penalty->high);
    printf("%s\n", explain->is_given ? ", as given by --penalty" : ", measured in this run");
    printf("  to explain all of it, %.4g more misses per row would be needed; %.4g were counted\n",
           attribution->misses_for_all, attribution->delta_branch_misses);
}

static void print_instructions(const struct compared *pair)
{
    const struct attribution *attribution = &pair->attribution;
    const struct attribution_side *a = &pair->sides[0];
    const struct attribution_side *b = &pair->sides[1];
    if (isnan(attribution->delta_instructions))
        return;
    if (!isnan(attribution->marginal_ipc))
        printf(
            "  marginal IPC %.3g: extra instructions per extra core cycle (not a share: it can exceed 1)\n",
            attribution->marginal_ipc);
    if (attribution->delta_instructions * attribution->delta_ns < 0)
        printf("  the slower of the two runs fewer instructions: they explain none of the difference\n");
    else
        printf("  A runs %.3g times the instructions of B and takes %.3g times as long\n",
               a->instructions / b->instructions, a->ns / b->ns);
}

/* Times whose intervals touch do not differ: there is nothing to explain. */
static void print_doubt(const struct compared *pair)
{
    double low[2];
    double high[2];
    for (int i = 0; i < 2; i++) {
        low[i] = csv_real(pair->summary, pair->rows[i], CSV_summary_ns_per_row_low);
        high[i] = csv_real(pair->summary, pair->rows[i], CSV_summary_ns_per_row_high);
    }
    if (low[0] <= high[1] && low[1] <= high[0])
        printf("  cannot tell: the intervals of the two times overlap\n");
}

static void set_cell(struct csv_writer *csv, enum csv_column column, const struct csv_table *summary,
                     size_t row)
{
    char *name = cell_name_of_row(summary, row);
    csv_set_text(csv, column, name);
    free(name);
}

static int write_row(const struct explain *explain, const char *id, const struct compared *pair,
                     struct dv_error *error_out)
{
    const struct attribution *attribution = &pair->attribution;
    const struct attribution_side *a = &pair->sides[0];
    const struct attribution_side *b = &pair->sides[1];
    const struct {
        enum csv_column column;
        double value;
    } numbers[] = {
        {CSV_explain_ns_a, a->ns},
        {CSV_explain_ns_b, b->ns},
        {CSV_explain_delta_ns, attribution->delta_ns},
        {CSV_explain_delta_core_cycles, attribution->delta_core_cycles},
        {CSV_explain_delta_instructions, attribution->delta_instructions},
        {CSV_explain_delta_branches, attribution->delta_branches},
        {CSV_explain_delta_branch_misses, attribution->delta_branch_misses},
        {CSV_explain_miss_penalty, explain->penalty.core_cycles},
        {CSV_explain_share_pct, attribution->share_pct},
        {CSV_explain_share_low_pct, attribution->share_low_pct},
        {CSV_explain_share_high_pct, attribution->share_high_pct},
        {CSV_explain_marginal_ipc, attribution->marginal_ipc},
        {CSV_explain_instructions_ratio, a->instructions / b->instructions},
        {CSV_explain_time_ratio, a->ns / b->ns},
    };
    const char *sources[2];
    char source[32];
    for (int i = 0; i < 2; i++)
        sources[i] = csv_text(pair->summary, pair->rows[i], CSV_summary_counter_source);
    const bool is_same = strcmp(sources[0], sources[1]) == 0;
    snprintf(source, sizeof source, "%s%s%s", sources[0], is_same ? "" : "+", is_same ? "" : sources[1]);
    csv_set_text(explain->csv, CSV_explain_run, explain->run);
    csv_set_text(explain->csv, CSV_explain_pair, id);
    set_cell(explain->csv, CSV_explain_a, pair->summary, pair->rows[0]);
    set_cell(explain->csv, CSV_explain_b, pair->summary, pair->rows[1]);
    csv_set_text(explain->csv, CSV_explain_source, source);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        csv_set_real(explain->csv, numbers[i].column, numbers[i].value);
    return csv_end_row(explain->csv, error_out);
}

int explain_pair(struct explain *explain, const char *id, const char *question, size_t row_a, size_t row_b,
                 struct dv_error *error_out)
{
    struct compared pair = {.summary = explain->summary, .rows = {row_a, row_b}};
    for (int i = 0; i < 2; i++) {
        pair.sides[i] = pairs_side(explain->summary, pair.rows[i]);
        if (isnan(pair.sides[i].ns))
            return dv_fail(error_out, DV_ERROR_USAGE, "%s/%s was not timed in this run: %s",
                           csv_text(explain->summary, pair.rows[i], CSV_summary_kernel),
                           csv_text(explain->summary, pair.rows[i], CSV_summary_sink),
                           csv_text(explain->summary, pair.rows[i], CSV_summary_reason));
    }
    const struct attribution_side *a = &pair.sides[0];
    const struct attribution_side *b = &pair.sides[1];
    attribution_compute(&pair.attribution, a, b, &explain->penalty);
    printf("%s%s%s\n", id, *question ? ": " : "", question);
    print_cell('A', explain->summary, row_a);
    print_cell('B', explain->summary, row_b);
    printf("  %-26s %12s %12s %12s\n", "per row", "A", "B", "A - B");
    print_line("nanoseconds", a->ns, b->ns);
    print_line("core cycles", a->core_cycles, b->core_cycles);
    print_line("instructions", a->instructions, b->instructions);
    print_line("branches", a->branches, b->branches);
    print_line(a->is_simulated || b->is_simulated ? "branch misses (simulated)" : "branch misses",
               a->branch_misses, b->branch_misses);
    print_share(explain, &pair.attribution);
    print_instructions(&pair);
    print_doubt(&pair);
    printf("\n");
    return explain->csv ? write_row(explain, id, &pair, error_out) : 0;
}
