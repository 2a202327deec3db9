/* SPDX-License-Identifier: Apache-2.0 */
/* The formats' common part: the registry, dispatch to a reader, and what every reader needs. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "format_internal.h"

static const char *const ids[] = {[FORMAT_AUTO] = "auto",
#define FORMAT_ROW(enumerator, id, description) [enumerator] = (id),
                                  FOR_EACH_FORMAT(FORMAT_ROW)
#undef FORMAT_ROW
};

static const char *const descriptions[] = {[FORMAT_AUTO] = "found by its magic",
#define FORMAT_ROW(enumerator, id, description) [enumerator] = (description),
                                           FOR_EACH_FORMAT(FORMAT_ROW)
#undef FORMAT_ROW
};

typedef int reader_fn(struct format_file *file, const struct format_options *options,
                      struct dv_error *error_out);

static reader_fn *const readers[N_FORMATS] = {
    [FORMAT_PUFFIN] = format_read_puffin,       [FORMAT_BLOB] = format_read_blob,
    [FORMAT_DELTA] = format_read_delta,         [FORMAT_DELTA_INLINE] = format_read_inline,
    [FORMAT_ROARING32] = format_read_roaring32, [FORMAT_ROARING64] = format_read_roaring64,
};

const char *format_id(enum format_kind kind)
{
    return ids[kind];
}

const char *format_description(enum format_kind kind)
{
    return descriptions[kind];
}

void format_warn(struct format_file *file, const char *format, ...)
{
    char *line = NULL;
    va_list args;
    va_start(args, format);
    int n_chars = vasprintf(&line, format, args);
    va_end(args);
    if (n_chars < 0)
        return;
    char **grown = realloc(file->warnings, (file->n_warnings + 1) * sizeof *grown);
    if (!grown) {
        free(line);
        return;
    }
    file->warnings = grown;
    file->warnings[file->n_warnings++] = line;
}

bool format_is_kept(const struct format_options *options, uint64_t index, const char *data_file)
{
    if (options->has_blob && options->blob != index)
        return false;
    return !options->data_file || (data_file && strcmp(options->data_file, data_file) == 0);
}

struct format_vector *format_add_vector(struct format_file *file, uint64_t index, struct dv_error *error_out)
{
    /* Doubling: a file may hold a vector every 21 bytes. */
    if ((file->n_vectors & (file->n_vectors - 1)) == 0) {
        size_t n_slots = file->n_vectors ? file->n_vectors * 2 : 1;
        struct format_vector *grown = realloc(file->vectors, n_slots * sizeof *grown);
        if (!grown) {
            dv_no_memory(error_out);
            return NULL;
        }
        file->vectors = grown;
    }
    struct format_vector *vector = &file->vectors[file->n_vectors++];
    *vector = (struct format_vector){.index = index};
    return vector;
}

/* A choice that met nothing must not pass for a file without deletes. */
static int check_choice(const struct format_file *file, const struct format_options *options,
                        struct dv_error *error_out)
{
    if (options->has_blob && options->blob >= file->n_vectors_in_file)
        return dv_fail(error_out, DV_ERROR_INPUT, "no vector number %llu: the file has %llu, numbered from 0",
                       (unsigned long long)options->blob, (unsigned long long)file->n_vectors_in_file);
    if (options->data_file && file->n_vectors == 0)
        return dv_fail(error_out, DV_ERROR_INPUT, "no vector of data file %s%s", options->data_file,
                       file->format == FORMAT_PUFFIN ? "" : ": only Puffin files name data files");
    if (options->has_blob && options->has_offset && file->n_vectors == 0)
        return dv_fail_at(
            error_out, DV_ERROR_INPUT, options->offset_bytes,
            "found another vector here than number %llu: it is chosen by number and by offset, which differ",
            (unsigned long long)options->blob);
    if (options->has_cardinality && file->n_vectors != 1)
        return dv_fail(error_out, file->n_vectors ? DV_ERROR_USAGE : DV_ERROR_INPUT,
                       "a cardinality is stated for one vector, and %zu are chosen%s", file->n_vectors,
                       file->n_vectors ? ": choose one of them by its number, data file or offset" : "");
    return 0;
}

int format_parse(struct format_file *file_out, uint8_t *bytes, size_t n_bytes,
                 const struct format_options *options, struct dv_error *error_out)
{
    *file_out = (struct format_file){.bytes = bytes, .n_bytes = n_bytes, .format = options->format};
    struct dv_error unused;
    struct dv_error *error = error_out ? error_out : &unused;
    int status = 0;
    if (file_out->format == FORMAT_AUTO)
        file_out->format = format_recognise(bytes, n_bytes, error);
    if (file_out->format == FORMAT_AUTO)
        status = error->code;
    else
        status = readers[file_out->format](file_out, options, error);
    if (status == 0)
        status = check_choice(file_out, options, error);
    if (status != 0)
        format_close(file_out);
    return status;
}

void format_close(struct format_file *file)
{
    for (size_t i = 0; i < file->n_vectors; i++) {
        dv_view_free(&file->vectors[i].view);
        free(file->vectors[i].owned);
        free(file->vectors[i].data_file);
    }
    for (size_t i = 0; i < file->n_blobs; i++) {
        free(file->blobs[i].type);
        free(file->blobs[i].codec);
    }
    for (size_t i = 0; i < file->n_warnings; i++)
        free(file->warnings[i]);
    free(file->vectors);
    free(file->blobs);
    free(file->warnings);
    free(file->created_by);
    free(file->bytes);
    *file = (struct format_file){0};
}
