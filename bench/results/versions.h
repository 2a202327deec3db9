/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the parts that a run rests on and that only running tells: tools on the PATH, and who
 * compiled CRoaring.
 *
 * Place in the data flow: tools -> run.json. */
#ifndef DVBENCH_VERSIONS_H
#define DVBENCH_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The first line that `command --version` prints, "valgrind-3.19.0". `command` is a word found on the PATH;
 * it is not quoted. False and "" where it is missing or fails. Starts a child process. */
bool versions_tool(const char *command, char *line_out, size_t line_bytes);

#endif
