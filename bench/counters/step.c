/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>

#include "batches.h"
#include "calibration.h"
#include "counters_pass.h"
#include "step.h"

#ifdef __x86_64__

#define TRAP_FLAG      0x100ull
#define DIRECTION_FLAG 0x400

struct stepping {
    struct step_run run;
    uint64_t n_steps_max;
    greg_t at; /* what runs next */
    const volatile sig_atomic_t *interrupted;
    enum counter_status status;
};

/* A signal handler gets no argument of ours: the one pointer that must be reachable from it. */
static _Thread_local struct stepping *volatile current;

/* Does at once what is left of a `rep stos` or `rep movs`, of bytes or words of 8, so that a memset is not
 * stepped byte by byte; the instruction then ends with the next step. Another one, or one that runs down, is
 * left to its steps. */
static void finish_repeat(greg_t *registers)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)registers[REG_RIP];
    const bool is_wide = code[1] == 0x48; /* REX.W: 0xab and 0xa5 where bytes have 0xaa and 0xa4 */
    const uint8_t operation = is_wide ? code[2] ^ 1 : code[1];
    const size_t n_bytes = is_wide ? 8 : 1;
    const bool is_move = operation == 0xa4;
    if (code[0] != 0xf3 || (operation != 0xaa && !is_move) || (registers[REG_EFL] & DIRECTION_FLAG))
        return;
    for (; registers[REG_RCX] != 0; registers[REG_RCX]--) {
        const void *from = is_move ? (const void *)(uintptr_t)registers[REG_RSI] : &registers[REG_RAX];
        memmove((void *)(uintptr_t)registers[REG_RDI], from, n_bytes);
        registers[REG_RDI] += (greg_t)n_bytes;
        registers[REG_RSI] += is_move ? (greg_t)n_bytes : 0;
    }
}

/* The kernel clears the flag for a handler and restores it from the context. A repeated string instruction
 * that has not finished stands where it stood. */
static void on_step(int signal, siginfo_t *info, void *context_of_signal)
{
    (void)signal;
    (void)info;
    greg_t *registers = ((ucontext_t *)context_of_signal)->uc_mcontext.gregs;
    struct stepping *stepping = current;
    if (!stepping) {
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        return;
    }
    if (registers[REG_RIP] == stepping->at)
        finish_repeat(registers);
    else
        stepping->run.n_instructions++;
    stepping->at = registers[REG_RIP];
    stepping->run.n_steps++;
    if (stepping->interrupted && *stepping->interrupted)
        stepping->status = COUNTER_INTERRUPTED;
    else if (stepping->run.n_steps >= stepping->n_steps_max)
        stepping->status = COUNTER_STEP_TOO_LONG;
    if (stepping->status != COUNTER_OK)
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG; /* the rest runs at full speed */
}

static inline __attribute__((always_inline)) void set_trap_flag(bool is_on)
{
    const uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(is_on ? flags | TRAP_FLAG : flags & ~TRAP_FLAG);
}

static void __attribute__((noinline)) run_stepping(void (*function)(void *argument), void *argument)
{
    set_trap_flag(true);
    function(argument);
    set_trap_flag(false);
}

/* Turns it off and on within; in an uncounted run it stays off, after the last step too. */
static void set_counting(bool is_on)
{
    if (current && current->status == COUNTER_OK)
        set_trap_flag(is_on);
}

enum counter_status step_run(void (*function)(void *argument), void *argument, uint64_t n_steps_max,
                             const volatile sig_atomic_t *interrupted, struct step_run *run_out)
{
    struct stepping stepping = {.n_steps_max = n_steps_max, .interrupted = interrupted, .status = COUNTER_OK};
    struct sigaction previous;
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigset_t trap;
    sigset_t mask;
    sigemptyset(&action.sa_mask);
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP); /* a trap that is blocked kills */
    *run_out = (struct step_run){0};
    if (sigprocmask(SIG_UNBLOCK, &trap, &mask) != 0 || sigaction(SIGTRAP, &action, &previous) != 0)
        return COUNTER_STEP_REFUSED;
    current = &stepping;
    run_stepping(function, argument);
    current = NULL;
    sigaction(SIGTRAP, &previous, NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    *run_out = stepping.run;
    return stepping.run.n_steps == 0 ? COUNTER_STEP_REFUSED : stepping.status;
}

#else

