/* SPDX-License-Identifier: Apache-2.0 */
/* From a path to parsed vectors, and from those to sources. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "file_read.h"
#include "format_internal.h"
#include "format_z85.h"
#include "payload_ranges.h"
#include "source.h"

/* Of a Delta file's name in Z85, and of the folder before it. */
enum { UUID_CHARS = 20, PREFIX_MAX_CHARS = 32 };

/* Of at least 5 characters. */
static bool starts_with_magic(const char *text)
{
    char first[6] = "";
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    memcpy(first, text, sizeof first - 1);
    if (z85_decode(first, &bytes, &n_bytes, NULL) != 0)
        return false;
    bool is_magic = words_le32(bytes) == MAGIC_VECTOR || words_le32(bytes) == MAGIC_DELTA_NATIVE ||
                    words_be32(bytes) == MAGIC_DELTA_NATIVE;
    free(bytes);
    return is_magic;
}

/* Refuses Delta's pathOrInlineDv of storage type u, by the name of the file that it stands for: a short prefix or none,
 * then the Z85 of the 16 bytes of a UUID. */
static int refuse_file_reference(const char *text, struct dv_error *error_out)
{
    size_t n_chars = strlen(text), n_bytes = 0;
    uint8_t *id = NULL;
    if (n_chars < UUID_CHARS || n_chars > PREFIX_MAX_CHARS + UUID_CHARS || starts_with_magic(text) ||
        z85_decode(text + n_chars - UUID_CHARS, &id, &n_bytes, NULL) != 0)
        return 0;
    uint32_t middle = words_be32(id + 4), clock = words_be32(id + 8);
    int n_prefix = (int)(n_chars - UUID_CHARS);
    dv_fail(error_out, DV_ERROR_INPUT,
            "found the name of a file (storage type u), expected a vector (type i): give the file "
            "%.*s%sdeletion_vector_%08" PRIx32 "-%04x-%04x-%04x-%04x%08" PRIx32 ".bin of the table's folder",
            n_prefix, text, n_prefix > 0 ? "/" : "", words_be32(id), middle >> 16, middle & 0xffff,
            clock >> 16, clock & 0xffff, words_be32(id + 12));
    free(id);
    return DV_ERROR_INPUT;
}

static int parse_inline(struct format_file *file_out, const char *text, const struct format_options *options,
                        struct dv_error *error_out)
{
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    *file_out = (struct format_file){0};
    struct format_options inline_options = *options;
    inline_options.format = FORMAT_DELTA_INLINE;
    int status = refuse_file_reference(text, error_out);
    if (status == 0)
        status = z85_decode(text, &bytes, &n_bytes, error_out);
    if (status == 0)
        status = format_parse(file_out, bytes, n_bytes, &inline_options, error_out);
    return status;
}

int format_open_inline(struct format_file *file_out, const char *text, const struct format_options *options,
                       struct dv_error *error_out)
{
    int status = parse_inline(file_out, text, options, error_out);
    if (status != 0)
        (void)dv_error_set_where(error_out, "inline vector");
    return status;
}

int format_open(struct format_file *file_out, const char *path, const struct format_options *options,
                struct dv_error *error_out)
{
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    *file_out = (struct format_file){0};
    int status = file_read(path, FILE_READ_MOST, &bytes, &n_bytes, error_out);
    if (status == 0 && options->format == FORMAT_DELTA_INLINE) {
        bytes[strcspn((char *)bytes, " \t\r\n")] = '\0'; /* Z85 has no blanks */
        status = parse_inline(file_out, (char *)bytes, options, error_out);
        free(bytes);
    } else if (status == 0)
        status = format_parse(file_out, bytes, n_bytes, options, error_out);
    if (status != 0)
        (void)dv_error_set_where(error_out, path);
    return status;
}

static int count_rows(const struct dv_view *view, const struct format_options *options, uint64_t *n_rows_out,
                      struct dv_error *error_out)
{
    const uint64_t n_most = 1ull << 63;
    uint64_t last = view->n_containers ? payload_last(view) : 0;
    if (last >= n_most)
        return dv_fail(error_out, DV_ERROR_INPUT,
                       "found position %" PRIu64 ", expected less than 2^63: no row has it", last);
    *n_rows_out = options->has_rows ? options->n_rows : last + (view->n_containers ? 1 : 0);
    if (*n_rows_out > n_most)
        return dv_fail(error_out, DV_ERROR_USAGE, "found %" PRIu64 " rows, expected at most 2^63",
                       *n_rows_out);
    return 0;
}

char *format_vector_spec(const struct format_file *file, const char *name, const struct format_vector *vector)
{
    char *spec = NULL;
    char *escaped = source_spec_escape(name);
    if (escaped && file->n_vectors_in_file > 1 && asprintf(&spec, "%s#%" PRIu64, escaped, vector->index) < 0)
        spec = NULL;
    if (file->n_vectors_in_file <= 1)
        return escaped;
    free(escaped);
    return spec;
}

static int make_source(const struct format_file *file, const struct format_vector *vector, const char *name,
                       const struct format_options *options, struct dv_source *source,
                       struct dv_error *error_out)
{
    int status = count_rows(&vector->view, options, &source->n_rows, error_out);
    if (status != 0)
        return status;
    source->spec = format_vector_spec(file, name, vector);
    source->payload = malloc(vector->n_payload_bytes);
    if (!source->spec || !source->payload)
        return dv_no_memory(error_out);
    memcpy(source->payload, vector->payload, vector->n_payload_bytes);
    source->n_payload_bytes = vector->n_payload_bytes;
    source->digest = digest_bytes(source->payload, source->n_payload_bytes);
    source->has_crc = vector->has_crc;
    source->crc_stored = vector->crc_stored;
    snprintf(source->recipe, sizeof source->recipe, "file");
    snprintf(source->format, sizeof source->format, "%s", format_id(file->format));
    return 0;
}

int format_sources(const struct format_file *file, const char *name, const struct format_options *options,
                   struct dv_source **sources_out, size_t *n_out, struct dv_error *error_out)
{
    *sources_out = NULL;
    *n_out = 0;
    if (file->n_vectors == 0)
        return dv_fail(error_out, DV_ERROR_INPUT,
                       "found no deletion vector in this %s file, expected at least one",
                       format_id(file->format));
    struct dv_source *sources = calloc(file->n_vectors, sizeof *sources);
    int status = sources ? 0 : dv_no_memory(error_out);
    for (size_t i = 0; status == 0 && i < file->n_vectors; i++)
        status = make_source(file, &file->vectors[i], name, options, &sources[i], error_out);
    if (status != 0) {
        format_free_sources(sources, sources ? file->n_vectors : 0);
        return status;
    }
    *sources_out = sources;
    *n_out = file->n_vectors;
    return 0;
}

void format_free_sources(struct dv_source *sources, size_t n_sources)
{
    for (size_t i = 0; i < n_sources; i++)
        source_free(&sources[i]);
    free(sources);
}
