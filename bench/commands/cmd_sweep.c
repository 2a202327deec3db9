/* SPDX-License-Identifier: Apache-2.0 */
/* `sweep`: the main job, from options to a folder with CSV, figures and a report. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "figures.h"
#include "plugin.h"
#include "report.h"
#include "run_dir.h"
#include "run_record.h"
#include "sweep.h"
#include "sweep_starts.h"

static volatile sig_atomic_t interrupted;

/* The run's folder while it is new and empty, for on_early_signal. */
static const char *volatile empty_dir;

static void on_signal(int signal_number)
{
    interrupted = signal_number;
}

/* Before anything is measured there is nothing to keep: ends at once, by calls that a handler may make. */
static void on_early_signal(int signal_number)
{
    static const char line[] = "dvbench: interrupted before measuring began\n";
    (void)signal_number;
    (void)!write(STDERR_FILENO, line, sizeof line - 1);
    if (empty_dir)
        rmdir(empty_dir);
    _exit(EXIT_INTERRUPTED);
}

/* From here on there is something to keep: the run ends between two samples. */
static void catch_signals_of_run(void)
{
    empty_dir = NULL;
    command_catch_signals(on_signal);
}

static int list_tests(const struct plan *plan, struct dv_error *error_out)
{
    for (size_t b = 0; b < plan->n_blocks; b++)
        for (size_t k = 0; k < plan->blocks[b].n_kernels; k++) {
            char *name = plan_cell_name(&plan->blocks[b], plan->blocks[b].kernels[k]->id);
            if (!name)
                return dv_no_memory(error_out);
            puts(name);
            free(name);
        }
    return 0;
}

/* K=V,...: into the context of the JSON. */
static int add_context(const char *list, struct dv_error *error_out)
{
    while (list && *list) {
        const size_t n = strcspn(list, ","), n_key = strcspn(list, "=,");
        char *pair = strndup(list, n);
        if (!pair)
            return dv_no_memory(error_out);
        int status = 0;
        if (n_key == 0 || list[n_key] != '=')
            status =
                dv_fail(error_out, DV_ERROR_USAGE, "--benchmark_context=%s: KEY=VALUE,... is expected", pair);
        else {
            pair[n_key] = '\0';
            if (gbench_add_context(pair, pair + n_key + 1) != 0)
                status = dv_no_memory(error_out);
        }
        free(pair);
        if (status < 0)
            return status;
        list += n + (list[n] == ',');
    }
    return 0;
}

/* Before anything is measured: a file that cannot be written must not cost the run. */
static int check_benchmark_out(const char *path, struct dv_error *error_out)
{
    FILE *file = fopen(path, "a");
    if (!file)
        return dv_fail(error_out, DV_ERROR_IO, "--benchmark_out=%s: %s", path, strerror(errno));
    fclose(file);
    return 0;
}

/* A run whose figures all failed is still a run and gets its report; false then, and where the report failed. That
 * gnuplot is not installed is not a failure. */
static bool draw(const struct sweep_options *options, const char *dir, bool *has_report_out)
{
    struct dv_error error = {0};
    bool is_fine = true;
    const struct figure_style style = {.format = options->figures};
    if (options->plots && figures_draw(dir, &style, &interrupted, &error) < 0) {
        fprintf(stderr, "dvbench: %s%s\n", interrupted ? "" : "no figures: ", error.message);
        is_fine = error.code == DV_ERROR_UNAVAILABLE;
    }
    *has_report_out = report_write(dir, &error) == 0;
    if (!*has_report_out)
        fprintf(stderr, "dvbench: no report: %s\n", error.message);
    return is_fine && *has_report_out;
}

static void say_where(const struct sweep_options *options, const char *dir, bool has_report)
{
    if (options->quiet)
        return;
    printf("%s/summary.csv\n", dir);
    if (has_report)
        printf("%s/report.md\n%s/report.html\n", dir, dir);
    if (options->plots)
        printf("%s/plots/\n", dir);
}

/* A resumed run may hold rows that are not to be compared with those of now: says so, here and in
 * run.json. */
static void say_mixed(struct run_record *record, const struct sweep *sweep)
{
    char text[160];
    if (sweep->n_replaced_out) {
        snprintf(text, sizeof text, "resumed: %zu rows of another program, machine or setting were replaced",
                 sweep->n_replaced_out);
        run_record_warn(record, text);
        fprintf(stderr, "dvbench: %s\n", text);
    }
    if (sweep->n_kept_out) {
        snprintf(text, sizeof text,
                 "resumed: %zu rows that the plan does not name were kept, whichever program measured them",
                 sweep->n_kept_out);
        run_record_warn(record, text);
        fprintf(stderr, "dvbench: %s\n", text);
    }
}

static int choose_workers(struct cpu_workers *workers_out, const struct sweep_options *options,
                          struct dv_error *error_out)
{
    if (options->n_threads == 0)
        return 0;
    return machine_choose_workers(workers_out, options->cpu, (size_t)options->threads[options->n_threads - 1],
                                  error_out);
}

