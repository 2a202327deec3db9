/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench: dispatch to one command, and the one place that prints an error and decides the exit code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "command.h"
#include "utf8.h"

struct command {
    const char *id;
    const char *arguments; /* NULL: for the program's own child processes, not listed */
    const char *summary;
    command_fn *run;
};

#define COMMAND(id, arguments, summary) {#id, arguments, summary, command_##id},
static const struct command commands[] = {
#include "commands.def"
};
#undef COMMAND

static const size_t n_commands = sizeof commands / sizeof commands[0];

static void print_help(FILE *out)
{
    fputs("dvbench: what it costs to apply a Roaring deletion vector to batches of rows, and why\n\n"
          "usage: dvbench COMMAND [options]      dvbench COMMAND --help tells a command's options\n\n",
          out);
    for (size_t i = 0; i < n_commands; i++)
        if (commands[i].arguments)
            fprintf(out, "  %-9s %s\n  %-9s   %s\n", commands[i].id, commands[i].arguments, "",
                    commands[i].summary);
    fputs("\nexit codes: 0 fine, 1 a check or gate failed or an output could not be written, 2 usage,\n"
          "            3 bad input file, 4 not available here, 130 interrupted (what was measured is kept)\n",
          out);
}

static const struct command *find_command(const char *id)
{
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i].id, id) == 0)
            return &commands[i];
    return NULL;
}

int command_fail(const struct dv_error *error)
{
    switch (error->code) {
    case DV_ERROR_USAGE:
        return EXIT_USAGE;
    case DV_ERROR_INPUT:
        return EXIT_BAD_INPUT;
    case DV_ERROR_UNAVAILABLE:
        return EXIT_UNAVAILABLE;
    default:
        return EXIT_CHECK_FAILED;
    }
}

void command_print_error(const struct dv_error *error)
{
    char text[DV_ERROR_TEXT_BYTES];
    char *visible = utf8_visible(dv_error_text(error, text)); /* a path may hold a line end */
    fflush(stdout);
    fprintf(stderr, "dvbench: %s\n", visible ? visible : text);
    free(visible);
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("dvbench %s (%s), CRoaring %s\n", BUILD_VERSION, BUILD_GIT_COMMIT, dv_croaring_version());
        return EXIT_FINE;
    }
    const struct command *command = find_command(argv[1]);
    if (!command) {
        fprintf(stderr, "dvbench: unknown command '%s'; dvbench --help lists them\n", argv[1]);
        return EXIT_USAGE;
    }
    struct dv_error error = {0};
    int status = command->run(argc - 1, argv + 1, &error);
    if (error.code)
        command_print_error(&error);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (!error.code)
            fputs("dvbench: cannot write to standard output\n", stderr);
        return status ? status : EXIT_CHECK_FAILED;
    }
    return status;
}
