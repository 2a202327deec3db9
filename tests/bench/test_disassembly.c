/* SPDX-License-Identifier: Apache-2.0 */
/* Whether code branches on the bit of a bitset: as gcc and clang write it on x86-64 and aarch64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "disassembly.h"

#define LINE(text) " 10:\t" text "\n"

static void what_follows_the_bit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum disassembly_answer answer;
        const char *mnemonic;
    } rows[] = {
        {LINE("shr    $0x6,%ax") LINE("bt     %rsi,%rax") LINE("jae    82450 <f+0xc0>"), DISASSEMBLY_BRANCH,
         "jae"},
        {LINE("bt     %rsi,%rax") LINE("setb   %al"), DISASSEMBLY_NO_BRANCH, "setb"},
        {LINE("bt     %rsi,%rax") LINE("adc    $0x0,%ecx") LINE("jne    10 <f>"), DISASSEMBLY_NO_BRANCH,
         "adc"},
        {LINE("shr    %cl,%rax") LINE("and    $0x1,%eax") LINE("cmp    $0x1,%al") LINE("mov    %edx,%eax")
             LINE("cmovb  %ecx,%eax"),
         DISASSEMBLY_NO_BRANCH, "cmovb"},
        {LINE("shrx   %rcx,%rax,%rax") LINE("test   $0x1,%al") LINE("je     10 <f>"), DISASSEMBLY_BRANCH,
         "je"},
        {LINE("shr    %cl,%rax") LINE("and    $0x1,%eax") LINE("sub    %eax,%edx") LINE("jne    10 <f>"),
         DISASSEMBLY_NO_BRANCH, "sub"},
        {LINE("lsr\tx0, x0, x1") LINE("tbz\tw0, #0, 10 <f>"), DISASSEMBLY_BRANCH, "tbz"},
        {LINE("lsr\tx0, x0, x1") LINE("tst\tx0, #0x1") LINE("cinc\tw2, w2, eq  // eq = none"),
         DISASSEMBLY_NO_BRANCH, "cinc"},
        {LINE("bt     %rsi,%rax") LINE("setb   %al") LINE("bt     %rdi,%rax") LINE("jb     10 <f>"),
         DISASSEMBLY_BRANCH, "jb"},
        {LINE("shr    $0x20,%rax") LINE("jae    10 <f>") LINE("lsr\tx0, x0, #6") LINE("cbz\tx0, 10 <f>"),
         DISASSEMBLY_UNKNOWN, ""},
        {LINE("bt     %rsi,%rax") LINE("jmp    10 <f>") LINE("je     10 <f>"), DISASSEMBLY_UNKNOWN, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char mnemonic[16] = "", text[400];
        strcpy(text, rows[i].text);
        const struct disassembly code = {.instance = "f", .n_parts = 1, .texts = {text}};
        assert_int_equal(disassembly_answer(&code, mnemonic), rows[i].answer);
        assert_string_equal(mnemonic, rows[i].mnemonic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_follows_the_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
