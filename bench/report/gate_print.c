/* SPDX-License-Identifier: Apache-2.0 */
#include "gate_print.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_text.h"
#include "utf8.h"

static const char *const results[] = {
    [GATE_PASSED] = "passed", [GATE_STOPPED] = "stopped", [GATE_TOO_NOISY] = "too noisy to judge"};
static const char *const result_ids[] = {
    [GATE_PASSED] = "passed", [GATE_STOPPED] = "stopped", [GATE_TOO_NOISY] = "too_noisy"};

/* --- text --- */

static void print_lines(const char *before, const struct strings *lines)
{
    for (size_t i = 0; i < lines->n_items; i++)
        printf("%s%s\n", before, lines->items[i]);
}

static void print_text(const struct gate *gate, bool with_all)
{
    print_lines("", &gate->differences);
    print_lines("", &gate->trust);
    compare_print(&gate->cells, with_all);
    print_lines("gate: ", &gate->reasons);
    printf("gate: %s\n", results[gate->result]);
}

/* --- Markdown --- */

static void list(const struct report_text *text, const char *heading, const struct strings *lines)
{
    if (lines->n_items == 0)
        return;
    report_heading(text, 2, heading);
    report_list(text, (const char *const *)lines->items, lines->n_items);
}

static void print_markdown(const struct gate *gate, bool with_all)
{
    static const char *const headers[] = {"verdict", "cell", "B over A"};
    const struct report_text text = {.file = stdout, .form = REPORT_MARKDOWN};
    char title[64];
    snprintf(title, sizeof title, "dvbench gate: %s", results[gate->result]);
    report_begin(&text, title);
    list(&text, "Reasons", &gate->reasons);
    list(&text, "What differs between the runs", &gate->differences);
    list(&text, "How far to trust this", &gate->trust);
    report_heading(&text, 2, "Cells");
    report_table_begin(&text, headers, 3);
    for (size_t i = 0; i < gate->cells.n_items; i++) {
        const struct comparison *one = &gate->cells.items[i];
        if (!with_all && !one->is_slower_in_time && one->verdict == COMPARE_CANNOT_TELL)
            continue;
        char numbers[COMPARE_NUMBERS_BYTES];
        char *name = compare_cell_name(&gate->cells, one);
        const char *const row[] = {compare_verdict_text(one->verdict), name, compare_numbers(one, numbers)};
        report_table_row(&text, row, 3);
        free(name);
    }
    report_table_end(&text);
    report_end(&text);
}

/* --- JSON --- */

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *lines_json(const struct strings *lines)
{
    json_t *array = json_array();
    for (size_t i = 0; i < lines->n_items; i++) {
        char *visible = utf8_visible(lines->items[i]);
        json_array_append_new(array, visible ? json_string(visible) : NULL);
        free(visible);
    }
    return array;
}

static json_t *cells_json(const struct gate *gate)
{
    json_t *array = json_array();
    for (size_t i = 0; i < gate->cells.n_items; i++) {
        const struct comparison *one = &gate->cells.items[i];
        const struct stats_interval *interval = &one->ratio.interval;
        char *name = compare_cell_name(&gate->cells, one);
        json_array_append_new(array,
                              json_pack("{s:s?,s:s,s:s,s:o,s:o,s:o,s:o,s:b}", "cell", name, "verdict",
                                        compare_verdict_id(one->verdict), "by",
                                        one->is_by_instructions ? "instructions" : "time", "ratio",
                                        real(one->ratio.n_samples ? one->ratio.median : NAN), "low",
                                        real(interval->exists ? interval->low : NAN), "high",
                                        real(interval->exists ? interval->high : NAN), "noise_pct",
                                        real(interval->exists ? one->noise_pct : NAN), "slower_in_time",
                                        one->is_slower_in_time ||
                                            (!one->is_by_instructions && one->verdict == COMPARE_SLOWER)));
        free(name);
    }
    return array;
}

static json_t *counts_json(const struct gate *gate)
{
    json_t *object = json_object();
    for (int verdict = 0; verdict < COMPARE_N_VERDICTS; verdict++)
        json_object_set_new(object, compare_verdict_id((enum compare_verdict)verdict),
                            json_integer((json_int_t)gate->cells.n_verdict[verdict]));
    json_object_set_new(object, "in_b_only", json_integer((json_int_t)gate->cells.n_only_b));
    return object;
}

