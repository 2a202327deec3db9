/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the program: commands.def has a row for each; dispatch, `--help` and the launcher's tests
 * follow.
 *
 * Place in the data flow: argv -> one command -> everything else. */
#ifndef DVBENCH_COMMAND_H
#define DVBENCH_COMMAND_H

#include "dv.h"
#include "exit_code.h"

/* argv[0] is the command's own name, as getopt_long wants it. Commands print their results to standard output
 * and never exit(). On failure a command fills `error_out` and returns its code's exit code through
 * command_fail; main prints the one line. A command that has already printed (a failed check) returns its
 * exit code with error_out->code left 0. */
typedef int command_fn(int argc, char **argv, struct dv_error *error_out);

#define COMMAND(id, arguments, summary) command_fn command_##id;
#include "commands.def"
#undef COMMAND

/* Maps error_out->code to an exit code: INPUT 3, UNAVAILABLE 4, USAGE 2, others 1. */
int command_fail(const struct dv_error *error);

/* Prints one line on standard error: what is wrong and where. main does so for a command that fails; a
 * command itself only where it goes on after an error. */
void command_print_error(const struct dv_error *error);

#endif
