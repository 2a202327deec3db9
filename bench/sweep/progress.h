/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of a long run: one line that redraws itself on a terminal, plain lines elsewhere.
 *
 * Place in the data flow: sweep and blocks say where they are; standard error shows it. */
#ifndef DVBENCH_PROGRESS_H
#define DVBENCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool quiet;
    bool is_terminal;
    size_t n_blocks;
    size_t n_done;
    size_t n_measured; /* of them, those not found done already by a resumed run */
    double begin_s;    /* monotonic */
    double last_shown_s;
    char title[160];
};

/* The time left is shown from the second block on: how long one takes is known when one was measured. */
void progress_begin(struct progress *progress, size_t n_blocks, bool quiet);

/* A block starts: `title` says which. */
void progress_block(struct progress *progress, const char *title);

/* What happens inside the block: `step` and how much of the block is done, 0 .. 1. */
void progress_step(struct progress *progress, const char *step, double fraction);

/* `was_measured`: false where a resumed run had it already. */
void progress_block_done(struct progress *progress, bool was_measured);

/* One line that stays: a warning, a wrong kernel. Shown even when quiet. */
void progress_note(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

void progress_end(struct progress *progress);

#endif
