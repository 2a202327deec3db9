/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of Puffin files. The footer is found from the end:
 *
 *   PFA1 | blobs | PFA1 | payload | i32 LE payload bytes | flags, 4 bytes | PFA1
 *
 * The payload is JSON; bit 0 of the first flag byte says that it is one LZ4 frame. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <lz4frame.h>

#include "format_internal.h"
#include "format_puffin.h"

enum {
    MAGIC_BYTES = 4,
    TRAILER_BYTES = 12, /* payload size, flags, magic */
    FLAG_LZ4 = 1,
    LZ4_MAX_RATIO = 255, /* no LZ4 block expands further */
    LZ4_FRAME_SLACK = 64,
};

static int check_magic(const struct format_file *file, uint64_t at, const char *which,
                       struct dv_error *error_out)
{
    const uint8_t *found = file->bytes + at;
    if (memcmp(found, "PFA1", MAGIC_BYTES) == 0)
        return 0;
    return dv_fail_at(error_out, DV_ERROR_INPUT, at,
                      "found %02x %02x %02x %02x, expected the %s magic 50 46 41 31 (PFA1)", found[0],
                      found[1], found[2], found[3], which);
}

static int find_footer(const struct format_file *file, struct puffin_footer *footer,
                       struct dv_error *error_out)
{
    const uint64_t n_least = MAGIC_BYTES + MAGIC_BYTES + TRAILER_BYTES;
    if (file->n_bytes < n_least)
        return dv_fail(error_out, DV_ERROR_INPUT,
                       "found %zu bytes, expected at least %" PRIu64 " of a Puffin file", file->n_bytes,
                       n_least);
    uint64_t trailer = file->n_bytes - TRAILER_BYTES;
    int status = check_magic(file, 0, "first", error_out);
    if (status == 0)
        status = check_magic(file, file->n_bytes - MAGIC_BYTES, "last", error_out);
    if (status != 0)
        return status;
    uint32_t flags = words_le32(file->bytes + trailer + 4);
    if (flags & ~(uint32_t)FLAG_LZ4)
        return dv_fail_at(error_out, DV_ERROR_INPUT, trailer + 4,
                          "found footer flags %08" PRIx32 ", expected none but bit 0 (compressed footer)",
                          flags);
    int32_t n_payload = (int32_t)words_le32(file->bytes + trailer);
    if (n_payload <= 0 || (uint64_t)n_payload > trailer - 2 * MAGIC_BYTES)
        return dv_fail_at(error_out, DV_ERROR_INPUT, trailer,
                          "found footer payload size %" PRId32 ", expected 1 to %" PRIu64, n_payload,
                          trailer - 2 * MAGIC_BYTES);
    footer->payload_at = trailer - (uint64_t)n_payload;
    footer->n_payload_bytes = (uint64_t)n_payload;
    footer->start = footer->payload_at - MAGIC_BYTES;
    footer->is_lz4 = flags & FLAG_LZ4;
    return check_magic(file, footer->start, "footer's", error_out);
}

/* Decompresses one LZ4 frame that must be the whole input. The content size is mandatory in Puffin and
 * bounded by what LZ4 can expand to, so that a lie in it allocates no more than 255 times the input. */
