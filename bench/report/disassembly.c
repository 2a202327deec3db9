/* SPDX-License-Identifier: Apache-2.0 */
#include "disassembly.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

extern char **environ;

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
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY,
                                     0); /* said by the error */
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
static void take_symbol(struct disassembly *code, const char *line)
{
    char name[160];
    unsigned long n_bytes;
    const char *tab = strchr(line, '\t');
    const size_t n = strlen(code->instance);
    if (!tab || !strstr(line, " F ") || sscanf(tab, "%lx %*s", &n_bytes) != 1 ||
        sscanf(strrchr(line, ' ') + 1, "%159s", name) != 1)
        return;
    const bool is_part = strncmp(name, code->instance, n) == 0 &&
                         (name[n] == '\0' || name[n] == '.' || strncmp(name + n, "_segments", 9) == 0);
    if (!is_part || code->n_parts == DISASSEMBLY_MOST_PARTS)
        return;
    snprintf(code->symbols[code->n_parts++], sizeof name, "%s", name);
    code->n_bytes += n_bytes;
}

static int find_symbols(struct disassembly *code, char *objdump, char *program, struct dv_error *error_out)
{
    char *const argv[] = {objdump, "-t", program, NULL};
    char *rest, *text = output_of(argv, error_out);
    if (!text)
        return DV_ERROR_UNAVAILABLE;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        take_symbol(code, line);
    free(text);
    return code->n_parts > 0
               ? 0
               : dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                         "no symbol %s in %s: it was stripped; use the program of a build folder",
                         code->instance, program);
}

int disassembly_read(struct disassembly *code_out, const char *instance, bool with_source,
                     struct dv_error *error_out)
{
    char objdump[512], program[4096];
    *code_out = (struct disassembly){.instance = instance};
    const ssize_t n_program = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n_program <= 0)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "/proc/self/exe cannot be read");
    program[n_program] = '\0';
    int status = child_find(objdump, sizeof objdump, "objdump", error_out);
    if (status == 0)
        status = find_symbols(code_out, objdump, program, error_out);
    for (size_t i = 0; status == 0 && i < code_out->n_parts; i++) {
        char which[200];
        snprintf(which, sizeof which, "--disassemble=%s", code_out->symbols[i]);
        char *const argv[] = {objdump, which, program, "--no-show-raw-insn", with_source ? "-Sl" : NULL,
                              NULL};
        code_out->texts[i] = output_of(argv, error_out);
        status = code_out->texts[i] ? 0 : DV_ERROR_UNAVAILABLE;
    }
    return status;
}

void disassembly_free(struct disassembly *code)
{
    for (size_t i = 0; i < DISASSEMBLY_MOST_PARTS; i++)
        free(code->texts[i]);
    *code = (struct disassembly){0};
}

/* --- what follows the test of a bit --- */

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* `bt` of x86; a shift of the word by a register, on x86 and aarch64: a shift by a constant looks for the word. */
static bool is_bit_test(const char *mnemonic, const char *operands)
{
    static const char *const tests[] = {"bt", "btl", "btq", "shrx", "shrxl", "shrxq", NULL};
    const char *last = strrchr(operands, ',');
    if (is_one_of(mnemonic, tests))
        return operands[0] != '$';
    if (begins(mnemonic, "shr") || begins(mnemonic, "sar"))
        return begins(operands, "%cl");
    return strcmp(mnemonic, "lsr") == 0 && last && !strchr(last, '#');
}

/* Keeps the flags of the test, or makes them from the bit alone. */
static bool passes_on(const char *mnemonic, const char *operands)
{
    static const char *const compares[] = {"and",   "andl", "andq", "test", "testb",
                                           "testl", "cmp",  "cmpb", "tst",  NULL},
                             *const moves[] = {"mov",  "movl", "movq", "movzbl", "movslq", "lea",
                                               "leal", "leaq", "cltq", "not",    "notl",   "notq",
                                               "mvn",  "nop",  "nopl", "nopw",   "movzwl", "uxtb",
                                               "uxth", "str",  "strb", "ldr",    NULL};
    return is_one_of(mnemonic, moves) ||
           (is_one_of(mnemonic, compares) && (strstr(operands, "$0x1,") || strstr(operands, "#0x1")));
}

static bool is_branch(const char *mnemonic)
{
    static const char *const tests[] = {"tbz", "tbnz", "cbz", "cbnz", NULL};
    return (mnemonic[0] == 'j' && strcmp(mnemonic, "jmp") != 0) || begins(mnemonic, "b.") ||
           is_one_of(mnemonic, tests);
}

/* One line "  addr:<tab>mnemonic operands" after the test. */
static enum disassembly_answer judge(const char *mnemonic, const char *operands, bool *is_open)
{
    if (is_branch(mnemonic)) {
        *is_open = false;
        return DISASSEMBLY_BRANCH;
    }
    if (passes_on(mnemonic, operands))
        return DISASSEMBLY_UNKNOWN;
    *is_open = false; /* what it jumps to is not followed; anything else computes with the bit */
    return strcmp(mnemonic, "jmp") == 0 || strcmp(mnemonic, "b") == 0 || begins(mnemonic, "ret") ||
                   begins(mnemonic, "call")
               ? DISASSEMBLY_UNKNOWN
               : DISASSEMBLY_NO_BRANCH;
}

static enum disassembly_answer answer_of(const char *text, char mnemonic_out[16])
{
    enum disassembly_answer answer = DISASSEMBLY_UNKNOWN;
    bool is_open = false;
    for (const char *line = text; *line && answer != DISASSEMBLY_BRANCH;
         line += strcspn(line, "\n"), line += *line == '\n') {
        char mnemonic[16], operands[100] = "", one[200];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
        const char *code = strstr(one, ":\t");
        if (one[0] != ' ' || !code || sscanf(code + 2, "%15s %99[^\n]", mnemonic, operands) < 1)
            continue;
        const enum disassembly_answer found =
            is_open ? judge(mnemonic, operands, &is_open) : DISASSEMBLY_UNKNOWN;
        if (found != DISASSEMBLY_UNKNOWN) {
            answer = found;
            snprintf(mnemonic_out, 16, "%s", mnemonic);
        }
        is_open = is_open || is_bit_test(mnemonic, operands);
    }
    return answer;
}

enum disassembly_answer disassembly_answer(const struct disassembly *code, char mnemonic_out[16])
{
    enum disassembly_answer answer = DISASSEMBLY_UNKNOWN;
    for (size_t i = 0; i < code->n_parts && answer != DISASSEMBLY_BRANCH; i++) {
        const enum disassembly_answer found = answer_of(code->texts[i], mnemonic_out);
        answer = found != DISASSEMBLY_UNKNOWN ? found : answer;
    }
    return answer;
}
