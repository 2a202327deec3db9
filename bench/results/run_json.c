/* SPDX-License-Identifier: Apache-2.0 */
#include "run_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "csv.h"
#include "file_write.h"
#include "run_dir.h"
#include "utf8.h"

json_t *run_json_text(const char *text)
{
    json_t *value = text ? json_string(text) : json_null();
    if (value)
        return value;
    char *visible = utf8_visible(text);
    value = visible ? json_string(visible) : NULL;
    free(visible);
    return value;
}

/* Sets a key; without memory, or with a value that had none, the object is lost as a whole. */
static void set(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) == 0)
        return;
    json_decref(*object);
    *object = NULL;
}

/* Absent is not zero. */
static json_t *count_or_null(int64_t value, int64_t unknown)
{
    return value == unknown ? json_null() : json_integer(value);
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *time_or_null(time_t seconds)
{
    struct tm parts;
    char text[64];
    if (seconds == 0 || !gmtime_r(&seconds, &parts) ||
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return json_null();
    return json_string(text);
}

static json_t *texts(const char *const *items, size_t n_items)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n_items; i++)
        (void)json_array_append_new(list, run_json_text(items[i]));
    return list;
}

static json_t *pairs(const struct run_pair *items, size_t n_items)
{
    json_t *object = json_object();
    for (size_t i = 0; i < n_items; i++)
        set(&object, items[i].key, run_json_text(items[i].value));
    return object;
}

static json_t *machine_details(const struct machine *machine)
{
    char folder[256];
    json_t *object = json_object();
    machine_folder(machine, folder, sizeof folder);
    set(&object, "folder", run_json_text(folder));
    set(&object, "cpu_vendor", run_json_text(machine->cpu_vendor));
    set(&object, "family", count_or_null(machine->family, -1));
    set(&object, "model", count_or_null(machine->model, -1));
    set(&object, "stepping", count_or_null(machine->stepping, -1));
    set(&object, "microcode", run_json_text(machine->microcode));
    set(&object, "architecture", run_json_text(machine->architecture));
    set(&object, "virtualisation", run_json_text(machine->virtualisation));
    set(&object, "n_cpus", json_integer(machine->n_cpus));
    set(&object, "n_cpus_allowed", count_or_null(machine->n_cpus_allowed, 0));
    set(&object, "l1d_bytes", count_or_null((int64_t)machine->l1d_bytes, 0));
    set(&object, "l2_bytes", count_or_null((int64_t)machine->l2_bytes, 0));
    set(&object, "l3_bytes", count_or_null((int64_t)machine->l3_bytes, 0));
    set(&object, "memory_bytes", count_or_null((int64_t)machine->memory_bytes, 0));
    set(&object, "kernel", run_json_text(machine->kernel));
    set(&object, "governor", run_json_text(machine->governor));
    set(&object, "turbo", run_json_text(machine->turbo));
    set(&object, "smt", run_json_text(machine->smt));
    set(&object, "aslr", run_json_text(machine->aslr));
    set(&object, "transparent_huge_pages", run_json_text(machine->thp));
    set(&object, "load_1min", real_or_null(machine->load_1min));
    return object;
}

const char *run_json_tool_version(const char *command, char *line_out, size_t line_bytes)
{
    char shell_command[128], rest[256];
    snprintf(shell_command, sizeof shell_command, "%s --version 2>/dev/null </dev/null", command);
    line_out[0] = 0;
    FILE *stream = popen(shell_command, "re");
    if (!stream)
        return line_out;
    const bool is_read = fgets(line_out, (int)line_bytes, stream) != NULL;
    while (fgets(rest, sizeof rest, stream)) {
    }
    const bool is_fine = pclose(stream) == 0 && is_read;
    line_out[is_fine ? strcspn(line_out, "\r\n") : 0] = 0;
    return line_out;
}

