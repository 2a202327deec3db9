/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench: dispatch to one command, and the one place that prints an error and decides the exit code. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_info.h"
#include "command.h"
#include "cpu.h"
#include "duckdb.h"
#include "gbench.h"
#include "plugin.h"
#include "pmu_names.h"
#include "run_json.h"
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
          "usage: dvbench COMMAND [options]      dvbench COMMAND --help shows a command's options\n\n",
          out);
    for (size_t i = 0; i < n_commands; i++)
        if (commands[i].arguments)
            fprintf(out, "  %-9s %s\n  %-9s   %s\n", commands[i].id, commands[i].arguments, "",
                    commands[i].summary);
    fputs("\n  --plugin FILE.so  on any command: a kernel of your own next to the built-in ones "
          "(dv_plugin.h), compiled by\n"
          "     cc -shared -fPIC -O2 mine.c -o mine.so $(pkg-config --cflags dvkernels)\n",
          out);
    fputs("\nexit codes: 0 fine, 1 a check or gate failed or an output could not be written, 2 usage,\n"
          "            3 bad input file, 4 not available here, 5 too noisy to judge (gate),\n"
          "            130 interrupted (what was measured is kept)\n",
          out);
}

static void print_version(const char *part, const char *version, const char *absence)
{
    printf("  %-17s %s\n", part, *version ? version : absence);
}

/* What it was built with, then the programs and the library that it finds when they are needed. */
static void print_versions(void)
{
    char tool[128];
    struct engine *engine;
    struct dv_error error;
    const bool has_engine = duckdb_engine_open(&engine, NULL, NULL, &error) == 0;
    printf("dvbench %s (%s), CRoaring %s\n", BUILD_VERSION, BUILD_GIT_COMMIT, dv_croaring_version());
    print_version("compiler", BUILD_COMPILER, "");
    print_version("flags", BUILD_FLAGS, "");
    print_version("Google Benchmark", gbench_library_version(), "");
    print_version("libpfm4", pmu_names_version(), "built without");
    print_version("zlib", BUILD_ZLIB_VERSION, "");
    print_version("lz4", BUILD_LZ4_VERSION, "");
    print_version("jansson", BUILD_JANSSON_VERSION, "");
    print_version("gnuplot", run_json_tool_version("gnuplot", tool, sizeof tool), "not found");
    print_version("valgrind", run_json_tool_version("valgrind", tool, sizeof tool), "not found");
    print_version("DuckDB", has_engine ? engine->version : "", "not found");
    engine_close(engine);
}

static const struct command *find_command(const char *id)
{
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i].id, id) == 0)
            return &commands[i];
    return NULL;
}

/* What comes from a file or a path may hold a line end. */
static void print_line(const char *before, const char *text)
{
    char *visible = utf8_visible(text);
    fflush(stdout);
    fprintf(stderr, "dvbench: %s%s\n", before, visible ? visible : "(no memory)");
    free(visible);
}

void command_print_error(const struct dv_error *error)
{
    char text[DV_ERROR_TEXT_BYTES];
    print_line("", dv_error_text(error, text));
}

/* A command that runs another, as advise runs sweep, opens the same files twice. */
static bool was_printed(const char *line)
{
    static struct strings printed;
    for (size_t i = 0; i < printed.n_items; i++)
        if (strcmp(printed.items[i], line) == 0)
            return true;
    (void)strings_add(&printed, line, strlen(line)); /* without memory it is printed again */
    return false;
}

void command_print_warnings(struct vector_options *vectors)
{
    for (; vectors->n_printed < vectors->n_warnings; vectors->n_printed++)
        if (!was_printed(vectors->warnings[vectors->n_printed]))
            print_line("warning: ", vectors->warnings[vectors->n_printed]);
}

static int exit_code(const struct dv_error *error)
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

/* Takes every `--plugin FILE` out of argv: the registry is complete before a command reads its options. */
static int load_plugins(int *argc, char **argv, struct dv_error *error_out)
{
    int n_left = 0;
    int status = plugin_load_inherited(error_out);
    for (int i = 0; i < *argc && status == 0; i++) {
        if (strcmp(argv[i], "--plugin") == 0 && i + 1 == *argc)
            return dv_fail(error_out, DV_ERROR_USAGE, "--plugin: a shared object is expected");
        if (strcmp(argv[i], "--plugin") == 0)
            status = plugin_load(argv[++i], error_out);
        else if (strncmp(argv[i], "--plugin=", 9) == 0)
            status = plugin_load(argv[i] + 9, error_out);
        else
            argv[n_left++] = argv[i];
    }
    argv[n_left] = NULL;
    *argc = n_left;
    return status;
}

/* An exit code, or a negative code with the error filled. */
static int run(int argc, char **argv, struct dv_error *error_out)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *id = argv[1];
    if (strcmp(id, "--help") == 0 || strcmp(id, "-h") == 0 || strcmp(id, "help") == 0) {
        print_help(stdout);
        return EXIT_FINE;
    }
    if (strcmp(id, "--version") == 0) {
        print_versions();
        return EXIT_FINE;
    }
    const struct command *command = find_command(id);
    int status = cpu_mask_check(error_out);
    if (status == 0)
        status = load_plugins(&argc, argv, error_out);
    if (status != 0)
        return status;
    return command ? command->run(argc - 1, argv + 1, error_out)
                   : dv_fail(error_out, DV_ERROR_USAGE, "unknown command %s (see dvbench --help)", id);
}

/* A stream that the caller closed must not become a file of the run. */
static void keep_standard_streams(void)
{
    for (int fd = 0; fd >= 0 && fd <= STDERR_FILENO;)
        fd = fcntl(fd, F_GETFD) < 0 ? open("/dev/null", O_RDWR) + 1 : fd + 1;
}

int main(int argc, char **argv)
{
    struct dv_error error = {0};
    keep_standard_streams();
    int code = run(argc, argv, &error);
    if (code >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
        code = dv_fail(&error, DV_ERROR_IO, "cannot write to standard output");
    if (code >= 0)
        return code;
    command_print_error(&error);
    return exit_code(&error);
}
