/* SPDX-License-Identifier: Apache-2.0 */
#include "versions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool versions_tool(const char *command, char *line_out, size_t line_bytes)
{
    char shell_command[128], rest[256];
    snprintf(shell_command, sizeof shell_command, "%s --version 2>/dev/null </dev/null", command);
    line_out[0] = 0;
    FILE *stream = popen(shell_command, "re");
    if (!stream)
        return false;
    const bool is_read = fgets(line_out, (int)line_bytes, stream) != NULL;
    while (fgets(rest, sizeof rest, stream)) {
    }
    const bool is_fine = pclose(stream) == 0 && is_read;
    line_out[is_fine ? strcspn(line_out, "\r\n") : 0] = 0;
    return *line_out != 0;
}
