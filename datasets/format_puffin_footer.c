/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of a Puffin footer. Errors name the blob by its place in the footer and stand at the footer's payload:
 * JSON has no byte offsets once parsed. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "format_internal.h"
#include "format_puffin.h"

enum { FIRST_BLOB_AT = 4 };

struct context {
    const struct puffin_footer *footer;
    struct format_file *file;
    size_t i_blob;
    struct dv_error *error;
};

static int fail(const struct context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(const struct context *context, const char *format, ...)
{
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return dv_fail_at(context->error, DV_ERROR_INPUT, context->footer->payload_at, "footer, blob %zu: %s",
                      context->i_blob, what);
}

static int take_range(const struct context *context, const json_t *json, struct puffin_blob *blob)
{
    const json_t *offset = json_object_get(json, "offset");
    const json_t *length = json_object_get(json, "length");
    if (!json_is_integer(offset) || !json_is_integer(length))
        return fail(context, "found offset or length missing or not an integer, expected both");
    int64_t first = json_integer_value(offset);
    int64_t n_bytes = json_integer_value(length);
    int64_t end = (int64_t)context->footer->start;
    if (first < FIRST_BLOB_AT || first > end || n_bytes < 0 || n_bytes > end - first)
        return fail(context,
                    "found offset %" PRId64 " and length %" PRId64 ", expected a range within [4, %" PRId64
                    ")",
                    first, n_bytes, end);
    blob->offset_bytes = (uint64_t)first;
    blob->length_bytes = (uint64_t)n_bytes;
    return 0;
}

static int take_cardinality(const struct context *context, const char *text, struct puffin_blob *blob)
{
    char *end = NULL;
    errno = 0;
    blob->cardinality = strtoull(text, &end, 10);
    blob->has_cardinality = true;
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return fail(context, "found property cardinality \"%.40s\", expected a whole number", text);
    return 0;
}

static int take_properties(const struct context *context, const json_t *json, struct puffin_blob *blob)
{
    json_t *properties = json_object_get(json, "properties");
    if (!properties || json_is_null(properties))
        return 0;
    if (!json_is_object(properties))
        return fail(context, "found properties that are not an object, expected one");
    const char *key;
    json_t *value;
    json_object_foreach(properties, key, value)
    {
        if (!json_is_string(value))
            return fail(context, "found property %.60s that is not a string, expected one", key);
        context->file->n_other_properties +=
            strcmp(key, PUFFIN_KEY_DATA_FILE) != 0 && strcmp(key, PUFFIN_KEY_CARDINALITY) != 0;
    }
    blob->data_file = json_string_value(json_object_get(properties, PUFFIN_KEY_DATA_FILE));
    const char *cardinality = json_string_value(json_object_get(properties, PUFFIN_KEY_CARDINALITY));
    return cardinality ? take_cardinality(context, cardinality, blob) : 0;
}

/* What only warns: nothing of it decides which rows are deleted. */
static void warn_of_fields(const struct context *context, const json_t *json)
{
    static const char *const inherited[] = {"snapshot-id", "sequence-number"};
    for (size_t i = 0; i < sizeof inherited / sizeof *inherited; i++) {
        const json_t *value = json_object_get(json, inherited[i]);
        if (!json_is_integer(value) || json_integer_value(value) != -1)
            format_warn(context->file, "footer, blob %zu: %s of a vector is not -1", context->i_blob,
                        inherited[i]);
    }
    const json_t *fields = json_object_get(json, "fields");
    bool is_good = json_is_array(fields);
    for (size_t i = 0; is_good && i < json_array_size(fields); i++)
        is_good = json_is_integer(json_array_get(fields, i));
    if (!is_good)
        format_warn(context->file, "footer, blob %zu: fields is not a list of integers", context->i_blob);
}

static int take_blob(const struct context *context, const json_t *json, struct puffin_blob *blob)
{
    if (!json_is_object(json))
        return fail(context, "found no object, expected one");
    blob->type = json_string_value(json_object_get(json, "type"));
    if (!blob->type)
        return fail(context, "found no type, expected a string");
    const json_t *codec = json_object_get(json, "compression-codec");
    if (codec && !json_is_null(codec) && !json_is_string(codec))
        return fail(context, "found compression-codec that is not a string, expected one");
    blob->codec = json_string_value(codec);
    int status = take_range(context, json, blob);
    if (status != 0 || strcmp(blob->type, PUFFIN_TYPE_VECTOR) != 0)
        return status;
    status = take_properties(context, json, blob);
    if (status == 0)
        warn_of_fields(context, json);
    return status;
}

static int take_created_by(const struct puffin_footer *footer, struct format_file *file,
                           struct dv_error *error_out)
{
    const json_t *properties = json_object_get(footer->json, "properties");
    const char *created_by = json_string_value(json_object_get(properties, "created-by"));
    file->n_other_properties += json_object_size(properties) - (created_by ? 1 : 0);
    if (!created_by)
        return 0;
    file->created_by = strdup(created_by);
    return file->created_by ? 0 : dv_no_memory(error_out);
}

int puffin_footer_parse(struct puffin_footer *footer, const char *text, size_t n_text_bytes,
                        struct format_file *file, struct dv_error *error_out)
{
    json_error_t json_error;
    footer->json = json_loadb(text, n_text_bytes, JSON_REJECT_DUPLICATES, &json_error);
    if (!footer->json) {
        uint64_t at = footer->payload_at + (footer->is_lz4 ? 0 : (uint64_t)json_error.position);
        return dv_fail_at(error_out, DV_ERROR_INPUT, at,
                          "found bad JSON in the footer (%s), expected an object", json_error.text);
    }
    const json_t *blobs = json_object_get(footer->json, "blobs");
    if (!json_is_array(blobs))
        return dv_fail_at(error_out, DV_ERROR_INPUT, footer->payload_at,
                          "found no list of blobs in the footer, expected one");
    footer->n_blobs = json_array_size(blobs);
    footer->blobs = calloc(footer->n_blobs ? footer->n_blobs : 1, sizeof *footer->blobs);
    if (!footer->blobs)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < footer->n_blobs; i++) {
        const struct context context = {.footer = footer, .file = file, .i_blob = i, .error = error_out};
        int status = take_blob(&context, json_array_get(blobs, i), &footer->blobs[i]);
        if (status != 0)
            return status;
    }
    return take_created_by(footer, file, error_out);
}

void puffin_footer_free(struct puffin_footer *footer)
{
    json_decref(footer->json);
    free(footer->blobs);
}
