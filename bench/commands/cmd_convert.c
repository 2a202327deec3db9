/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench convert: the vectors of one file in another format. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "payload_ranges.h"
#include "payload_writer.h"
#include "vector_options.h"
#include "vector_write.h"

enum {
    OPTION_TO = 1,
    OPTION_OPTIMIZE,
    OPTION_NO_OPTIMIZE,
    OPTION_DENSE_KEYS,
    OPTION_SPARSE_KEYS,
    OPTION_REFERENCED_DATA_FILE,
    OPTION_LZ4_FOOTER
};

struct convert_options {
    struct vector_options vectors;
    struct format_write_options write;
    const char *referenced_data_file; /* NULL: the input's, else the input's own name */
    bool is_rewritten;                /* an option asks for other bytes than the input's */
    bool is_unoptimised;
    bool has_dense_keys;
};

static const char help[] =
    "usage: dvbench convert IN OUT --to FORMAT [options]\n"
    "IN may be - for standard input, OUT - for standard output.\n"
    "Between puffin, blob, delta and inline, and from these to Roaring, the vector's bytes are copied, not "
    "decoded.\n"
    "A vector from a Roaring file is rewritten for one of the four, as the Java writers do it.\n"
    "  --optimize               rewrite, with run containers where they are smaller\n"
    "  --no-optimize            rewrite, without run containers\n"
    "  --dense-keys             rewrite, with a bucket for every key from 0, empty ones too, as Java does\n"
    "  --sparse-keys            rewrite, only with buckets that hold positions (the default when rewriting)\n"
    "  --referenced-data-file P data file of a vector in Puffin (default: the input's, else IN itself)\n"
    "  --lz4-footer             compress the footer of Puffin\n";

static bool is_roaring(enum format_kind format)
{
    return format == FORMAT_ROARING32 || format == FORMAT_ROARING64;
}

/* Empty buckets have no place in a 32-bit bitmap. */
static bool needs_rewrite(const struct convert_options *options, const struct format_file *file,
                          const struct format_vector *vector)
{
    if (options->is_rewritten || (is_roaring(file->format) && !is_roaring(options->write.format)))
        return true;
    return options->write.format == FORMAT_ROARING32 && vector->view.n_buckets != 1;
}

/* `rewritten_out` is NULL where the payload is the input's; else the caller frees it. */
static int make_output(const struct convert_options *options, const struct format_file *file,
                       const struct format_vector *vector, const char *data_file,
                       struct format_output *output, uint8_t **rewritten_out, struct dv_error *error_out)
{
    *output = (struct format_output){.payload = vector->payload,
                                     .n_payload_bytes = vector->n_payload_bytes,
                                     .cardinality = vector->view.cardinality,
                                     .data_file = data_file};
    if (!needs_rewrite(options, file, vector))
        return 0;
    unsigned writer_options =
        (options->is_unoptimised ? 0 : PAYLOAD_OPTIMIZE) | (options->has_dense_keys ? PAYLOAD_DENSE_KEYS : 0);
    int status =
        payload_rewrite(&vector->view, writer_options, rewritten_out, &output->n_payload_bytes, error_out);
    output->payload = *rewritten_out;
    return status;
}

static const char *choose_data_file(const struct convert_options *options, const struct format_vector *vector,
                                    const char *spec)
{
    if (options->referenced_data_file)
        return options->referenced_data_file;
    return vector->data_file ? vector->data_file : spec;
}

static int check_data_file(const struct convert_options *options, const struct format_file *file,
                           struct dv_error *error_out)
{
    if (!options->referenced_data_file || file->n_vectors <= 1)
        return 0;
    return dv_fail(
        error_out, DV_ERROR_USAGE,
        "--referenced-data-file names one data file and %zu vectors are chosen: choose one by --blob",
        file->n_vectors);
}

/* Adds to a list of words: ", 2 other blobs". */
static size_t add_loss(char *text, size_t n_text, size_t n_used, uint64_t n, const char *one,
                       const char *many)
{
    if (n == 0 || n_used >= n_text)
        return n_used;
    return n_used + (size_t)snprintf(text + n_used, n_text - n_used, "%s%" PRIu64 " %s", n_used ? ", " : "",
                                     n, n == 1 ? one : many);
}

/* What the file holds besides the vectors and the output will lack. */
static int warn_of_losses(struct convert_options *options, const struct format_file *file, const char *in,
                          struct dv_error *error_out)
{
    size_t n_blobs = 0, n_data_files = 0, n_used = 0;
    char lost[160];
    for (size_t i = 0; i < file->n_blobs; i++)
        n_blobs += file->blobs[i].vector < 0;
    for (size_t i = 0; i < file->n_vectors && options->write.format != FORMAT_PUFFIN; i++)
        n_data_files += file->vectors[i].data_file != NULL;
    n_used = add_loss(lost, sizeof lost, n_used, n_blobs, "blob of another type", "blobs of other types");
    n_used = add_loss(lost, sizeof lost, n_used, file->n_other_properties, "property", "properties");
    n_used = add_loss(lost, sizeof lost, n_used, n_data_files, "name of a data file", "names of data files");
    return n_used ? vector_options_warn(&options->vectors, error_out, "%s: not copied: %s", in, lost) : 0;
}

