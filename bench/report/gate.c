/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_differences.h"
#include "exit_code.h"
#include "run_dir.h"

static int add_line(struct strings *lines, struct dv_error *error_out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int add_line(struct strings *lines, struct dv_error *error_out, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return strings_add_text(lines, text, error_out);
}

/* --- what was counted, and how --- */

/* How the instructions of a cell were counted: two counts are comparable where the texts are equal. */
struct count {
    const char *cell; /* both borrowed from the table */
    const char *encoding;
};

struct counts {
    struct csv_table *table; /* NULL: the run counted nothing */
    struct count *items;     /* sorted by cell */
    size_t n_items;
};

static int by_cell(const void *left, const void *right)
{
    return strcmp(((const struct count *)left)->cell, ((const struct count *)right)->cell);
}

static int load_counts(struct counts *counts, const char *run, struct dv_error *error_out)
{
    int status = run_dir_load_if_there(&counts->table, run, CSV_FILE_counters, error_out);
    if (status < 0 || !counts->table)
        return status;
    counts->items = malloc((csv_n_rows(counts->table) + 1) * sizeof *counts->items);
    if (!counts->items)
        return dv_no_memory(error_out);
    for (size_t row = 0; row < csv_n_rows(counts->table); row++)
        if (strcmp(csv_text(counts->table, row, CSV_counters_event), "instructions") == 0)
            counts->items[counts->n_items++] =
                (struct count){csv_text(counts->table, row, CSV_counters_cell),
                               csv_text(counts->table, row, CSV_counters_encoding)};
    qsort(counts->items, counts->n_items, sizeof *counts->items, by_cell);
    return 0;
}

static void free_counts(struct counts *counts)
{
    free(counts->items);
    csv_free(counts->table);
}

/* NULL where the row's instructions were not counted by the simulator or by steps. */
static const char *encoding_of(const struct counts *counts, const struct csv_table *summary, size_t row)
{
    const char *source = csv_text(summary, row, CSV_summary_counter_source);
    const struct count wanted = {.cell = csv_text(summary, row, CSV_summary_cell)};
    if (strcmp(source, "sim") != 0 && strcmp(source, "step") != 0)
        return NULL;
    const struct count *found =
        bsearch(&wanted, counts->items, counts->n_items, sizeof *counts->items, by_cell);
    return found ? found->encoding : NULL;
}

/* Instructions in B over those in A; NaN where they cannot be compared. */
static double instructions_ratio(const struct comparisons *cells, const struct comparison *one,
                                 const struct counts counts[2])
{
    if (one->row_a == COMPARE_NO_ROW || one->row_b == COMPARE_NO_ROW ||
        !csv_text(cells->summary_a, one->row_a, CSV_summary_dv_digest)[0])
        return NAN;
    const char *how_a = encoding_of(&counts[0], cells->summary_a, one->row_a),
               *how_b = encoding_of(&counts[1], cells->summary_b, one->row_b);
    const double a = csv_real(cells->summary_a, one->row_a, CSV_summary_instructions_per_row),
                 b = csv_real(cells->summary_b, one->row_b, CSV_summary_instructions_per_row);
    return how_a && how_b && strcmp(how_a, how_b) == 0 && a > 0 && b > 0 ? b / a : NAN;
}

/* --- cells --- */

static enum compare_verdict verdict_of(const struct comparison *one)
{
    enum stats_verdict verdict = stats_judge_ratio(&one->ratio.interval, one->noise_pct);
    return verdict == STATS_ABOVE   ? COMPARE_SLOWER
           : verdict == STATS_BELOW ? COMPARE_FASTER
                                    : COMPARE_CANNOT_TELL;
}

static void judge_by_instructions(struct comparison *one, double ratio, double threshold_pct)
{
    one->is_slower_in_time = one->verdict == COMPARE_SLOWER;
    one->is_by_instructions = true;
    one->ratio = (struct stats_summary){.n_samples = 1, .median = ratio, .min = ratio, .max = ratio};
    one->ratio.interval = (struct stats_interval){true, ratio, ratio, 100};
    one->noise_pct = threshold_pct;
    one->verdict = verdict_of(one);
}

/* The baseline's second run, where there is one, has met all that a twin within a run has, and more. */
static void judge_by_time(struct comparison *one, double again_pct, double threshold_pct)
{
    if (!isnan(again_pct))
        one->noise_pct = fmax(again_pct, threshold_pct);
    if (!one->ratio.interval.exists || isnan(one->noise_pct))
        return;
    one->verdict = verdict_of(one);
    if (one->verdict == COMPARE_CANNOT_TELL && one->ratio.interval.high > 1 + threshold_pct / 100)
        one->verdict = COMPARE_TOO_NOISY;
}

static void judge_cells(struct gate *gate, const struct counts counts[2], bool is_by_time)
{
    struct comparisons *cells = &gate->cells;
    memset(cells->n_verdict, 0, sizeof cells->n_verdict);
    for (size_t i = 0; i < cells->n_items; i++) {
        struct comparison *one = &cells->items[i];
        const bool is_judged = one->verdict <= COMPARE_FASTER || one->verdict == COMPARE_NOT_JUDGED;
        const double ratio = is_judged && !is_by_time ? instructions_ratio(cells, one, counts) : NAN;
        if (!isnan(ratio))
            judge_by_instructions(one, ratio, gate->threshold_pct);
        else if (is_judged)
            judge_by_time(one, again_floor_pct(&gate->again, one->row_a), gate->threshold_pct);
        gate->n_by_instructions += one->is_by_instructions;
        cells->n_verdict[one->verdict]++;
    }
}

/* --- in words --- */

static int say_floor(struct gate *gate, struct dv_error *error_out)
{
    double least = NAN, most = NAN;
    size_t n_cells = 0;
    for (size_t i = 0; i < gate->cells.n_items; i++) {
        const struct comparison *one = &gate->cells.items[i];
        if (one->is_by_instructions || !one->ratio.interval.exists || isnan(one->noise_pct))
            continue;
        least = fmin(least, one->noise_pct);
        most = fmax(most, one->noise_pct);
        n_cells++;
    }
    if (n_cells == 0)
        return 0;
    int status = add_line(&gate->trust, error_out,
                          "judged by time: %zu cell%s; a slowdown counts from %.1f to %.1f %% on, the larger "
                          "of noise floor and threshold",
                          n_cells, n_cells == 1 ? "" : "s", least, most);
    if (status == 0 && isnan(gate->again.floor_pct))
        status = add_line(&gate->trust, error_out,
                          "the noise floor is that within each run; runs of one program minutes apart can "
                          "differ by more: measure the baseline twice and give --baseline-again RUN");
    else if (status == 0)
        status = add_line(&gate->trust, error_out,
                          "two runs of the baseline differ, beyond their intervals, by up to %.1f %% in nine "
                          "cells of ten and "
                          "by up to %.1f %% in one: the noise floor is no less; in a cell that differed by "
                          "more, that is it",
                          gate->again.floor_pct, gate->again.largest_pct);
    return status;
}

static int say_trust(struct gate *gate, struct dv_error *error_out)
{
    size_t n_in_time = 0;
    int status = 0;
    for (size_t i = 0; i < gate->cells.n_items; i++)
        n_in_time += gate->cells.items[i].is_slower_in_time && gate->cells.items[i].verdict != COMPARE_SLOWER;
    if (gate->n_by_instructions > 0)
        status = add_line(&gate->trust, error_out,
                          "judged by instructions, which both runs counted alike: %zu cell%s; %zu of them "
                          "slower only in time, which does not count without --by time",
                          gate->n_by_instructions, gate->n_by_instructions == 1 ? "" : "s", n_in_time);
    return status == 0 ? say_floor(gate, error_out) : status;
}

static int say_reasons(struct gate *gate, struct dv_error *error_out)
{
    const size_t n_judged = compare_n_judged(&gate->cells),
                 n_noisy = gate->cells.n_verdict[COMPARE_TOO_NOISY];
    int status = 0;
    for (int verdict = 0; status == 0 && verdict < COMPARE_N_VERDICTS; verdict++) {
        const size_t n = gate->cells.n_verdict[verdict];
        const char *why = compare_verdict_stops((enum compare_verdict)verdict);
        if (why && n > 0)
            status = add_line(&gate->reasons, error_out, "%zu cell%s %s", n, n == 1 ? "" : "s", why);
    }
    if (status == 0 && n_judged == 0)
        status = add_line(&gate->reasons, error_out, "no cell was judged");
    if (status == 0 && gate->is_refused)
        status = add_line(&gate->reasons, error_out,
                          "the runs are from different machines or builds; --allow-differences compares them "
                          "anyway");
    gate->result = gate->reasons.n_items > 0 ? GATE_STOPPED : GATE_PASSED;
    if (status < 0 || gate->result == GATE_STOPPED || n_noisy * GATE_NOISY_CELLS_IN <= n_judged)
        return status;
    gate->result = GATE_TOO_NOISY;
    return add_line(&gate->reasons, error_out,
                    "%zu of %zu cells are too noisy to judge: they may be slower by more than the threshold; "
                    "measure on a quieter machine, with more --rounds, or raise --threshold",
                    n_noisy, n_judged);
}

/* --- all --- */

static int judge(struct gate *gate, const struct gate_settings *settings, struct counts counts[2],
                 struct dv_error *error_out)
{
    size_t n_other = 0;
    int status = settings->run_a_again
                     ? again_measure(&gate->again, settings->run_a, settings->run_a_again, error_out)
                     : 0;
    if (status == 0)
        status = compare_differences(&gate->differences, settings->run_a, gate->cells.summary_a,
                                     settings->run_b, gate->cells.summary_b, &n_other, error_out);
    if (status == 0 && gate->again.n_other > 0)
        status = add_line(&gate->differences, error_out,
                          "the baseline's second run is from another machine or build than A");
    if (status == 0)
        status = load_counts(&counts[0], settings->run_a, error_out);
    if (status == 0)
        status = load_counts(&counts[1], settings->run_b, error_out);
    if (status < 0)
        return status;
    judge_cells(gate, counts, settings->is_by_time);
    status = say_trust(gate, error_out);
    gate->is_refused = n_other + gate->again.n_other > 0 && !settings->allow_differences;
    if (status == 0)
        status = say_reasons(gate, error_out);
    return status;
}

int gate_judge(struct gate *gate_out, const struct gate_settings *settings, struct dv_error *error_out)
{
    struct counts counts[2] = {{0}};
    *gate_out = (struct gate){.threshold_pct = settings->threshold_pct,
                              .again = {.floor_pct = NAN, .largest_pct = NAN}};
    int status =
        compare_runs(&gate_out->cells, settings->run_a, settings->run_b, settings->threshold_pct, error_out);
    if (status < 0)
        return status;
    status = judge(gate_out, settings, counts, error_out);
    free_counts(&counts[0]);
    free_counts(&counts[1]);
    if (status < 0)
        gate_free(gate_out);
    return status;
}

/* --- a second measurement --- */

bool gate_is_to_repeat(const struct comparison *one)
{
    return !one->is_by_instructions && (one->verdict == COMPARE_SLOWER || one->verdict == COMPARE_TOO_NOISY);
}

static bool is_same_cell(const struct csv_table *a, size_t row_a, const struct csv_table *b, size_t row_b)
{
    static const enum csv_column names[] = {CSV_summary_kernel, CSV_summary_dv, CSV_summary_sink,
                                            CSV_summary_batch_rows, CSV_summary_mode};
    bool is_same = true;
    for (size_t i = 0; is_same && i < sizeof names / sizeof *names; i++)
        is_same = strcmp(csv_text(a, row_a, names[i]), csv_text(b, row_b, names[i])) == 0;
    return is_same;
}

/* NULL where it was not judged the second time. */
static const struct comparison *find_again(const struct gate *again, const struct csv_table *summary,
                                           size_t row)
{
    for (size_t i = 0; i < again->cells.n_items; i++) {
        const struct comparison *one = &again->cells.items[i];
        if (one->row_a != COMPARE_NO_ROW && one->verdict <= COMPARE_TOO_NOISY &&
            is_same_cell(again->cells.summary_a, one->row_a, summary, row))
            return one;
    }
    return NULL;
}

/* Only what two measurements found is a regression. */
static bool confirm(struct comparison *one, const struct comparison *again)
{
    const bool was_slower = one->verdict == COMPARE_SLOWER;
    one->verdict = !was_slower && again->verdict == COMPARE_SLOWER ? COMPARE_TOO_NOISY : again->verdict;
    one->ratio = again->ratio;
    one->noise_pct = again->noise_pct;
    return was_slower && one->verdict == COMPARE_SLOWER;
}

int gate_confirm(struct gate *gate, const struct gate *again, struct dv_error *error_out)
{
    struct comparisons *cells = &gate->cells;
    size_t n_repeated = 0, n_confirmed = 0;
    memset(cells->n_verdict, 0, sizeof cells->n_verdict);
    for (size_t i = 0; i < cells->n_items; i++) {
        struct comparison *one = &cells->items[i];
        const struct comparison *found =
            gate_is_to_repeat(one) ? find_again(again, cells->summary_a, one->row_a) : NULL;
        n_repeated += found != NULL;
        n_confirmed += found && confirm(one, found);
        cells->n_verdict[one->verdict]++;
    }
    strings_free(&gate->reasons);
    gate->reasons = (struct strings){0};
    int status =
        add_line(&gate->trust, error_out,
                 "measured again: %zu cell%s that %s slower or too noisy; %zu slower both times", n_repeated,
                 n_repeated == 1 ? "" : "s", n_repeated == 1 ? "was" : "were", n_confirmed);
    return status == 0 ? say_reasons(gate, error_out) : status;
}

int gate_exit_code(const struct gate *gate)
{
    static const enum exit_code codes[] = {
        [GATE_PASSED] = EXIT_FINE, [GATE_STOPPED] = EXIT_CHECK_FAILED, [GATE_TOO_NOISY] = EXIT_TOO_NOISY};
    return codes[gate->result];
}

void gate_free(struct gate *gate)
{
    compare_free(&gate->cells);
    again_free(&gate->again);
    strings_free(&gate->differences);
    strings_free(&gate->trust);
    strings_free(&gate->reasons);
}
