/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void clear_line(const struct progress *progress)
{
    if (progress->is_terminal)
        fputs("\r\033[K", stderr);
}

void progress_begin(struct progress *progress, size_t n_blocks, bool quiet)
{
    *progress = (struct progress){
        .quiet = quiet, .is_terminal = isatty(STDERR_FILENO) == 1, .n_blocks = n_blocks, .begin_s = now_s()};
}

/* ", 1:05 left", from the mean of what is done: blocks of one plan cost about the same. Nothing before one is
 * done: a guess from the settings knows neither the machine nor what is counted. */
static void time_left(const struct progress *progress, double fraction, char *text, size_t n_text)
{
    text[0] = '\0';
    if (!progress->n_measured)
        return;
    const double block_s = (now_s() - progress->begin_s) / ((double)progress->n_measured + fraction);
    const long left = (long)(block_s * ((double)(progress->n_blocks - progress->n_done) - fraction) + 0.5);
    snprintf(text, n_text, ", %ld:%02ld left", left / 60, left % 60);
}

void progress_block(struct progress *progress, const char *title)
{
    snprintf(progress->title, sizeof progress->title, "%s", title);
    progress->last_shown_s = 0;
    progress_step(progress, "opens", 0);
    if (!progress->quiet && !progress->is_terminal) {
        char left[48];
        time_left(progress, 0, left, sizeof left);
        fprintf(stderr, "block %zu of %zu: %s%s\n", progress->n_done + 1, progress->n_blocks, progress->title,
                left);
    }
}

void progress_step(struct progress *progress, const char *step, double fraction)
{
    if (progress->quiet || !progress->is_terminal || now_s() - progress->last_shown_s < 0.1)
        return;
    char left[48];
    progress->last_shown_s = now_s();
    time_left(progress, fraction, left, sizeof left);
    clear_line(progress);
    fprintf(stderr, "[%zu/%zu] %.70s: %s%s", progress->n_done + 1, progress->n_blocks, progress->title, step,
            left);
    fflush(stderr);
}

void progress_block_done(struct progress *progress, bool was_measured)
{
    progress->n_done++;
    progress->n_measured += was_measured;
}

void progress_note(struct progress *progress, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    clear_line(progress);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void progress_end(struct progress *progress)
{
    if (!progress->quiet)
        clear_line(progress);
    fflush(stderr);
}
