/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters_internal.h"
#include "machine.h"
#include "step.h"

#define MODE_WORD(id, word) word,
static const char *const source_words[] = {FOR_EACH_COUNTERS_MODE(MODE_WORD) "step"};
const char *const counters_mode_words[N_COUNTERS_MODES + 1] = {FOR_EACH_COUNTERS_MODE(MODE_WORD) NULL};
#undef MODE_WORD

int counters_mode_find(const char *name)
{
    for (int mode = 0; mode < N_COUNTERS_MODES; mode++)
        if (strcmp(counters_mode_words[mode], name) == 0)
            return mode;
    return -1;
}

static void append(char *text, size_t n_text, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t n_text, const char *format, ...)
{
    va_list args;
    size_t n_used = strlen(text);
    va_start(args, format);
    vsnprintf(text + n_used, n_text - n_used, format, args);
    va_end(args);
}

/* --- opening --- */

/* The self-test counts on the CPU that will be measured on; where it may not run there, the run that pins
 * itself says so. */
static int open_session(struct counters *counters, const struct pmu_system *system, int cpu, bool is_strict,
                        struct dv_error *error_out)
{
    cpu_set_t before;
    const bool is_known = sched_getaffinity(0, sizeof before, &before) == 0;
    if (is_known && cpu >= 0)
        (void)machine_pin_cpu(cpu, NULL);
    int code = pmu_session_open(&counters->pmu, system, &counters->events, cpu, is_strict, error_out);
    if (code == 0 && pmu_session_status(&counters->pmu) == COUNTER_OK)
        pmu_session_penalty(&counters->pmu, &counters->penalty);
    if (is_known && cpu >= 0)
        sched_setaffinity(0, sizeof before, &before);
    return code;
}

static int open_pmu(struct counters *counters, const struct pmu_system *system, int cpu, bool is_strict,
                    struct dv_error *error_out)
{
    int code = open_session(counters, system, cpu, is_strict, error_out);
    if (code != 0)
        return code;
    enum counter_status status = pmu_session_status(&counters->pmu);
    if (status != COUNTER_OK) {
        counters->status = status;
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "%s: %s (see `dvbench counters`)",
                       counter_status_word(status), counter_status_text(status));
    }
    counters->source = COUNTERS_PMU;
    counters->status = COUNTER_OK;
    for (size_t i = 0; i < counters->pmu.n_events; i++)
        append(counters->encodings, sizeof counters->encodings, "%s=%s\n", counters->pmu.events[i].event.name,
               counters->pmu.events[i].encoding);
    return 0;
}

static int open_sim(struct counters *counters, const char *program, struct dv_error *error_out)
{
    enum counter_status status;
    int code = sim_open(&counters->sim, program, &status, error_out);
    if (code != 0) {
        if (counters->status == COUNTER_OK)
            counters->status = status;
        return code;
    }
    counters->source = COUNTERS_SIM;
    counters->status = COUNTER_OK;
    counters->step_status = step_self_test();
    for (int event = 0; event < N_SIM_EVENTS; event++)
        append(counters->encodings, sizeof counters->encodings, "%s=callgrind:%s@%s\n",
               counter_role_id(sim_event_role((enum sim_event)event)), sim_event_name((enum sim_event)event),
               counters->sim.isa);
    return 0;
}

/* The PMU, else the simulator, else single steps, else nothing; every step that fails leaves its sentence in `reason`. */
static int open_auto(struct counters *counters, const struct counters_options *options,
                     const struct pmu_system *system, struct dv_error *error_out)
{
    struct dv_error pmu_error = {0};
    struct dv_error sim_error = {0};
    int code = open_pmu(counters, system, options->cpu, options->events != NULL, &pmu_error);
    if (code == DV_ERROR_USAGE) {
        if (error_out)
            *error_out = pmu_error;
        return code;
    }
    if (code == 0)
        return 0;
    enum counter_status pmu_status = counters->status;
    append(counters->reason, sizeof counters->reason, "no PMU: %s", counter_status_word(pmu_status));
    if (open_sim(counters, options->program, &sim_error) == 0) {
        append(counters->reason, sizeof counters->reason, "; simulated by %s%s", counters->sim.version,
               counters->step_status == COUNTER_OK
                   ? "; kernels it cannot run are single-stepped (instruction counts only)"
                   : "");
        return 0;
    }
    counters->status = pmu_status;
    append(counters->reason, sizeof counters->reason, "; no simulator: %s", sim_error.message);
    counters->step_status = step_self_test();
    if (counters->step_status != COUNTER_OK)
        return 0;
    counters->source = COUNTERS_STEP;
    append(counters->reason, sizeof counters->reason,
           "; instructions counted by single steps, over a sample");
    append(counters->encodings, sizeof counters->encodings, "%s=single steps\n",
           counter_role_id(ROLE_instructions));
    return 0;
}

int counters_open_on(struct counters **counters_out, const struct counters_options *options,
                     const struct pmu_system *system, struct dv_error *error_out)
{
    *counters_out = NULL;
    struct counters *counters = calloc(1, sizeof *counters);
    if (!counters)
        return dv_no_memory(error_out);
    counters->source = COUNTERS_NONE;
    counters->penalty = (struct pmu_penalty){NAN, NAN, NAN, COUNTER_NOT_ASKED};
    int code = counter_events_parse(&counters->events, options->events, error_out);
    if (code == 0) {
        switch (options->mode) {
        case COUNTERS_AUTO:
            code = open_auto(counters, options, system, error_out);
            break;
        case COUNTERS_PMU:
            code = open_pmu(counters, system, options->cpu, true, error_out);
            break;
        case COUNTERS_SIM:
            code = open_sim(counters, options->program, error_out);
            break;
        default:
            counters->status = COUNTER_NOT_ASKED;
            append(counters->reason, sizeof counters->reason, "counters were not asked for");
        }
    }
    if (code != 0) {
        free(counters);
        return code;
    }
    *counters_out = counters;
    return 0;
}

