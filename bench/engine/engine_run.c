/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run_dir.h"
#include "sweep_options.h"

void engine_record_fill(struct engine_record *record_out, const struct engine_run *run, const char *plan,
                        const struct engine_run_numbers *numbers)
{
    struct engine_record *record = record_out;
    const uint64_t values[] = {numbers->n_threads, numbers->n_rounds, numbers->n_rows, numbers->seed};
    machine_read(&record->machine);
    machine_id(&record->machine, record->machine_text, sizeof record->machine_text);
    for (size_t i = 0; i < 4; i++)
        snprintf(record->numbers[i], sizeof record->numbers[i], "%" PRIu64, values[i]);
    const struct run_pair settings[ENGINE_RUN_SETTINGS] = {
        {"engine", run->engine->name},
        {"engine_version", run->engine->version},
        {"engine_library", run_dir_name(run->engine->library)},
        {"threads", record->numbers[0]},
        {"rounds", record->numbers[1]},
        {"rows", record->numbers[2]},
        {"seed", record->numbers[3]},
        {"cpu_mask", getenv("DVBENCH_CPU_MASK")}};
    memcpy(record->settings, settings, sizeof settings);
    record->info = (struct run_info){.run = run_dir_name(run->dir),
                                     .status = "running",
                                     .plan = plan,
                                     .arguments = (const char *const *)run->argv,
                                     .n_arguments = (size_t)run->argc,
                                     .started = time(NULL),
                                     .machine = &record->machine,
                                     .pinned_cpu = -1,
                                     .steal_pct = NAN,
                                     .malloc_trim_threshold_bytes = machine_fix_malloc(),
                                     .counter_source = "none",
                                     .counter_status = "a run inside an engine is not counted",
                                     .settings = record->settings,
                                     .n_settings = ENGINE_RUN_SETTINGS};
}

int engine_run_pin(int cpu, uint64_t n_threads, struct run_info *info, struct dv_error *error_out)
{
    struct dv_error error = {0};
    info->pinned_cpu = -1;
    if (cpu == SWEEP_CPU_NONE || (cpu == SWEEP_CPU_DEFAULT && n_threads > 1))
        return 0;
    const int chosen = cpu == SWEEP_CPU_DEFAULT ? machine_default_cpu() : cpu;
    if (chosen >= 0 && machine_pin_cpu(chosen, &error) == 0)
        info->pinned_cpu = chosen;
    else if (cpu >= 0) {
        *error_out = error;
        return error.code;
    }
    return 0;
}
