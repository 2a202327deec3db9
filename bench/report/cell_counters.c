/* SPDX-License-Identifier: Apache-2.0 */
#include "cell_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_find.h"
#include "cell_name.h"
#include "report_numbers.h"
#include "run_dir.h"
#include "sink.h"
#include "utf8.h"

struct cell {
    const struct csv_table *summary;
    const struct csv_table *counters; /* NULL: nothing was counted in the run */
    size_t row;
    bool is_csv;
};

/* What has a column of its own, whatever a source calls the event. */
static const struct {
    const char *role;
    enum csv_column column;
} roles[] = {
    {"instructions", CSV_summary_instructions_per_row},
    {"branches", CSV_summary_branches_per_row},
    {"branch_misses", CSV_summary_branch_misses_per_row},
    {"core_cycles", CSV_summary_core_cycles_per_row},
};

/* Per row; NaN where it was not counted. `event`: a role, or a name in libpfm4. */
static double counted(const struct cell *cell, const char *event)
{
    const char *id = csv_text(cell->summary, cell->row, CSV_summary_cell);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (strcmp(roles[i].role, event) == 0)
            return csv_real(cell->summary, cell->row, roles[i].column);
    for (size_t row = 0; cell->counters && row < csv_n_rows(cell->counters); row++)
        if (strcmp(csv_text(cell->counters, row, CSV_counters_cell), id) == 0 &&
            strcmp(csv_text(cell->counters, row, CSV_counters_event), event) == 0)
            return csv_real(cell->counters, row, CSV_counters_value_per_row);
    return NAN;
}

/* --- what follows --- */

/* Bytes of the answer per row; NaN for runs, whose number is not in the summary. */
static double answer_bytes(const struct cell *cell)
{
    const int kind = sink_find(csv_text(cell->summary, cell->row, CSV_summary_sink));
    const double rate = csv_real(cell->summary, cell->row, CSV_summary_rate);
    const double bytes = kind < 0 ? NAN : (double)sink_element_bytes((enum sink_kind)kind);
    switch (kind) {
    case SINK_row_ids:
        return bytes * (1 - rate);
    case SINK_is_deleted:
        return bytes;
    case SINK_live_mask:
        return bytes / 64;
    case SINK_deleted_offsets:
        return bytes * rate;
    default:
        return NAN;
    }
}

static double vector_bytes(const struct cell *cell)
{
    return csv_real(cell->summary, cell->row, CSV_summary_dv_bytes) /
           csv_real(cell->summary, cell->row, CSV_summary_rows);
}

/* factor x numerator / denominator. */
static const struct metric {
    const char *name;
    const char *unit;
    const char *numerator; /* an event, or NULL: what `bytes` returns */
    const char *denominator;
    double factor;
    double (*bytes)(const struct cell *cell);
} metrics[] = {
    {"instructions per cycle", "", "instructions", "core_cycles", 1, NULL},
    {"branches per instruction", "%", "branches", "instructions", 100, NULL},
    {"branch misses", "% of branches", "branch_misses", "branches", 100, NULL},
    {"branch misses", "per 1000 instructions", "branch_misses", "instructions", 1000, NULL},
    {"first-level cache misses", "% of loads", "perf::L1-DCACHE-LOAD-MISSES", "perf::L1-DCACHE-LOADS", 100,
     NULL},
    {"last-level cache misses", "% of references", "perf::CACHE-MISSES", "perf::CACHE-REFERENCES", 100, NULL},
    {"TLB misses", "per 1000 loads", "perf::DTLB-LOAD-MISSES", "perf::L1-DCACHE-LOADS", 1000, NULL},
    {"answer written", "bytes per cycle", NULL, "core_cycles", 1, answer_bytes},
    {"vector", "bytes per cycle", NULL, "core_cycles", 1, vector_bytes},
};

/* --- print --- */

static void print(const struct cell *cell, const char *name, double value, const char *unit)
{
    char text[32];
    if (!isnan(value))
        printf(cell->is_csv ? "%s,%s,%s\n" : "  %-30s %12s  %s\n", name,
               report_number(value, text, sizeof text), unit);
}

/* A row per event, in the order of the file, with why it has no value where it has none. */
static void print_events(const struct cell *cell)
{
    const char *id = csv_text(cell->summary, cell->row, CSV_summary_cell);
    for (size_t row = 0; cell->counters && row < csv_n_rows(cell->counters); row++) {
        if (strcmp(csv_text(cell->counters, row, CSV_counters_cell), id) != 0)
            continue;
        const char *event = csv_text(cell->counters, row, CSV_counters_event),
                   *status = csv_text(cell->counters, row, CSV_counters_status);
        const double value = csv_real(cell->counters, row, CSV_counters_value_per_row);
        if (isnan(value))
            printf(cell->is_csv ? "%s,,%s\n" : "  %-30s %12s  not counted: %s\n", event,
                   cell->is_csv ? status : "", status);
        else
            print(cell, event, value, "per row");
    }
}

static void print_metrics(const struct cell *cell)
{
    const double ns = csv_real(cell->summary, cell->row, CSV_summary_ns_per_row);
    print(cell, "answer written", answer_bytes(cell) / ns, "bytes per ns");
    print(cell, "vector", vector_bytes(cell) / ns, "bytes per ns");
    print(cell, "clock", counted(cell, "core_cycles") / ns, "core cycles per ns");
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        const struct metric *metric = &metrics[i];
        const double above = metric->numerator ? counted(cell, metric->numerator) : metric->bytes(cell),
                     below = counted(cell, metric->denominator);
        if (below > 0)
            print(cell, metric->name, metric->factor * above / below, metric->unit);
    }
}

static void print_cell(const struct cell *cell)
{
    char *name = cell_name_of_row(cell->summary, cell->row), *visible = name ? utf8_visible(name) : NULL;
    const char *why = csv_text(cell->summary, cell->row, CSV_summary_counter_status);
    if (cell->is_csv)
        puts("metric,value,unit");
    else
        printf("%s\ncounted by %s%s%s\n", visible ? visible : "",
               csv_text(cell->summary, cell->row, CSV_summary_counter_source), *why ? "; " : "", why);
    print(cell, "time", csv_real(cell->summary, cell->row, CSV_summary_ns_per_row), "ns per row");
    print(cell, "store bound", csv_real(cell->summary, cell->row, CSV_summary_bound_ns_per_row),
          "ns per row");
    print_events(cell);
    print_metrics(cell);
    free(visible);
    free(name);
}

int cell_counters_print(const char *run_dir, const char *name, bool is_csv, struct dv_error *error_out)
{
    struct csv_table *summary = NULL, *counters = NULL;
    struct cell cell = {.is_csv = is_csv};
    int status = run_dir_load(&summary, run_dir, CSV_FILE_summary, error_out);
    if (status == 0)
        status = run_dir_load_if_there(&counters, run_dir, CSV_FILE_counters, error_out);
    if (status == 0)
        status = cell_find(summary, name, &cell.row, error_out);
    cell.summary = summary;
    cell.counters = counters;
    if (status == 0)
        print_cell(&cell);
    csv_free(summary);
    csv_free(counters);
    return status;
}
