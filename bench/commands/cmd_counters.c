/* SPDX-License-Identifier: Apache-2.0 */
/* `counters`: what can be counted on this machine, what cannot and why, and the one line that would change
 * it; with --cell, what was counted of one cell of a run. */
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cell_counters.h"
#include "command.h"
#include "counter_sets.h"
#include "counter_status.h"
#include "counters.h"
#include "machine.h"
#include "pmu_names.h"
#include "pmu_session.h"
#include "sim.h"
#include "step.h"

struct view {
    const struct pmu_session *pmu;
    const struct sim *sim;
    enum counter_status sim_status;
    const char *sim_reason;
    enum counter_status step_status;
};

/* A number from a file of /proc or /sys: false where there is none. */
static bool read_number(const char *path, int base, unsigned long long *value_out)
{
    bool is_read = false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    is_read = fscanf(file, base == 16 ? "%llx" : "%llu", value_out) == 1;
    fclose(file);
    return is_read;
}

/* Effective capabilities, CapEff of /proc/self/status. */
static bool has_capability(int bit)
{
    unsigned long long mask = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "CapEff: %llx", &mask) == 1)
            break;
    fclose(file);
    return (mask >> bit & 1) != 0;
}

static void print_machine(const struct pmu_session *pmu)
{
    enum { CAP_SYS_ADMIN_BIT = 21, CAP_PERFMON_BIT = 38 };
    const char *name;
    const char *description;
    unsigned long long number;
    struct cpu_kinds kinds;
    char text[224];
    pmu->system->kinds(pmu->system->user, &kinds);
    cpu_kinds_text(&kinds, text, sizeof text);
    const struct cpu_kind *own = cpu_kinds_find(&kinds, sched_getcpu());
    if (own)
        printf("hybrid CPU            %s; counted here: %s\n", text, own->pmu);
    int level = pmu->system->paranoid_level(pmu->system->user);
    printf("libpfm4               %s\n",
           pmu_names_built() ? "built in" : "no: install libpfm4-dev and build again");
    for (size_t i = 0; pmu_names_present(i, &name, &description); i++)
        printf("%-21s %s (%s)\n", i == 0 ? "PMUs it knows here" : "", name, description);
    if (level == INT_MIN)
        printf("perf_event_paranoid   unknown: no perf_event in this kernel, or /proc is not mounted\n");
    else
        printf("perf_event_paranoid   %d: %s\n", level,
               level <= 2 ? "own processes may be counted in user mode" : "plain users may not count at all");
    printf("capabilities          CAP_PERFMON %s, CAP_SYS_ADMIN %s\n",
           has_capability(CAP_PERFMON_BIT) ? "yes" : "no", has_capability(CAP_SYS_ADMIN_BIT) ? "yes" : "no");
    if (read_number("/proc/sys/kernel/nmi_watchdog", 10, &number))
        printf("NMI watchdog          %s\n", number ? "on: it occupies one counter" : "off");
    if (read_number("/sys/bus/event_source/devices/cpu/rdpmc", 10, &number))
        printf("rdpmc                 %llu (not used: counters are read through the kernel)\n", number);
}

static void print_row(const char *source, const char *event, const char *status, enum pmu_verdict verdict,
                      double expected, double counted, const char *encoding, bool is_csv)
{
    char numbers[2][32] = {"", ""}; /* empty where nothing was counted */
    if (verdict != PMU_NOT_RUN && verdict != PMU_UNVERIFIED) {
        snprintf(numbers[0], sizeof numbers[0], "%.0f", expected);
        snprintf(numbers[1], sizeof numbers[1], "%.0f", counted);
    }
    printf(is_csv ? "%s,%s,%s,%s,%s,%s,%s\n" : "%-4s %-36s %-16s %-10s %10s %10s  %s\n", source, event,
           status, pmu_verdict_id(verdict), numbers[0], numbers[1], encoding);
}

/* Whether callgrind counts what an event counts. */
static bool can_simulate(const struct counter_event *event)
{
    for (int i = 0; i < N_SIM_EVENTS; i++)
        if (sim_event_role((enum sim_event)i) == event->role)
            return true;
    return false;
}

/* Events that were asked for and that the simulator lacks: a row each, and a line where only it was asked. */
static void print_not_simulated(const struct view *view, bool is_csv, bool warns)
{
    const char *separator = "dvbench: warning: the simulator has no ";
    bool has_some = false;
    for (size_t i = 0; i < view->pmu->n_events; i++) {
        const struct counter_event *event = &view->pmu->events[i].event;
        if (can_simulate(event))
            continue;
        print_row("sim", event->name, counter_status_word(COUNTER_CANNOT_SIMULATE), PMU_NOT_RUN, 0, 0, "",
                  is_csv);
        if (warns)
            fprintf(stderr, "%s%s", separator, event->name);
        separator = ", ";
        has_some = true;
    }
    if (warns && has_some)
        fputs("\n", stderr);
}

