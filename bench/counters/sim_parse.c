/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_parse.h"

#define COLUMNS_MAX 32

struct columns {
    size_t n_columns;
    uint64_t *targets[COLUMNS_MAX]; /* where a column goes; NULL for one that nobody asks for */
    size_t instructions;            /* the index of Ir */
};

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* What follows `key` at the start of the line, or NULL. */
static const char *after(const char *line, const char *key)
{
    size_t n_bytes = strlen(key);
    return strncmp(line, key, n_bytes) == 0 ? line + n_bytes : NULL;
}

static void read_label(struct sim_dump *dump, const char *text)
{
    static const char trigger[] = "desc: Trigger: Client Request: ";
    for (const char *line = text; *line; line = next_line(line)) {
        const char *label = after(line, trigger);
        if (label)
            snprintf(dump->label, sizeof dump->label, "%.*s", (int)strcspn(label, "\r\n"), label);
    }
}

static void read_columns(struct columns *columns, struct sim_dump *dump, const char *names)
{
    const struct {
        const char *name;
        uint64_t *target;
    } known[] = {
        {"Ir", &dump->instructions},        {"Bc", &dump->conditional_branches},
        {"Bcm", &dump->conditional_misses}, {"Bi", &dump->indirect_branches},
        {"Bim", &dump->indirect_misses},
    };
    columns->n_columns = 0;
    columns->instructions = COLUMNS_MAX;
    for (;;) {
        names += strspn(names, " \t");
        size_t n_bytes = strcspn(names, " \t\r\n");
        if (n_bytes == 0 || columns->n_columns == COLUMNS_MAX)
            return;
        uint64_t *target = NULL;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strlen(known[i].name) == n_bytes && strncmp(names, known[i].name, n_bytes) == 0)
                target = known[i].target;
        if (target == &dump->instructions)
            columns->instructions = columns->n_columns;
        columns->targets[columns->n_columns++] = target;
        names += n_bytes;
    }
}

/* The numbers of a line, at most n_max of them; SIZE_MAX where something else is there. */
static size_t read_numbers(const char *line, uint64_t *values_out, size_t n_max)
{
    size_t n_values = 0;
    for (;;) {
        line += strspn(line, " \t\r");
        if (*line == '\n' || *line == '\0')
            return n_values;
        if (!isdigit((unsigned char)*line) || n_values == n_max)
            return SIZE_MAX;
        char *end;
        values_out[n_values++] = strtoull(line, &end, 10);
        line = end;
    }
}

/* A cost line starts with a position: a number, or +N, -N, * relative to the last. Its costs follow. */
static uint64_t cost_of_line(const char *line, const struct columns *columns)
{
    uint64_t values[COLUMNS_MAX] = {0};
    line += strcspn(line, " \n");
    size_t n_values = read_numbers(line, values, COLUMNS_MAX);
    return n_values == SIZE_MAX || columns->instructions >= n_values ? 0 : values[columns->instructions];
}

/* ob=(id) path names an object once and ob=(id) afterwards; only the path says which it is. */
static bool is_libc(const char *object, long *libc_id)
{
    char *end;
    long id = *object == '(' ? strtol(object + 1, &end, 10) : -1;
    size_t n_bytes = strcspn(object, "\n");
    const char *name = memmem(object, n_bytes, "/libc", 5);
    if (name && (name[5] == '.' || name[5] == '-'))
        *libc_id = id;
    return id >= 0 && id == *libc_id;
}

/* Self costs only: the line after calls= is what the callee cost in all. */
static void read_libc(struct sim_dump *dump, const char *line, const struct columns *columns)
{
    long libc_id = -2;
    bool in_libc = false;
    for (; *line; line = next_line(line)) {
        const char *object = after(line, "ob=");
        const char *callee = after(line, "cob=");
        if (object)
            in_libc = is_libc(object, &libc_id);
        else if (callee)
            (void)is_libc(callee, &libc_id);
        else if (after(line, "calls=")) {
            line = next_line(line);
            if (!*line)
                return;
        } else if (in_libc && (isdigit((unsigned char)*line) || strchr("+-*", *line)))
            dump->libc_instructions += cost_of_line(line, columns);
    }
}

int sim_parse(struct sim_dump *dump_out, const char *text, struct dv_error *error_out)
{
    struct columns columns = {0};
    uint64_t values[COLUMNS_MAX] = {0};
    const char *body = NULL;
    const char *totals = NULL;
    *dump_out = (struct sim_dump){0};
    read_label(dump_out, text);
    for (const char *line = text; *line && !totals; line = next_line(line)) {
        const char *names = after(line, "events:");
        if (names) {
            read_columns(&columns, dump_out, names);
            body = next_line(line);
        }
        totals = after(line, "totals:");
    }
    if (!body || !totals || columns.instructions == COLUMNS_MAX)
        return dv_fail(error_out, DV_ERROR_INPUT, "callgrind's dump has no %s line",
                       !totals ? "totals:" : "events: ... Ir");
    size_t n_values = read_numbers(totals, values, COLUMNS_MAX);
    if (n_values == SIZE_MAX || n_values > columns.n_columns)
        return dv_fail(error_out, DV_ERROR_INPUT, "callgrind's totals: line is not %zu numbers",
                       columns.n_columns);
    for (size_t i = 0; i < columns.n_columns; i++)
        if (columns.targets[i])
            *columns.targets[i] = values[i];
    if (dump_out->instructions == 0)
        return dv_fail(error_out, DV_ERROR_INPUT, "callgrind counted no instruction");
    read_libc(dump_out, body, &columns);
    return 0;
}
