/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const struct scan_study studies[] = {
#define SCAN_STUDY(id, vectors, columns, files, kinds, axis, table, question, caption)                       \
    {#id, vectors, columns, files, kinds, SCAN_AXIS_##axis, table, question, caption},
#include "scan_studies.def"
#undef SCAN_STUDY
};

size_t scan_studies_count(void)
{
    return sizeof studies / sizeof *studies;
}

const struct scan_study *scan_study_at(size_t index)
{
    return &studies[index];
}

const struct scan_study *scan_study_find(const char *id)
{
    for (size_t i = 0; i < scan_studies_count(); i++)
        if (strcmp(studies[i].id, id) == 0)
            return &studies[i];
    return NULL;
}

const char *scan_axis_id(enum scan_axis axis)
{
    static const char *const ids[] = {"columns", "rate", "vector", "files", "query", "size"};
    return ids[axis];
}

static int add_block(struct scan_options *options, const struct scan_block *block, const char *vector,
                     size_t n_vector, const char *columns, size_t n_columns, struct dv_error *error_out)
{
    struct scan_block *longer = realloc(options->blocks, (options->n_blocks + 1) * sizeof *longer);
    if (!longer)
        return dv_no_memory(error_out);
    options->blocks = longer;
    longer[options->n_blocks] = *block;
    longer[options->n_blocks].vector = strndup(vector, n_vector);
    longer[options->n_blocks].columns = strndup(columns, n_columns);
    options->n_blocks++;
    return longer[options->n_blocks - 1].vector && longer[options->n_blocks - 1].columns
               ? 0
               : dv_no_memory(error_out);
}

/* Calls for each word of a list separated by blanks; `n_out` its length. */
#define FOR_EACH_WORD(word, n_word, list)                                                                    \
    for (const char *word = (list); (n_word = strcspn(word, " ")), *word;                                    \
         word += n_word + (word[n_word] == ' '))

static int add_study(struct scan_options *options, const struct scan_study *study, struct dv_error *error_out)
{
    size_t n_vector, n_columns, n_files, n_kind;
    int status = 0;
    FOR_EACH_WORD(files, n_files, study->files)
    FOR_EACH_WORD(vector, n_vector, study->vectors)
    FOR_EACH_WORD(columns, n_columns, study->columns)
    FOR_EACH_WORD(kind, n_kind, study->kinds)
    {
        char *slash;
        const unsigned long n_all = strtoul(files, &slash, 10),
                            part = *slash == '/' ? strtoul(slash + 1, NULL, 10) : 1;
        const struct scan_block block = {
            .study = study->id,
            .axis = study->axis,
            .room = study->table,
            .kind = (enum scan_kind)scan_kind_find(kind, n_kind),
            .table = {.n_rows = options->n_rows / part, .n_files = n_all, .seed = options->seed}};
        if (status == 0)
            status = add_block(options, &block, vector, n_vector, columns, n_columns, error_out);
    }
    return status;
}

static char *join(const struct strings *strings)
{
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < strings->n_items; i++)
        fprintf(stream, "%s%s", i ? " " : "", strings->items[i]);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* A number means so many columns of each type. */
static int spell_columns(struct scan_options *options, struct strings *out, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < options->columns.n_items; i++) {
        const char *item = options->columns.items[i];
        const bool is_number = item[strspn(item, "0123456789")] == '\0',
                   is_none = is_number && strtoul(item, NULL, 10) == 0;
        if (!is_number || is_none)
            status = strings_add_text(out, is_none ? "count" : item, error_out);
        for (size_t t = 0; status == 0 && is_number && !is_none && t < options->types.n_items; t++) {
            char word[64];
            snprintf(word, sizeof word, "%.20s%.30s", item, options->types.items[t]);
            status = scan_type_find(options->types.items[t], strlen(options->types.items[t])) < 0
                         ? dv_fail(error_out, DV_ERROR_USAGE,
                                   "--types %s: int, double, timestamp, md5 or mixed is expected",
                                   options->types.items[t])
                         : strings_add_text(out, word, error_out);
        }
    }
    return status;
}

static int spell_vectors(struct scan_options *options, struct strings *out, struct dv_error *error_out)
{
    int status = 0;
    for (size_t r = 0; status == 0 && r < options->recipes.n_items; r++) {
        const char *recipe = options->recipes.items[r];
        if (options->rates.n_items == 0)
            status = strings_add_text(out, recipe, error_out);
        for (size_t i = 0; status == 0 && i < options->rates.n_items; i++) {
            char *spec = NULL;
            const int n = asprintf(&spec, "%s:rate=%s", recipe, options->rates.items[i]);
            status = n < 0 ? dv_no_memory(error_out) : strings_add_text(out, spec, error_out);
            if (n >= 0)
                free(spec);
        }
    }
    return status;
}

static int fill_in(struct strings *strings, const char *const *words, size_t n_words,
                   struct dv_error *error_out)
{
    for (size_t i = 0; strings->n_items < n_words && i < n_words; i++)
        if (strings_add_text(strings, words[i], error_out) < 0)
            return DV_ERROR_MEMORY;
    return 0;
}

static enum scan_axis axis_of(const struct scan_options *options)
{
    return options->columns.n_items > 1   ? SCAN_AXIS_COLUMNS
           : options->rates.n_items > 1   ? SCAN_AXIS_RATE
           : options->recipes.n_items > 1 ? SCAN_AXIS_VECTOR
           : options->files.n_items > 1   ? SCAN_AXIS_FILES
           : options->queries.n_items > 1 ? SCAN_AXIS_QUERY
                                          : SCAN_AXIS_COLUMNS;
}