static json_t *tool_version(const char *command)
{
    char line[128];
    const char *version = run_json_tool_version(command, line, sizeof line);
    return run_json_text(*version ? version : NULL);
}

static json_t *versions(const struct run_info *info)
{
    const char *croaring = dv_croaring_version();
    json_t *object = json_object();
    set(&object, "dvbench", run_json_text(BUILD_VERSION));
    set(&object, "croaring", run_json_text(*croaring ? croaring : NULL));
    set(&object, "libbenchmark", run_json_text(info->benchmark_version));
    set(&object, "libpfm", run_json_text(info->pfm_version));
    set(&object, "valgrind", tool_version("valgrind"));
    set(&object, "gnuplot", tool_version("gnuplot"));
    return object;
}

/* The code of a pair of kernels may come from two builds: ours and CRoaring's (its inline functions are
 * compiled with ours). */
static json_t *builds(void)
{
    json_t *ours = json_object(), *croaring = json_object(), *object = json_object();
    set(&ours, "git_commit", run_json_text(BUILD_GIT_COMMIT));
    set(&ours, "compiler", run_json_text(BUILD_COMPILER));
    set(&ours, "flags", run_json_text(BUILD_FLAGS));
    set(&croaring, "flags", run_json_text(BUILD_CROARING_FLAGS));
    set(&object, "dvbench", ours);
    set(&object, "croaring", croaring);
    return object;
}

static json_t *held(const struct run_info *info)
{
    json_t *object = json_object();
    set(&object, "pinned_cpu", count_or_null(info->pinned_cpu, -1));
    set(&object, "steal_pct", real_or_null(info->steal_pct));
    set(&object, "malloc_trim_threshold_bytes", count_or_null((int64_t)info->malloc_trim_threshold_bytes, 0));
    return object;
}

static json_t *counters(const struct run_info *info)
{
    json_t *object = json_object();
    set(&object, "source", run_json_text(info->counter_source));
    set(&object, "status", run_json_text(info->counter_status));
    set(&object, "events", pairs(info->events, info->n_events));
    return object;
}

static json_t *this_start(const struct run_info *info)
{
    json_t *object = json_object();
    set(&object, "start", json_integer(info->start));
    set(&object, "status", run_json_text(info->status));
    set(&object, "started", time_or_null(info->started));
    set(&object, "ended", time_or_null(info->ended));
    set(&object, "steal_pct", real_or_null(info->steal_pct));
    return object;
}

/* Each process start writes the file anew: what the others said of themselves is taken over from it. */
static json_t *starts(const json_t *earlier, const struct run_info *info)
{
    json_t *list = json_array();
    const json_t *item;
    size_t i, n_before = 0;
    json_array_foreach(json_object_get(earlier, "starts"), i, item)
    {
        const json_int_t start = json_integer_value(json_object_get(item, "start"));
        n_before += start < info->start;
        if (start != info->start)
            (void)json_array_append(list, (json_t *)item);
    }
    (void)json_array_insert_new(list, n_before, this_start(info));
    return list;
}

json_t *run_json_plugins(void)
{
    json_t *list = json_array();
    const char *rest = getenv(PLUGIN_ENVIRONMENT);
    while (rest && *rest) {
        const size_t n = strcspn(rest, "\n");
        json_array_append_new(list, json_stringn(rest, n));
        rest += n + (rest[n] == '\n');
    }
    return list;
}

/* The run began when its first process did. What another program left has been measured again. */
static json_t *first_started(const json_t *earlier, const struct run_info *info)
{
    const char *program = json_string_value(json_object_get(earlier, "program"));
    json_t *started = json_object_get(earlier, "started");
    const bool is_same = info->program && program && strcmp(info->program, program) == 0;
    return is_same && json_is_string(started) ? json_incref(started) : time_or_null(info->started);
}

