/* SPDX-License-Identifier: Apache-2.0 */
/* Guarded memory: buffers around which a stray access is seen, and calls that survive one.
 *
 * Place in the data flow: verify and measure hand guarded sink buffers to kernels; check and the tests also
 * hand them a guarded copy of the serialized bytes.
 *
 *    PROT_NONE page | canary | data: n_bytes | slack: SINK_SLACK_BYTES | canary | PROT_NONE page
 *
 * A write into a canary is seen by guard_check, an access beyond it faults and is seen by guard_call. `data`
 * is 64-byte aligned, therefore the canary after it is 64 to 127 bytes long where the buffer lies at the end of
 * its pages, and the canary before is none where it lies at the start. */
#ifndef DVBENCH_GUARD_H
#define DVBENCH_GUARD_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "dv.h"

enum guard_placement {
    GUARD_AT_END,   /* the page after it is near: writes too far are the common mistake */
    GUARD_AT_START, /* the page before touches the data: for writes before it */
};

struct guard_buffer {
    void *data;            /* writable; 64-byte aligned */
    size_t n_bytes;        /* usable, without the slack after them */
    uint8_t *pages;        /* private: first byte between the two guard pages */
    size_t n_pages_bytes;  /* private: bytes between the guard pages */
    size_t capacity_bytes; /* private: the largest n_bytes */
};

/* Maps a buffer of n_bytes usable bytes plus slack, touched, canaries written, placed GUARD_AT_END. Returns 0
 * or DV_ERROR_MEMORY with `error_out` filled and `buffer_out` zeroed. guard_close releases it. */
int guard_open(struct guard_buffer *buffer_out, size_t n_bytes, struct dv_error *error_out);

/* Moves the data of an open buffer, so that n_bytes (at most those of guard_open) and the slack lie at the
 * given end, and writes the canaries anew. The contents are lost. `data` changes. */
void guard_place(struct guard_buffer *buffer, size_t n_bytes, enum guard_placement placement);

/* Fills data and slack with the byte `garbage`: a store that a kernel drops then shows. */
void guard_fill(struct guard_buffer *buffer, uint8_t garbage);

/* 0 where both canaries are intact; else the distance in bytes of the nearest broken one: n > 0 is the n-th
 * byte after the slack, n < 0 the -n-th byte before the data. */
ptrdiff_t guard_check(const struct guard_buffer *buffer);

/* Unmaps; an all-zero buffer is fine. */
void guard_close(struct guard_buffer *buffer);

/* A read-only copy of bytes whose last byte touches a PROT_NONE page: reading one byte too many faults, and
 * so does writing any. Its address is as unaligned as its length. */
struct guard_copy {
    const uint8_t *data;
    size_t n_bytes;
    uint8_t *pages;       /* private */
    size_t n_pages_bytes; /* private */
};

/* Copies n_bytes bytes (0 is fine). Returns 0 or DV_ERROR_MEMORY. guard_copy_close releases it. */
int guard_copy_open(struct guard_copy *copy_out, const void *bytes, size_t n_bytes,
                    struct dv_error *error_out);
void guard_copy_close(struct guard_copy *copy);

/* What ended a guarded call. */
struct guard_fault {
    int signal;          /* 0 where the call returned; else SIGSEGV, SIGBUS, SIGILL or SIGFPE */
    const void *address; /* what was accessed, or the instruction for SIGILL and SIGFPE */
};

enum { GUARD_N_SIGNALS = 4 };

struct guard_handlers {
    struct sigaction actions[GUARD_N_SIGNALS]; /* private */
};

/* Catches the four signals from here to guard_release, which restores what was there. Once per verification,
 * not per call: eight system calls around each kernel call were most of what a check spent. */
void guard_catch(struct guard_handlers *previous_out);
void guard_release(const struct guard_handlers *previous);

/* Calls function(argument), between guard_catch and guard_release. A fault ends the call where it stands: what
 * it allocated is lost, and what it wrote is as it was left; variables that the caller wants to read afterwards
 * are reached through `argument` and are volatile. One call per thread at a time, not nested. Returns 0, or the
 * signal. */
int guard_call(void (*function)(void *argument), void *argument, struct guard_fault *fault_out);

#endif