static int print_json(const struct gate *gate, struct dv_error *error_out)
{
    json_t *root =
        json_pack("{s:i,s:s,s:f,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "schema", 1, "result",
                  result_ids[gate->result], "threshold_pct", gate->threshold_pct, "baseline_again_pct",
                  real(gate->again.floor_pct), "baseline_again_largest_pct", real(gate->again.largest_pct),
                  "differences", lines_json(&gate->differences), "trust", lines_json(&gate->trust), "reasons",
                  lines_json(&gate->reasons), "counts", counts_json(gate), "cells", cells_json(gate));
    if (!root)
        return dv_no_memory(error_out);
    json_dumpf(root, stdout, JSON_INDENT(1));
    putchar('\n'); /* main notices a failed write */
    json_decref(root);
    return 0;
}

/* --- JUnit --- */

/* The two characters U+FFFE and U+FFFF that UTF-8 has and XML has not. */
static bool is_noncharacter(const char *c)
{
    return strncmp(c, "\xEF\xBF\xBE", 3) == 0 || strncmp(c, "\xEF\xBF\xBF", 3) == 0;
}

/* An attribute's value. Control characters and what is not UTF-8 are written %XX. */
static void xml(const char *before, const char *text, const char *after)
{
    char *visible = utf8_visible(text);
    fputs(before, stdout);
    for (const char *c = visible ? visible : ""; *c; c++)
        if (*c == '&')
            fputs("&amp;", stdout);
        else if (*c == '<')
            fputs("&lt;", stdout);
        else if (*c == '>')
            fputs("&gt;", stdout);
        else if (*c == '"')
            fputs("&quot;", stdout);
        else if (is_noncharacter(c))
            c += 2;
        else
            putchar(*c);
    fputs(after, stdout);
    free(visible);
}

static void xml_properties(const struct strings *lines, const char *name)
{
    for (size_t i = 0; i < lines->n_items; i++) {
        printf("  <property name=\"%s\" ", name);
        xml("value=\"", lines->items[i], "\"/>\n");
    }
}

static bool is_stopping(const struct comparison *one)
{
    return compare_verdict_stops(one->verdict) != NULL;
}

static void xml_cell(const struct gate *gate, const struct comparison *one)
{
    char numbers[COMPARE_NUMBERS_BYTES];
    char *name = compare_cell_name(&gate->cells, one);
    xml(" <testcase classname=\"dvbench.cells\" name=\"", name ? name : "", "\">");
    printf(is_stopping(one)                    ? "<failure message=\"%s: "
           : one->verdict == COMPARE_TOO_NOISY ? "<skipped message=\"%s: "
                                               : "<system-out>%s: ",
           compare_verdict_text(one->verdict));
    xml("", compare_numbers(one, numbers), "");
    puts(is_stopping(one) || one->verdict == COMPARE_TOO_NOISY ? "\"/></testcase>"
                                                               : "</system-out></testcase>");
    free(name);
}

/* One test case per cell, and one for the whole, which fails where no single cell need to. */
static void print_junit(const struct gate *gate)
{
    const size_t n_noisy = gate->cells.n_verdict[COMPARE_TOO_NOISY];
    size_t n_failed = gate->result == GATE_STOPPED;
    for (size_t i = 0; i < gate->cells.n_items; i++)
        n_failed += is_stopping(&gate->cells.items[i]);
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
           "<testsuite name=\"dvbench gate\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n"
           " <properties>\n",
           gate->cells.n_items + 1, n_failed, n_noisy + (gate->result == GATE_TOO_NOISY));
    xml_properties(&gate->differences, "difference");
    xml_properties(&gate->trust, "trust");
    puts(" </properties>\n <testcase classname=\"dvbench\" name=\"gate\">");
    for (size_t i = 0; i < gate->reasons.n_items && i < 1; i++) {
        printf("  <%s ", gate->result == GATE_STOPPED ? "failure" : "skipped");
        xml("message=\"", gate->reasons.items[i], "\"/>\n");
    }
    puts("  <system-out>");
    for (size_t i = 0; i < gate->reasons.n_items; i++)
        xml("gate: ", gate->reasons.items[i], "\n");
    printf("gate: %s\n  </system-out>\n </testcase>\n", results[gate->result]);
    for (size_t i = 0; i < gate->cells.n_items; i++)
        xml_cell(gate, &gate->cells.items[i]);
    puts("</testsuite>\n</testsuites>");
}

int gate_print(const struct gate *gate, enum gate_format format, bool with_all, struct dv_error *error_out)
{
    if (format == GATE_JSON)
        return print_json(gate, error_out);
    if (format == GATE_TEXT)
        print_text(gate, with_all);
    else if (format == GATE_MARKDOWN)
        print_markdown(gate, with_all);
    else
        print_junit(gate);
    return 0;
}
