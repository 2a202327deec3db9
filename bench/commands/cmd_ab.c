/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench ab: two or more programs in alternated process starts, the first of them twice; then the gate, for which
 * what fails is measured again once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alternate.h"
#include "cell_name.h"
#include "command.h"
#include "gate_print.h"

#define AB_THRESHOLD_PCT 5.0
#define AB_FILTER_BYTES  60000 /* a longer one is no noise, and no argument of a program */

struct ab {
    struct alternate alternate;
    double threshold_pct;
    int format; /* enum gate_format */
    bool with_all;
};

enum { OPTION_THRESHOLD = 256, OPTION_ALL, OPTION_FORMAT };

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct ab *ab = context;
    switch (value) {
    case ALTERNATE_OUT:
        ab->alternate.out_dir = argument;
        return 0;
    case ALTERNATE_RESUME:
        ab->alternate.resume_dir = argument;
        return 0;
    case OPTION_ALL:
        ab->with_all = true;
        return 0;
    case OPTION_FORMAT:
        return ab->format = command_gate_format(argument, error_out);
    default:
        return command_threshold(argument, &ab->threshold_pct, error_out);
    }
}

/* --- what is measured again --- */

static void print_escaped(FILE *stream, const char *text)
{
    for (; *text; text++)
        fprintf(stream, strchr("\\^$.|?*+()[]{}", *text) ? "\\%c" : "%c", *text);
}

