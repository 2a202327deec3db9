/* SPDX-License-Identifier: Apache-2.0 */
#include "alternate.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "random.h"
#include "run_dir.h"
#include "run_json.h"
#include "run_record.h"
#include "summary.h"
#include "sweep_starts.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int signal_number)
{
    interrupted = signal_number;
}

/* --- what the user said --- */

/* The program itself, or what a build folder or an installation has it as. */
static int find_program(char **program_out, const char *given, struct dv_error *error_out)
{
    static const char *const places[] = {"bench/commands/dvbench", "bin/dvbench"};
    struct stat found;
    *program_out = NULL;
    if (stat(given, &found) != 0)
        return dv_fail(error_out, DV_ERROR_INPUT, "%s: %s", given, strerror(errno));
    if (!S_ISDIR(found.st_mode))
        *program_out = realpath(given, NULL);
    for (size_t i = 0; S_ISDIR(found.st_mode) && !*program_out && i < sizeof places / sizeof *places; i++) {
        char *path = run_dir_file(given, places[i]);
        *program_out = path ? realpath(path, NULL) : NULL;
        free(path);
    }
    if (!*program_out || access(*program_out, X_OK) != 0)
        return dv_fail(error_out, DV_ERROR_INPUT, "%s: no program dvbench there that can be run", given);
    return 0;
}

static int find_programs(struct alternate *alternate, char **given, size_t n_given,
                         struct dv_error *error_out)
{
    if (n_given < 2 || n_given > ALTERNATE_SIDES_LIMIT)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "%s: give 2 to %d programs or build folders, the older first", alternate->command,
                       ALTERNATE_SIDES_LIMIT);
    int status = 0;
    for (size_t i = 0; status == 0 && i <= n_given; i++) {
        struct alternate_side *side = &alternate->sides[alternate->n_sides++];
        snprintf(side->name, sizeof side->name, i < n_given ? "%c" : "a-again", 'a' + (int)i);
        status = find_program(&side->program, given[i < n_given ? i : 0], error_out);
    }
    return status;
}

/* What the sweeps will be told must be right before the first of them starts. */
static int read_words(struct alternate *alternate, struct dv_error *error_out)
{
    char name[] = "sweep", **words = calloc((size_t)alternate->n_words + 2, sizeof *words);
    struct sweep_options options;
    if (!words)
        return dv_no_memory(error_out);
    words[0] = name;
    for (int i = 0; i < alternate->n_words; i++) /* getopt moves them */
        words[i + 1] = alternate->words[i];
    int status = sweep_options_parse(&options, alternate->n_words + 1, words, error_out);
    free(words);
    if (status < 0)
        return status;
    if (options.out_dir || options.resume_dir || options.benchmark_out || options.start >= 0 ||
        options.list_tests || options.help)
        status = dv_fail(error_out, DV_ERROR_USAGE,
                         "%s: --out and --resume stand before the --; --start, --benchmark_out, "
                         "--benchmark_list_tests and --help of sweep cannot be given",
                         alternate->command);
    alternate->n_starts = options.starts > 1 ? options.starts : ALTERNATE_STARTS;
    alternate->seed = options.seed;
    sweep_options_free(&options);
    return status;
}

static int index_of_dashes(int argc, char **argv)
{
    int index = 0;
    while (index < argc && strcmp(argv[index], "--") != 0)
        index++;
    return index;
}

/* The recorded words before the --, those of now, and the same after it. */
static int recall(struct alternate *alternate, int argc, char **argv, struct dv_error *error_out)
{
    struct strings before = {0};
    int status = run_record_arguments(alternate->resume_dir, &before, error_out);
    if (status == 0 && strcmp(before.items[0], alternate->command) != 0)
        status = dv_fail(error_out, DV_ERROR_USAGE, "--resume %s: a run of %s, not of %s",
                         alternate->resume_dir, before.items[0], alternate->command);
    const int n_before = (int)before.n_items, n_before_own = index_of_dashes(n_before, before.items),
              n_own = index_of_dashes(argc, argv);
    for (int i = 0; status == 0 && i < n_before_own; i++)
        status = strings_add_text(&alternate->given, before.items[i], error_out);
    for (int i = 1; status == 0 && i < n_own; i++)
        status = strings_add_text(&alternate->given, argv[i], error_out);
    if (status == 0)
        status = strings_add_text(&alternate->given, "--", error_out);
    for (int i = n_before_own + 1; status == 0 && i < n_before; i++)
        status = strings_add_text(&alternate->given, before.items[i], error_out);
    for (int i = n_own + 1; status == 0 && i < argc; i++)
        status = strings_add_text(&alternate->given, argv[i], error_out);
    strings_free(&before);
    return status;
}

/* getopt moves words, so that it works on a list of its own. */
static int set_argv(struct alternate *alternate, int argc, char **argv, struct dv_error *error_out)
{
    free(alternate->argv);
    alternate->argv = calloc((size_t)argc + 1, sizeof *alternate->argv);
    if (!alternate->argv)
        return dv_no_memory(error_out);
    memcpy(alternate->argv, argv, (size_t)argc * sizeof *argv);
    const int n_own = index_of_dashes(argc, argv);
    alternate->words = alternate->argv + n_own + (n_own < argc);
    alternate->n_words = argc - n_own - (n_own < argc);
    return n_own;
}

