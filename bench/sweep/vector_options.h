/* SPDX-License-Identifier: Apache-2.0 */
/* The options that say which vector of which file: the same on every command that reads one.
 *
 * Place in the data flow: argv -> struct vector_options -> datasets/format.h or a recipe -> struct dv_source.
 *
 * A command puts VECTOR_OPTIONS into its getopt_long table, gives each value returned to vector_options_take,
 * and loads what it was given by vector_options_load. */
#ifndef DVBENCH_VECTOR_OPTIONS_H
#define DVBENCH_VECTOR_OPTIONS_H

#include <getopt.h>

#include "dv.h"
#include "format.h"
#include "source.h"
#include "string_list.h"

struct vector_options {
    struct format_options format; /* `rows` in it is that of every file without its own */
    struct strings rows_of_files; /* owned: "FILE=N", N valid */
    const char *inline_text;      /* borrowed from argv or NULL: a vector besides those of the operands */
    char **warnings;              /* owned, "PATH: what", in the order met */
    size_t n_warnings;
    size_t n_printed; /* of the warnings, see command_print_warnings */
    bool
        has_file; /* one was read: options that choose its vector stand for it, not for a recipe next to it */
};

/* Values of getopt_long, above any character. */
enum vector_option {
    VECTOR_OPTION_FIRST = 1000,
    VECTOR_OPTION_OFFSET = VECTOR_OPTION_FIRST,
    VECTOR_OPTION_LENGTH,
    VECTOR_OPTION_BLOB,
    VECTOR_OPTION_DATA_FILE,
    VECTOR_OPTION_INLINE,
    VECTOR_OPTION_FORMAT,
    VECTOR_OPTION_CARDINALITY,
    VECTOR_OPTION_LENIENT,
    VECTOR_OPTION_ROWS,
    VECTOR_OPTION_LAST = VECTOR_OPTION_ROWS,
};

/* Rows of a `struct option` table. */
#define VECTOR_OPTIONS                                                                                       \
    {"offset", required_argument, NULL, VECTOR_OPTION_OFFSET},                                               \
        {"length", required_argument, NULL, VECTOR_OPTION_LENGTH},                                           \
        {"blob", required_argument, NULL, VECTOR_OPTION_BLOB},                                               \
        {"data-file", required_argument, NULL, VECTOR_OPTION_DATA_FILE},                                     \
        {"inline", required_argument, NULL, VECTOR_OPTION_INLINE},                                           \
        {"format", required_argument, NULL, VECTOR_OPTION_FORMAT},                                           \
        {"cardinality", required_argument, NULL, VECTOR_OPTION_CARDINALITY},                                 \
        {"lenient", no_argument, NULL, VECTOR_OPTION_LENIENT},                                               \
    {                                                                                                        \
        "rows", required_argument, NULL, VECTOR_OPTION_ROWS                                                  \
    }

/* The spec of the vector that --inline gives. */
#define VECTOR_INLINE_SPEC "inline"

/* Their lines for a command's --help. */
extern const char vector_options_help[];

/* Takes one option. `value` is what getopt_long returned, `argument` its optarg. Returns 1 where it was one
 * of these, 0 where it was not, DV_ERROR_USAGE where its argument is wrong. Options may stand in any order
 * and the last one counts. */
int vector_options_take(struct vector_options *options, int value, const char *argument,
                        struct dv_error *error_out);

/* Whether `name` is to be read as a recipe spec: it could be one and no such file exists. */
bool vector_options_is_recipe(const char *name);

/* The path within a name that vector_options_open takes, that is without `#N` and escapes; malloc'ed, NULL
 * where memory is short. */
char *vector_options_path(const char *name);

/* Opens a file as vector_options_load would, with all that it says. `name` is a path, `path#N`, or NULL for
 * the inline text. */
int vector_options_open(struct vector_options *options, const char *name, struct format_file *file_out,
                        struct dv_error *error_out);

/* Makes sources of `name`: a path, `path#N` (a spec, escaped), a recipe spec, or NULL or "inline" for the
 * inline text. A file that exists goes before a recipe of that name. Each spec so made is a name that gives
 * the same vector again. Adds new warnings to the options. Free with format_free_sources. */
int vector_options_load(struct vector_options *options, const char *name, struct dv_source **sources_out,
                        size_t *n_out, struct dv_error *error_out);

/* Adds a warning, as printf does, unless it is there already: a file may be opened many times. Returns 0 or
 * DV_ERROR_MEMORY. */
int vector_options_warn(struct vector_options *options, struct dv_error *error_out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The format options for a vector of this name: with the rows of its own file, where --rows FILE=N gave them. */
struct format_options vector_options_format(const struct vector_options *options, const char *name);

/* Frees the warnings and the rows of files. */
void vector_options_free(struct vector_options *options);

#endif