/* This process's share: all blocks, or those of one process start. */
static int measure(struct sweep_options *options, const struct plan *plan, const char *dir, int argc,
                   char **argv, size_t *n_wrong_out, struct dv_error *error_out)
{
    struct run_record *record = NULL;
    struct sweep sweep = {.options = options,
                          .vectors = &options->vectors,
                          .plan = plan,
                          .start = options->start < 0 ? 0 : options->start,
                          .json_path = options->benchmark_out,
                          .interrupted = &interrupted};
    const struct counters_options counters_options = {
        .mode = counters_mode_find(options->counters ? options->counters : "auto"),
        .events = options->events,
        .cpu = options->cpu == SWEEP_CPU_DEFAULT ? machine_default_cpu() : options->cpu};
    struct cpu_workers workers;
    int status = choose_workers(&workers, options, error_out);
    sweep.workers = &workers;
    if (status == 0)
        status = program_digest(&sweep.program_digest, error_out);
    sweep.program_digest ^= plugin_digest();
    if (status == 0 && counters_options.mode != COUNTERS_NONE)
        status = counters_open(&sweep.counters, &counters_options, error_out);
    if (status == 0)
        status = run_record_begin(&record, options, dir, argc, argv, sweep.counters, sweep.program_digest,
                                  error_out);
    if (status == 0) {
        sweep.record = record;
        sweep.facts = run_record_facts(record);
        sweep.llc_bytes = run_record_llc_bytes(record);
        catch_signals_of_run();
        status = sweep_run(&sweep, error_out);
        *n_wrong_out = sweep.n_wrong_out;
    }
    if (status == 0) {
        say_mixed(record, &sweep);
        status = run_record_end(record, interrupted != 0, error_out);
    }
    run_record_free(record);
    counters_close(sweep.counters); /* last: the record quotes its sentences */
    return status;
}

/* Modification time and place of a run's file, zeros where there is none. */
static struct stat stat_of(const char *dir, const char *name)
{
    struct stat found = {0};
    char *path = run_dir_file(dir, name);
    if (path && stat(path, &found) != 0)
        found = (struct stat){0};
    free(path);
    return found;
}

/* A run that was complete is left as it is. `before`: of its summary. */
static bool has_changed(const char *dir, const struct stat *before)
{
    const struct stat now = stat_of(dir, "summary.csv"), report = stat_of(dir, "report.md");
    return now.st_ino != before->st_ino || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != before->st_mtim.tv_nsec || report.st_ino == 0;
}

static int finish(const struct sweep_options *options, const char *dir, bool is_changed, size_t n_wrong)
{
    if (interrupted) {
        fprintf(stderr, "dvbench: interrupted; what was measured is in %s; sweep --resume %s continues it\n",
                dir, dir);
        return EXIT_INTERRUPTED;
    }
    bool is_drawn = true, has_report = true;
    if (options->start < 0) {
        if (is_changed)
            is_drawn = draw(options, dir, &has_report);
        if (interrupted)
            return EXIT_INTERRUPTED;
        say_where(options, dir, has_report);
    }
    if (n_wrong)
        fprintf(stderr, "dvbench: %zu cells are wrong: verdict and reason are in %s/summary.csv\n", n_wrong,
                dir);
    if (n_wrong || !is_drawn)
        return EXIT_CHECK_FAILED;
    if (options->start >= 0 || summary_count_verdict(dir, "ok"))
        return EXIT_FINE;
    fputs("dvbench: no cell was measured: column reason of summary.csv says why\n", stderr);
    return EXIT_UNAVAILABLE;
}

static int run(struct sweep_options *options, const struct plan *plan, const char *dir, int argc, char **argv,
               size_t *n_wrong_out, struct dv_error *error_out)
{
    int lock_fd;
    int status = sweep_starts_enter(options, dir, &lock_fd, error_out);
    if (status < 0)
        return status;
    if (options->starts == 1 || options->start >= 0) {
        status = measure(options, plan, dir, argc, argv, n_wrong_out, error_out);
    } else {
        catch_signals_of_run();
        status = sweep_starts_run(options, dir, lock_fd, argc, argv, &interrupted, error_out);
        *n_wrong_out = summary_count_verdict(dir, "wrong");
    }
    close(lock_fd);
    return status;
}

/* A run.json that a full disk left empty must not be the end of a run: its options, given again, are enough. */
static int go_on_without_record(const struct sweep_options *options, int argc, char **argv,
                                const struct dv_error *error, struct dv_error *error_out)
{
    char text[DV_ERROR_TEXT_BYTES];
    bool names_plan = strcmp(options->plan_name, "custom") == 0;
    for (int i = 1; i < argc; i++)
        names_plan |= strncmp(argv[i], "--plan", 6) == 0;
    dv_error_text(error, text);
    if (access(options->resume_dir, F_OK) != 0 || !names_plan)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "--resume %.100s: no run to continue: %.300s; give the run's options again",
                       options->resume_dir, text);
    fprintf(stderr, "dvbench: %s; continuing with the options given\n", text);
    return 0;
}

