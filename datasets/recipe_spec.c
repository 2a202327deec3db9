/* SPDX-License-Identifier: Apache-2.0 */
/* Specs of recipes, read and printed. Keys may come in any order; the registry's order decides what is set
 * first, so that a parameter that depends on a choice finds it set. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recipe_job.h"

/* Whether `when` of a parameter ("axis=runs", "axis!=runs") holds, given the values set so far. */
static bool applies(const struct recipe_job *job, const struct recipe_param *param)
{
    if (!param->when)
        return true;
    char name[32];
    size_t n = strcspn(param->when, "!=");
    assert(n < sizeof name);
    memcpy(name, param->when, n);
    name[n] = '\0';
    bool negated = param->when[n] == '!';
    return recipe_is(job, name, param->when + n + (negated ? 2 : 1)) != negated;
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static bool parse_count(const struct recipe_param *param, const char *text, uint64_t *count_out)
{
    uint64_t count = 0;
    const char *at = text;
    for (; is_digit(*at); at++) {
        if (__builtin_mul_overflow(count, 10, &count) ||
            __builtin_add_overflow(count, (uint64_t)(*at - '0'), &count))
            return false;
    }
    *count_out = count;
    return at > text && *at == '\0' && count >= param->min && count <= param->max;
}

/* "0.061", "6.1%": digits, then perhaps a point and digits, then perhaps a per cent sign; as a fraction of 1
 * at most 18 decimals, so that 64 bits hold it. Kept in lowest decimal terms: equal rates print alike. */
static bool parse_rate(const char *text, struct recipe_rate *rate_out)
{
    const uint64_t max_denominator = UINT64_C(1000000000000000000);
    struct recipe_rate rate = {0, 1};
    const char *at = text;
    bool in_fraction = false;
    for (; is_digit(*at) || (*at == '.' && at > text && !in_fraction); at++) {
        if (*at == '.') {
            in_fraction = true;
            continue;
        }
        if (rate.numerator > max_denominator || rate.denominator > max_denominator / (in_fraction ? 10 : 1))
            return false;
        rate.numerator = rate.numerator * 10 + (uint64_t)(*at - '0');
        rate.denominator *= in_fraction ? 10 : 1;
    }
    bool is_percent = *at == '%';
    if (at == text || at[is_percent] != '\0' || (is_percent && rate.denominator > max_denominator / 100))
        return false;
    rate.denominator *= is_percent ? 100 : 1;
    while (rate.denominator > 1 && rate.numerator % 10 == 0) {
        rate.numerator /= 10;
        rate.denominator /= 10;
    }
    *rate_out = rate;
    return rate.numerator <= rate.denominator;
}

static int parse_value(const struct recipe_job *job, const struct recipe_param *param, const char *text,
                       struct recipe_value *value_out, struct dv_error *error_out)
{
    const char *id = job->recipe->id;
    value_out->is_set = true;
    switch (param->kind) {
    case RECIPE_COUNT:
        if (parse_count(param, text, &value_out->count))
            return 0;
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%s: %s=%.60s: an integer from %" PRIu64 " to %" PRIu64 " is expected", id,
                       param->name, text, param->min, param->max);
    case RECIPE_RATE:
        if (parse_rate(text, &value_out->rate))
            return 0;
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%s: %s=%.60s: a fraction from 0 to 1 such as 0.061, or 6.1%%, is expected, of at "
                       "most 18 decimals",
                       id, param->name, text);
    case RECIPE_CHOICE: {
        int index = recipe_choice_index(param->choices, text, strlen(text));
        value_out->count = (uint64_t)index;
        if (index >= 0)
            return 0;
        return dv_fail(error_out, DV_ERROR_USAGE, "%s: %s=%.60s: one of %s is expected", id, param->name,
                       text, param->choices);
    }
    }
    return 0;
}

/* One `key=value` of a spec, cut out of a copy of it. */
struct spec_pair {
    const char *key;
    const char *value;
    bool is_used;
};

/* Appends ", word", or "word" where it is the first, to what is in `list`; cut off where it is full. */
static void list_word(char *list, size_t n_list_bytes, const char *word)
{
    size_t n = strlen(list);
    snprintf(list + n, n_list_bytes - n, "%s%s", n > 0 ? ", " : "", word);
}

static int fail_unknown_recipe(const char *id, struct dv_error *error_out)
{
    char known[192] = "";
    for (size_t i = 0; i < recipes_count(); i++)
        list_word(known, sizeof known, recipe_at(i)->id);
    return dv_fail(error_out, DV_ERROR_USAGE, "no recipe is called '%.40s'; known: %s", id, known);
}

static int fail_unused(const struct recipe_job *job, const struct spec_pair *pair, struct dv_error *error_out)
{
    const struct recipe_param *param = recipe_find_param(job->recipe, pair->key);
    if (param)
        return dv_fail(error_out, DV_ERROR_USAGE, "%s takes '%s' only where %s", job->recipe->id, param->name,
                       param->when);
    char known[160] = "";
    for (size_t i = 0; i < job->recipe->n_params; i++) {
        const char *name = job->recipe->params[i].name;
        if (recipe_find_param(job->recipe, name) == &job->recipe->params[i])
            list_word(known, sizeof known, name);
    }
    return dv_fail(error_out, DV_ERROR_USAGE, "%s takes no '%.40s'; known: %s", job->recipe->id, pair->key,
                   known);
}

