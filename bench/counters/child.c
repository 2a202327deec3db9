/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"

#define EXIT_NO_START 126

/* What may change the code that runs there, and must therefore be the same as here. */
static const char *const kept[] = {"PATH",         "DVBENCH_CPU_MASK", "DVBENCH_PLUGINS", "LD_LIBRARY_PATH",
                                   "VALGRIND_LIB", "GLIBC_TUNABLES"};
#define N_KEPT (sizeof kept / sizeof kept[0])

struct environment {
    char *items[N_KEPT + 2];
    size_t n_items;
};

static void environment_free(struct environment *environment)
{
    for (size_t i = 0; i < environment->n_items; i++)
        free(environment->items[i]);
}

static int environment_make(struct environment *environment_out, struct dv_error *error_out)
{
    *environment_out = (struct environment){0};
    for (size_t i = 0; i <= N_KEPT; i++) {
        const char *name = i < N_KEPT ? kept[i] : "LC_ALL";
        const char *value = i < N_KEPT ? getenv(name) : "C";
        if (!value)
            continue;
        char *item = NULL;
        if (asprintf(&item, "%s=%s", name, value) < 0) {
            environment_free(environment_out);
            return dv_no_memory(error_out);
        }
        environment_out->items[environment_out->n_items++] = item;
    }
    return 0;
}

/* Between fork and exec: only system calls. */
static void __attribute__((noreturn)) become(char *const *argv, char *const *environment,
                                             const char *directory, const cpu_set_t *cpus, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || chdir(directory) != 0)
        _exit(EXIT_NO_START);
    sched_setaffinity(0, sizeof *cpus, cpus); /* refused: slower, and just as right */
    personality(ADDR_NO_RANDOMIZE); /* refused in some containers: then two runs may differ in alignment */
    int in = open("/dev/null", O_RDONLY);
    int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(EXIT_NO_START);
    execve(argv[0], argv, environment);
    _exit(EXIT_NO_START);
}

int child_start(struct child *child_out, char *const *argv, const char *directory, const cpu_set_t *cpus,
                struct dv_error *error_out)
{
    struct environment environment;
    pid_t parent = getpid();
    *child_out = (struct child){.pid = -1};
    int status = environment_make(&environment, error_out);
    if (status != 0)
        return status;
    pid_t pid = fork();
    if (pid == 0)
        become(argv, environment.items, directory, cpus, parent);
    int error = errno;
    environment_free(&environment);
    if (pid < 0)
        return dv_fail(error_out, DV_ERROR_IO, "cannot start a child: %s", strerror(error));
    child_out->pid = pid;
    return 0;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int child_wait(struct child *child, double seconds)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    double deadline_s = now_s() + seconds;
    int late = 0;
    int status = 0;
    for (;;) {
        pid_t got = waitpid(child->pid, &status, WNOHANG);
        if (got == child->pid)
            break;
        if (got < 0 && errno != EINTR)
            return child->exit_code = EXIT_NO_START;
        if (!late && now_s() > deadline_s) {
            late = 1;
            kill(child->pid, SIGKILL);
        }
        nanosleep(&pause, NULL);
    }
    child->pid = -1;
    child->exit_code = late ? CHILD_TOO_LONG : WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    return child->exit_code;
}

int child_find(char *path_out, size_t n_path, const char *name, struct dv_error *error_out)
{
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        size_t n_folder = strcspn(folder, ":");
        int n = snprintf(path_out, n_path, "%.*s/%s", (int)n_folder, folder, name);
        struct stat info; /* a folder of that name may be searched, which is what X_OK says of it */
        if (folder[0] == '/' && n > 0 && (size_t)n < n_path && access(path_out, X_OK) == 0 &&
            stat(path_out, &info) == 0 && S_ISREG(info.st_mode))
            return 0;
        folder += n_folder;
        folder += *folder == ':';
    }
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "no program '%s' in PATH", name);
}