/* --resume without anything else continues with what the run was started with. */
static int parse(struct sweep_options *options, int argc, char **argv, struct strings *again,
                 struct dv_error *error_out)
{
    int status = sweep_options_parse(options, argc, argv, error_out);
    if (status < 0 || options->help || !options->resume_dir || options->start >= 0)
        return status;
    struct dv_error error;
    status = run_record_arguments(options->resume_dir, again, &error);
    if (status < 0) {
        status = go_on_without_record(options, argc, argv, &error, error_out);
        if (status < 0)
            sweep_options_free(options);
        return status;
    }
    for (int i = 1; status == 0 && i < argc; i++)
        status = strings_add(again, argv[i], strlen(argv[i]));
    if (status == 0)
        status = strings_add(again, "", 0); /* room for the NULL that ends an argv */
    sweep_options_free(options);
    if (status < 0)
        return status;
    const int n_words = (int)again->n_items - 1;
    free(again->items[n_words]);
    again->items[n_words] = NULL;
    again->n_items--;
    return sweep_options_parse(options, n_words, again->items, error_out);
}

/* What an error ended is kept, and how to continue it. */
static void say_resume(const char *dir, struct dv_error *error_out)
{
    const size_t n = strlen(error_out->message);
    const char *what = stat_of(dir, "samples.csv").st_size > 0 /* of a block that was cut short, too */
                           ? "what was measured is kept: sweep --resume %s continues it"
                           : "nothing was measured: sweep --resume %s and these options begin it again";
    char text[300];
    snprintf(text, sizeof text, what, dir);
    snprintf(error_out->message + n, sizeof error_out->message - n, "; %s", text);
}

/* The run's folder: that of an earlier run, or a new one. */
static int choose_dir(const struct sweep_options *options, char **dir_out, bool *is_new_out,
                      struct dv_error *error_out)
{
    if (options->resume_dir || options->start >= 0) {
        *dir_out = strdup(options->start >= 0 && options->out_dir ? options->out_dir
                          : options->resume_dir                   ? options->resume_dir
                                                                  : ".");
        return 0;
    }
    *is_new_out = !options->out_dir || access(options->out_dir, F_OK) != 0;
    int status = run_dir_create(dir_out, options->out_dir, options->plan_name, error_out);
    empty_dir = *is_new_out ? *dir_out : NULL;
    return status;
}

int command_sweep(int argc, char **argv, struct dv_error *error_out)
{
    struct sweep_options options;
    struct plan plan = {0};
    struct strings again = {0};
    char *dir = NULL;
    size_t n_wrong = 0;
    int code = EXIT_FINE;
    bool is_new_dir = false;
    command_catch_signals(on_early_signal);
    int status = parse(&options, argc, argv, &again, error_out);
    if (status < 0) {
        strings_free(&again);
        return status;
    }
    if (options.help) {
        fputs(sweep_options_help(), stdout);
        fputs(vector_options_help, stdout);
        goto out;
    }
    if (options.benchmark_filter && gbench_set_filter(options.benchmark_filter) != 0)
        status = dv_fail(error_out, DV_ERROR_USAGE, "--benchmark_filter=%s: not a valid regular expression",
                         options.benchmark_filter);
    if (status == 0)
        status = add_context(options.benchmark_context, error_out);
    if (status == 0)
        status =
            plan_expand(&plan, &options, options.benchmark_filter ? gbench_filter_matches : NULL, error_out);
    if (status == 0 && options.list_tests) {
        status = list_tests(&plan, error_out);
        goto out;
    }
    if (status == 0 && options.start < 0)
        command_print_warnings(&options.vectors);
    struct cpu_workers workers;
    if (status == 0)
        status = choose_workers(&workers, &options, error_out);
    if (status == 0 && options.benchmark_out)
        status = check_benchmark_out(options.benchmark_out, error_out);
    if (status == 0)
        status = choose_dir(&options, &dir, &is_new_dir, error_out);
    const struct stat before = stat_of(status == 0 && dir ? dir : ".", "summary.csv");
    if (status == 0)
        status = run(&options, &plan, dir, again.n_items ? (int)again.n_items : argc,
                     again.n_items ? again.items : argv, &n_wrong, error_out);
    if (status == 0)
        code = finish(&options, dir, has_changed(dir, &before), n_wrong);
    else if (dir && !(is_new_dir && rmdir(dir) == 0) &&
             status == DV_ERROR_IO) /* gone where it is empty still */
        say_resume(dir, error_out);
    empty_dir = NULL;
out:
    plan_free(&plan);
    sweep_options_free(&options);
    strings_free(&again);
    free(dir);
    return status < 0 ? status : code;
}