static void print_events(const struct view *view, bool is_csv, bool asks_simulator)
{
    if (is_csv)
        printf("source,event,status,verdict,expected,counted,encoding\n");
    else
        printf("\n%-4s %-36s %-16s %-10s %10s %10s  %s\n", "", "event", "status", "self-test", "expected",
               "counted", "encoding");
    for (size_t i = 0; i < view->pmu->n_events; i++) {
        const struct pmu_event *event = &view->pmu->events[i];
        print_row("pmu", event->event.name, counter_status_word(event->status), event->verdict,
                  event->expected, event->counted, event->encoding, is_csv);
    }
    for (int i = 0; i < N_SIM_EVENTS; i++) {
        char encoding[64] = "";
        bool is_open = view->sim_status == COUNTER_OK;
        enum counter_status status =
            is_open && view->sim->verdict[i] == PMU_FAIL ? COUNTER_SELF_TEST_FAILED : view->sim_status;
        if (is_open)
            snprintf(encoding, sizeof encoding, "callgrind:%s@%s", sim_event_name((enum sim_event)i),
                     view->sim->isa);
        print_row("sim", counter_role_id(sim_event_role((enum sim_event)i)), counter_status_word(status),
                  is_open ? view->sim->verdict[i] : PMU_NOT_RUN, view->sim->expected[i],
                  view->sim->counted[i], encoding, is_csv);
    }
    if (view->sim_status == COUNTER_OK)
        print_not_simulated(view, is_csv, asks_simulator);
    print_row("step", counter_role_id(ROLE_instructions), counter_status_word(view->step_status),
              view->step_status == COUNTER_OK ? PMU_PASS : PMU_NOT_RUN, STEP_SELF_TEST_INSTRUCTIONS,
              view->step_status == COUNTER_OK ? STEP_SELF_TEST_INSTRUCTIONS : 0,
              view->step_status == COUNTER_OK ? "single steps" : "", is_csv);
}

static void print_groups(const struct pmu_session *pmu)
{
    for (size_t group = 0; group < pmu->n_groups; group++) {
        printf("%s", group == 0 ? "passes                " : "                      ");
        for (size_t i = 0; i < pmu->group_size[group]; i++)
            printf("%s%s", i ? " + " : "", pmu->events[pmu->group_events[group][i]].event.name);
        printf("\n");
    }
}

static void print_advice(const struct view *view)
{
    enum counter_status status = pmu_session_status(view->pmu);
    struct pmu_penalty penalty;
    bool has_pmu = status == COUNTER_OK;
    bool has_sim = view->sim_status == COUNTER_OK;
    printf("\n");
    print_groups(view->pmu);
    if (has_pmu) {
        pmu_session_penalty(view->pmu, &penalty);
        if (penalty.status == COUNTER_OK)
            printf("branch miss           %.1f core cycles [%.1f, %.1f]\n", penalty.core_cycles,
                   penalty.core_cycles_low, penalty.core_cycles_high);
        else
            printf("branch miss           penalty not measured: %s\n", counter_status_word(penalty.status));
    }
    if (has_sim)
        printf("simulator             %s, ISA %s%s\n", view->sim->version, view->sim->isa,
               view->sim->libc_differs ? "; it runs other variants of memset and memcpy than this CPU" : "");
    if (has_sim && view->step_status == COUNTER_OK)
        printf("single steps          instructions of what the simulator cannot run, over a sample\n");
    if (view->sim_status != COUNTER_NOT_ASKED)
        printf("--counters=auto uses %s\n", has_pmu                           ? "pmu"
                                            : has_sim                         ? "sim"
                                            : view->step_status == COUNTER_OK ? "step"
                                                                              : "none");
    if (!has_pmu)
        printf("to get more           pmu: %s: %s\n", counter_status_word(status),
               counter_status_text(status));
    if (!has_sim && view->sim_status != COUNTER_NOT_ASKED)
        printf("%-21s sim: %s: %s\n", has_pmu ? "to get more" : "", counter_status_word(view->sim_status),
               view->sim_reason);
}

