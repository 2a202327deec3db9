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

/* Path of the first mapped file whose name holds `part`; what is read stays within one line of maps. */
static bool find_mapped(const char *part, char *path_out, size_t path_bytes)
{
    char line[4400];
    bool is_found = false;
    FILE *stream = fopen("/proc/self/maps", "re");
    while (stream && !is_found && fgets(line, sizeof line, stream)) {
        const char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = 0;
        is_found = path && strstr(path, part) && strlen(path) < path_bytes;
        if (is_found)
            strcpy(path_out, path);
    }
    if (stream)
        fclose(stream);
    return is_found;
}

/* The comment section is not mapped, so the file is searched for what compilers put there. */
static bool find_comment(FILE *stream, char *text_out, size_t text_bytes)
{
    static const char *const marks[] = {"GCC: (", "clang version "};
    char window[8192];
    size_t n_kept = 0, n;
    while ((n = fread(window + n_kept, 1, sizeof window - n_kept, stream)) > 0) {
        n += n_kept;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            const char *at = memmem(window, n, marks[i], strlen(marks[i]));
            const size_t n_left = at ? n - (size_t)(at - window) : 0;
            if (!at || !memchr(at, 0, n_left))
                continue;
            snprintf(text_out, text_bytes, "%s", at);
            return true;
        }
        n_kept = n < 256 ? n : 256; /* a comment may lie across two windows */
        memmove(window, window + n - n_kept, n_kept);
    }
    return false;
}

bool versions_croaring_compiler(char *text_out, size_t text_bytes)
{
    char path[4096];
    text_out[0] = 0;
    FILE *stream = find_mapped("/libroaring.so", path, sizeof path) ? fopen(path, "rbe") : NULL;
    if (!stream)
        return false;
    const bool is_found = find_comment(stream, text_out, text_bytes);
    fclose(stream);
    return is_found;
}