int counters_open(struct counters **counters_out, const struct counters_options *options,
                  struct dv_error *error_out)
{
    return counters_open_on(counters_out, options, pmu_system_kernel(), error_out);
}

void counters_close(struct counters *counters)
{
    free(counters);
}

/* --- counting --- */

void counters_result_fill(struct counters_result *result, const double per_row[N_ROLES],
                          const enum counter_status statuses[N_ROLES])
{
    enum counter_status columns[N_COUNTER_COLUMNS] = {
        [COLUMN_INSTRUCTIONS] = statuses[ROLE_instructions],
        [COLUMN_BRANCHES] = statuses[ROLE_branches],
        [COLUMN_BRANCH_MISSES] = statuses[ROLE_branch_misses],
        [COLUMN_CORE_CYCLES] = statuses[ROLE_core_cycles],
        [COLUMN_IPC] = statuses[ROLE_core_cycles] != COUNTER_OK ? statuses[ROLE_core_cycles]
                                                                : statuses[ROLE_instructions],
    };
    result->instructions_per_row =
        statuses[ROLE_instructions] == COUNTER_OK ? per_row[ROLE_instructions] : NAN;
    result->branches_per_row = statuses[ROLE_branches] == COUNTER_OK ? per_row[ROLE_branches] : NAN;
    result->branch_misses_per_row =
        statuses[ROLE_branch_misses] == COUNTER_OK ? per_row[ROLE_branch_misses] : NAN;
    result->core_cycles_per_row = statuses[ROLE_core_cycles] == COUNTER_OK ? per_row[ROLE_core_cycles] : NAN;
    result->ipc = NAN;
    if (columns[COLUMN_IPC] == COUNTER_OK && result->core_cycles_per_row > 0)
        result->ipc = result->instructions_per_row / result->core_cycles_per_row;
    else if (columns[COLUMN_IPC] == COUNTER_OK)
        columns[COLUMN_IPC] = COUNTER_NOT_SCHEDULED;
    counter_status_join(result->status, sizeof result->status, columns);
}

int counters_measure(struct counters *counters, const struct counters_job *job,
                     struct counters_result *results_out, struct dv_error *error_out)
{
    double nothing[N_ROLES];
    enum counter_status statuses[N_ROLES];
    for (int role = 0; role < N_ROLES; role++) {
        nothing[role] = NAN;
        statuses[role] = counters->source == COUNTERS_NONE ? counters->status : COUNTER_NOT_ASKED;
    }
    for (size_t i = 0; i < job->n_kernels; i++) {
        results_out[i] = (struct counters_result){.source = counters_source(counters)};
        counters_result_fill(&results_out[i], nothing, statuses);
    }
    int code = 0;
    if (counters->source == COUNTERS_PMU)
        code = counters_measure_pmu(counters, job, results_out, error_out);
    else if (counters->source == COUNTERS_SIM || counters->source == COUNTERS_STEP)
        code = counters_measure_sim(counters, job, results_out, error_out);
    if (code != 0)
        counters_results_free(results_out, job->n_kernels);
    return code;
}

void counters_results_free(struct counters_result *results, size_t n_results)
{
    for (size_t i = 0; i < n_results; i++) {
        free(results[i].values);
        results[i].values = NULL;
        results[i].n_values = 0;
    }
}

/* --- what it is --- */

const char *counters_source(const struct counters *counters)
{
    return source_words[counters->source];
}

bool counters_missing(const struct counters *counters, char *names_out, size_t n_names)
{
    size_t n_used = 0;
    names_out[0] = '\0';
    for (size_t i = 0; counters->source != COUNTERS_PMU && i < counters->events.n_items && n_used < n_names;
         i++)
        if (counters->events.items[i].role == ROLE_other)
            n_used += (size_t)snprintf(names_out + n_used, n_names - n_used, "%s%s", n_used ? ", " : "",
                                       counters->events.items[i].name);
    return n_used > 0;
}

const char *counters_reason(const struct counters *counters)
{
    return counters->reason;
}

const char *counters_encodings(const struct counters *counters)
{
    return counters->encodings;
}

size_t counters_calibration(const struct counters *counters,
                            struct counter_value values_out[COUNTERS_CALIBRATION_VALUES])
{
    static const char *const events[COUNTERS_CALIBRATION_VALUES] = {COUNTERS_PENALTY, COUNTERS_PENALTY_LOW,
                                                                    COUNTERS_PENALTY_HIGH};
    const double values[COUNTERS_CALIBRATION_VALUES] = {
        counters->penalty.core_cycles, counters->penalty.core_cycles_low, counters->penalty.core_cycles_high};
    if (counters->source != COUNTERS_PMU)
        return 0;
    for (size_t i = 0; i < COUNTERS_CALIBRATION_VALUES; i++) {
        values_out[i] = (struct counter_value){.source = "pmu", .value_per_row = values[i]};
        values_out[i].status = counter_status_word(counters->penalty.status);
        snprintf(values_out[i].event, sizeof values_out[i].event, "%s", events[i]);
        snprintf(values_out[i].encoding, sizeof values_out[i].encoding,
                 "core cycles per shuffled branch missed");
    }
    return COUNTERS_CALIBRATION_VALUES;
}