int alternate_read(struct alternate *alternate, int argc, char **argv, const struct option *table,
                   int (*take)(void *context, int value, const char *argument, struct dv_error *error_out),
                   void *context, struct dv_error *error_out)
{
    alternate->lock_fd = -1;
    int n_own = set_argv(alternate, argc, argv, error_out);
    int first = n_own < 0 ? n_own : options_read(n_own, alternate->argv, table, take, context, error_out);
    if (first > 0 && first == n_own && alternate->resume_dir) {
        int status = recall(alternate, argc, argv, error_out);
        if (status < 0)
            return status;
        n_own = set_argv(alternate, (int)alternate->given.n_items, alternate->given.items, error_out);
        optind = 0;
        first = n_own < 0 ? n_own : options_read(n_own, alternate->argv, table, take, context, error_out);
    }
    optind = 0;
    if (first <= 0)
        return first;
    alternate->n_options = first;
    int status = alternate->out_dir && alternate->resume_dir
                     ? dv_fail(error_out, DV_ERROR_USAGE, "%s: --out and --resume exclude each other",
                               alternate->command)
                     : find_programs(alternate, alternate->argv + first, (size_t)(n_own - first), error_out);
    if (status == 0)
        status = read_words(alternate, error_out);
    return status < 0 ? status : 1;
}

/* --- the run's folder --- */

/* A sub-run for each side; one that is there already is continued where `may_exist`. */
static int make_folders(struct alternate *alternate, const char *dir, bool may_exist,
                        struct dv_error *error_out)
{
    for (size_t i = 0; i < alternate->n_sides; i++) {
        alternate->sides[i].dir = run_dir_file(dir, alternate->sides[i].name);
        if (!alternate->sides[i].dir)
            return dv_no_memory(error_out);
        if (mkdir(alternate->sides[i].dir, 0777) != 0 && (errno != EEXIST || !may_exist))
            return dv_fail(error_out, errno == EEXIST ? DV_ERROR_USAGE : DV_ERROR_IO,
                           "%s: %s; --resume %s continues", alternate->sides[i].dir, strerror(errno), dir);
    }
    return 0;
}

/* --out and --resume, also shortened, with their value: a folder may move. */
static int n_words_of_folder(const char *word)
{
    if (strncmp(word, "--o", 3) != 0 && strncmp(word, "--r", 3) != 0)
        return 0;
    return strchr(word, '=') ? 1 : 2;
}

/* The options before the --, the programs' full paths, the words after it. */
static json_t *arguments(const struct alternate *alternate)
{
    json_t *list = json_array();
    json_array_append_new(list, json_string(alternate->command));
    for (int i = 1; i < alternate->n_options;) {
        const int n_skipped = n_words_of_folder(alternate->argv[i]);
        if (n_skipped == 0)
            json_array_append_new(list, json_string(alternate->argv[i]));
        i += n_skipped ? n_skipped : 1;
    }
    for (size_t i = 0; i + 1 < alternate->n_sides; i++)
        json_array_append_new(list, json_string(alternate->sides[i].program));
    json_array_append_new(list, json_string("--"));
    for (int i = 0; i < alternate->n_words; i++)
        json_array_append_new(list, json_string(alternate->words[i]));
    return list;
}

/* What --resume needs and a report shows; the rest is in the sides' own. */
static int write_record(const struct alternate *alternate, const char *state, struct dv_error *error_out)
{
    json_t *programs = json_object();
    for (size_t i = 0; i < alternate->n_sides; i++)
        json_object_set_new(programs, alternate->sides[i].name, json_string(alternate->sides[i].program));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:i}", "schema", COLUMNS_SCHEMA, "run",
                  run_dir_name(alternate->dir), "status", state, "arguments", arguments(alternate), "plugins",
                  run_json_plugins(), "programs", programs, "starts_of_each", alternate->n_starts);
    const int status = run_json_save(alternate->dir, root, error_out);
    json_decref(root);
    return status;
}

/* --- measuring --- */

