/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of the parts that a run rests on and that only running tells: tools on the PATH, and who compiled
 * CRoaring.
 *
 * Place in the data flow: tools, the loaded library -> run.json. */
#ifndef DVBENCH_VERSIONS_H
#define DVBENCH_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The first line that `command --version` prints, "valgrind-3.19.0". `command` is a word found on the PATH;
 * it is not quoted. False and "" where it is missing or fails. Starts a child process. */
bool versions_tool(const char *command, char *line_out, size_t line_bytes);

/* The compiler that the loaded shared libroaring names in its ELF comment, "GCC: (Debian 14.2.0-19) 14.2.0".
 * Its flags are recorded nowhere in a binary package. False and "" where no such library is loaded or it
 * names none. */
bool versions_croaring_compiler(char *text_out, size_t text_bytes);

#endif