static void help(void)
{
    puts(
        "usage: dvbench counters [--events SET|NAME,...] [--counters auto|pmu|sim|none] [--format text|csv]\n"
        "       dvbench counters --cell CELL RUN [--format text|csv]\n"
        "  --cell      what was counted for one cell of a run, and what follows: instructions per cycle, "
        "miss\n"
        "              rates, bytes per cycle. CELL: its hash or kernel/sink@dv[,batch=N][,mode=M]\n"
        "  --events    sets (dvbench list counters) and libpfm4 names; default portable\n"
        "  --counters  exits with 4 if that source is unavailable\n"
        "Sources: pmu, the CPU's counters; sim, callgrind; step: only the instructions of kernels that\n"
        "callgrind cannot run (AVX-512), or of all where auto finds no other source, by single steps over a\n"
        "sample of batches.\n"
        "Self-test: each event counts loops whose counts are known. pass: within 0.1 %; bias: within 5 %; "
        "fail: not used.");
}

struct arguments {
    const char *events;
    const char *cell; /* NULL: the machine is asked about */
    const char *run;
    int mode;
    bool is_csv;
};

enum { OPTION_EVENTS = 256, OPTION_COUNTERS, OPTION_FORMAT, OPTION_CELL };

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    static const char *const formats[] = {"text", "csv", NULL};
    struct arguments *arguments = context;
    int index = 0;
    if (value == OPTION_EVENTS)
        arguments->events = argument;
    else if (value == OPTION_CELL)
        arguments->cell = argument;
    else if (value == OPTION_FORMAT)
        arguments->is_csv = (index = option_choice("format", argument, formats, error_out)) == 1;
    else
        arguments->mode = index = option_choice("counters", argument, counters_mode_words, error_out);
    return index;
}

/* Returns as options_read does. */
static int parse(int argc, char **argv, struct arguments *arguments_out, struct dv_error *error_out)
{
    static const struct option table[] = {{"events", required_argument, NULL, OPTION_EVENTS},
                                          {"cell", required_argument, NULL, OPTION_CELL},
                                          {"counters", required_argument, NULL, OPTION_COUNTERS},
                                          {"format", required_argument, NULL, OPTION_FORMAT},
                                          OPTIONS_END};
    *arguments_out = (struct arguments){.mode = COUNTERS_AUTO};
    int first = options_read(argc, argv, table, take_option, arguments_out, error_out);
    if (first > 0 && arguments_out->cell && (argc - first != 1 || arguments_out->events))
        return dv_fail(error_out, DV_ERROR_USAGE, "counters --cell: give one run folder, and no --events");
    if (first > 0 && arguments_out->cell)
        arguments_out->run = argv[first];
    else if (first > 0 && first != argc)
        return dv_fail(error_out, DV_ERROR_USAGE, "counters: found operand %s, expected options only",
                       argv[first]);
    return first;
}

int command_counters(int argc, char **argv, struct dv_error *error_out)
{
    struct arguments arguments;
    struct counter_events events;
    struct pmu_session pmu;
    struct sim sim;
    struct dv_error sim_error = {0};
    struct view view = {.pmu = &pmu, .sim = &sim, .sim_reason = sim_error.message};
    int status = parse(argc, argv, &arguments, error_out);
    if (status == 0)
        help();
    if (status <= 0)
        return status;
    if (arguments.cell)
        return cell_counters_print(arguments.run, arguments.cell, arguments.is_csv, error_out);
    const int cpu = machine_default_cpu(); /* as a sweep would */
    if (cpu >= 0)
        (void)machine_pin_cpu(cpu, NULL);
    status = counter_events_parse(&events, arguments.events, error_out);
    if (status == 0)
        status =
            pmu_session_open(&pmu, pmu_system_kernel(), &events, cpu, arguments.events != NULL, error_out);
    if (status != 0)
        return status;
    if (arguments.mode == COUNTERS_PMU || arguments.mode == COUNTERS_NONE)
        view.sim_status = COUNTER_NOT_ASKED;
    else
        (void)sim_open(&sim, NULL, &view.sim_status, &sim_error);
    view.step_status = view.sim_status == COUNTER_NOT_ASKED ? COUNTER_NOT_ASKED : step_self_test();
    if (!arguments.is_csv)
        print_machine(&pmu);
    print_events(&view, arguments.is_csv, arguments.mode == COUNTERS_SIM);
    if (!arguments.is_csv)
        print_advice(&view);
    enum counter_status wanted = arguments.mode == COUNTERS_PMU   ? pmu_session_status(&pmu)
                                 : arguments.mode == COUNTERS_SIM ? view.sim_status
                                                                  : COUNTER_OK;
    if (wanted == COUNTER_OK)
        return EXIT_FINE;
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "%s: %s", counter_status_word(wanted),
                   counter_status_text(wanted));
}
