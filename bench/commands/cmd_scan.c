/* SPDX-License-Identifier: Apache-2.0 */
/* `scan`: what a deletion vector costs inside a real engine's scan of Parquet. */
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
#include "scan.h"
#include "scan_report.h"

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

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* The words of the run to continue, then those given now; --resume and its folder are left out. */
static int gather_words(struct strings *words, const char *resume_dir, int argc, char **argv,
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

/* Figures and report are for looking at: a run whose picture failed is still a run. */
static void show(const struct scan_options *options, const char *dir)
{
    struct dv_error error = {0};
    const struct figure_style style = {.format = options->figures};
    if (options->plots && scan_figures_draw(dir, &style, &error) < 0)
        fprintf(stderr, "dvbench: no figures: %s\n", error.message);
    if (report_write(dir, &error) < 0)
        fprintf(stderr, "dvbench: no report: %s\n", error.message);
    if (!options->quiet)
        printf("%s/scan.csv\n%s/report.md\n%s/report.html\n", dir, dir, dir);
}

static int finish(const struct scan_options *options, const char *dir, size_t n_wrong)
{
    if (interrupted) {
        fprintf(stderr, "dvbench: interrupted; what was measured is in %s; scan --resume %s continues it\n",
                dir, dir);
        return EXIT_INTERRUPTED;
    }
    show(options, dir);
    if (n_wrong)
        fprintf(stderr, "dvbench: %zu answers are wrong: verdict and reason stand in %s/scan.csv\n", n_wrong,
                dir);
    return n_wrong ? EXIT_CHECK_FAILED : EXIT_FINE;
}

/* A new folder that stayed empty goes again. */
static int run(const struct scan_options *options, struct strings *words, const char *resume_dir,
               struct dv_error *error_out)
{
    char *dir = NULL;
    struct engine *engine = NULL;
    int code = EXIT_FINE;
    int status = duckdb_engine_open(&engine, options->duckdb, NULL, error_out);
    if (status == 0)
        status = resume_dir ? (dir = strdup(resume_dir)) ? 0 : dv_no_memory(error_out)
                            : run_dir_create(&dir, options->out_dir, "scan", error_out);
    if (status == 0) {
        struct scan scan = {.options = options,
                            .engine = engine,
                            .dir = dir,
                            .argc = (int)words->n_items,
                            .argv = words->items,
                            .is_resumed = resume_dir != NULL,
                            .interrupted = &interrupted};
        running = engine;
        catch_signals();
        status = scan_run(&scan, error_out);
        running = NULL;
        if (status == 0)
            code = finish(options, dir, scan.n_wrong_out);
        else if (!resume_dir)
            rmdir(dir);
    }
    engine_close(engine);
    free(dir);
    return status < 0 ? status : code;
}

int command_scan(int argc, char **argv, struct dv_error *error_out)
{
    struct scan_options options;
    struct strings words = {0};
    char *resume_dir = NULL;
    int code = EXIT_FINE;
    int status = scan_options_parse(&options, argc, argv, error_out);
    const bool is_help = options.help;
    if (is_help)
        fputs(scan_options_help, stdout);
    if (status == 0 && !is_help) {
        resume_dir = options.resume_dir ? strdup(options.resume_dir) : NULL;
        status = gather_words(&words, resume_dir, argc, argv, error_out);
    }
    if (status == 0 && !is_help) {
        scan_options_free(&options);
        status = scan_options_parse(&options, (int)words.n_items, words.items, error_out);
    }
    if (status == 0 && !is_help)
        code = run(&options, &words, resume_dir, error_out);
    scan_options_free(&options);
    strings_free(&words);
    free(resume_dir);
    return status < 0 ? status : code;
}
