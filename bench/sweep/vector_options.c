/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "payload_ranges.h"
#include "recipe.h"
#include "source.h"
#include "vector_options.h"

const char vector_options_help[] =
    "Which vector of a file (FILE is a path, PATH#N for its N-th vector, from 0, or - for standard input):\n"
    "  --format ID        auto (default), puffin, blob, delta, inline (a file of Z85 text), roaring32, "
    "roaring64\n"
    "  --offset N         where the vector starts, as the manifest or descriptor gives it\n"
    "  --length N         its size as the metadata states it: Iceberg content_size_in_bytes, Delta "
    "sizeInBytes\n"
    "  --blob N           the N-th vector of the file, from 0\n"
    "  --data-file PATH   the vector of the data file of exactly this path (Puffin)\n"
    "  --inline TEXT      a Delta inline vector, Z85\n"
    "  --cardinality N    the vector must hold N positions\n"
    "  --rows N           rows of the data file (default: last position + 1)\n"
    "  --rows FILE=N      the same for one of several FILEs; may be repeated\n"
    "  --lenient          accept, with a warning, faults that leave no doubt about the positions\n";

static int take_number(const char *name, const char *argument, bool *has_out, uint64_t *value_out,
                       struct dv_error *error_out)
{
    int status = option_number(name, argument, 0, UINT64_MAX, value_out, error_out);
    *has_out = status == 0;
    return status ? status : 1;
}

#define FORMAT_ID(enumerator, id, description) id,

static int take_format(struct format_options *format, const char *argument, struct dv_error *error_out)
{
    static const char *const ids[] = {"auto", FOR_EACH_FORMAT(FORMAT_ID) NULL};
    int kind = option_choice("format", argument, ids, error_out);
    format->format = kind < 0 ? FORMAT_AUTO : (enum format_kind)kind;
    return kind < 0 ? kind : 1;
}

/* N, or FILE=N. Positions are below 2^63 in every table format. */
static int take_rows(struct vector_options *options, const char *argument, struct dv_error *error_out)
{
    const char *equals = strrchr(argument, '=');
    uint64_t n_rows;
    int status =
        option_number("rows", equals ? equals + 1 : argument, 0, UINT64_C(1) << 63, &n_rows, error_out);
    if (status != 0)
        return status;
    if (equals)
        return strings_add(&options->rows_of_files, argument, strlen(argument)) ? dv_no_memory(error_out) : 1;
    options->format.has_rows = true;
    options->format.n_rows = n_rows;
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
        return take_rows(options, argument, error_out);
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

/* A name that is not a file's own, as a spec: an escaped path, with `#N` or without. */
struct numbered_path {
    char *path; /* owned */
    bool has_number;
    uint64_t number;
};

/* The file of the very name, else the one whose name it is escaped. */
static bool find_file(const char *name, size_t n_chars, struct numbered_path *out)
{
    char *literal = strndup(name, n_chars);
    if (!literal || access(literal, F_OK) == 0) {
        out->path = literal;
        return literal != NULL;
    }
    out->path = source_spec_unescape(literal);
    free(literal);
    if (out->path && access(out->path, F_OK) == 0)
        return true;
    free(out->path);
    out->path = NULL;
    return false;
}

/* A file of the whole name goes first, "#" included. The path is NULL where memory is short. */
static struct numbered_path find_path(const char *name)
{
    struct numbered_path found = {0};
    if (strcmp(name, "-") == 0) {
        found.path = strdup("/dev/stdin");
        return found;
    }
    const char *hash = access(name, F_OK) != 0 ? strrchr(name, '#') : NULL;
    if (hash && option_number("blob", hash + 1, 0, UINT64_MAX, &found.number, NULL) == 0)
        found.has_number = find_file(name, (size_t)(hash - name), &found);
    if (!found.path && !find_file(name, strlen(name), &found))
        found.path = strdup(name);
    return found;
}

char *vector_options_path(const char *name)
{
    return find_path(name).path;
}

/* The last entry counts, as of every option. */
struct format_options vector_options_format(const struct vector_options *options, const char *name)
{
    struct format_options format = options->format;
    char *path = name && options->rows_of_files.n_items ? vector_options_path(name) : NULL;
    for (size_t i = 0; path && i < options->rows_of_files.n_items; i++) {
        const char *entry = options->rows_of_files.items[i], *equals = strrchr(entry, '=');
        const size_t n_file = (size_t)(equals - entry);
        if ((strlen(path) == n_file && memcmp(path, entry, n_file) == 0) ||
            (strlen(name) == n_file && memcmp(name, entry, n_file) == 0)) {
            format.has_rows = true;
            format.n_rows = strtoull(equals + 1, NULL, 0);
        }
    }
    free(path);
    return format;
}

static bool has_warning(const struct vector_options *options, const char *line)
{
    for (size_t i = 0; i < options->n_warnings; i++)
        if (strcmp(options->warnings[i], line) == 0)
            return true;
    return false;
}

int vector_options_warn(struct vector_options *options, struct dv_error *error_out, const char *format, ...)
{
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n_chars = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (n_chars < 0)
        return dv_no_memory(error_out);
    if (has_warning(options, line)) {
        free(line);
        return 0;
    }
    char **grown = realloc(options->warnings, (options->n_warnings + 1) * sizeof *grown);
    if (!grown) {
        free(line);
        return dv_no_memory(error_out);
    }
    options->warnings = grown;
    options->warnings[options->n_warnings++] = line;
    return 0;
}

/* --rows may be fewer than a vector has positions for: of another file, or of none. */
static int warn_of_positions_beyond(struct vector_options *options, const char *name,
                                    const struct format_file *file, struct dv_error *error_out)
{
    const struct format_options format = vector_options_format(options, name);
    int status = 0;
    for (size_t i = 0; format.has_rows && status == 0 && i < file->n_vectors; i++) {
        const struct format_vector *vector = &file->vectors[i];
        const uint64_t last = vector->view.n_containers ? payload_last(&vector->view) : 0;
        if (vector->view.n_containers == 0 || last < format.n_rows)
            continue;
        char *spec = format_vector_spec(file, name ? name : VECTOR_INLINE_SPEC, vector);
        status = spec ? vector_options_warn(options, error_out,
                                            "%s: positions up to %" PRIu64 " lie beyond the %" PRIu64
                                            " rows of --rows",
                                            spec, last, format.n_rows)
                      : dv_no_memory(error_out);
        free(spec);
    }
    return status;
}

static int open_path(const struct vector_options *options, const struct numbered_path *found,
                     struct format_file *file_out, struct dv_error *error_out)
{
    struct format_options format = options->format;
    if (!found->path)
        return dv_no_memory(error_out);
    if (found->has_number && format.has_blob && format.blob != found->number)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%s#%" PRIu64 " and --blob %" PRIu64 " choose different vectors", found->path,
                       found->number, format.blob);
    if (found->has_number) {
        format.has_blob = true;
        format.blob = found->number;
    }
    if (strstr(found->path, "://") && access(found->path, F_OK) != 0)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%s: only local paths are read; give the path of a copy on this machine", found->path);
    return format_open(file_out, found->path, &format, error_out);
}

