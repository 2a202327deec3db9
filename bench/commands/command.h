/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program: commands.def has one row for each; dispatch and `--help` follow from it.
 *
 * Place in the data flow: argv -> one command -> everything else. */
#ifndef DVBENCH_COMMAND_H
#define DVBENCH_COMMAND_H

#include "dv.h"
#include "exit_code.h"
#include "options.h"
#include "vector_options.h"

/* argv[0] is the command's own name, as getopt_long wants it. A command prints its results to standard output, where
 * main notices a failed write, and never calls exit(). Returns an exit code, or a negative code with `error_out`
 * filled: main prints that error and maps INPUT to 3, UNAVAILABLE to 4, USAGE to 2, others to 1. */
typedef int command_fn(int argc, char **argv, struct dv_error *error_out);

#define COMMAND(id, arguments, summary) command_fn command_##id;
#include "commands.def"
#undef COMMAND

/* Reads the per cent of --threshold, 0 or more. Returns 0 or DV_ERROR_USAGE. */
int command_threshold(const char *text, double *threshold_pct_out, struct dv_error *error_out);

/* Reads the name of --format of a gate: an enum gate_format, or DV_ERROR_USAGE. */
int command_gate_format(const char *text, struct dv_error *error_out);

/* The first SIGINT, SIGTERM or SIGHUP calls the handler; a second one ends the process, for whoever cannot wait. */
void command_catch_signals(void (*handler)(int signal_number));

/* Prints one line on standard error: what is wrong and where. main does so for a command that fails; a command only
 * where it continues after an error. */
void command_print_error(const struct dv_error *error);

/* Prints the warnings of the files read that were not printed before, one line each, on standard error. */
void command_print_warnings(struct vector_options *vectors);

#endif
