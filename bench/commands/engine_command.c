/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "duckdb.h"
#include "report.h"
#include "run_dir.h"
#include "run_record.h"

static volatile sig_atomic_t interrupted;
static struct engine *volatile running; /* for the handler: a query may take seconds */

/* DuckDB's interrupt sets a flag of the connection, which a handler may do. A second signal ends the process. */
static void on_signal(int signal_number)
{
    interrupted = signal_number;
    struct engine *engine = running;
    if (engine)
        engine->interrupt(engine);
}

/* The words of the run to continue, then those given now, without --resume and its folder; NULL ends them. */
static int read_words(struct strings *words, const char *resume_dir, int argc, char **argv,
                      struct dv_error *error_out)
{
    int status = resume_dir ? run_record_arguments(resume_dir, words, error_out) : 0;
    for (int i = resume_dir ? 1 : 0; status == 0 && i < argc; i++)
        if (strcmp(argv[i], "--resume") == 0)
            i++;
        else if (strncmp(argv[i], "--resume=", 9) != 0 && strings_add(words, argv[i], strlen(argv[i])) < 0)
            status = dv_no_memory(error_out);
    if (status == 0 && strings_add(words, "", 0) < 0) /* room for the NULL that ends an argv */
        status = dv_no_memory(error_out);
    if (status == 0) {
        free(words->items[--words->n_items]);
        words->items[words->n_items] = NULL;
    }
    return status;
}

/* False where figures or report failed, as in sweep; that gnuplot is not installed is not a failure. */
static bool show(const struct engine_command *command, const struct engine_choices *choices, const char *dir)
{
    struct dv_error error = {0};
    bool is_fine = true;
    const struct figure_style style = {.format = choices->figures};
    if (choices->plots && command->draw(dir, &style, &error) < 0) {
        fprintf(stderr, "dvbench: no figures: %s\n", error.message);
        is_fine = error.code == DV_ERROR_UNAVAILABLE;
    }
    const bool has_report = report_write(dir, &error) == 0;
    if (!has_report)
        fprintf(stderr, "dvbench: no report: %s\n", error.message);
    if (!choices->quiet)
        printf("%s/%s.csv\n", dir, command->name);
    if (!choices->quiet && has_report)
        printf("%s/report.md\n%s/report.html\n", dir, dir);
    return is_fine && has_report;
}

static int finish(const struct engine_command *command, const struct engine_choices *choices,
                  const struct engine_run *run)
{
    if (interrupted) {
        fprintf(stderr, "dvbench: interrupted; what was measured is in %s; %s --resume %s continues it\n",
                run->dir, command->name, run->dir);
        return EXIT_INTERRUPTED;
    }
    const bool is_shown = show(command, choices, run->dir);
    if (run->n_wrong_out)
        fprintf(stderr, "dvbench: %zu answers are wrong: verdict and reason are in %s/%s.csv\n",
                run->n_wrong_out, run->dir, command->name);
    return run->n_wrong_out || !is_shown ? EXIT_CHECK_FAILED : EXIT_FINE;
}

static int run_in(const struct engine_command *command, const struct engine_choices *choices,
                  const char *resume_dir, struct strings *words, struct dv_error *error_out)
{
    char *dir = NULL;
    struct engine *engine = NULL;
    int code = EXIT_FINE, lock = -1;
    int status = duckdb_engine_open(&engine, choices->duckdb, NULL, error_out);
    if (status == 0)
        status = resume_dir ? (dir = strdup(resume_dir)) ? 0 : dv_no_memory(error_out)
                            : run_dir_create(&dir, choices->out_dir, command->name, error_out);
    if (status == 0)
        status = run_dir_lock(&lock, dir, error_out);
    if (status == 0) {
        struct engine_run run = {.engine = engine,
                                 .dir = dir,
                                 .argc = (int)words->n_items,
                                 .argv = words->items,
                                 .is_resumed = resume_dir != NULL,
                                 .interrupted = &interrupted};
        running = engine;
        command_catch_signals(on_signal);
        status = command->measure(&run, command->options, error_out);
        running = NULL;
        if (status == 0)
            code = finish(command, choices, &run);
        else if (!resume_dir)
            rmdir(dir);
    }
    if (lock >= 0)
        close(lock);
    engine_close(engine);
    free(dir);
    return status < 0 ? status : code;
}

int engine_command(const struct engine_command *command, int argc, char **argv, struct dv_error *error_out)
{
    struct engine_choices choices;
    struct strings words = {0};
    int status = command->parse(command->options, &choices, argc, argv, error_out);
    if (status < 0 || choices.help) {
        if (status == 0)
            fputs(command->help, stdout);
        command->release(command->options);
        return status < 0 ? status : EXIT_FINE;
    }
    const char *resume_dir = choices.resume_dir; /* the second reading, of the recorded words, has none */
    status = read_words(&words, resume_dir, argc, argv, error_out);
    if (status == 0) {
        command->release(command->options);
        status = command->parse(command->options, &choices, (int)words.n_items, words.items, error_out);
    }
    if (status == 0)
        status = run_in(command, &choices, resume_dir, &words, error_out);
    command->release(command->options);
    strings_free(&words);
    return status;
}