int vector_options_open(struct vector_options *options, const char *name, struct format_file *file_out,
                        struct dv_error *error_out)
{
    int status = 0;
    struct numbered_path found = {0};
    if (!name) {
        status = format_open_inline(file_out, options->inline_text, &options->format, error_out);
    } else {
        found = find_path(name);
        status = open_path(options, &found, file_out, error_out);
    }
    if (status != 0) {
        free(found.path);
        return status;
    }
    /* Of the file, whichever of its vectors is asked for. */
    for (size_t i = 0; i < file_out->n_warnings && status == 0; i++)
        status = vector_options_warn(options, error_out, "%s: %s", name ? found.path : VECTOR_INLINE_SPEC,
                                     file_out->warnings[i]);
    free(found.path);
    if (status == 0)
        status = warn_of_positions_beyond(options, name, file_out, error_out);
    if (status != 0)
        format_close(file_out);
    return status;
}

/* A recipe's spec is an id, by itself or before a colon. */
bool vector_options_is_recipe(const char *name)
{
    if (access(name, F_OK) == 0 || strstr(name, "://"))
        return false;
    size_t n_id = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n_id > 0 && (name[n_id] == '\0' || name[n_id] == ':');
}

static int load_recipe(const struct vector_options *options, const char *spec, struct dv_source **sources_out,
                       size_t *n_out, struct dv_error *error_out)
{
    const struct format_options *format = &options->format;
    if (!options->has_file && (format->format != FORMAT_AUTO || format->has_offset || format->has_length ||
                               format->has_blob || format->data_file))
        return dv_fail(
            error_out, DV_ERROR_USAGE,
            "%s: not a file; --format, --offset, --length, --blob and --data-file choose a file's vector",
            spec);
    char id[64];
    snprintf(id, sizeof id, "%.*s", (int)strcspn(spec, ":"), spec);
    if (!recipe_find(id))
        return dv_fail(error_out, DV_ERROR_USAGE, "no file and no recipe named %s (see dvbench list recipes)",
                       spec);
    struct dv_source *source = calloc(1, sizeof *source);
    if (!source)
        return dv_no_memory(error_out);
    int status = source_open_spec(source, spec, error_out);
    if (status != 0) {
        free(source);
        return status;
    }
    *sources_out = source;
    *n_out = 1;
    return 0;
}

static int load_file(struct vector_options *options, const char *name, struct dv_source **sources_out,
                     size_t *n_out, struct dv_error *error_out)
{
    struct format_file file;
    int status = vector_options_open(options, name, &file, error_out);
    if (status != 0)
        return status;
    const struct format_options format = vector_options_format(options, name);
    options->has_file = true;
    char *path = name ? vector_options_path(name) : strdup(VECTOR_INLINE_SPEC);
    status =
        path ? format_sources(&file, path, &format, sources_out, n_out, error_out) : dv_no_memory(error_out);
    if (status != 0 && path)
        (void)dv_error_set_where(error_out, path);
    free(path);
    format_close(&file);
    return status;
}

int vector_options_load(struct vector_options *options, const char *name, struct dv_source **sources_out,
                        size_t *n_out, struct dv_error *error_out)
{
    *sources_out = NULL;
    *n_out = 0;
    if (name && options->inline_text && strcmp(name, VECTOR_INLINE_SPEC) == 0)
        name = NULL;
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
    strings_free(&options->rows_of_files);
}