static int convert_vectors(const struct convert_options *options, const struct format_file *file,
                           const char *in, const char *out, struct dv_error *error_out)
{
    size_t n_vectors = file->n_vectors;
    struct format_output *outputs = calloc(n_vectors, sizeof *outputs);
    uint8_t **rewritten = calloc(n_vectors, sizeof *rewritten);
    char **specs = calloc(n_vectors, sizeof *specs);
    int status = check_data_file(options, file, error_out);
    if (!outputs || !rewritten || !specs)
        status = dv_no_memory(error_out);
    for (size_t i = 0; status == 0 && i < n_vectors; i++) {
        const struct format_vector *vector = &file->vectors[i];
        specs[i] = format_vector_spec(file, in, vector);
        status = specs[i] ? make_output(options, file, vector, choose_data_file(options, vector, specs[i]),
                                        &outputs[i], &rewritten[i], error_out)
                          : dv_no_memory(error_out);
    }
    if (status == 0)
        status = vector_write(out, outputs, n_vectors, &options->write, error_out);
    for (size_t i = 0; i < n_vectors; i++) {
        if (rewritten)
            free(rewritten[i]);
        if (specs)
            free(specs[i]);
    }
    free(specs);
    free(rewritten);
    free(outputs);
    return status;
}

static int convert(struct convert_options *options, const char *in, const char *out,
                   struct dv_error *error_out)
{
    struct format_file file;
    int status = vector_options_open(&options->vectors, in, &file, error_out);
    if (status != 0)
        return status;
    char *path = in ? vector_options_path(in) : strdup(VECTOR_INLINE_SPEC);
    if (!path)
        status = dv_no_memory(error_out);
    else if (file.n_vectors == 0)
        status = dv_fail(error_out, DV_ERROR_INPUT,
                         "found no deletion vector among %zu blobs, expected at least one", file.n_blobs);
    else
        status = warn_of_losses(options, &file, path, error_out);
    if (status == 0)
        status = convert_vectors(options, &file, path, out, error_out);
    if (status != 0 && status != DV_ERROR_IO && path)
        (void)dv_error_set_where(error_out, path);
    command_print_warnings(&options->vectors);
    free(path);
    format_close(&file);
    return status;
}

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct convert_options *options = context;
    switch (value) {
    case OPTION_TO:
        return vector_write_format("to", argument, &options->write.format, error_out);
    case OPTION_REFERENCED_DATA_FILE:
        options->referenced_data_file = argument;
        return 0;
    case OPTION_LZ4_FOOTER:
        options->write.lz4_footer = true;
        return 0;
    case OPTION_OPTIMIZE:
    case OPTION_NO_OPTIMIZE:
        options->is_unoptimised = value == OPTION_NO_OPTIMIZE;
        options->is_rewritten = true;
        return 0;
    case OPTION_DENSE_KEYS:
    case OPTION_SPARSE_KEYS:
        options->has_dense_keys = value == OPTION_DENSE_KEYS;
        options->is_rewritten = true;
        return 0;
    default:
        return vector_options_take(&options->vectors, value, argument, error_out);
    }
}

/* With --inline the only operand is OUT. */
static int convert_operands(struct convert_options *options, int n_names, char **names,
                            struct dv_error *error_out)
{
    bool is_inline = options->vectors.inline_text;
    if (n_names != (is_inline ? 1 : 2))
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "convert: found %d operands, expected %s (see dvbench convert --help)", n_names,
                       is_inline ? "OUT, since --inline is the input" : "IN and OUT");
    if (options->write.format == FORMAT_AUTO)
        return dv_fail(error_out, DV_ERROR_USAGE, "convert: give --to FORMAT (see dvbench convert --help)");
    return convert(options, is_inline ? NULL : names[0], names[n_names - 1], error_out);
}

int command_convert(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {
        {"to", required_argument, NULL, OPTION_TO},
        {"optimize", no_argument, NULL, OPTION_OPTIMIZE},
        {"no-optimize", no_argument, NULL, OPTION_NO_OPTIMIZE},
        {"dense-keys", no_argument, NULL, OPTION_DENSE_KEYS},
        {"sparse-keys", no_argument, NULL, OPTION_SPARSE_KEYS},
        {"referenced-data-file", required_argument, NULL, OPTION_REFERENCED_DATA_FILE},
        {"lz4-footer", no_argument, NULL, OPTION_LZ4_FOOTER},
        VECTOR_OPTIONS,
        OPTIONS_END};
    struct convert_options options = {0};
    int first = options_read(argc, argv, table, take_option, &options, error_out);
    int status = first;
    if (first == 0) {
        printf("%s%s", help, vector_options_help);
        vector_write_print_formats();
    } else if (first > 0)
        status = convert_operands(&options, argc - first, argv + first, error_out);
    vector_options_free(&options.vectors);
    return status;
}