static int check_words(const struct scan_options *options, struct dv_error *error_out)
{
    for (size_t i = 0; i < options->files.n_items; i++) {
        uint64_t n_files = 0;
        if (option_number("files", options->files.items[i], 1, 100000, &n_files, error_out) < 0)
            return DV_ERROR_USAGE;
        if (n_files > options->n_rows)
            return dv_fail(error_out, DV_ERROR_USAGE, "--files %s: more files than rows",
                           options->files.items[i]);
    }
    for (size_t i = 0; i < options->queries.n_items; i++)
        if (scan_kind_find(options->queries.items[i], strlen(options->queries.items[i])) < 0)
            return dv_fail(error_out, DV_ERROR_USAGE,
                           "--query %s: scan, small, large or equality is expected",
                           options->queries.items[i]);
    return 0;
}

static int add_custom(struct scan_options *options, struct dv_error *error_out)
{
    static const char *const columns[] = {"0", "1", "3", "9"}, *const one[] = {"int", "4", "scan", "uniform"};
    struct strings vectors = {0}, projections = {0};
    struct scan_study study = {.id = "custom", .axis = SCAN_AXIS_COLUMNS, .table = ""};
    const bool has_columns = options->columns.n_items > 0;
    int status = has_columns ? 0 : fill_in(&options->columns, columns, 4, error_out);
    if (status == 0 && options->types.n_items == 0)
        status = fill_in(&options->types, &one[0], 1, error_out);
    if (status == 0 && options->files.n_items == 0)
        status = fill_in(&options->files, &one[1], 1, error_out);
    if (status == 0 && options->queries.n_items == 0)
        status = fill_in(&options->queries, &one[2], 1, error_out);
    if (status == 0 && options->recipes.n_items == 0)
        status = fill_in(&options->recipes, &one[3], 1, error_out);
    if (status == 0)
        status = check_words(options, error_out);
    if (status == 0)
        status = spell_columns(options, &projections, error_out);
    if (status == 0)
        status = spell_vectors(options, &vectors, error_out);
    study.axis = axis_of(options);
    char *lists[4] = {options->dvs.n_items ? strdup("given") : join(&vectors), join(&projections),
                      options->parquet.n_items ? strdup("0") : join(&options->files),
                      join(&options->queries)};
    for (int i = 0; i < 4; i++)
        if (status == 0 && !lists[i])
            status = dv_no_memory(error_out);
    study.vectors = lists[0];
    study.columns = lists[1];
    study.files = lists[2];
    study.kinds = lists[3];
    if (status == 0)
        status = add_study(options, &study, error_out);
    for (int i = 0; i < 4; i++)
        free(lists[i]);
    strings_free(&vectors);
    strings_free(&projections);
    return status;
}

static int add_studies(struct scan_options *options, struct dv_error *error_out)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < options->studies.n_items; i++) {
        const char *id = options->studies.items[i];
        const struct scan_study *study = scan_study_find(id);
        const bool is_all = strcmp(id, "all") == 0;
        for (size_t s = 0; status == 0 && is_all && s < scan_studies_count(); s++)
            if (strcmp(studies[s].id, "short") != 0)
                status = add_study(options, &studies[s], error_out);
        if (status == 0 && !is_all)
            status =
                study ? add_study(options, study, error_out)
                      : dv_fail(error_out, DV_ERROR_USAGE, "--study %s: unknown; scan --help lists them", id);
    }
    return status;
}

/* How many columns of `type` a part such as "3int", or a generated name such as i3, asks for. */
static size_t n_columns_of(enum scan_type type, const char *part, size_t n_part)
{
    char *end = NULL;
    if (!strchr("0123456789", *part))
        return *part == "idts"[type] ? strtoul(part + 1, NULL, 10) : 0;
    const size_t n = strtoul(part, &end, 10);
    const int found = scan_type_find(end, n_part - (size_t)(end - part));
    if (found == SCAN_MIXED && n <= SCAN_MAX_COLUMNS)
        return (n + SCAN_N_TYPES - 1 - type) / SCAN_N_TYPES;
    return found == (int)type ? n : 0;
}

/* The generated table has the columns that a study's blocks need, no others. */
static void need_columns(struct scan_table_spec *table, const char *projection)
{
    for (const char *part = projection; part; part = strchr(part, '+') ? strchr(part, '+') + 1 : NULL) {
        const size_t n_part = strcspn(part, "+");
        for (int type = 0; type < SCAN_N_TYPES; type++) {
            const size_t n = n_columns_of((enum scan_type)type, part, n_part);
            if (n <= SCAN_MAX_COLUMNS && n > table->n_columns[type])
                table->n_columns[type] = n;
        }
    }
}

static bool is_custom(const struct scan_options *options)
{
    return options->recipes.n_items || options->rates.n_items || options->columns.n_items ||
           options->types.n_items || options->files.n_items || options->queries.n_items ||
           options->parquet.n_items;
}

int scan_blocks_make(struct scan_options *options, struct dv_error *error_out)
{
    int status = 0;
    if (is_custom(options) && options->studies.n_items)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--study says what is varied: leave it out, or the options of your own");
    if (!is_custom(options) && options->studies.n_items == 0)
        status = strings_add_text(&options->studies, "short", error_out);
    if (status == 0)
        status = is_custom(options) ? add_custom(options, error_out) : add_studies(options, error_out);
    for (size_t i = 0; i < options->n_blocks; i++)
        for (size_t j = 0; j < options->n_blocks; j++)
            if (strcmp(options->blocks[i].study, options->blocks[j].study) == 0) {
                need_columns(&options->blocks[i].table, options->blocks[j].columns);
                need_columns(&options->blocks[i].table, options->blocks[j].room);
            }
    return status;
}
