/* SPDX-License-Identifier: Apache-2.0 */
/* Status words: why a counter's cell is empty. They are permanent, as CSV keys are.
 *
 * Place in the data flow: pmu.h, sim.h and step.h give a word per event; counters.h joins them to the column
 * counter_status. */
#ifndef DVBENCH_COUNTER_STATUS_H
#define DVBENCH_COUNTER_STATUS_H

#include <stddef.h>

/* X(id, word, what it means and what would change it) */
#define FOR_EACH_COUNTER_STATUS(X)                                                                           \
    X(OK, "ok", "counted")                                                                                   \
    X(NO_PMU, "no-pmu",                                                                                      \
      "this machine shows no such event: common in virtual machines and containers; a bare-metal host, or "  \
      "a hypervisor that passes "                                                                            \
      "the PMU on, has it")                                                                                  \
    X(PARANOID, "paranoid",                                                                                  \
      "the kernel forbids it: sysctl kernel.perf_event_paranoid=2 or lower, or CAP_PERFMON")                 \
    X(SECCOMP, "seccomp",                                                                                    \
      "a filter forbids perf_event_open: run the container with a seccomp profile that allows it, or "       \
      "unconfined")                                                                                          \
    X(NOT_SCHEDULED, "not-scheduled",                                                                        \
      "it opened and never, or not all the time, had a counter: another user of the PMU "                    \
      "(perf, or the NMI watchdog where it is on) holds it")                                                 \
    X(UNKNOWN_EVENT, "unknown-event", "libpfm4 does not know this event on this CPU")                        \
    X(OTHER_PMU, "other-pmu",                                                                                \
      "the event's PMU does not count on the CPU measured on, which is of another kind: --cpu chooses")      \
    X(SELF_TEST_FAILED, "self-test-failed", "it counts, but not the known counts of a test loop")            \
    X(FILE_LIMIT, "file-limit", "out of file descriptors: raise ulimit -n")                                  \
    X(BUSY, "busy", "another process has exclusive use of the PMU")                                          \
    X(REFUSED, "refused", "the kernel refused the event's attributes")                                       \
    X(READ_FAILED, "read-failed", "the kernel gave no values: the event is in its error state")              \
    X(NO_LIBPFM, "no-libpfm", "built without libpfm4: install libpfm4-dev and build again")                  \
    X(NO_VALGRIND, "no-valgrind",                                                                            \
      "valgrind is missing, or dvbench was built without its headers: install valgrind and build again")     \
    X(CANNOT_SIMULATE, "cannot-simulate", "the simulator cannot run this code, or has no such event")        \
    X(SIM_ISA_DIFFERS, "sim-isa-differs", "the simulator ran other code than was timed: it has a lower ISA") \
    X(STEP_REFUSED, "step-refused",                                                                          \
      "the simulator cannot run this code, and single steps do not reach this program: a debugger or an "    \
      "emulator takes them, or this is not an x86-64 machine")                                               \
    X(STEP_TOO_LONG, "step-too-long",                                                                        \
      "the simulator cannot run this code, and one batch has too many instructions to step through: a "      \
      "smaller --batch would be counted")                                                                    \
    X(NOT_ASKED, "not-asked", "counters were not asked for")                                                 \
    X(INTERRUPTED, "interrupted", "the run was stopped before: sweep --resume continues it")

#define COUNTER_STATUS_ENUM(id, word, text) COUNTER_##id,
enum counter_status { FOR_EACH_COUNTER_STATUS(COUNTER_STATUS_ENUM) N_COUNTER_STATUS };
#undef COUNTER_STATUS_ENUM

const char *counter_status_word(enum counter_status status);
const char *counter_status_text(enum counter_status status); /* a sentence without its full stop */

/* The columns of summary.csv that counters fill, in its order. */
enum counter_column {
    COLUMN_INSTRUCTIONS,
    COLUMN_BRANCHES,
    COLUMN_BRANCH_MISSES,
    COLUMN_CORE_CYCLES,
    COLUMN_IPC,
    N_COUNTER_COLUMNS
};

/* The column counter_status: "" where all are COUNTER_OK, one word where all are the same, else
 * `instructions=word;...` for those that are not. Cut where it does not fit n_text bytes. */
void counter_status_join(char *text_out, size_t n_text,
                         const enum counter_status statuses[N_COUNTER_COLUMNS]);

/* What perf_event_open's errno means, and whether a seccomp filter may be the cause. `paranoid_level` is
 * that of /proc/sys/kernel/perf_event_paranoid, or less than -1 where unknown. EPERM with a level that allows
 * user counting is a filter. */
enum counter_status counter_status_of_errno(int error, int paranoid_level);

#endif