static int run_side(const struct alternate *alternate, const struct alternate_side *side, int start,
                    const char *filter, struct dv_error *error_out)
{
    /* The verdicts are of times: events are counted only where the user's own words ask for it. */
    static const char *const first[] = {"sweep", "--counters", "none"};
    struct strings words = {0};
    char number[16];
    int code = EXIT_FINE, status = 0;
    snprintf(number, sizeof number, "%d", start);
    for (size_t i = 0; status == 0 && i < sizeof first / sizeof *first; i++)
        status = strings_add_text(&words, first[i], error_out);
    for (int i = 0; status == 0 && i < alternate->n_words; i++)
        status = strings_add_text(&words, alternate->words[i], error_out);
    const char *const added[] = {"--start", number, "--out", side->dir, filter ? "--benchmark_filter" : NULL,
                                 filter};
    for (size_t i = 0; status == 0 && i < sizeof added / sizeof *added && added[i]; i++)
        status = strings_add_text(&words, added[i], error_out);
    if (status == 0)
        status =
            sweep_starts_child(side->program, &words, alternate->lock_fd, &interrupted, &code, error_out);
    strings_free(&words);
    if (code == EXIT_INTERRUPTED && !interrupted)
        interrupted = SIGINT;
    const bool is_wrong = code == EXIT_CHECK_FAILED && summary_count_verdict(side->dir, "wrong") > 0;
    if (status == 0 && code != EXIT_FINE && !is_wrong && !interrupted)
        status = dv_fail(error_out, DV_ERROR_IO, "%s (%s): process start %d ended with exit code %d",
                         side->program, side->name, start, code);
    return status;
}

/* A shuffled order, then the same one backwards, so that a drift of the machine meets all sides alike. */
static void order_of_start(const struct alternate *alternate, int start, size_t *order_out)
{
    const size_t n = alternate->n_sides;
    for (size_t i = 0; i < n; i++)
        order_out[i] = i;
    random_shuffle(order_out, n, sizeof *order_out, alternate->seed + (uint64_t)(start / 2));
    for (size_t i = 0; start % 2 && i < n / 2; i++) {
        const size_t other = order_out[n - 1 - i];
        order_out[n - 1 - i] = order_out[i];
        order_out[i] = other;
    }
}

static int measure(const struct alternate *alternate, const char *filter, struct dv_error *error_out)
{
    int status = 0;
    for (int start = 0; status == 0 && start < alternate->n_starts; start++) {
        size_t order[ALTERNATE_SIDES_LIMIT + 1];
        order_of_start(alternate, start, order);
        for (size_t i = 0; status == 0 && !interrupted && i < alternate->n_sides; i++) {
            const struct alternate_side *side = &alternate->sides[order[i]];
            fprintf(stderr, "process start %d of %d: %s%s\n", start + 1, alternate->n_starts, side->name,
                    filter ? ", once more what failed" : "");
            status = run_side(alternate, side, start, filter, error_out);
        }
    }
    return status;
}

static int say_interrupted(const struct alternate *alternate)
{
    fprintf(stderr, "dvbench: interrupted; what was measured is in %s; %s --resume %s continues\n",
            alternate->dir, alternate->command, alternate->dir);
    return EXIT_INTERRUPTED;
}

int alternate_run(struct alternate *alternate, struct dv_error *error_out)
{
    int status = 0;
    if (alternate->resume_dir)
        alternate->dir = strdup(alternate->resume_dir);
    else
        status = run_dir_create(&alternate->dir, alternate->out_dir, alternate->command, error_out);
    if (status == 0)
        status = run_dir_lock(&alternate->lock_fd, alternate->dir, error_out);
    if (status == 0)
        status = make_folders(alternate, alternate->dir, alternate->resume_dir, error_out);
    if (status == 0)
        status = write_record(alternate, "running", error_out);
    command_catch_signals(on_signal);
    if (status == 0)
        status = measure(alternate, NULL, error_out);
    if (status == 0)
        status = write_record(alternate, interrupted ? "interrupted" : "complete", error_out);
    return status < 0 ? status : interrupted ? say_interrupted(alternate) : EXIT_FINE;
}

int alternate_run_some(const struct alternate *alternate, size_t side, const char *name, const char *cells,
                       struct dv_error *error_out)
{
    struct alternate some = *alternate;
    const char *const programs[] = {alternate->sides[0].program, alternate->sides[side].program,
                                    alternate->sides[0].program},
                      *const names[] = {"a", "b", "a-again"};
    char *dir = run_dir_file(alternate->dir, name);
    some.n_sides = 3;
    some.n_starts *= 2;
    for (size_t i = 0; i < some.n_sides; i++) {
        some.sides[i] = (struct alternate_side){.program = (char *)programs[i]}; /* borrowed */
        snprintf(some.sides[i].name, sizeof some.sides[i].name, "%s", names[i]);
    }
    int status = dir ? 0 : dv_no_memory(error_out);
    if (status == 0 && mkdir(dir, 0777) != 0 && errno != EEXIST)
        status = dv_fail(error_out, DV_ERROR_IO, "%s: %s", dir, strerror(errno));
    if (status == 0)
        status = make_folders(&some, dir, true, error_out);
    if (status == 0)
        status = measure(&some, cells, error_out);
    for (size_t i = 0; i < some.n_sides; i++)
        free(some.sides[i].dir);
    free(dir);
    return status < 0 ? status : interrupted ? say_interrupted(alternate) : EXIT_FINE;
}

void alternate_close(struct alternate *alternate)
{
    for (size_t i = 0; i < alternate->n_sides; i++) {
        free(alternate->sides[i].program);
        free(alternate->sides[i].dir);
    }
    if (alternate->lock_fd >= 0)
        close(alternate->lock_fd);
    strings_free(&alternate->given);
    free(alternate->argv);
    free(alternate->dir);
}
