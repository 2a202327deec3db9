/* SPDX-License-Identifier: Apache-2.0 */
/* `asm KERNEL/SINK`: the code of one compiled instance, as objdump shows it, its size and the registers it uses. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "disassembly.h"
#include "kernel.h"

enum { OPTION_NO_SOURCE = 256 };

static const char help[] =
    "usage: dvbench asm KERNEL/SINK [--no-source]\n"
    "Disassembles the kernel's compiled instance, and the parts that the compiler split from it, by objdump, "
    "with\n"
    "source lines where the program has debug information. First lines: size, instruction sets and, for "
    "kernels\n"
    "that ask per row, whether they branch on what a bitset answers.\n"
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
    size_t n_instructions;
    struct isa_mark marks[7];
};

/* Whether one of the words occurs in `text` after something that is not part of a name. */
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

static void take_text(struct listing *listing, const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char one[256];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
        take_instruction(listing, one);
    }
}

/* objdump names the file and every section first, also those of which it shows nothing. */
static const char *first_function(const char *text)
{
    const char *end = strstr(text, ">:\n");
    while (end && end > text && end[-1] != '\n')
        end--;
    return end ? end : text;
}

static void print_answer(const struct disassembly *code)
{
    char mnemonic[16];
    const enum disassembly_answer answer = disassembly_answer(code, mnemonic);
    if (answer != DISASSEMBLY_UNKNOWN)
        printf("after the test of a bitset's bit: %s, %s\n", mnemonic,
               answer == DISASSEMBLY_BRANCH ? "a branch on the answer" : "no branch on the answer");
}

static void print_listing(const struct listing *listing, const struct kernel *kernel,
                          const struct disassembly *code)
{
    printf("%s: %zu bytes, %zu instructions in %zu %s\n", code->instance, code->n_bytes,
           listing->n_instructions, code->n_parts, code->n_parts == 1 ? "function" : "functions");
    printf("instruction set of the registry: %s; found in the code:", isa_id(kernel->isa));
    bool is_any = false;
    for (size_t i = 0; i < sizeof listing->marks / sizeof *listing->marks && listing->marks[i].label; i++)
        if (listing->marks[i].n_found) {
            printf("%s %zu with %s", is_any ? "," : "", listing->marks[i].n_found, listing->marks[i].label);
            is_any = true;
        }
    puts(is_any ? "" : " general registers only");
    print_answer(code);
    for (size_t i = 0; i < code->n_parts; i++)
        fputs(first_function(code->texts[i]), stdout);
}

static int show(const struct kernel *kernel, const char *instance, bool with_source,
                struct dv_error *error_out)
{
    struct listing listing = {.marks = {{"zmm (AVX-512)", zmm, true, 0},
                                        {"mask registers (AVX-512)", mask, true, 0},
                                        {"VBMI2 instructions", vbmi2, false, 0},
                                        {"ymm (AVX, AVX2)", ymm, true, 0},
                                        {"xmm (SSE, AVX)", xmm, true, 0},
                                        {"BMI instructions", bmi, false, 0},
                                        {"NEON registers", neon, true, 0}}};
    struct disassembly code;
    const int status = disassembly_read(&code, instance, with_source, error_out);
    for (size_t i = 0; status == 0 && i < code.n_parts; i++)
        take_text(&listing, code.texts[i]);
    if (status == 0)
        print_listing(&listing, kernel, &code);
    disassembly_free(&code);
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
        return dv_fail(error_out, DV_ERROR_USAGE, "unknown kernel \"%s\" (see dvbench list kernels)",
                       instance);
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
