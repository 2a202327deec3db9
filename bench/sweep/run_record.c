/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_info.h"
#include "digest.h"
#include "gbench.h"
#include "pmu_names.h"
#include "run_dir.h"
#include "plugin.h"
#include "run_json.h"
#include "run_record.h"

enum { N_SETTINGS = 8, MAX_EVENTS = 40 };

struct run_record {
    const struct sweep_options *options;
    const struct counters *counters;
    char *dir;
    struct machine machine;
    char machine_id[192];
    char program[17];
    bool was_complete; /* before this process */
    struct run_info info;
    struct strings arguments;
    struct strings warnings;
    struct strings events; /* "name=encoding" */
    struct run_pair settings[N_SETTINGS];
    struct run_pair pairs[MAX_EVENTS];
    char texts[N_SETTINGS][48];
    struct machine_ticks ticks;
};

void run_record_warn(struct run_record *record, const char *text)
{
    strings_add(&record->warnings, text, strlen(text));
    record->info.warnings = (const char *const *)record->warnings.items;
    record->info.n_warnings = record->warnings.n_items;
}

static void warn(const char *text, void *user)
{
    run_record_warn(user, text);
}

static int pin(struct run_record *record, struct dv_error *error_out)
{
    int cpu = record->options->cpu;
    record->info.pinned_cpu = -1;
    if (cpu == SWEEP_CPU_NONE)
        return 0;
    if (cpu == SWEEP_CPU_DEFAULT)
        cpu = machine_default_cpu();
    struct dv_error error = {0};
    int status = cpu < 0 ? DV_ERROR_UNAVAILABLE : machine_pin_cpu(cpu, &error);
    if (status == 0)
        record->info.pinned_cpu = cpu;
    else if (record->options->cpu >= 0) /* asked for, so it must not be passed over */
    {
        *error_out = error;
        return status;
    } else
        run_record_warn(record, "not pinned to a CPU");
    return 0;
}

static void add_setting(struct run_record *record, size_t index, const char *key, const char *format,
                        double value)
{
    snprintf(record->texts[index], sizeof record->texts[index], format, value);
    record->settings[index] = (struct run_pair){key, record->texts[index]};
}

static void fill_settings(struct run_record *record)
{
    const struct sweep_options *options = record->options;
    size_t n = 0;
    add_setting(record, n++, "rounds", "%.0f", options->rounds);
    add_setting(record, n++, "starts", "%.0f", options->starts);
    add_setting(record, n++, "min_time_ns", "%.0f", options->min_time_ns);
    add_setting(record, n++, "seed", "%.0f", (double)options->seed);
    add_setting(record, n++, "max_batches", "%.0f", (double)options->max_batches);
    record->settings[n++] = (struct run_pair){"benchmark_filter", options->benchmark_filter};
    record->settings[n++] = (struct run_pair){"shard", options->shard};
    record->settings[n++] = (struct run_pair){"cpu_mask", getenv("DVBENCH_CPU_MASK")};
    record->info.settings = record->settings;
    record->info.n_settings = n;
}

/* What counters.h gives as lines, as run_json.h wants it. */
static void fill_events(struct run_record *record)
{
    const char *line = record->counters ? counters_encodings(record->counters) : "";
    while (*line && record->info.n_events < MAX_EVENTS) {
        const size_t n_line = strcspn(line, "\n");
        if (n_line && strings_add(&record->events, line, n_line) == 0) {
            char *name = record->events.items[record->events.n_items - 1];
            char *equals = strchr(name, '=');
            if (equals)
                *equals = '\0';
            record->pairs[record->info.n_events++] = (struct run_pair){name, equals ? equals + 1 : NULL};
        }
        line += n_line + (line[n_line] == '\n');
    }
    record->info.events = record->pairs;
}

static void fill_info(struct run_record *record)
{
    struct run_info *info = &record->info;
    info->run = run_dir_name(record->dir);
    info->status = "running";
    info->plan = record->options->plan_name;
    info->program = record->program;
    info->arguments = (const char *const *)record->arguments.items;
    info->n_arguments = record->arguments.n_items;
    info->start = record->options->start < 0 ? 0 : record->options->start;
    info->started = time(NULL);
    info->machine = &record->machine;
    info->steal_pct = NAN;
    info->malloc_trim_threshold_bytes = machine_fix_malloc();
    info->counter_source = record->counters ? counters_source(record->counters) : "none";
    info->counter_status = record->counters ? counters_reason(record->counters) : "not asked for";
    info->benchmark_version = gbench_library_version();
    info->pfm_version = *pmu_names_version() ? pmu_names_version() : NULL;
    fill_settings(record);
    fill_events(record);
}

/* The folder may hold rows already: they must come from this program on this machine. A run.json that cannot be read
 * says nothing against them: their hashes do. */
static int check_same(struct run_record *record, struct dv_error *error_out)
{
    const struct {
        const char *key, *now;
    } facts[] = {
        {"program", record->program}, {"croaring", dv_croaring_version()}, {"machine", record->machine_id}};
    json_t *run;
    int status = 0;
    if (run_json_load(&run, record->dir, NULL) < 0)
        return 0;
    const char *const was = json_string_value(json_object_get(run, "status"));
    record->was_complete = was && strcmp(was, "complete") == 0;
    for (size_t i = 0; status == 0 && !record->options->replace && i < sizeof facts / sizeof *facts; i++) {
        const char *then = json_string_value(json_object_get(run, facts[i].key));
        if (then && strcmp(then, facts[i].now) != 0)
            status = dv_fail(error_out, DV_ERROR_USAGE,
                             "%s: measured with %s %.80s; this is %.80s: --replace measures its rows again",
                             record->dir, facts[i].key, then, facts[i].now);
    }
    json_decref(run);
    return status;
}

