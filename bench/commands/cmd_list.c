/* SPDX-License-Identifier: Apache-2.0 */
/* `list`: the registries, as a table, CSV or JSON. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "counter_sets.h"
#include "kernel.h"
#include "plan_text.h"
#include "pmu_names.h"
#include "recipe.h"

enum list_format { LIST_TABLE, LIST_CSV, LIST_JSON };

/* One row of any registry. `reason` NULL: available. */
struct list_row {
    const char *id;
    const char *reason;
    const char *description;
};

struct list_output {
    enum list_format format;
    int id_chars;  /* width of the table's first column */
    json_t *array; /* of LIST_JSON */
};

static void print_quoted(const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++)
        printf(*text == '"' ? "\"\"" : "%c", *text);
    putchar('"');
}

static void put_row(struct list_output *output, const struct list_row *row)
{
    switch (output->format) {
    case LIST_TABLE:
        printf("%-*s %-4s %s%s%s\n", output->id_chars, row->id, row->reason ? "no" : "yes", row->description,
               row->reason ? "  -- " : "", row->reason ? row->reason : "");
        break;
    case LIST_CSV:
        printf("%s,%s,", row->id, row->reason ? "no" : "yes");
        print_quoted(row->reason ? row->reason : "");
        putchar(',');
        print_quoted(row->description);
        putchar('\n');
        break;
    case LIST_JSON:
        json_array_append_new(output->array,
                              json_pack("{s:s, s:b, s:s, s:s}", "id", row->id, "available",
                                        row->reason == NULL, "reason", row->reason ? row->reason : "",
                                        "description", row->description));
        break;
    }
}

static void list_kernels(struct list_output *output)
{
    for (size_t i = 0; i < kernels_count(); i++) {
        const struct kernel *kernel = kernel_at(i);
        enum sink_kind sink = 0;
        while (sink + 1 < N_SINKS && !(kernel->sinks & 1u << sink))
            sink++;
        put_row(output,
                &(struct list_row){kernel->id, kernel_unavailable(kernel, sink), kernel->description});
    }
}

static void list_sinks(struct list_output *output)
{
    for (int kind = 0; kind < N_SINKS; kind++)
        put_row(output, &(struct list_row){sink_id(kind), NULL, sink_description(kind)});
}

static void list_plans(struct list_output *output)
{
    for (size_t i = 0; i < plan_text_count(); i++)
        put_row(output, &(struct list_row){plan_text_at(i)->id, NULL, plan_text_at(i)->description});
}

/* What a spec may say, under its recipe: only in the table, which is for reading. */
static void print_params(const struct recipe *recipe)
{
    for (size_t i = 0; i < recipe->n_params; i++) {
        const struct recipe_param *param = &recipe->params[i];
        char pair[64];
        snprintf(pair, sizeof pair, "%s=%s", param->name, param->fallback);
        printf("    %-18s %s%s%s%s%s%s\n", pair, param->description, param->choices ? ": " : "",
               param->choices ? param->choices : "", param->when ? " (with " : "",
               param->when ? param->when : "", param->when ? ")" : "");
    }
}

static void list_recipes(struct list_output *output)
{
    for (size_t i = 0; i < recipes_count(); i++) {
        const struct recipe *recipe = recipe_at(i);
        put_row(output, &(struct list_row){recipe->id, NULL, recipe->description});
        if (output->format == LIST_TABLE)
            print_params(recipe);
    }
}

/* Whether libpfm4 knows the event on this CPU. Whether the machine counts it takes a try: `counters`. */
static void list_counters(struct list_output *output)
{
    const struct counter_event *event;
    for (size_t i = 0; (event = counter_set_row(i)) != NULL; i++) {
        struct perf_event_attr attr;
        struct dv_error error = {0};
        char encoding[160], description[256];
        int status = pmu_names_encode(event->name, &attr, encoding, sizeof encoding, &error);
        snprintf(description, sizeof description, "%s: %s", event->set, event->meaning);
        const char *reason = status == DV_ERROR_USAGE ? "this CPU has no such event" : error.message;
        put_row(output, &(struct list_row){event->name, status < 0 ? reason : NULL, description});
    }
    if (output->format == LIST_TABLE)
        puts("    yes: this CPU's model has the event; `dvbench counters` tries whether this machine counts "
             "it");
}

static const struct {
    const char *name;
    void (*list)(struct list_output *output);
    int id_chars;
} registries[] = {
    {"kernels", list_kernels, 33}, {"sinks", list_sinks, 16},       {"recipes", list_recipes, 12},
    {"plans", list_plans, 8},      {"counters", list_counters, 60},
};

static const char names[] = "kernels, sinks, recipes, plans, counters";

static const char usage[] =
    "usage: dvbench list kernels|sinks|recipes|plans|counters [--format table|csv|json]\n"
    "  kernels   the traversals; shows which are unavailable in this build or on this CPU, and why\n"
    "  sinks     the forms of the answer\n"
    "  recipes   how vectors are made, with the keys of their specs and the defaults\n"
    "  plans     what `sweep --plan` takes\n"
    "  counters  the events of the counter sets, and which of them this CPU's model has\n"
    "csv and json have id, available, reason, description; the keys of recipes are only in the table.\n";

static int take_format(void *context, int value, const char *argument, struct dv_error *error_out)
{
    static const char *const formats[] = {"table", "csv", "json", NULL};
    enum list_format *format = context;
    int index = option_choice("format", argument, formats, error_out);
    (void)value;
    if (index >= 0)
        *format = (enum list_format)index;
    return index;
}

static int print_registry(const char *name, enum list_format format, struct dv_error *error_out)
{
    struct list_output output = {.format = format, .array = format == LIST_JSON ? json_array() : NULL};
    for (size_t i = 0; i < sizeof registries / sizeof registries[0]; i++) {
        if (strcmp(registries[i].name, name) != 0)
            continue;
        output.id_chars = registries[i].id_chars;
        if (format == LIST_CSV)
            puts("id,available,reason,description");
        registries[i].list(&output);
        if (output.array) {
            json_dumpf(output.array, stdout, JSON_INDENT(2));
            putchar('\n');
            json_decref(output.array);
        }
        return 0;
    }
    return dv_fail(error_out, DV_ERROR_USAGE, "list: found \"%s\", expected one of %s", name, names);
}

int command_list(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {{"format", required_argument, NULL, 'f'}, OPTIONS_END};
    enum list_format format = LIST_TABLE;
    int first = options_read(argc, argv, table, take_format, &format, error_out);
    if (first == 0)
        fputs(usage, stdout);
    if (first <= 0)
        return first;
    if (argc - first != 1)
        return dv_fail(error_out, DV_ERROR_USAGE, "list: give one of %s", names);
    return print_registry(argv[first], format, error_out);
}
