/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench gen: a deletion vector made from a recipe, in a file of any format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "payload_ranges.h"
#include "payload_writer.h"
#include "recipe.h"
#include "source.h"
#include "vector_write.h"

enum {
    OPTION_RECIPE = 1000, /* above any character */
    OPTION_FORMAT,
    OPTION_DATA_FILE,
    OPTION_NO_OPTIMIZE,
    OPTION_DENSE_KEYS,
    OPTION_LZ4_FOOTER,
    OPTION_PARAMETER /* and beyond: one for each name of a recipe's parameter */
};

static const struct option fixed_options[] = {{"recipe", required_argument, NULL, OPTION_RECIPE},
                                              {"format", required_argument, NULL, OPTION_FORMAT},
                                              {"out", required_argument, NULL, 'o'},
                                              {"data-file", required_argument, NULL, OPTION_DATA_FILE},
                                              {"no-optimize", no_argument, NULL, OPTION_NO_OPTIMIZE},
                                              {"dense-keys", no_argument, NULL, OPTION_DENSE_KEYS},
                                              {"lz4-footer", no_argument, NULL, OPTION_LZ4_FOOTER},
                                              {"help", no_argument, NULL, 'h'}};

enum { N_FIXED_OPTIONS = sizeof fixed_options / sizeof *fixed_options };

struct gen_options {
    struct option *table; /* owned */
    struct format_write_options write;
    const char *out;
    const char *data_file; /* NULL: the spec itself, since there is no data file */
    bool has_dense_keys;
    const char *recipe; /* a spec or an id, NULL: not given */
    char *parameters;   /* owned: `:key=value` for each parameter option; NULL: none */
};

static const char help[] =
    "usage: dvbench gen --recipe SPEC --format FORMAT -o FILE [options]\n"
    "SPEC is a recipe with its parameters, uniform:rate=0.061:rows=8000000, or only its id; each parameter "
    "is also an option,\n"
    "as --recipe uniform --rate 0.061. `dvbench list recipes` lists them. FILE may be - for standard "
    "output.\n"
    "  --format FORMAT    one of those below\n"
    "  --data-file PATH   referenced-data-file of a vector in Puffin (default: the spec, since there is no "
    "such file)\n"
    "  --no-optimize      without run containers, as optimize=0\n"
    "  --dense-keys       a bucket for every key from 0, empty ones too, as the Java writers do\n"
    "  --lz4-footer       compress the footer of Puffin\n";

/* The fixed options, then the names of all parameters, once each. NULL where memory is short. */
static struct option *make_table(void)
{
    size_t n_most = N_FIXED_OPTIONS + 1;
    for (size_t i = 0; i < recipes_count(); i++)
        n_most += recipe_at(i)->n_params;
    struct option *table = calloc(n_most, sizeof *table);
    if (!table)
        return NULL;
    memcpy(table, fixed_options, sizeof fixed_options);
    size_t n_options = N_FIXED_OPTIONS;
    for (size_t i = 0; i < recipes_count(); i++) {
        for (size_t j = 0; j < recipe_at(i)->n_params; j++) {
            const char *name = recipe_at(i)->params[j].name;
            size_t k = 0;
            while (k < n_options && strcmp(table[k].name, name) != 0)
                k++;
            if (k < n_options)
                continue;
            table[n_options] =
                (struct option){name, required_argument, NULL, OPTION_PARAMETER + (int)n_options};
            n_options++;
        }
    }
    return table;
}

static int add_parameter(struct gen_options *options, const char *key, const char *value,
                         struct dv_error *error_out)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s:%s=%s", options->parameters ? options->parameters : "", key, value) < 0)
        return dv_no_memory(error_out);
    free(options->parameters);
    options->parameters = longer;
    return 0;
}

static int write_source(const struct gen_options *options, const struct dv_source *source,
                        struct dv_error *error_out)
{
    struct dv_view view = {0};
    uint8_t *rewritten = NULL;
    struct format_output output = {.payload = source->payload,
                                   .n_payload_bytes = source->n_payload_bytes,
                                   .data_file = options->data_file ? options->data_file : source->spec};
    int status = dv_view_index(&view, source->payload, source->n_payload_bytes, error_out);
    output.cardinality = view.cardinality;
    if (status == 0 && options->has_dense_keys) {
        unsigned writer_options =
            PAYLOAD_DENSE_KEYS | (strstr(source->spec, ":optimize=0") ? 0 : PAYLOAD_OPTIMIZE);
        status = payload_rewrite(&view, writer_options, &rewritten, &output.n_payload_bytes, error_out);
        output.payload = rewritten;
    }
    dv_view_free(&view);
    if (status == 0)
        status = vector_write(options->out, &output, 1, &options->write, error_out);
    free(rewritten);
    if (status != 0 && status != DV_ERROR_IO)
        (void)dv_error_set_where(error_out, source->spec);
    if (status == DV_ERROR_INPUT) { /* no file is at fault here */
        status = DV_ERROR_USAGE;
        error_out->code = status;
    }
    return status;
}

static int generate(const struct gen_options *options, struct dv_error *error_out)
{
    struct dv_source source;
    char *spec = NULL;
    if (!options->recipe)
        return dv_fail(error_out, DV_ERROR_USAGE, "gen: give --recipe SPEC (see dvbench list recipes)");
    if (options->write.format == FORMAT_AUTO || !options->out)
        return dv_fail(error_out, DV_ERROR_USAGE, "gen: give --format and -o FILE (see dvbench gen --help)");
    if (asprintf(&spec, "%s%s", options->recipe, options->parameters ? options->parameters : "") < 0)
        return dv_no_memory(error_out);
    int status = source_open_spec(&source, spec, error_out);
    free(spec);
    if (status != 0)
        return status;
    status = write_source(options, &source, error_out);
    source_free(&source);
    return status;
}

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct gen_options *options = context;
    switch (value) {
    case OPTION_RECIPE:
        if (options->recipe)
            return dv_fail(error_out, DV_ERROR_USAGE,
                           "gen: found --recipe twice, expected one: a file per call");
        options->recipe = argument;
        return 0;
    case OPTION_NO_OPTIMIZE:
        return add_parameter(options, "optimize", "0", error_out);
    case OPTION_FORMAT:
        return vector_write_format("format", argument, &options->write.format, error_out);
    case OPTION_DATA_FILE:
        options->data_file = argument;
        return 0;
    case OPTION_DENSE_KEYS:
        options->has_dense_keys = true;
        return 0;
    case OPTION_LZ4_FOOTER:
        options->write.lz4_footer = true;
        return 0;
    case 'o':
        options->out = argument;
        return 0;
    default:
        return add_parameter(options, options_name(options->table, value), argument, error_out);
    }
}

int command_gen(int argc, char **argv, struct dv_error *error_out)
{
    struct gen_options options = {.table = make_table()};
    if (!options.table)
        return dv_no_memory(error_out);
    int first = options_read(argc, argv, options.table, take_option, &options, error_out);
    int status = first < 0 ? first : 0;
    if (first == 0) {
        fputs(help, stdout);
        vector_write_print_formats();
    } else if (first > 0 && first < argc)
        status =
            dv_fail(error_out, DV_ERROR_USAGE, "gen: found operand %s, expected options only", argv[first]);
    else if (first > 0)
        status = generate(&options, error_out);
    free(options.parameters);
    free(options.table);
    return status;
}