static void warn_of_missing_events(struct run_record *record)
{
    char names[160], text[240];
    if (!record->counters || !counters_missing(record->counters, names, sizeof names))
        return;
    snprintf(text, sizeof text, "--events: not counted without a PMU: %s", names);
    warn(text, record);
    if (record->options->start <= 0) /* once, of all process starts */
        fprintf(stderr, "dvbench: warning: %s\n", text);
}

int run_record_begin(struct run_record **record_out, const struct sweep_options *options, const char *dir,
                     int argc, char **argv, const struct counters *counters, uint64_t program,
                     struct dv_error *error_out)
{
    struct run_record *record = calloc(1, sizeof *record);
    *record_out = record;
    if (!record)
        return dv_no_memory(error_out);
    record->options = options;
    record->counters = counters;
    snprintf(record->program, sizeof record->program, "%016" PRIx64, program);
    record->dir = strdup(dir);
    int status = record->dir ? 0 : DV_ERROR_MEMORY;
    for (int i = 0; status == 0 && i < argc && strcmp(argv[i], "--start") != 0; i++)
        if (strcmp(argv[i], "--resume") == 0)
            i++; /* with its folder: it may move */
        else if (strncmp(argv[i], "--resume=", 9) != 0 && strcmp(argv[i], "--replace") != 0)
            status = strings_add(&record->arguments, argv[i], strlen(argv[i]));
    if (status < 0)
        return dv_fail(error_out, status, "no memory for run.json");
    machine_read(&record->machine);
    machine_id(&record->machine, record->machine_id, sizeof record->machine_id);
    machine_warnings(&record->machine, warn, record);
    if (strncmp(dv_croaring_version(), "0.", 2) == 0) {
        static const char text[] = "CRoaring 0.2.66 is from 2020: engines use 4.x, whose times differ; "
                                   "./dvbench --croaring=archive builds with it";
        warn(text, record);
        if (options->start <= 0) /* once, of all process starts */
            fprintf(stderr, "dvbench: warning: %s\n", text);
    }
    warn_of_missing_events(record);
    for (size_t i = 0; i < options->vectors.n_warnings; i++)
        warn(options->vectors.warnings[i], record);
    status = pin(record, error_out);
    if (status < 0)
        return status;
    fill_info(record);
    machine_ticks_read(&record->ticks, record->info.pinned_cpu);
    return check_same(record, error_out);
}

int run_record_write(struct run_record *record, struct dv_error *error_out)
{
    record->was_complete = false;
    return run_json_write(record->dir, &record->info, error_out);
}

struct summary_facts run_record_facts(const struct run_record *record)
{
    return (struct summary_facts){.dir = record->dir,
                                  .run = record->info.run,
                                  .machine = record->machine_id,
                                  .cpu = record->machine.cpu_model,
                                  .compiler = BUILD_COMPILER};
}

uint64_t run_record_llc_bytes(const struct run_record *record)
{
    const struct machine *machine = &record->machine;
    return machine->l3_bytes ? machine->l3_bytes : machine->l2_bytes ? machine->l2_bytes : 32u << 20;
}

int run_record_end(struct run_record *record, bool was_interrupted, struct dv_error *error_out)
{
    if (record->was_complete)
        return 0;
    struct machine_ticks now;
    machine_ticks_read(&now, record->info.pinned_cpu);
    record->info.steal_pct = machine_steal_pct(&record->ticks, &now);
    record->info.ended = time(NULL);
    record->info.status = was_interrupted ? "interrupted" : "complete";
    return run_json_write(record->dir, &record->info, error_out);
}

void run_record_free(struct run_record *record)
{
    if (!record)
        return;
    strings_free(&record->arguments);
    strings_free(&record->warnings);
    strings_free(&record->events);
    free(record->dir);
    free(record);
}

int run_record_arguments(const char *dir, struct strings *words_out, struct dv_error *error_out)
{
    json_t *run;
    const json_t *word;
    size_t i;
    int status = run_json_load(&run, dir, error_out);
    if (status < 0)
        return status;
    json_array_foreach(json_object_get(run, "arguments"), i, word)
    {
        if (status == 0 && json_is_string(word))
            status = strings_add(words_out, json_string_value(word), json_string_length(word));
    }
    /* Those given now, wherever they lie now, hold instead of the recorded ones. */
    const bool has_plugins = plugin_digest() != 0;
    json_array_foreach(json_object_get(run, "plugins"), i, word)
    {
        if (status == 0 && !has_plugins && json_is_string(word))
            status = plugin_load(json_string_value(word), error_out);
    }
    json_decref(run);
    if (status == 0 && words_out->n_items == 0)
        status = dv_fail(error_out, DV_ERROR_INPUT, "%s/run.json has no arguments", dir);
    return status == DV_ERROR_MEMORY ? dv_no_memory(error_out) : status;
}

int program_digest(uint64_t *digest_out, struct dv_error *error_out)
{
    struct stat info;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return dv_fail(error_out, DV_ERROR_IO, "cannot read this program: %s", strerror(errno));
    const char *const version = dv_croaring_version();
    const uint64_t parts[2] = {digest_bytes(bytes, (size_t)info.st_size),
                               digest_bytes(version, strlen(version))};
    *digest_out = digest_bytes(parts, sizeof parts);
    munmap(bytes, (size_t)info.st_size);
    return 0;
}
