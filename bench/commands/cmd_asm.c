/* SPDX-License-Identifier: Apache-2.0 */
/* `asm KERNEL/SINK`: the code of one compiled instance, as objdump shows it, its size and the registers it uses. */
#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "command.h"
#include "kernel.h"

extern char **environ;

enum { OPTION_NO_SOURCE = 256 };

static const char help[] =
    "usage: dvbench asm KERNEL/SINK [--no-source]\n"
    "Disassembles the kernel's compiled instance, and the parts that the compiler split from it, by objdump, "
    "with\n"
    "source lines where the program has debug information. First lines: size and instruction sets.\n"
    "  --no-source    instructions only\n";

/* Instructions that show an instruction set: a register's or an instruction's name begins so. */
struct isa_mark {
    const char *label;
    const char *const *words;
    bool is_register; /* else the mnemonic */
    size_t n_found;
};

static const char *const zmm[] = {"zmm", NULL}, *const mask[] = {"k0", "k1", "k2", "k3", "k4",
                                                                 "k5", "k6", "k7", NULL},
                         *const ymm[] = {"ymm", NULL}, *const xmm[] = {"xmm", NULL},
                         *const bmi[] = {"pext", "pdep", "tzcnt", "lzcnt", "blsr", "bzhi", "andn",
                                         "shlx", "shrx", "sarx",  "rorx",  "mulx", NULL},
                         *const vbmi2[] = {"vpcompressb", "vpcompressw", "vpexpandb", "vpexpandw", NULL},
                         *const neon[] = {"v0.", "v1.", "v2.",  "v3.",  "v4.", "v5.",
                                          "v6.", "v7.", "v16.", "v17.", NULL};

struct listing {
    const char *instance; /* "direct_avx512_row_ids" */
    size_t n_bytes;
    size_t n_parts;
    size_t n_instructions;
    struct isa_mark marks[7];
    char symbols[32][160]; /* the instance and its parts */
};

/* The text of a command's standard output; NULL with the error filled. */
static char *output_of(char *const *argv, struct dv_error *error_out)
{
    int ends[2];
    pid_t pid;
    char *text = NULL;
    size_t n_text = 0;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) {
        (void)dv_fail(error_out, DV_ERROR_IO, "cannot make a pipe: %s", strerror(errno));
        return NULL;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const int problem = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    const ssize_t n_read = from && problem == 0 ? getdelim(&text, &n_text, '\0', from) : -1;
    if (from)
        fclose(from);
    int exit_status = 0;
    if (problem == 0)
        waitpid(pid, &exit_status, 0);
    if (n_read > 0 && exit_status == 0)
        return text;
    free(text);
    (void)dv_fail(error_out, DV_ERROR_UNAVAILABLE, "%s gave nothing for %s", argv[0], argv[2]);
    return NULL;
}

/* A line of `objdump -t`: "ADDRESS FLAGS SECTION<tab>SIZE [.hidden] NAME". Takes the instance and what was split from it. */
static void take_symbol(struct listing *listing, const char *line)
{
    char name[160];
    unsigned long n_bytes;
    const char *tab = strchr(line, '\t');
    const size_t n = strlen(listing->instance);
    if (!tab || !strstr(line, " F ") || sscanf(tab, "%lx %*s", &n_bytes) != 1 ||
        sscanf(strrchr(line, ' ') + 1, "%159s", name) != 1)
        return;
    const bool is_part = strncmp(name, listing->instance, n) == 0 &&
                         (name[n] == '\0' || name[n] == '.' || strncmp(name + n, "_segments", 9) == 0);
    if (!is_part || listing->n_parts == sizeof listing->symbols / sizeof *listing->symbols)
        return;
    snprintf(listing->symbols[listing->n_parts++], sizeof name, "%s", name);
    listing->n_bytes += n_bytes;
}

static int find_symbols(struct listing *listing, char *objdump, char *program, struct dv_error *error_out)
{
    char *const argv[] = {objdump, "-t", program, NULL};
    char *rest, *text = output_of(argv, error_out);
    if (!text)
        return DV_ERROR_UNAVAILABLE;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        take_symbol(listing, line);
    free(text);
    return listing->n_parts > 0
               ? 0
               : dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                         "no symbol %s in %s: it was stripped; use the program of a build folder",
                         listing->instance, program);
}

/* Whether one of the words stands in `text` after something that is not part of a name. */
static bool has_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        for (const char *at = text; (at = strstr(at, *words)) != NULL; at++)
            if (at == text || !isalnum((unsigned char)at[-1]))
                return true;
    return false;
}

/* "  addr:<tab>mnemonic operands": what objdump prints without raw bytes. */
static void take_instruction(struct listing *listing, const char *line)
{
    const char *code = strstr(line, ":\t");
    if (!code || line[0] != ' ')
        return;
    code += 2;
    char mnemonic[32];
    if (sscanf(code, "%31s", mnemonic) != 1)
        return;
    listing->n_instructions++;
    for (size_t i = 0; i < sizeof listing->marks / sizeof *listing->marks && listing->marks[i].label; i++)
        listing->marks[i].n_found += has_word(
            listing->marks[i].is_register ? code + strlen(mnemonic) : mnemonic, listing->marks[i].words);
}

