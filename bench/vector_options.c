/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"
#include "vector_options.h"

const char vector_options_help[] =
    "Which vector of a file (FILE is a path, or PATH#N for its N-th vector, from 0):\n"
    "  --format ID        auto (default), puffin, blob, delta, roaring32 or roaring64\n"
    "  --offset N         where the vector starts, as the manifest or descriptor gives it\n"
    "  --length N         its size as metadata calls it: Iceberg content_size_in_bytes, Delta sizeInBytes\n"
    "  --blob N           the N-th vector of the file, from 0\n"
    "  --data-file PATH   the vector of this data file, compared letter by letter (Puffin)\n"
    "  --inline TEXT      a Delta inline vector, Z85\n"
    "  --cardinality N    the vector must hold N positions\n"
    "  --rows N           rows of the data file (default: last position + 1)\n"
    "  --lenient          accept, with a warning, faults that leave the positions beyond doubt\n";

int vector_options_number(const char *name, const char *argument, uint64_t *value_out,
                          struct dv_error *error_out)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(argument, &end, 0);
    bool is_decimal = argument[0] != '0' || argument[1] == '\0' || argument[1] == 'x' || argument[1] == 'X';
    if (argument[0] < '0' || argument[0] > '9' || *end != '\0' || errno != 0 || !is_decimal)
        return dv_fail(error_out, DV_ERROR_USAGE, DV_NO_OFFSET,
                       "--%s: found \"%.60s\", expected a whole number from 0 to 2^64 - 1", name, argument);
    *value_out = value;
    return 0;
}

static int take_number(const char *name, const char *argument, bool *has_out, uint64_t *value_out,
                       struct dv_error *error_out)
{
    int code = vector_options_number(name, argument, value_out, error_out);
    *has_out = code == 0;
    return code ? code : 1;
}

static int take_format(struct format_options *format, const char *argument, struct dv_error *error_out)
{
    int kind = format_find(argument);
    if (kind < 0 || kind == FORMAT_DELTA_INLINE)
        return dv_fail(
            error_out, DV_ERROR_USAGE, DV_NO_OFFSET,
            "--format: found \"%.60s\", expected auto, puffin, blob, delta, roaring32 or roaring64",
            argument);
    format->format = (enum format_kind)kind;
    return 1;
}

int vector_options_take(struct vector_options *options, int value, const char *argument,
                        struct dv_error *error_out)
{
    struct format_options *format = &options->format;
    switch (value) {
    case VECTOR_OPTION_OFFSET:
        return take_number("offset", argument, &format->has_offset, &format->offset_bytes, error_out);
    case VECTOR_OPTION_LENGTH:
        return take_number("length", argument, &format->has_length, &format->length_bytes, error_out);
    case VECTOR_OPTION_BLOB:
        return take_number("blob", argument, &format->has_blob, &format->blob, error_out);
    case VECTOR_OPTION_CARDINALITY:
        return take_number("cardinality", argument, &format->has_cardinality, &format->cardinality,
                           error_out);
    case VECTOR_OPTION_ROWS:
        return take_number("rows", argument, &format->has_rows, &format->n_rows, error_out);
    case VECTOR_OPTION_FORMAT:
        return take_format(format, argument, error_out);
    case VECTOR_OPTION_DATA_FILE:
        format->data_file = argument;
        return 1;
    case VECTOR_OPTION_INLINE:
        options->inline_text = argument;
        return 1;
    case VECTOR_OPTION_LENIENT:
        format->lenient = true;
        return 1;
    default:
        return 0;
    }
}

/* Splits `path#N`, escaped, into an unescaped path (malloc'ed) and N. NULL where the name has no number or no
 * such file is there. */
static char *split_numbered(const char *name, uint64_t *number_out)
{
    const char *hash = strrchr(name, '#');
    if (!hash || vector_options_number("blob", hash + 1, number_out, NULL) != 0)
        return NULL;
    char *escaped = strndup(name, (size_t)(hash - name));
    char *path = escaped ? source_spec_unescape(escaped) : NULL;
    free(escaped);
    if (path && access(path, F_OK) != 0) {
        free(path);
        return NULL;
    }
    return path;
}

