/* SPDX-License-Identifier: Apache-2.0 */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pdf_date.h"

#ifndef DVBENCH_PLOTS_SOURCE
#define DVBENCH_PLOTS_SOURCE ""
#endif
#ifndef DVBENCH_PLOTS_INSTALLED
#define DVBENCH_PLOTS_INSTALLED ""
#endif

#define TIMEOUT_MS       60000
#define EXIT_NOT_FOUND   127
#define EXIT_NOT_STARTED 126

int gnuplot_find_scripts(char *path_out, size_t n_path, struct dv_error *error_out)
{
    const char *places[] = {getenv("DVBENCH_PLOTS"), DVBENCH_PLOTS_SOURCE, DVBENCH_PLOTS_INSTALLED};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char probe[4096];
        if (!places[i] || places[i][0] == '\0')
            continue;
        int n = snprintf(probe, sizeof probe, "%s/common.gp", places[i]);
        if (n < (int)sizeof probe && access(probe, R_OK) == 0 && strlen(places[i]) < n_path) {
            memcpy(path_out, places[i], strlen(places[i]) + 1);
            return 0;
        }
    }
    return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                   "found no folder with the figures' gnuplot scripts; set DVBENCH_PLOTS to it");
}

/* In the child: never returns. */
static void become_gnuplot(const char *script_path, const struct gnuplot_variable *variables,
                           size_t n_variables, int output)
{
    for (size_t i = 0; i < n_variables; i++)
        setenv(variables[i].name, variables[i].value, 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    int input = open("/dev/null", O_RDONLY);
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execlp("gnuplot", "gnuplot", "-d", "-c", script_path, (char *)NULL);
    _exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_STARTED);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Keeps the last line that is not empty: gnuplot says what is wrong last. Returns false where the time is up
 * before the end of the output. */
static bool collect_last_line(int input, char *said, size_t n_said)
{
    int64_t deadline = now_ms() + TIMEOUT_MS;
    size_t n = 0;
    bool line_ended = false;
    said[0] = '\0';
    for (;;) {
        struct pollfd wait = {.fd = input, .events = POLLIN};
        int64_t left = deadline - now_ms();
        int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
        if (ready == 0)
            return false;
        char bytes[512];
        ssize_t n_read = ready > 0 ? read(input, bytes, sizeof bytes) : -1;
        if (n_read == 0 || (n_read < 0 && errno != EINTR))
            return true;
        for (ssize_t i = 0; i < n_read; i++) {
            if (bytes[i] == '\n') {
                line_ended = true;
                continue;
            }
            if (line_ended)
                n = 0;
            line_ended = false;
            if (n + 1 < n_said)
                said[n++] = bytes[i];
        }
        said[n] = '\0';
    }
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A PDF that keeps its date is still a picture, so `said_out` has the reason and nothing fails. */
static void remove_date(const struct gnuplot_variable *variables, size_t n_variables, char *said_out,
                        size_t n_said)
{
    char path[4096];
    struct dv_error error = {0};
    for (size_t i = 0; i < n_variables; i++)
        if (strcmp(variables[i].name, "DVBENCH_OUT") == 0) {
            const int n = snprintf(path, sizeof path, "%s.pdf", variables[i].value);
            if (n < (int)sizeof path && access(path, F_OK) == 0 && pdf_date_remove(path, &error) < 0)
                snprintf(said_out, n_said, "%s", error.message);
        }
}

int gnuplot_run(const char *script_path, const struct gnuplot_variable *variables, size_t n_variables,
                char *said_out, size_t n_said, struct dv_error *error_out)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "no pipe for gnuplot: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(script_path, variables, n_variables, ends[1]);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return dv_fail(error_out, DV_ERROR_IO, "no process for gnuplot: %s", strerror(errno));
    }
    bool in_time = collect_last_line(ends[0], said_out, n_said);
    close(ends[0]);
    if (!in_time)
        kill(child, SIGKILL);
    int status = wait_for(child);
    if (!in_time)
        return dv_fail(error_out, DV_ERROR_IO, "gnuplot took more than %d s", TIMEOUT_MS / 1000);
    if (status == EXIT_NOT_FOUND)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE,
                       "gnuplot is not installed (Debian: apt-get install gnuplot-nox); `dvbench plot` draws "
                       "the figures later");
    if (status != 0)
        return dv_fail(error_out, DV_ERROR_IO, "gnuplot failed (%d): %s", status, said_out);
    remove_date(variables, n_variables, said_out, n_said);
    return 0;
}
