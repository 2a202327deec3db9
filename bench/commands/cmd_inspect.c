/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench inspect: what is in a file of deletion vectors, and is it right? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "inspect.h"
#include "payload_ranges.h"
#include "source.h"
#include "vector_options.h"

enum { OPTION_JSON = 1, OPTION_DUMP, OPTION_FIGURE };

struct inspect_options {
    char **argv;
    struct vector_options vectors;
    bool is_json;
    enum inspect_dump dump;
    const char *figure; /* the picture's path, NULL: none */
    struct references references;
    bool is_several;   /* more than one operand */
    const char *path;  /* of the file at hand */
    bool has_bad_file; /* its error has been printed */
};

static const char help[] = "usage: dvbench inspect FILE... [options]\n"
                           "Checks files of deletion vectors in full and describes each vector. FILE may "
                           "also be a recipe spec, or -\n"
                           "for standard input.\n"
                           "  --json             one JSON object per vector, on a line of its own; "
                           "datasets/FORMATS.md lists its members\n"
                           "  --dump[=FORM]      only the positions, one per line; FORM ranges: 'start end', "
                           "half-open (or positions). With several\n"
                           "                     vectors, each list starts with a line '# FILE#N'\n"
                           "  --figure PICTURE   draw the share of deleted rows along the file; the name "
                           "ends in .svg, .png or .pdf, and\n"
                           "                     the numbers drawn go to PICTURE.csv\n";

static bool is_text(const struct inspect_options *options)
{
    return !options->is_json && options->dump == INSPECT_DUMP_NONE;
}

/* The picture first: where it cannot be drawn, nothing is printed. */
static int print(const struct inspect_options *options, const struct inspect_subject *subject,
                 struct dv_error *error_out)
{
    const struct format_file *file = subject->file;
    int status = options->figure ? inspect_figure(subject, options->figure, error_out) : 0;
    if (status != 0)
        return status;
    if (options->dump != INSPECT_DUMP_NONE) {
        if (options->is_several || (file && file->n_vectors > 1))
            printf("# %s\n", subject->spec);
        return inspect_dump(stdout, subject->view, options->dump, error_out);
    }
    if (options->is_json)
        return inspect_print_json(stdout, subject, error_out);
    if (file && subject->vector == file->vectors)
        inspect_print_file(stdout, options->path, file);
    inspect_print_text(stdout, subject);
    return 0;
}

static int show(struct inspect_options *options, struct inspect_subject *subject, struct dv_error *error_out)
{
    inspect_summarise(&subject->summary, subject->view, subject->summary.base, subject->summary.n_rows);
    struct inspect_fastest fastest;
    struct inspect_subject shown = *subject;
    if (subject->summary.cardinality &&
        inspect_fastest_find(&fastest, &options->references, &subject->summary))
        shown.fastest = &fastest;
    return print(options, &shown, error_out);
}

static int inspect_recipe(struct inspect_options *options, const char *spec, struct dv_error *error_out)
{
    struct dv_source *source = NULL;
    struct dv_view view = {0};
    size_t n_sources = 0;
    int status = vector_options_load(&options->vectors, spec, &source, &n_sources, error_out);
    if (status != 0)
        return status;
    status = dv_view_index(&view, source->payload, source->n_payload_bytes, error_out);
    if (status == 0) {
        struct inspect_subject subject = {.spec = source->spec,
                                          .format = source->format,
                                          .view = &view,
                                          .n_payload_bytes = source->n_payload_bytes,
                                          .has_stated_rows = true,
                                          .summary = {.base = source->base, .n_rows = source->n_rows}};
        status = show(options, &subject, error_out);
    }
    dv_view_free(&view);
    format_free_sources(source, n_sources);
    return status;
}

/* Rows where none are stated: up to the last position. Of 2^64 - 1 see inspect_summarise. */
static uint64_t derived_rows(const struct dv_view *view)
{
    if (view->n_containers == 0)
        return 0;
    uint64_t last = payload_last(view);
    return last == UINT64_MAX ? last : last + 1;
}

static int inspect_vector(struct inspect_options *options, const struct format_file *file, const char *name,
                          const struct format_vector *vector, struct dv_error *error_out)
{
    const struct format_options format = vector_options_format(&options->vectors, name);
    char *spec = format_vector_spec(file, name, vector);
    if (!spec)
        return dv_no_memory(error_out);
    struct inspect_subject subject = {
        .spec = spec,
        .format = format_id(file->format),
        .file = file,
        .vector = vector,
        .view = &vector->view,
        .n_payload_bytes = vector->n_payload_bytes,
        .has_stated_rows = format.has_rows,
        .summary = {.n_rows = format.has_rows ? format.n_rows : derived_rows(&vector->view)}};
    int status = show(options, &subject, error_out);
    free(spec);
    return status;
}