static void keep_warnings(struct vector_options *options, const char *name, const struct format_file *file)
{
    for (size_t i = 0; i < file->n_warnings; i++) {
        char **grown = realloc(options->warnings, (options->n_warnings + 1) * sizeof *grown);
        if (!grown)
            return;
        options->warnings = grown;
        if (asprintf(&options->warnings[options->n_warnings], "%s: %s", name, file->warnings[i]) < 0)
            return;
        options->n_warnings++;
    }
}

static int open_numbered(struct vector_options *options, const char *path, uint64_t number,
                         struct format_file *file_out, struct dv_error *error_out)
{
    struct format_options format = options->format;
    if (format.has_blob && format.blob != number)
        return dv_fail(error_out, DV_ERROR_USAGE, DV_NO_OFFSET,
                       "%s#%" PRIu64 " and --blob %" PRIu64 " choose different vectors", path, number,
                       format.blob);
    format.has_blob = true;
    format.blob = number;
    return format_open(file_out, path, &format, error_out);
}

int vector_options_open(struct vector_options *options, const char *name, struct format_file *file_out,
                        struct dv_error *error_out)
{
    uint64_t number = 0;
    int code = 0;
    if (!name) {
        code = format_open_inline(file_out, options->inline_text, &options->format, error_out);
    } else {
        char *path = access(name, F_OK) == 0 ? NULL : split_numbered(name, &number);
        code = path ? open_numbered(options, path, number, file_out, error_out)
                    : format_open(file_out, name, &options->format, error_out);
        free(path);
    }
    if (code == 0)
        keep_warnings(options, name ? name : "inline vector", file_out);
    return code;
}

/* A recipe's spec is an id, alone or before a colon. */
bool vector_options_is_recipe(const char *name)
{
    if (access(name, F_OK) == 0)
        return false;
    size_t n_id = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n_id > 0 && (name[n_id] == '\0' || name[n_id] == ':');
}

static int load_recipe(const struct vector_options *options, const char *spec, struct dv_source **sources_out,
                       size_t *n_out, struct dv_error *error_out)
{
    const struct format_options *format = &options->format;
    if (format->format != FORMAT_AUTO || format->has_offset || format->has_length || format->has_blob ||
        format->data_file)
        return dv_fail(
            error_out, DV_ERROR_USAGE, DV_NO_OFFSET,
            "%.100s: not a file; --format, --offset, --length, --blob and --data-file choose a file's vector",
            spec);
    struct dv_source *source = calloc(1, sizeof *source);
    if (!source)
        return dv_fail(error_out, DV_ERROR_MEMORY, DV_NO_OFFSET, "no memory for a source");
    int code = source_open_spec(source, spec, error_out);
    if (code != 0) {
        free(source);
        return code;
    }
    *sources_out = source;
    *n_out = 1;
    return 0;
}

char *vector_options_path(const char *name)
{
    uint64_t number = 0;
    char *path = access(name, F_OK) == 0 ? NULL : split_numbered(name, &number);
    return path ? path : strdup(name);
}

static int load_file(struct vector_options *options, const char *name, struct dv_source **sources_out,
                     size_t *n_out, struct dv_error *error_out)
{
    struct format_file file;
    int code = vector_options_open(options, name, &file, error_out);
    if (code != 0)
        return code;
    char *path = name ? vector_options_path(name) : strdup("inline");
    code = path ? format_sources(&file, path, &options->format, sources_out, n_out, error_out)
                : dv_fail(error_out, DV_ERROR_MEMORY, DV_NO_OFFSET, "no memory for a path");
    if (code != 0 && path)
        format_locate_error(error_out, path);
    free(path);
    format_close(&file);
    return code;
}

int vector_options_load(struct vector_options *options, const char *name, struct dv_source **sources_out,
                        size_t *n_out, struct dv_error *error_out)
{
    *sources_out = NULL;
    *n_out = 0;
    if (!name || !vector_options_is_recipe(name))
        return load_file(options, name, sources_out, n_out, error_out);
    return load_recipe(options, name, sources_out, n_out, error_out);
}

void vector_options_free(struct vector_options *options)
{
    for (size_t i = 0; i < options->n_warnings; i++)
        free(options->warnings[i]);
    free(options->warnings);
    options->warnings = NULL;
    options->n_warnings = 0;
}
