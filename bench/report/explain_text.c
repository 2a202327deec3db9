/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cell_name.h"
#include "explain_text.h"
#include "pairs.h"

int explain_open(struct explain *explain_out, const struct csv_table *summary,
                 const struct csv_table *counters, double penalty, const char *run_dir, const char *csv_path,
                 struct dv_error *error_out)
{
    char path[4096];
    *explain_out =
        (struct explain){.summary = summary, .penalty = {penalty, NAN, NAN}, .is_given = !isnan(penalty)};
    if (!explain_out->is_given)
        explain_out->penalty = pairs_penalty(counters);
    if (csv_path && strcmp(csv_path, "-") == 0)
        return 0;
    snprintf(path, sizeof path, "%s%s", csv_path ? csv_path : run_dir, csv_path ? "" : "/explain.csv");
    explain_out->csv = fopen(path, "we");
    if (!explain_out->csv)
        return dv_fail(error_out, DV_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    fprintf(explain_out->csv, "%s\n", EXPLAIN_CSV_HEADER);
    return 0;
}

int explain_close(struct explain *explain, struct dv_error *error_out)
{
    if (!explain->csv)
        return 0;
    int has_failed = ferror(explain->csv);
    has_failed |= fclose(explain->csv) != 0;
    explain->csv = NULL;
    return has_failed ? dv_fail(error_out, DV_ERROR_IO, "cannot write explain.csv: disk full?") : 0;
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
        printf("  marginal IPC %.3g: extra instructions per extra core cycle (no share: it can pass 1)\n",
               attribution->marginal_ipc);
    if (attribution->delta_instructions * attribution->delta_ns < 0)
        printf("  the slower of the two runs fewer instructions: they explain none of the difference\n");
    else
        printf("  A runs %.3g times the instructions of B and takes %.3g times as long\n",
               a->instructions / b->instructions, a->ns / b->ns);
}

/* Times whose intervals touch are no difference to explain. */
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

static void write_number(FILE *file, double value)
{
    if (isfinite(value))
        fprintf(file, ",%.9g", value);
    else
        fputc(',', file);
}

static void write_cell(FILE *file, const struct csv_table *summary, size_t row)
{
    fprintf(file, ",%s/%s@%s", csv_text(summary, row, CSV_summary_kernel),
            csv_text(summary, row, CSV_summary_sink), csv_text(summary, row, CSV_summary_dv));
}

static void write_row(const struct explain *explain, const char *id, const struct compared *pair)
{
    const struct attribution *attribution = &pair->attribution;
    const struct attribution_side *a = &pair->sides[0];
    const struct attribution_side *b = &pair->sides[1];
    const double numbers[] = {
        a->ns,
        b->ns,
        attribution->delta_ns,
        attribution->delta_core_cycles,
        attribution->delta_instructions,
        attribution->delta_branches,
        attribution->delta_branch_misses,
        explain->penalty.core_cycles,
        attribution->share_pct,
        attribution->share_low_pct,
        attribution->share_high_pct,
        attribution->marginal_ipc,
        a->instructions / b->instructions,
        a->ns / b->ns,
    };
    fprintf(explain->csv, "%s", id);
    for (int i = 0; i < 2; i++)
        write_cell(explain->csv, pair->summary, pair->rows[i]);
    const char *source_a = csv_text(pair->summary, pair->rows[0], CSV_summary_counter_source);
    const char *source_b = csv_text(pair->summary, pair->rows[1], CSV_summary_counter_source);
    fprintf(explain->csv, ",%s", source_a);
    if (strcmp(source_a, source_b) != 0)
        fprintf(explain->csv, "+%s", source_b);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        write_number(explain->csv, numbers[i]);
    fputc('\n', explain->csv);
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
    if (explain->csv)
        write_row(explain, id, &pair);
    return 0;
}