static int decompress(const uint8_t *bytes, size_t n_bytes, uint64_t at, char **text_out, size_t *n_out,
                      struct dv_error *error_out)
{
    int status = 0;
    char *text = NULL;
    LZ4F_dctx *context = NULL;
    LZ4F_frameInfo_t info = {0};
    size_t n_header = n_bytes;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        return dv_no_memory(error_out);
    size_t result = LZ4F_getFrameInfo(context, &info, bytes, &n_header);
    if (LZ4F_isError(result)) {
        status = dv_fail_at(error_out, DV_ERROR_INPUT, at,
                            "found a bad LZ4 frame in the footer (%s), expected a good one",
                            LZ4F_getErrorName(result));
        goto out;
    }
    if (info.contentSize == 0 || info.contentSize > (uint64_t)n_bytes * LZ4_MAX_RATIO + LZ4_FRAME_SLACK) {
        status = dv_fail_at(
            error_out, DV_ERROR_INPUT, at,
            "found content size %llu in the footer's LZ4 frame of %zu bytes, expected a possible one",
            info.contentSize, n_bytes);
        goto out;
    }
    size_t n_text = (size_t)info.contentSize;
    size_t n_rest = n_bytes - n_header;
    text = malloc(n_text + 1);
    if (!text) {
        status = dv_no_memory(error_out);
        goto out;
    }
    result = LZ4F_decompress(context, text, &n_text, bytes + n_header, &n_rest, NULL);
    if (result != 0 || n_text != info.contentSize || n_header + n_rest != n_bytes)
        status = dv_fail_at(
            error_out, DV_ERROR_INPUT, at,
            "found an LZ4 frame in the footer that gives %zu bytes from %zu, expected %llu from %zu (%s)",
            n_text, n_header + n_rest, info.contentSize, n_bytes,
            LZ4F_isError(result) ? LZ4F_getErrorName(result) : "sizes differ");
out:
    LZ4F_freeDecompressionContext(context);
    if (status != 0) {
        free(text);
        return status;
    }
    *text_out = text;
    *n_out = n_text;
    return 0;
}

static int check_chosen_range(const struct puffin_blob *blob, const struct format_options *options,
                              struct dv_error *error_out)
{
    if (!options->has_length || options->length_bytes == blob->length_bytes)
        return 0;
    return dv_fail_at(error_out, DV_ERROR_INPUT, blob->offset_bytes,
                      "found a blob of %" PRIu64 " bytes by the footer, expected %" PRIu64
                      " as stated by --length",
                      blob->length_bytes, options->length_bytes);
}

static int read_vector(struct format_file *file, const struct format_options *options,
                       const struct puffin_blob *blob, struct dv_error *error_out)
{
    int status = check_chosen_range(blob, options, error_out);
    if (status != 0)
        return status;
    if (blob->codec)
        return dv_fail_at(error_out, DV_ERROR_INPUT, blob->offset_bytes,
                          "found compression-codec %s on a deletion-vector-v1 blob, expected none",
                          blob->codec);
    struct format_vector *vector = format_add_vector(file, file->n_vectors_in_file, error_out);
    if (!vector)
        return DV_ERROR_MEMORY;
    vector->has_stated_cardinality = blob->has_cardinality;
    vector->stated_cardinality = blob->cardinality;
    if (blob->data_file) {
        vector->data_file = strdup(blob->data_file);
        if (!vector->data_file)
            return dv_no_memory(error_out);
    }
    if (!blob->has_cardinality)
        format_warn(file, "byte %" PRIu64 ": vector has no property cardinality", blob->offset_bytes);
    if (!blob->data_file)
        format_warn(file, "byte %" PRIu64 ": vector has no property referenced-data-file",
                    blob->offset_bytes);
    status = format_check_frame(file, blob->offset_bytes, blob->length_bytes, vector, error_out);
    return status ? status : format_check_vector(file, vector, options, error_out);
}