/* Elsewhere a process cannot step itself, and the simulator runs every kernel that there is. */
enum counter_status step_run(void (*function)(void *argument), void *argument, uint64_t n_steps_max,
                             const volatile sig_atomic_t *interrupted, struct step_run *run_out)
{
    (void)function;
    (void)argument;
    (void)n_steps_max;
    (void)interrupted;
    *run_out = (struct step_run){0};
    return COUNTER_STEP_REFUSED;
}

static void set_counting(bool is_on)
{
    (void)is_on;
}

#endif

static void run_loop(void *n)
{
    calibration_loop(*(const uint64_t *)n);
}

enum counter_status step_self_test(void)
{
    uint64_t n_short = 50;
    uint64_t n_long = n_short + STEP_SELF_TEST_INSTRUCTIONS / CALIBRATION_LOOP_INSTRUCTIONS;
    struct step_run of_short;
    struct step_run of_long;
    if (!calibration_is_known() ||
        step_run(run_loop, &n_short, STEP_STEPS_MAX, NULL, &of_short) != COUNTER_OK ||
        step_run(run_loop, &n_long, STEP_STEPS_MAX, NULL, &of_long) != COUNTER_OK ||
        of_long.n_instructions - of_short.n_instructions != STEP_SELF_TEST_INSTRUCTIONS)
        return COUNTER_STEP_REFUSED;
    return COUNTER_OK;
}

/* --- kernels --- */

static void run_pass(void *pass)
{
    counters_pass_run(pass);
}

/* One pass of `kernel` (NULL: the empty one), stepped. The uncounted run before it resolves what the linker
 * left for the first call; the state is a new one, so that the pass starts as a reader does. */
static int count_pass(const struct counters_job *job, const struct kernel *kernel,
                      const struct counters_visits *visits, struct step_run *run_out,
                      enum counter_status *status_out, struct dv_error *error_out)
{
    for (int is_counted = 0; is_counted <= 1; is_counted++) {
        struct counters_pass pass;
        int status = counters_pass_open(&pass, job->dv, visits, kernel, job->sink, error_out);
        if (status != 0)
            return status;
        if (is_counted)
            *status_out = step_run(run_pass, &pass, STEP_STEPS_MAX, job->interrupted, run_out);
        else
            counters_pass_run(&pass);
        counters_pass_close(&pass);
    }
    return 0;
}

/* n_batches of the job's, each once; in replay one of them so many times. */
static int count_batches(const struct counters_job *job, const struct kernel *kernel, size_t n_batches,
                         struct step_counts *counts_out, struct dv_error *error_out)
{
    struct batches batches = {0}, before = {0};
    struct step_run own = {0};
    struct step_run loop = {0};
    int code = batches_spread(&batches, &before, job->batches, job->replay ? 1 : n_batches, error_out);
    const size_t n_visits = job->replay ? n_batches : batches.n_items;
    const struct counters_visits visits = {.batches = &batches,
                                           .before = job->replay ? NULL : &before,
                                           .set_counting = set_counting,
                                           .n_visits = n_visits,
                                           .replay = job->replay};
    *counts_out = (struct step_counts){.status = COUNTER_STEP_REFUSED,
                                       .n_batches = n_visits,
                                       .n_rows = batches.n_rows * (job->replay ? n_batches : 1)};
    if (code == 0)
        code = count_pass(job, kernel, &visits, &own, &counts_out->status, error_out);
    if (code == 0 && counts_out->status == COUNTER_OK)
        code = count_pass(job, NULL, &visits, &loop, &counts_out->status, error_out);
    batches_free(&batches);
    batches_free(&before);
    counts_out->n_steps = own.n_steps;
    if (own.n_instructions > loop.n_instructions)
        counts_out->n_instructions = own.n_instructions - loop.n_instructions;
    return code;
}

/* One batch shows how many there may be. */
int step_measure(const struct counters_job *job, const struct kernel *kernel, struct step_counts *counts_out,
                 struct dv_error *error_out)
{
    struct step_counts more;
    int code = count_batches(job, kernel, 1, counts_out, error_out);
    size_t n_batches = STEP_STEPS_AIM / (counts_out->n_steps + 1);
    if (n_batches > COUNTERS_SIM_BATCHES)
        n_batches = COUNTERS_SIM_BATCHES;
    if (code != 0 || counts_out->status != COUNTER_OK || n_batches < 2)
        return code;
    code = count_batches(job, kernel, n_batches, &more, error_out);
    if (more.status != COUNTER_STEP_TOO_LONG)
        *counts_out = more;
    return code;
}
