/* SPDX-License-Identifier: Apache-2.0 */
#include "run_json.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"

/* Numbers and truth values become strings when the file is read, so that all that is handed out is text. */
struct run_json {
    json_t *root;
};

static json_t *as_text(const json_t *value)
{
    char text[64];
    if (json_is_integer(value))
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, sizeof text, "%.9g", json_real_value(value));
    else
        snprintf(text, sizeof text, "%s", json_is_true(value) ? "true" : "false");
    return json_string(text);
}

/* Depth is bounded: jansson refuses files nested deeper than 2,048. */
static int make_texts(json_t *value)
{
    const char *key;
    json_t *item;
    void *next;
    size_t i;
    json_object_foreach_safe(value, next, key, item)
    {
        if (json_is_number(item) || json_is_boolean(item)) {
            if (json_object_set_new(value, key, as_text(item)) != 0)
                return -1;
        } else if (make_texts(item) < 0)
            return -1;
    }
    json_array_foreach(value, i, item)
    {
        if (json_is_number(item) || json_is_boolean(item)) {
            if (json_array_set_new(value, i, as_text(item)) != 0)
                return -1;
        } else if (make_texts(item) < 0)
            return -1;
    }
    return 0;
}

static int check_schema(const struct run_json *run, const char *path, struct dv_error *error_out)
{
    const char *schema = run_json_text(run, "schema");
    if (strcmp(schema, COLUMNS_SCHEMA) == 0)
        return 0;
    return dv_fail(error_out, DV_ERROR_INPUT,
                   "%s: a run of schema '%s'; this build reads schema " COLUMNS_SCHEMA, path, schema);
}

int run_json_load(struct run_json **run_out, const char *path, struct dv_error *error_out)
{
    json_error_t error;
    int status = 0;
    *run_out = NULL;
    struct run_json *run = calloc(1, sizeof *run);
    FILE *stream = fopen(path, "re");
    if (!run)
        status = dv_no_memory(error_out);
    else if (!stream)
        status = dv_fail(error_out, DV_ERROR_INPUT, "%s: cannot open: %s", path, strerror(errno));
    else if (!(run->root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error)) || !json_is_object(run->root))
        status = dv_fail_at(error_out, DV_ERROR_INPUT,
                            run->root || error.position < 0 ? 0 : (uint64_t)error.position,
                            "%s: no JSON object: %s", path, run->root ? "something else" : error.text);
    else if (make_texts(run->root) < 0)
        status = dv_no_memory(error_out);
    else
        status = check_schema(run, path, error_out);
    if (stream)
        fclose(stream);
    if (status < 0)
        run_json_free(run);
    else
        *run_out = run;
    return status;
}

static const json_t *find(const struct run_json *run, const char *key_path)
{
    const json_t *value = run->root;
    while (value && *key_path) {
        char key[64];
        const size_t n = strcspn(key_path, ".");
        if (n >= sizeof key)
            return NULL;
        memcpy(key, key_path, n);
        key[n] = 0;
        value = json_object_get(value, key);
        key_path += n + (key_path[n] == '.');
    }
    return value;
}

const char *run_json_text(const struct run_json *run, const char *key_path)
{
    const char *text = json_string_value(find(run, key_path));
    return text ? text : "";
}

size_t run_json_n_items(const struct run_json *run, const char *key_path)
{
    return json_array_size(find(run, key_path));
}

const char *run_json_item(const struct run_json *run, const char *key_path, size_t index)
{
    const char *text = json_string_value(json_array_get(find(run, key_path), index));
    return text ? text : "";
}

void run_json_free(struct run_json *run)
{
    if (run)
        json_decref(run->root);
    free(run);
}