/* The whole file; NULL without memory. */
static json_t *document(const char *dir, const struct run_info *info)
{
    char machine[256];
    char *path = run_dir_file(dir, "run.json");
    json_t *root = json_object(), *earlier = path ? json_load_file(path, 0, NULL) : NULL;
    free(path);
    machine_id(info->machine, machine, sizeof machine);
    set(&root, "schema", run_json_text(COLUMNS_SCHEMA));
    set(&root, "run", run_json_text(info->run));
    set(&root, "status", run_json_text(info->status));
    set(&root, "plan", run_json_text(info->plan));
    set(&root, "program", run_json_text(info->program));
    set(&root, "arguments", texts(info->arguments, info->n_arguments));
    set(&root, "plugins", run_json_plugins());
    set(&root, "started", first_started(earlier, info));
    set(&root, "ended", time_or_null(info->ended));
    set(&root, "machine", run_json_text(machine));
    set(&root, "cpu", run_json_text(info->machine->cpu_model));
    set(&root, "croaring", run_json_text(dv_croaring_version()));
    set(&root, "compiler", run_json_text(BUILD_COMPILER));
    set(&root, "machine_details", machine_details(info->machine));
    set(&root, "starts", starts(earlier, info));
    set(&root, "held", held(info));
    set(&root, "versions", versions(info));
    set(&root, "builds", builds());
    set(&root, "counters", counters(info));
    set(&root, "settings", pairs(info->settings, info->n_settings));
    set(&root, "warnings", texts(info->warnings, info->n_warnings));
    json_decref(earlier);
    return root;
}

int run_json_save(const char *dir, const json_t *root, struct dv_error *error_out)
{
    char *path = run_dir_file(dir, "run.json"), *line = NULL;
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
    int status;
    if (path && text && asprintf(&line, "%s\n", text) >= 0)
        status = file_write(path, line, strlen(line), error_out);
    else
        status = dv_no_memory(error_out);
    free(line);
    free(text);
    free(path);
    return status;
}

int run_json_write(const char *dir, const struct run_info *info, struct dv_error *error_out)
{
    json_t *root = document(dir, info);
    const int status = run_json_save(dir, root, error_out);
    json_decref(root);
    return status;
}

/* What is wrong with a file that was read; 0 where nothing is. */
static int judge(const json_t *root, const json_error_t *error, struct dv_error *error_out)
{
    if (!root)
        return dv_fail_at(error_out, DV_ERROR_INPUT, error->position < 0 ? 0 : (uint64_t)error->position,
                          "not a JSON object: %s", error->text);
    if (!json_is_object(root))
        return dv_fail_at(error_out, DV_ERROR_INPUT, 0, "not a JSON object: something else");
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (schema && strcmp(schema, COLUMNS_SCHEMA) == 0)
        return 0;
    return dv_fail(error_out, DV_ERROR_INPUT, "a run of schema '%s'; this build reads schema " COLUMNS_SCHEMA,
                   schema ? schema : "");
}

int run_json_load(json_t **root_out, const char *dir, struct dv_error *error_out)
{
    json_error_t error;
    char *path = run_dir_file(dir, "run.json");
    FILE *stream = path ? fopen(path, "re") : NULL;
    int status;
    *root_out = NULL;
    if (!path)
        return dv_no_memory(error_out);
    if (stream) {
        *root_out = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
        fclose(stream);
        status = judge(*root_out, &error, error_out);
    } else
        status = dv_fail(error_out, DV_ERROR_INPUT, "cannot open: %s", strerror(errno));
    if (status < 0) {
        (void)dv_error_set_where(error_out, path);
        json_decref(*root_out);
        *root_out = NULL;
    }
    free(path);
    return status;
}

size_t run_json_n_parts(const json_t *root)
{
    const json_t *runs = json_object_get(root, "runs");
    return json_is_array(runs) ? json_array_size(runs) : root != NULL;
}

const json_t *run_json_part(const json_t *root, size_t index)
{
    const json_t *runs = json_object_get(root, "runs");
    return json_is_array(runs) ? json_array_get(runs, index) : root;
}
