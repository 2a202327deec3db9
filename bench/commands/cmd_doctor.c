/* SPDX-License-Identifier: Apache-2.0 */
/* `doctor`: what disturbs measurements on this machine, how much two runs of the same work differ now, what to change. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock_chain.h"
#include "command.h"
#include "machine.h"

enum { MAX_PAIRS = 100000, CHAIN_ADDS = 1 << 22, MEMORY_WORDS = 4 << 20 };

static const char help[] =
    "usage: dvbench doctor [--seconds N]\n"
    "Lists the settings of this machine that disturb measurements, each with the command that changes it, "
    "and\n"
    "times pairs of the same work (A/A): what the two of a pair differ by is noise.\n"
    "  --seconds N   time spent on the A/A pairs, 1 to 600, default 10\n";

struct setting {
    const char *name, *value, *good, *advice;
};

static void print_setting(const struct setting *setting)
{
    const bool is_known = strcmp(setting->value, MACHINE_UNKNOWN) != 0;
    const bool is_good = !is_known || strstr(setting->good, setting->value);
    printf("%-24s %-14s %s\n", setting->name, setting->value,
           !is_known ? "cannot be seen here"
           : is_good ? "fine"
                     : setting->advice);
}

static void print_settings(const struct machine *machine)
{
    const struct setting settings[] = {
        {"frequency governor", machine->governor, "performance", "cpupower frequency-set -g performance"},
        {"turbo", machine->turbo, "off",
         "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > "
         "/sys/devices/system/cpu/cpufreq/boost"},
        {"SMT", machine->smt, "off forceoff notsupported notimplemented",
         "echo off > /sys/devices/system/cpu/smt/control"},
        {"transparent huge pages", machine->thp, "madvise never",
         "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"},
        {"ASLR", machine->aslr, "off off for this process", "setarch -R dvbench sweep ..."},
        {"virtualisation", machine->virtualisation, "none",
         "measure on a physical machine; on this one: more --rounds and --starts"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        print_setting(&settings[i]);
    printf("%-24s %-14.2f %s\n", "load, 1 minute", machine->load_1min,
           machine->load_1min > 0.5 * machine->n_cpus ? "wait, or end what runs: see top" : "fine");
}

static double now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_work(const uint64_t *memory)
{
    const double began_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t sum = clock_chain_run(CHAIN_ADDS);
    for (size_t i = 0; i < MEMORY_WORDS; i += 8)
        sum += memory[i];
    __asm__ volatile("" : : "r"(sum)); /* else nobody reads it, and nothing is timed */
    return now_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t time_pairs(double *differences_pct, const uint64_t *memory, double seconds)
{
    const double end_ns = now_ns(CLOCK_MONOTONIC) + seconds * 1e9;
    size_t n_pairs = 0;
    (void)time_work(memory);
    do {
        const double first_ns = time_work(memory);
        differences_pct[n_pairs++] = 100 * fabs(time_work(memory) / first_ns - 1);
    } while (n_pairs < MAX_PAIRS && now_ns(CLOCK_MONOTONIC) < end_ns);
    return n_pairs;
}

static void print_pairs(double *differences_pct, const uint64_t *memory, double seconds)
{
    struct machine_usage before, after;
    struct machine_ticks ticks_before, ticks_after;
    machine_usage_read(&before);
    machine_ticks_read(&ticks_before, -1);
    const int64_t throttles = machine_throttles_below("");
    const size_t n_pairs = time_pairs(differences_pct, memory, seconds);
    machine_ticks_read(&ticks_after, -1);
    machine_usage_read(&after);
    const double steal_pct = machine_steal_pct(&ticks_before, &ticks_after);
    qsort(differences_pct, n_pairs, sizeof *differences_pct, compare_reals);
    if (isnan(steal_pct))
        printf("%-24s %-14s cannot be seen here\n", "steal", MACHINE_UNKNOWN);
    else
        printf("%-24s %-14.2f %s\n", "steal, per cent", steal_pct,
               steal_pct > 0.5 ? "the host is busy: measure at another time" : "fine");
    if (throttles < 0)
        printf("%-24s %-14s cannot be seen here\n", "throttling", MACHINE_UNKNOWN);
    else {
        const long long n = machine_throttles_below("") - throttles;
        printf("%-24s %-14lld %s\n", "throttling", n,
               n ? "too hot or out of power: cool it, wait, see turbo" : "fine");
    }
    printf("%-24s %-14lld %s\n", "migrations", (long long)machine_usage_since(&before, &after).cpu_migrations,
           "-1: cannot be seen here; sweep stays on one CPU");
    printf("\nA/A: %zu pairs of the same work differ by %.2f %% (median), %.2f %% (95 of 100), %.2f %% "
           "(largest)\n",
           n_pairs, differences_pct[n_pairs / 2], differences_pct[n_pairs * 95 / 100],
           differences_pct[n_pairs - 1]);
}

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    (void)value;
    return option_number("seconds", argument, 1, 600, context, error_out);
}

int command_doctor(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {{"seconds", required_argument, NULL, 's'}, OPTIONS_END};
    uint64_t seconds = 10;
    struct machine machine;
    int first = options_read(argc, argv, table, take_option, &seconds, error_out);
    if (first == 0)
        fputs(help, stdout);
    if (first <= 0)
        return first;
    if (first < argc)
        return dv_fail(error_out, DV_ERROR_USAGE, "doctor: takes no file (see dvbench doctor --help)");
    double *differences_pct = calloc(MAX_PAIRS, sizeof *differences_pct);
    uint64_t *memory = malloc(MEMORY_WORDS * sizeof *memory);
    int status = differences_pct && memory ? 0 : dv_no_memory(error_out);
    if (status == 0) {
        memset(memory, 1, MEMORY_WORDS * sizeof *memory);
        machine_read(&machine);
        print_settings(&machine);
        print_pairs(differences_pct, memory, (double)seconds);
    }
    free(differences_pct);
    free(memory);
    return status;
}