static int list_blob(struct format_file *file, size_t i, const struct puffin_blob *blob,
                     struct dv_error *error_out)
{
    struct format_blob *listed = &file->blobs[i];
    *listed = (struct format_blob){
        .offset_bytes = blob->offset_bytes, .length_bytes = blob->length_bytes, .vector = -1};
    listed->type = strdup(blob->type);
    listed->codec = blob->codec ? strdup(blob->codec) : NULL;
    file->n_blobs = i + 1;
    if (!listed->type || (blob->codec && !listed->codec))
        return dv_no_memory(error_out);
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A table has at most one vector per data file at a time; a file with more holds older ones too. */
static void warn_of_twins(struct format_file *file)
{
    const char **paths = malloc((file->n_vectors + 1) * sizeof *paths);
    size_t n_paths = 0;
    for (size_t i = 0; paths && i < file->n_vectors; i++)
        if (file->vectors[i].data_file)
            paths[n_paths++] = file->vectors[i].data_file;
    if (n_paths > 0)
        qsort(paths, n_paths, sizeof *paths, compare_paths);
    for (size_t i = 1; i < n_paths; i++)
        if (strcmp(paths[i - 1], paths[i]) == 0) {
            format_warn(file, "several vectors of data file %s: choose one, they are not united", paths[i]);
            break;
        }
    free(paths);
}

struct blob_range {
    uint64_t start, end;
    size_t i_blob;
};

static int compare_ranges(const void *a, const void *b)
{
    const struct blob_range *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
                                : (x->end > y->end) - (x->end < y->end);
}

/* A writer gives each blob bytes of its own; entries that share some were put together by hand or by a fault. */
static void warn_of_overlaps(struct format_file *file)
{
    struct blob_range *ranges = malloc((file->n_blobs + 1) * sizeof *ranges);
    for (size_t i = 0; ranges && i < file->n_blobs; i++)
        ranges[i] = (struct blob_range){file->blobs[i].offset_bytes,
                                        file->blobs[i].offset_bytes + file->blobs[i].length_bytes, i};
    if (ranges && file->n_blobs > 1)
        qsort(ranges, file->n_blobs, sizeof *ranges, compare_ranges);
    for (size_t i = 1, i_far = 0; ranges && i < file->n_blobs; i++) {
        if (ranges[i].start < ranges[i_far].end && ranges[i].start < ranges[i].end) {
            format_warn(file, "byte %" PRIu64 ": the footer's blobs %zu and %zu overlap", ranges[i].start,
                        ranges[i_far].i_blob, ranges[i].i_blob);
            break;
        }
        if (ranges[i].end > ranges[i_far].end)
            i_far = i;
    }
    free(ranges);
}

static int read_blobs(struct format_file *file, const struct format_options *options,
                      const struct puffin_footer *footer, struct dv_error *error_out)
{
    bool is_met = !options->has_offset;
    file->blobs = calloc(footer->n_blobs ? footer->n_blobs : 1, sizeof *file->blobs);
    if (!file->blobs)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < footer->n_blobs; i++) {
        const struct puffin_blob *blob = &footer->blobs[i];
        int status = list_blob(file, i, blob, error_out);
        if (status != 0)
            return status;
        if (strcmp(blob->type, PUFFIN_TYPE_VECTOR) != 0)
            continue;
        bool is_chosen = !options->has_offset || options->offset_bytes == blob->offset_bytes;
        is_met |= is_chosen;
        if (is_chosen && format_is_kept(options, file->n_vectors_in_file, blob->data_file)) {
            status = read_vector(file, options, blob, error_out);
            if (status != 0)
                return status;
            file->blobs[i].vector = (int64_t)file->n_vectors - 1;
        }
        file->n_vectors_in_file++;
    }
    if (!is_met)
        return dv_fail_at(
            error_out, DV_ERROR_INPUT, options->offset_bytes,
            "no deletion-vector-v1 blob starts here, as stated by --offset: the footer lists %" PRIu64
            " of them",
            file->n_vectors_in_file);
    warn_of_twins(file);
    warn_of_overlaps(file);
    return 0;
}

int format_read_puffin(struct format_file *file, const struct format_options *options,
                       struct dv_error *error_out)
{
    struct puffin_footer footer = {0};
    char *text = NULL;
    int status = find_footer(file, &footer, error_out);
    if (status != 0)
        return status;
    const char *json = (const char *)file->bytes + footer.payload_at;
    size_t n_json = footer.n_payload_bytes;
    if (footer.is_lz4) {
        status =
            decompress(file->bytes + footer.payload_at, n_json, footer.payload_at, &text, &n_json, error_out);
        json = text;
    }
    file->is_footer_lz4 = footer.is_lz4;
    if (status == 0)
        status = puffin_footer_parse(&footer, json, n_json, file, error_out);
    if (status == 0)
        status = read_blobs(file, options, &footer, error_out);
    puffin_footer_free(&footer);
    free(text);
    return status;
}
