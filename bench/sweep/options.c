/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "options.h"

static void short_options(const struct option *table, char text_out[128])
{
    *text_out++ = ':'; /* getopt then distinguishes a missing argument from an unknown option */
    for (; table->name; table++)
        if (table->val < 128 && isalpha(table->val)) {
            *text_out++ = (char)table->val;
            if (table->has_arg == required_argument)
                *text_out++ = ':';
        }
    *text_out = '\0';
}

const char *options_name(const struct option *table, int value)
{
    while (table->name && table->val != value)
        table++;
    return table->name;
}

/* `word` is what getopt_long stopped at; of a cluster of short options only optopt names the one at fault. */
static int refuse(const char *command, const struct option *table, int value, const char *word,
                  struct dv_error *error_out)
{
    const char *known = optopt ? options_name(table, optopt) : NULL;
    char text[128];
    if (known)
        return dv_fail(error_out, DV_ERROR_USAGE, "%s: --%s %s (see dvbench %s --help)", command, known,
                       value == ':' ? "needs a value" : "takes no value", command);
    if (optopt)
        snprintf(text, sizeof text, "-%c", optopt);
    else
        snprintf(text, sizeof text, "%.*s", (int)strcspn(word, "="), word);
    return dv_fail(error_out, DV_ERROR_USAGE, "%s: unknown option %s (see dvbench %s --help)", command, text,
                   command);
}

/* One line per option, "--rounds=" where it takes a value: what completion in a shell is made from. */
static void print_names(const struct option *table)
{
    for (; table->name; table++)
        printf("--%s%s\n", table->name, table->has_arg == no_argument ? "" : "=");
}

int options_read(int argc, char **argv, const struct option *table, option_fn *take, void *context,
                 struct dv_error *error_out)
{
    if (argc == 2 && strcmp(argv[1], "--print-options") == 0) {
        print_names(table);
        return 0;
    }
    char letters[128];
    short_options(table, letters);
    optind = 0; /* getopt's full restart */
    opterr = 0;
    for (int value; (value = getopt_long(argc, argv, letters, table, NULL)) != -1;) {
        if (value == '?' || value == ':')
            return refuse(argv[0], table, value, argv[optind - 1], error_out);
        if (value == 'h')
            return 0;
        int status = take(context, value, optarg, error_out);
        if (status < 0)
            return status;
    }
    return optind;
}

int option_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value_out,
                  struct dv_error *error_out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    bool is_decimal = text[0] != '0' || text[1] == '\0' || text[1] == 'x' || text[1] == 'X';
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || !is_decimal || value < min ||
        value > max)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--%s: found \"%s\", expected a whole number from %" PRIu64 " to %" PRIu64, name, text,
                       min, max);
    *value_out = value;
    return 0;
}

int option_choice(const char *name, const char *text, const char *const *choices, struct dv_error *error_out)
{
    char valid[256] = "";
    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], text) == 0)
            return i;
        size_t n = strlen(valid);
        snprintf(valid + n, sizeof valid - n, "%s%s",
                 i == 0           ? ""
                 : choices[i + 1] ? ", "
                                  : " or ",
                 choices[i]);
    }
    return dv_fail(error_out, DV_ERROR_USAGE, "--%s: found \"%s\", expected %s", name, text, valid);
}

int option_list(const char *name, const char *text, struct strings *items, struct dv_error *error_out)
{
    for (const char *item = text;; item++) {
        size_t n_bytes = strcspn(item, ",");
        if (n_bytes == 0)
            return dv_fail(error_out, DV_ERROR_USAGE, "--%s: found an empty item in \"%s\"", name, text);
        if (strings_add(items, item, n_bytes))
            return dv_no_memory(error_out);
        item += n_bytes;
        if (*item == '\0')
            return 0;
    }
}

int option_mask(const char *name, const char *text, const char *const *choices, unsigned *mask,
                struct dv_error *error_out)
{
    struct strings ids = {0};
    int index = option_list(name, text, &ids, error_out);
    for (size_t i = 0; index >= 0 && i < ids.n_items; i++) {
        index = option_choice(name, ids.items[i], choices, error_out);
        *mask |= index >= 0 ? 1u << index : 0;
    }
    strings_free(&ids);
    return index < 0 ? index : 0;
}

int option_sinks(const char *text, unsigned *sinks, struct dv_error *error_out)
{
    const char *choices[N_SINKS + 2] = {NULL};
    unsigned mask = 0;
    for (int sink = 0; sink < N_SINKS; sink++)
        choices[sink] = sink_id((enum sink_kind)sink);
    choices[N_SINKS] = "all";
    int status = option_mask("sink", text, choices, &mask, error_out);
    *sinks |= mask & 1u << N_SINKS ? SINK_ALL : mask;
    return status;
}

int option_batch_rows(const char *text, uint32_t sizes[OPTION_BATCH_SIZES_LIMIT], size_t *n_sizes,
                      struct dv_error *error_out)
{
    struct strings numbers = {0};
    int status = option_list("batch", text, &numbers, error_out);
    if (status == 0 && numbers.n_items + *n_sizes > OPTION_BATCH_SIZES_LIMIT)
        status = dv_fail(error_out, DV_ERROR_USAGE, "--batch: found %zu sizes, expected at most %d",
                         numbers.n_items + *n_sizes, OPTION_BATCH_SIZES_LIMIT);
    for (size_t i = 0; status == 0 && i < numbers.n_items; i++) {
        uint64_t value = 0;
        status = option_number("batch", numbers.items[i], 1, OPTION_BATCH_ROWS_LIMIT, &value, error_out);
        if (status == 0)
            sizes[(*n_sizes)++] = (uint32_t)value;
    }
    strings_free(&numbers);
    return status;
}
