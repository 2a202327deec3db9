/* SPDX-License-Identifier: Apache-2.0 */
/* dvbench ab: two or more programs in alternated process starts, the first of them twice; then the gate. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "random.h"
#include "run_dir.h"
#include "summary.h"
#include "sweep_starts.h"

#define AB_SIDES_LIMIT 16
#define AB_STARTS      4 /* where the sweep's options leave it at one */

struct ab_side {
    char *program; /* owned */
    char *dir;     /* owned: of the sub-run */
    char name[16];
};

struct ab {
    struct ab_side sides[AB_SIDES_LIMIT + 1]; /* the last one is the first program again */
    size_t n_sides;
    char **words; /* the sweep's options; borrowed */
    int n_words;
    int n_starts;
    uint64_t seed;
    const char *out_dir;
    const char *resume_dir;
    const char *threshold;
    bool with_all;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int signal_number)
{
    interrupted = signal_number;
}

enum { OPTION_OUT = 256, OPTION_RESUME, OPTION_THRESHOLD, OPTION_ALL };

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct ab *ab = context;
    double threshold_pct;
    switch (value) {
    case OPTION_OUT:
        ab->out_dir = argument;
        return 0;
    case OPTION_RESUME:
        ab->resume_dir = argument;
        return 0;
    case OPTION_ALL:
        ab->with_all = true;
        return 0;
    default:
        ab->threshold = argument;
        return command_threshold(argument, &threshold_pct, error_out);
    }
}

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

static int find_programs(struct ab *ab, char **given, size_t n_given, struct dv_error *error_out)
{
    if (n_given < 2 || n_given > AB_SIDES_LIMIT)
        return dv_fail(error_out, DV_ERROR_USAGE,
                       "ab: give 2 to %d programs or build folders, the older first", AB_SIDES_LIMIT);
    int status = 0;
    for (size_t i = 0; status == 0 && i <= n_given; i++) {
        struct ab_side *side = &ab->sides[ab->n_sides++];
        snprintf(side->name, sizeof side->name, i < n_given ? "%c" : "a-again", 'a' + (int)i);
        status = find_program(&side->program, given[i < n_given ? i : 0], error_out);
    }
    return status;
}

/* What the sweeps will be told must be right before the first of them starts. */
static int read_words(struct ab *ab, struct dv_error *error_out)
{
    char name[] = "sweep", **words = calloc((size_t)ab->n_words + 2, sizeof *words);
    struct sweep_options options;
    if (!words)
        return dv_no_memory(error_out);
    words[0] = name;
    for (int i = 0; i < ab->n_words; i++) /* getopt moves them */
        words[i + 1] = ab->words[i];
    int status = sweep_options_parse(&options, ab->n_words + 1, words, error_out);
    free(words);
    if (status < 0)
        return status;
    if (options.out_dir || options.resume_dir || options.benchmark_out || options.start >= 0 ||
        options.list_tests || options.help)
        status = dv_fail(error_out, DV_ERROR_USAGE,
                         "ab: --out and --resume stand before the --; --start, --benchmark_out, "
                         "--benchmark_list_tests and --help of sweep cannot be given");
    ab->n_starts = options.starts > 1 ? options.starts : AB_STARTS;
    ab->seed = options.seed;
    sweep_options_free(&options);
    return status;
}

/* A sub-run a side; one that is there already is continued. */
static int make_folders(struct ab *ab, const char *dir, struct dv_error *error_out)
{
    for (size_t i = 0; i < ab->n_sides; i++) {
        ab->sides[i].dir = run_dir_file(dir, ab->sides[i].name);
        if (!ab->sides[i].dir)
            return dv_no_memory(error_out);
        if (mkdir(ab->sides[i].dir, 0777) != 0 && (errno != EEXIST || !ab->resume_dir))
            return dv_fail(error_out, errno == EEXIST ? DV_ERROR_USAGE : DV_ERROR_IO,
                           "%s: %s; --resume %s continues", ab->sides[i].dir, strerror(errno), dir);
    }
    return 0;
}

static int run_side(const struct ab *ab, const struct ab_side *side, int start, int lock_fd,
                    struct dv_error *error_out)
{
    struct strings words = {0};
    char number[16];
    int code = EXIT_FINE;
    snprintf(number, sizeof number, "%d", start);
    int status = strings_add_text(&words, "sweep", error_out);
    for (int i = 0; status == 0 && i < ab->n_words; i++)
        status = strings_add_text(&words, ab->words[i], error_out);
    const char *const added[] = {"--start", number, "--out", side->dir};
    for (size_t i = 0; status == 0 && i < sizeof added / sizeof *added; i++)
        status = strings_add_text(&words, added[i], error_out);
    if (status == 0)
        status = sweep_starts_child(side->program, &words, lock_fd, &interrupted, &code, error_out);
    strings_free(&words);
    if (code == EXIT_INTERRUPTED && !interrupted)
        interrupted = SIGINT;
    const bool is_wrong = code == EXIT_CHECK_FAILED && summary_count_wrong(side->dir) > 0;
    if (status == 0 && code != EXIT_FINE && !is_wrong && !interrupted)
        status = dv_fail(error_out, DV_ERROR_IO, "%s (%s): process start %d ended with exit code %d",
                         side->program, side->name, start, code);
    return status;
}

/* A shuffled order, then the same one backwards, so that a drift of the machine meets all sides alike. */
static void order_of_start(const struct ab *ab, int start, size_t *order_out)
{
    for (size_t i = 0; i < ab->n_sides; i++)
        order_out[i] = i;
    random_shuffle(order_out, ab->n_sides, sizeof *order_out, ab->seed + (uint64_t)(start / 2));
    for (size_t i = 0; start % 2 && i < ab->n_sides / 2; i++) {
        const size_t other = order_out[ab->n_sides - 1 - i];
        order_out[ab->n_sides - 1 - i] = order_out[i];
        order_out[i] = other;
    }
}