/* A regular expression of the names of all cells to repeat; "" where there is none. Owned; NULL without memory. */
static char *cells_to_repeat(const struct comparisons *cells)
{
    char *text = NULL;
    size_t n_bytes = 0, n_cells = 0;
    FILE *stream = open_memstream(&text, &n_bytes);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < cells->n_items; i++) {
        if (!gate_is_to_repeat(&cells->items[i]))
            continue;
        char *name = cell_name_of_row(cells->summary_a, cells->items[i].row_a);
        fputs(n_cells++ ? "|" : "^(", stream);
        print_escaped(stream, name ? name : "");
        free(name);
    }
    fputs(n_cells ? ")$" : "", stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* --- the gate --- */

static int judge(struct gate *gate, const struct ab *ab, const char *a, const char *b, const char *a_again,
                 struct dv_error *error_out)
{
    const struct gate_settings settings = {.run_a = a,
                                           .run_a_again = a_again,
                                           .run_b = b,
                                           .threshold_pct = ab->threshold_pct,
                                           .is_by_time = true,
                                           .allow_differences = true};
    return gate_judge(gate, &settings, error_out);
}

/* `name`: of the folder with the three sub-runs. */
static int confirm(struct gate *gate, const struct ab *ab, const char *name, struct dv_error *error_out)
{
    static const char *const sides[3] = {"a", "b", "a-again"};
    char *dirs[3] = {NULL};
    struct gate again;
    int status = 0;
    for (int i = 0; i < 3; i++)
        if (asprintf(&dirs[i], "%s/%s/%s", ab->alternate.dir, name, sides[i]) < 0) {
            dirs[i] = NULL;
            status = dv_no_memory(error_out);
        }
    if (status == 0)
        status = judge(&again, ab, dirs[0], dirs[1], dirs[2], error_out);
    if (status == 0) {
        status = gate_confirm(gate, &again, error_out);
        gate_free(&again);
    }
    for (int i = 0; i < 3; i++)
        free(dirs[i]);
    return status;
}

/* Returns EXIT_FINE, EXIT_INTERRUPTED or a negative code. */
static int repeat(struct gate *gate, const struct ab *ab, size_t side, struct dv_error *error_out)
{
    char name[32], *cells = cells_to_repeat(&gate->cells);
    int code = cells ? EXIT_FINE : dv_no_memory(error_out);
    snprintf(name, sizeof name, "again-%s", ab->alternate.sides[side].name);
    if (code == EXIT_FINE && cells[0] && strlen(cells) <= AB_FILTER_BYTES) {
        code = alternate_run_some(&ab->alternate, side, name, cells, error_out);
        if (code == EXIT_FINE)
            code = confirm(gate, ab, name, error_out);
    }
    free(cells);
    return code;
}

/* Which is which, in the first lines of every form. */
static int name_sides(struct gate *gate, const struct ab *ab, size_t side, struct dv_error *error_out)
{
    char *line = NULL;
    struct strings lines = {0};
    if (asprintf(&line, "A is %s, B is %s (%s)", ab->alternate.sides[0].program,
                 ab->alternate.sides[side].program, ab->alternate.sides[side].name) < 0)
        return dv_no_memory(error_out);
    int status = strings_add_text(&lines, line, error_out);
    for (size_t i = 0; status == 0 && i < gate->differences.n_items; i++)
        status = strings_add_text(&lines, gate->differences.items[i], error_out);
    strings_free(&gate->differences);
    gate->differences = lines;
    free(line);
    return status;
}

/* This side against the first, whose second run is the noise floor. An exit code or a negative code. */
static int gate_side(const struct ab *ab, size_t side, struct dv_error *error_out)
{
    const struct alternate_side *sides = ab->alternate.sides;
    struct gate gate;
    int code =
        judge(&gate, ab, sides[0].dir, sides[side].dir, sides[ab->alternate.n_sides - 1].dir, error_out);
    if (code < 0)
        return code;
    code = repeat(&gate, ab, side, error_out);
    if (code == EXIT_FINE)
        code = name_sides(&gate, ab, side, error_out);
    if (code == EXIT_FINE)
        code = gate_print(&gate, (enum gate_format)ab->format, ab->with_all, error_out);
    if (code == EXIT_FINE)
        code = gate_exit_code(&gate);
    gate_free(&gate);
    return code;
}

/* A regression counts more than noise. */
static int gate_all(const struct ab *ab, struct dv_error *error_out)
{
    int worst = EXIT_FINE;
    for (size_t i = 1; i + 1 < ab->alternate.n_sides; i++) {
        const int code = gate_side(ab, i, error_out);
        if (code < 0 || code == EXIT_INTERRUPTED)
            return code;
        if (code == EXIT_CHECK_FAILED || worst == EXIT_FINE)
            worst = code;
    }
    return worst;
}

static const char help[] =
    "usage: dvbench ab A B [C...] [options] [-- SWEEP OPTIONS]\n"
    "       dvbench ab --resume DIR\n"
    "Says whether build B of dvbench is slower than build A. A and B are programs, or build folders that\n"
    "hold one; the older comes first. Each further build is judged against A too.\n"
    "\n"
    "Each build is started several times, in turn and in a changing order, so that whatever else the\n"
    "machine does meets all of them. A takes part twice, as a and as a-again: what these two differ by is\n"
    "noise, and a difference between A and B that is no larger does not count. A cell (one kernel on one\n"
    "vector) that is slower, or too noisy to say, is measured once more in twice as many starts; it is\n"
    "slower only if it was so both times. Events are not counted: the verdicts are of times.\n"
    "\n"
    "  dvbench ab ../old/build build -- --plan ci    in under two minutes; bench/CI.md has it in a CI\n"
    "\n"
    "  --out DIR            holds the run folders a, b, ..., a-again, and again-b with what was measured\n"
    "                       once more; default results/<date>-ab\n"
    "  --resume DIR         goes on with an interrupted run, or prints a finished one again\n"
    "  --threshold PERCENT  differences up to this do not count; default 5\n"
    "  --format FORMAT      text (default), md, json or junit; the last three only with two builds\n"
    "  --all                lists the cells without a difference too\n"
    "  SWEEP OPTIONS        what to measure: see sweep --help. --starts N: each build starts so often,\n"
    "                       default 4. --seed is that of the order too\n"
    "Exit codes: 0 passed; 1 a cell is slower, wrong, missing or not judgeable; 5 too noisy to judge;\n"
    "130 interrupted.\n";

static int run(struct ab *ab, struct dv_error *error_out)
{
    if (ab->format != GATE_TEXT && ab->alternate.n_sides > 3)
        return dv_fail(error_out, DV_ERROR_USAGE, "ab: --format md, json or junit is of two programs only");
    int code = alternate_run(&ab->alternate, error_out);
    if (code == EXIT_FINE) {
        code = gate_all(ab, error_out);
        fprintf(stderr, "the runs are in %s\n", ab->alternate.dir);
    }
    return code;
}

int command_ab(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {ALTERNATE_OPTIONS,
                                          {"threshold", required_argument, NULL, OPTION_THRESHOLD},
                                          {"all", no_argument, NULL, OPTION_ALL},
                                          {"format", required_argument, NULL, OPTION_FORMAT},
                                          OPTIONS_END};
    struct ab ab = {.alternate = {.command = "ab"}, .threshold_pct = AB_THRESHOLD_PCT};
    int code = alternate_read(&ab.alternate, argc, argv, table, take_option, &ab, error_out);
    if (code == 0)
        fputs(help, stdout);
    else if (code > 0)
        code = run(&ab, error_out);
    alternate_close(&ab.alternate);
    return code;
}