/* Cuts `text` (what follows the recipe's id) into pairs. A key may come once. */
static int split_pairs(char *text, struct spec_pair *pairs_out, size_t *n_pairs_out,
                       struct dv_error *error_out)
{
    *n_pairs_out = 0;
    while (text) {
        char *field = strsep(&text, ":");
        char *equals = strchr(field, '=');
        if (!equals || equals == field)
            return dv_fail(error_out, DV_ERROR_USAGE, "'%.60s' in a spec: key=value is expected", field);
        *equals = '\0';
        for (size_t i = 0; i < *n_pairs_out; i++) {
            if (strcmp(pairs_out[i].key, field) == 0)
                return dv_fail(error_out, DV_ERROR_USAGE, "'%.60s' is given twice", field);
        }
        if (*n_pairs_out == RECIPE_MAX_PARAMS)
            return dv_fail(error_out, DV_ERROR_USAGE, "more than %d parameters in a spec", RECIPE_MAX_PARAMS);
        pairs_out[(*n_pairs_out)++] = (struct spec_pair){.key = field, .value = equals + 1};
    }
    return 0;
}

static const char *take_pair(struct spec_pair *pairs, size_t n_pairs, const char *key)
{
    for (size_t i = 0; i < n_pairs; i++) {
        if (strcmp(pairs[i].key, key) == 0) {
            pairs[i].is_used = true;
            return pairs[i].value;
        }
    }
    return NULL;
}

/* Sets every parameter that applies, in the registry's order: a choice comes before those that depend on
 * it. */
static int set_values(struct recipe_job *job, struct spec_pair *pairs, size_t n_pairs,
                      struct dv_error *error_out)
{
    const struct recipe *recipe = job->recipe;
    assert(recipe->n_params <= RECIPE_MAX_PARAMS);
    for (size_t i = 0; i < recipe->n_params; i++) {
        const struct recipe_param *param = &recipe->params[i];
        if (!applies(job, param))
            continue;
        const char *text = take_pair(pairs, n_pairs, param->name);
        int status = parse_value(job, param, text ? text : param->fallback, &job->values[i], error_out);
        if (status)
            return status;
    }
    for (size_t i = 0; i < n_pairs; i++) {
        if (!pairs[i].is_used)
            return fail_unused(job, &pairs[i], error_out);
    }
    return 0;
}

/* What all recipes have in common, out of the values. */
static int set_common(struct recipe_job *job, struct dv_error *error_out)
{
    job->seed = recipe_find_param(job->recipe, "seed") ? recipe_count(job, "seed") : 0;
    job->n_rows = recipe_count(job, "rows");
    job->base = recipe_count(job, "base");
    if (job->n_rows - 1 > RECIPE_MAX_POSITION - job->base)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%" PRIu64 " rows from position %" PRIu64 " pass the last position, %" PRIu64,
                       job->n_rows, job->base, RECIPE_MAX_POSITION);
    return 0;
}

int recipe_job_parse(struct recipe_job *job_out, const char *spec, struct dv_error *error_out)
{
    *job_out = (struct recipe_job){0};
    char *copy = strdup(spec);
    if (!copy)
        return dv_no_memory(error_out);
    char *rest = copy;
    const char *id = strsep(&rest, ":");
    struct spec_pair pairs[RECIPE_MAX_PARAMS];
    size_t n_pairs = 0;
    job_out->recipe = recipe_find(id);
    int status =
        job_out->recipe ? split_pairs(rest, pairs, &n_pairs, error_out) : fail_unknown_recipe(id, error_out);
    if (!status)
        status = set_values(job_out, pairs, n_pairs, error_out);
    if (!status)
        status = set_common(job_out, error_out);
    free(copy);
    return status;
}

static void print_rate(FILE *out, struct recipe_rate rate)
{
    int n_decimals = 0;
    for (uint64_t power = rate.denominator; power > 1; power /= 10)
        n_decimals++;
    fprintf(out, "%" PRIu64, rate.numerator / rate.denominator);
    if (n_decimals > 0)
        fprintf(out, ".%0*" PRIu64, n_decimals, rate.numerator % rate.denominator);
}

static void print_value(FILE *out, const struct recipe_param *param, const struct recipe_value *value)
{
    const char *word = param->choices;
    fprintf(out, ":%s=", param->name);
    switch (param->kind) {
    case RECIPE_COUNT:
        fprintf(out, "%" PRIu64, value->count);
        break;
    case RECIPE_RATE:
        print_rate(out, value->rate);
        break;
    case RECIPE_CHOICE:
        for (uint64_t i = 0; i < value->count; i++)
            word = strchr(word, '|') + 1;
        fprintf(out, "%.*s", (int)strcspn(word, "|"), word);
        break;
    }
}

char *recipe_job_print(const struct recipe_job *job)
{
    char *spec = NULL;
    size_t n_bytes = 0;
    FILE *out = open_memstream(&spec, &n_bytes);
    if (!out)
        return NULL;
    fputs(job->recipe->id, out);
    for (size_t i = 0; i < job->recipe->n_params; i++) {
        if (job->values[i].is_set)
            print_value(out, &job->recipe->params[i], &job->values[i]);
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(spec);
        return NULL;
    }
    return spec;
}