static int inspect_file(struct inspect_options *options, const char *name, struct dv_error *error_out)
{
    struct format_file file;
    int status = vector_options_open(&options->vectors, name, &file, error_out);
    if (status != 0)
        return status;
    command_print_warnings(&options->vectors);
    char *path = name ? vector_options_path(name) : strdup(VECTOR_INLINE_SPEC);
    options->path = path;
    if (!path)
        status = dv_no_memory(error_out);
    else if (options->figure && file.n_vectors != 1)
        status =
            dv_fail(error_out, DV_ERROR_USAGE,
                    "--figure draws one vector and %s has %zu; choose one by FILE#N, --blob or --data-file",
                    path, file.n_vectors);
    else if (file.n_vectors == 0 && is_text(options))
        inspect_print_file(stdout, path, &file);
    for (size_t i = 0; status == 0 && i < file.n_vectors; i++)
        status = inspect_vector(options, &file, path, &file.vectors[i], error_out);
    free(path);
    format_close(&file);
    return status;
}

/* `--dump ranges` is what people type; getopt gives an optional argument only after an equals sign. */
static const char *word_after(char **argv, const char *const *forms)
{
    const char *word = argv[optind];
    if (!word || option_choice("dump", word, forms, NULL) < 0 || access(word, F_OK) == 0)
        return NULL;
    optind++;
    return word;
}

static int take_dump(struct inspect_options *options, const char *form, struct dv_error *error_out)
{
    static const char *const forms[] = {"positions", "ranges", NULL};
    form = form ? form : word_after(options->argv, forms);
    int index = form ? option_choice("dump", form, forms, error_out) : 0;
    options->dump = index == 1 ? INSPECT_DUMP_RANGES : INSPECT_DUMP_POSITIONS;
    return index;
}

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct inspect_options *options = context;
    switch (value) {
    case OPTION_JSON:
        options->is_json = true;
        return 0;
    case OPTION_DUMP:
        return take_dump(options, argument, error_out);
    case OPTION_FIGURE:
        options->figure = argument;
        return 0;
    default:
        return vector_options_take(&options->vectors, value, argument, error_out);
    }
}

static int inspect_one(struct inspect_options *options, const char *name, struct dv_error *error_out)
{
    return name && vector_options_is_recipe(name) ? inspect_recipe(options, name, error_out)
                                                  : inspect_file(options, name, error_out);
}

/* A bad file does not hide those after it: its error is printed here, and the exit code says so at the
 * end. */
static int inspect_all(struct inspect_options *options, int n_names, char **names, struct dv_error *error_out)
{
    if (n_names == 0 && !options->vectors.inline_text)
        return dv_fail(error_out, DV_ERROR_USAGE, "inspect: give a file, or --inline TEXT");
    if (options->is_json && options->dump != INSPECT_DUMP_NONE)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--json and --dump are two forms of the answer: give one of them");
    options->is_several = n_names + (options->vectors.inline_text ? 1 : 0) > 1;
    if (options->figure && options->is_several)
        return dv_fail(error_out, DV_ERROR_USAGE, "--figure draws one vector: give one file");
    for (int i = options->vectors.inline_text ? -1 : 0; i < n_names; i++) {
        int status = inspect_one(options, i < 0 ? NULL : names[i], error_out);
        if (status != 0 && status != DV_ERROR_INPUT)
            return status;
        if (status == 0)
            continue;
        command_print_error(error_out);
        *error_out = (struct dv_error){0};
        options->has_bad_file = true;
    }
    return 0;
}

int command_inspect(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {{"json", no_argument, NULL, OPTION_JSON},
                                          {"dump", optional_argument, NULL, OPTION_DUMP},
                                          {"figure", required_argument, NULL, OPTION_FIGURE},
                                          VECTOR_OPTIONS,
                                          OPTIONS_END};
    struct inspect_options options = {.argv = argv};
    int first = options_read(argc, argv, table, take_option, &options, error_out);
    int status = first;
    if (first == 0)
        printf("%s%s", help, vector_options_help);
    if (first > 0) {
        if (options.dump == INSPECT_DUMP_NONE)
            references_read(&options.references, CSV_FILE_summary);
        status = inspect_all(&options, argc - first, argv + first, error_out);
    }
    references_free(&options.references);
    vector_options_free(&options.vectors);
    return status != 0 ? status : options.has_bad_file ? EXIT_BAD_INPUT : EXIT_FINE;
}
