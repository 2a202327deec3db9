/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_code.h"
#include "run_dir.h"
#include "summary.h"
#include "sweep_starts.h"

extern char **environ;

static int add_word(struct strings *words, const char *word)
{
    return strings_add(words, word, strlen(word));
}

/* The user's words, then what makes it a child. The order matters: run.json records what stands before
 * --start. */
static int child_words(struct strings *words, const char *dir, int lock_fd, int start, const char *json_path,
                       int argc, char **argv)
{
    char number[48];
    int status = 0;
    snprintf(number, sizeof number, "%d:%d:%d", start, lock_fd, (int)getpid());
    for (int i = 0; status == 0 && i < argc; i++)
        status = add_word(words, argv[i]);
    const char *const added[] = {"--start", number, "--out", dir, json_path ? "--benchmark_out" : NULL,
                                 json_path};
    for (size_t i = 0; status == 0 && i < sizeof added / sizeof added[0] && added[i]; i++)
        status = add_word(words, added[i]);
    return status;
}

/* Waits for the child. A signal that may have reached only this process is passed on as the other of the
 * two: where a terminal has sent it to both, the same one again would end the child at once. */
static int wait_for(pid_t child, const volatile sig_atomic_t *interrupted)
{
    int state;
    bool passed_on = false;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return -1;
        if (*interrupted && !passed_on) {
            kill(child, *interrupted == SIGINT ? SIGTERM : SIGINT);
            passed_on = true;
        }
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int sweep_starts_child(const char *program, const struct strings *words, int lock_fd,
                       const volatile sig_atomic_t *interrupted, int *code_out, struct dv_error *error_out)
{
    char **child_argv = calloc(words->n_items + 2, sizeof *child_argv);
    char name[] = "dvbench";
    pid_t child;
    if (!child_argv)
        return dv_no_memory(error_out);
    child_argv[0] = name;
    memcpy(child_argv + 1, words->items, words->n_items * sizeof *child_argv);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, lock_fd, lock_fd); /* without close-on-exec */
    int failed = posix_spawn(&child, program, &actions, NULL, child_argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(child_argv);
    if (failed)
        return dv_fail(error_out, DV_ERROR_IO, "cannot start %s: %s", program, strerror(failed));
    *code_out = wait_for(child, interrupted);
    return 0;
}

static int run_start(const char *dir, int lock_fd, int start, const char *json_path, int argc, char **argv,
                     volatile sig_atomic_t *interrupted, struct dv_error *error_out)
{
    struct strings words = {0};
    int code = EXIT_FINE;
    int status = child_words(&words, dir, lock_fd, start, json_path, argc, argv);
    status = status < 0
                 ? dv_no_memory(error_out)
                 : sweep_starts_child("/proc/self/exe", &words, lock_fd, interrupted, &code, error_out);
    strings_free(&words);
    if (code == EXIT_INTERRUPTED && !*interrupted)
        *interrupted = SIGINT; /* it reached only the child */
    const bool is_wrong = code == EXIT_CHECK_FAILED && summary_count_verdict(dir, "wrong") > 0;
    if (status == 0 && code != EXIT_FINE && !is_wrong && !*interrupted)
        status = dv_fail(error_out, DV_ERROR_IO, "process start %d ended with exit code %d", start, code);
    return status;
}

static int append_part(json_t *joined, const char *part, struct dv_error *error_out)
{
    json_error_t error;
    json_t *root = json_load_file(part, 0, &error);
    json_t *benchmarks = json_object_get(root, "benchmarks");
    if (!json_is_array(benchmarks)) {
        json_decref(root);
        return dv_fail(error_out, DV_ERROR_IO, "%s: no benchmarks in it", part);
    }
    if (!json_object_get(joined, "context"))
        json_object_set(joined, "context", json_object_get(root, "context"));
    json_array_extend(json_object_get(joined, "benchmarks"), benchmarks);
    json_decref(root);
    return 0;
}

/* Writes `path` with the context of the first part and the benchmarks of all, as compare.py wants it, then removes
 * the parts. */
static int join_benchmarks(const char *path, char *const *parts, size_t n_parts, struct dv_error *error_out)
{
    json_t *joined = json_object();
    json_object_set_new(joined, "benchmarks", json_array());
    int status = 0;
    for (size_t i = 0; status == 0 && i < n_parts; i++)
        status = append_part(joined, parts[i], error_out);
    if (status == 0 && json_dump_file(joined, path, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) != 0)
        status = dv_fail(error_out, DV_ERROR_IO, "--benchmark_out=%s: %s", path, strerror(errno));
    json_decref(joined);
    for (size_t i = 0; status == 0 && i < n_parts; i++)
        unlink(parts[i]);
    return status;
}

int sweep_starts_run(const struct sweep_options *options, const char *dir, int lock_fd, int argc, char **argv,
                     volatile sig_atomic_t *interrupted, struct dv_error *error_out)
{
    struct strings parts = {0};
    int status = 0;
    for (int start = 0; status == 0 && start < options->starts && !*interrupted; start++) {
        char *part = NULL;
        if (options->benchmark_out && asprintf(&part, "%s.start%d", options->benchmark_out, start) < 0)
            part = NULL;
        if (!options->quiet)
            fprintf(stderr, "process start %d of %d\n", start + 1, options->starts);
        status = run_start(dir, lock_fd, start, part, argc, argv, interrupted, error_out);
        if (status == 0 && part && add_word(&parts, part) < 0)
            status = dv_no_memory(error_out);
        free(part);
    }
    if (status == 0 && parts.n_items)
        status = join_benchmarks(options->benchmark_out, parts.items, parts.n_items, error_out);
    strings_free(&parts);
    return status;
}

int sweep_starts_enter(const struct sweep_options *options, const char *dir, int *lock_fd_out,
                       struct dv_error *error_out)
{
    struct stat inherited, folder;
    *lock_fd_out = options->lock_fd;
    if (options->parent && (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != options->parent))
        return dv_fail(error_out, DV_ERROR_IO, "the process that began start %d is gone", options->start);
    if (options->lock_fd >= 0 && fstat(options->lock_fd, &inherited) == 0 && stat(dir, &folder) == 0 &&
        inherited.st_dev == folder.st_dev && inherited.st_ino == folder.st_ino)
        return fcntl(options->lock_fd, F_SETFD, FD_CLOEXEC) < 0 ? DV_ERROR_IO : 0;
    return run_dir_lock(lock_fd_out, dir, error_out);
}