static int measure(const struct ab *ab, int lock_fd, struct dv_error *error_out)
{
    int status = 0;
    for (int start = 0; status == 0 && start < ab->n_starts; start++) {
        size_t order[AB_SIDES_LIMIT + 1];
        order_of_start(ab, start, order);
        for (size_t i = 0; status == 0 && !interrupted && i < ab->n_sides; i++) {
            const struct ab_side *side = &ab->sides[order[i]];
            fprintf(stderr, "process start %d of %d: %s\n", start + 1, ab->n_starts, side->name);
            status = run_side(ab, side, start, lock_fd, error_out);
        }
    }
    return status;
}

/* The gate's own answer on this side against the first, with the first's second run as the noise floor. */
static int gate_side(const struct ab *ab, const struct ab_side *side, struct dv_error *error_out)
{
    char *words[] = {"gate",
                     ab->sides[0].dir,
                     side->dir,
                     "--allow-differences",
                     "--by",
                     "time",
                     "--baseline-again",
                     ab->sides[ab->n_sides - 1].dir,
                     NULL,
                     NULL,
                     NULL,
                     NULL};
    int n_words = 8;
    if (ab->threshold) {
        words[n_words++] = "--threshold";
        words[n_words++] = (char *)ab->threshold;
    }
    if (ab->with_all)
        words[n_words++] = "--all";
    printf("A is %s\nB is %s (%s)\n", ab->sides[0].program, side->program, side->name);
    optind = 0;
    return command_gate(n_words, words, error_out);
}

/* A regression counts more than noise. */
static int gate_all(const struct ab *ab, struct dv_error *error_out)
{
    int worst = EXIT_FINE;
    for (size_t i = 1; i + 1 < ab->n_sides; i++) {
        const int code = gate_side(ab, &ab->sides[i], error_out);
        if (code < 0)
            return code;
        if (code == EXIT_CHECK_FAILED || worst == EXIT_FINE)
            worst = code;
    }
    return worst;
}

static int run(struct ab *ab, struct dv_error *error_out)
{
    char *dir = NULL;
    int lock_fd = -1;
    int status = read_words(ab, error_out);
    if (status == 0 && ab->resume_dir)
        dir = strdup(ab->resume_dir);
    else if (status == 0)
        status = run_dir_create(&dir, ab->out_dir, "ab", error_out);
    if (status == 0)
        status = run_dir_lock(&lock_fd, dir, error_out);
    if (status == 0)
        status = make_folders(ab, dir, error_out);
    command_catch_signals(on_signal);
    if (status == 0)
        status = measure(ab, lock_fd, error_out);
    if (lock_fd >= 0)
        close(lock_fd);
    if (status == 0 && interrupted) {
        fprintf(
            stderr,
            "dvbench: interrupted; what was measured is in %s; ab --resume %s and the same words continue\n",
            dir, dir);
        status = EXIT_INTERRUPTED;
    } else if (status == 0) {
        status = gate_all(ab, error_out);
        fprintf(stderr, "the runs are in %s\n", dir);
    }
    free(dir);
    return status;
}

static void help(void)
{
    printf(
        "usage: dvbench ab A B [C...] [--out DIR|--resume DIR] [--threshold PERCENT] [--all] [-- SWEEP "
        "OPTIONS]\n"
        "Measures builds of dvbench in one go and gates each against the first. A, B: programs, or folders "
        "of\n"
        "builds. In every process start each side runs once, A twice (a and a-again), in a shuffled order\n"
        "and in the next start backwards. Samples are paired by process start and round; what a and a-again\n"
        "differ by is the noise floor. Exit codes are those of gate: 1 for a regression, 5 for too noisy.\n"
        "  --out DIR         one run folder for each side in it: a, b, ..., a-again; default "
        "results/<date>-ab\n"
        "  --resume DIR      continues; give the same programs and options\n"
        "  --threshold, --all  as of gate\n"
        "  SWEEP OPTIONS     see sweep --help; --starts where it is above 1, else %d, is how often each "
        "side\n"
        "                    starts; --seed is that of the order too\n",
        AB_STARTS);
}

int command_ab(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {{"out", required_argument, NULL, OPTION_OUT},
                                          {"resume", required_argument, NULL, OPTION_RESUME},
                                          {"threshold", required_argument, NULL, OPTION_THRESHOLD},
                                          {"all", no_argument, NULL, OPTION_ALL},
                                          OPTIONS_END};
    struct ab ab = {0};
    int n_own = 1;
    while (n_own < argc && strcmp(argv[n_own], "--") != 0)
        n_own++;
    ab.words = argv + n_own + 1;
    ab.n_words = argc > n_own ? argc - n_own - 1 : 0;
    int first = options_read(n_own, argv, table, take_option, &ab, error_out);
    if (first == 0)
        help();
    if (first <= 0)
        return first;
    optind = 0;
    int status = ab.out_dir && ab.resume_dir
                     ? dv_fail(error_out, DV_ERROR_USAGE, "ab: --out and --resume exclude each other")
                     : find_programs(&ab, argv + first, (size_t)(n_own - first), error_out);
    if (status == 0)
        status = run(&ab, error_out);
    for (size_t i = 0; i < ab.n_sides; i++) {
        free(ab.sides[i].program);
        free(ab.sides[i].dir);
    }
    return status;
}