static int disassemble(struct listing *listing, char *objdump, char *program, bool with_source,
                       char **texts_out, struct dv_error *error_out)
{
    for (size_t i = 0; i < listing->n_parts; i++) {
        char which[200];
        snprintf(which, sizeof which, "--disassemble=%s", listing->symbols[i]);
        char *const argv[] = {objdump, which, program, "--no-show-raw-insn", with_source ? "-Sl" : NULL,
                              NULL};
        texts_out[i] = output_of(argv, error_out);
        if (!texts_out[i])
            return DV_ERROR_UNAVAILABLE;
        for (const char *line = texts_out[i]; *line; line += strcspn(line, "\n"), line += *line == '\n') {
            char one[256];
            snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
            take_instruction(listing, one);
        }
    }
    return 0;
}

/* objdump names the file and every section first, also those of which it shows nothing. */
static const char *first_function(const char *text)
{
    const char *end = strstr(text, ">:\n");
    while (end && end > text && end[-1] != '\n')
        end--;
    return end ? end : text;
}

static void print_listing(const struct listing *listing, const struct kernel *kernel, char *const *texts)
{
    printf("%s: %zu bytes, %zu instructions in %zu %s\n", listing->instance, listing->n_bytes,
           listing->n_instructions, listing->n_parts, listing->n_parts == 1 ? "function" : "functions");
    printf("instruction set of the registry: %s; found in the code:", isa_id(kernel->isa));
    bool is_any = false;
    for (size_t i = 0; i < sizeof listing->marks / sizeof *listing->marks && listing->marks[i].label; i++)
        if (listing->marks[i].n_found) {
            printf("%s %zu with %s", is_any ? "," : "", listing->marks[i].n_found, listing->marks[i].label);
            is_any = true;
        }
    puts(is_any ? "" : " general registers only");
    for (size_t i = 0; i < listing->n_parts; i++)
        fputs(first_function(texts[i]), stdout);
}

static int show(const struct kernel *kernel, const char *instance, bool with_source,
                struct dv_error *error_out)
{
    struct listing listing = {.instance = instance,
                              .marks = {{"zmm (AVX-512)", zmm, true, 0},
                                        {"mask registers (AVX-512)", mask, true, 0},
                                        {"VBMI2 instructions", vbmi2, false, 0},
                                        {"ymm (AVX, AVX2)", ymm, true, 0},
                                        {"xmm (SSE, AVX)", xmm, true, 0},
                                        {"BMI instructions", bmi, false, 0},
                                        {"NEON registers", neon, true, 0}}};
    char objdump[512], program[4096];
    char *texts[32] = {0};
    const ssize_t n_program = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n_program <= 0)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "/proc/self/exe cannot be read");
    program[n_program] = '\0';
    int status = child_find(objdump, sizeof objdump, "objdump", error_out);
    if (status == 0)
        status = find_symbols(&listing, objdump, program, error_out);
    if (status == 0)
        status = disassemble(&listing, objdump, program, with_source, texts, error_out);
    if (status == 0)
        print_listing(&listing, kernel, texts);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    return status;
}

static int parse_and_show(const char *text, bool with_source, struct dv_error *error_out)
{
    char instance[160];
    const size_t n_kernel = strcspn(text, "/");
    const int sink = text[n_kernel] ? sink_find(text + n_kernel + 1) : -1;
    snprintf(instance, sizeof instance, "%.*s", (int)n_kernel, text);
    const struct kernel *kernel = kernel_find(instance);
    if (!kernel)
        return dv_fail(error_out, DV_ERROR_USAGE, "unknown kernel %s (see `list kernels`)", instance);
    if (sink < 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "%s: KERNEL/SINK is expected (see `list sinks`)", text);
    if (kernel->missing)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "%s: %s", kernel->id, kernel->missing);
    if (!kernel->run[sink])
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "%s: %s", kernel->id,
                       kernel_unavailable(kernel, (enum sink_kind)sink));
    snprintf(instance, sizeof instance, "%s_%s", kernel->id, sink_id((enum sink_kind)sink));
    return show(kernel, instance, with_source, error_out);
}

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    (void)argument;
    (void)error_out;
    *(bool *)context = value != OPTION_NO_SOURCE;
    return 0;
}

int command_asm(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {{"no-source", no_argument, NULL, OPTION_NO_SOURCE}, OPTIONS_END};
    bool with_source = true;
    int first = options_read(argc, argv, table, take_option, &with_source, error_out);
    if (first == 0)
        fputs(help, stdout);
    if (first <= 0)
        return first;
    return first == argc - 1 ? parse_and_show(argv[first], with_source, error_out)
                             : dv_fail(error_out, DV_ERROR_USAGE, "asm: one KERNEL/SINK is expected");
}
