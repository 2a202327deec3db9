/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a command's options: one loop and one set of words for what is wrong with them.
 *
 * Place in the data flow: argv + a table of getopt_long -> the command's own `take`, one option at a time.
 *
 * Names of options are passed without dashes. All functions return DV_ERROR_USAGE with a message that names the
 * option, what was found and what is valid. */
#ifndef DVBENCH_OPTIONS_H
#define DVBENCH_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

#include "dv.h"
#include "string_list.h"

/* The last rows of every table. A `val` that is a letter makes that letter a short option too. */
#define OPTIONS_END                                                                                          \
    {"help", no_argument, NULL, 'h'},                                                                        \
    {                                                                                                        \
        0                                                                                                    \
    }

/* Takes one option: its `val` in the table and its argument. Returns 0 or more, or a negative code. */
typedef int option_fn(void *context, int value, const char *argument, struct dv_error *error_out);

/* Gives `take` each option of argv, whose operands are moved to its end. argv[0] is the command's name. Returns the
 * index of the first operand (argc where there is none), 0 where --help or -h was met, or a negative code. Alone,
 * --print-options is as --help, after the table's names on standard output. */
int options_read(int argc, char **argv, const struct option *table, option_fn *take, void *context,
                 struct dv_error *error_out);

/* The name of the option with this `val`, NULL where the table has none. */
const char *options_name(const struct option *table, int value);

/* A whole number without sign, decimal or 0x hex, from `min` to `max`. */
int option_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value_out,
                  struct dv_error *error_out);

/* The index of `text` among `choices`, which ends with NULL. */
int option_choice(const char *name, const char *text, const char *const *choices, struct dv_error *error_out);

/* Splits at commas and appends the items; an empty item is refused. */
int option_list(const char *name, const char *text, struct strings *items, struct dv_error *error_out);

/* Adds 1 << index to `mask` for each item of a comma list of choices. */
int option_mask(const char *name, const char *text, const char *const *choices, unsigned *mask,
                struct dv_error *error_out);

/* The same for the ids of sinks and `all`. */
int option_sinks(const char *text, unsigned *sinks, struct dv_error *error_out);

/* Appends a comma list of rows per batch to the `n_sizes` that are in `sizes`. */
enum { OPTION_BATCH_ROWS_LIMIT = 1 << 24, OPTION_BATCHES_LIMIT = 10000000, OPTION_BATCH_SIZES_LIMIT = 16 };
int option_batch_rows(const char *text, uint32_t sizes[OPTION_BATCH_SIZES_LIMIT], size_t *n_sizes,
                      struct dv_error *error_out);

#endif
