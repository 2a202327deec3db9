/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sink.h"

enum { ALIGN_BYTES = 64, CANARY_BYTES = 64 };

/* Differs from byte to byte, so that a kernel which copies or repeats a byte over it does not restore it by
 * luck. */
static uint8_t canary_at(const uint8_t *place)
{
    return (uint8_t)(0xC5 ^ ((uintptr_t)place * 151));
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Maps n_bytes, rounded up to pages, between two pages that may not be touched. Returns the first byte
 * between them. */
static uint8_t *map_between_guards(size_t n_bytes, size_t *n_pages_bytes_out, struct dv_error *error_out)
{
    size_t page = page_bytes();
    size_t n_inner;
    if (__builtin_add_overflow(n_bytes, page - 1, &n_inner) || n_inner > SIZE_MAX / 2) {
        dv_fail(error_out, DV_ERROR_MEMORY, "a guarded buffer of %zu bytes is too large", n_bytes);
        return NULL;
    }
    n_inner -= n_inner % page;
    uint8_t *outer = mmap(NULL, n_inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (outer == MAP_FAILED) {
        dv_fail(error_out, DV_ERROR_MEMORY, "cannot map %zu bytes: %s", n_bytes, strerror(errno));
        return NULL;
    }
    if (n_inner > 0 && mprotect(outer + page, n_inner, PROT_READ | PROT_WRITE) != 0) {
        dv_fail(error_out, DV_ERROR_MEMORY, "cannot unlock %zu bytes: %s", n_bytes, strerror(errno));
        munmap(outer, n_inner + 2 * page);
        return NULL;
    }
    *n_pages_bytes_out = n_inner;
    return outer + page;
}

static void unmap_between_guards(uint8_t *pages, size_t n_pages_bytes)
{
    if (pages)
        munmap(pages - page_bytes(), n_pages_bytes + 2 * page_bytes());
}

int guard_open(struct guard_buffer *buffer_out, size_t n_bytes, struct dv_error *error_out)
{
    *buffer_out = (struct guard_buffer){0};
    size_t n_all;
    if (__builtin_add_overflow(n_bytes, SINK_SLACK_BYTES + CANARY_BYTES + ALIGN_BYTES, &n_all))
        return dv_fail(error_out, DV_ERROR_MEMORY, "a guarded buffer of %zu bytes is too large", n_bytes);
    buffer_out->pages = map_between_guards(n_all, &buffer_out->n_pages_bytes, error_out);
    if (!buffer_out->pages)
        return DV_ERROR_MEMORY;
    buffer_out->capacity_bytes = n_bytes;
    memset(buffer_out->pages, 0xAA, buffer_out->n_pages_bytes);
    guard_place(buffer_out, n_bytes, GUARD_AT_END);
    return 0;
}

static uint8_t *behind_slack(const struct guard_buffer *buffer)
{
    return (uint8_t *)buffer->data + buffer->n_bytes + SINK_SLACK_BYTES;
}

/* The canaries reach to the guard pages, but at most this far: a whole buffer of them would cost more than
 * the check. */
static size_t canary_bytes_before(const struct guard_buffer *buffer)
{
    size_t n_before = (size_t)((uint8_t *)buffer->data - buffer->pages);
    return n_before < 4 * CANARY_BYTES ? n_before : 4 * CANARY_BYTES;
}

static size_t canary_bytes_behind(const struct guard_buffer *buffer)
{
    size_t n_behind = (size_t)(buffer->pages + buffer->n_pages_bytes - behind_slack(buffer));
    return n_behind < 4 * CANARY_BYTES ? n_behind : 4 * CANARY_BYTES;
}

void guard_place(struct guard_buffer *buffer, size_t n_bytes, enum guard_placement placement)
{
    buffer->n_bytes = n_bytes < buffer->capacity_bytes ? n_bytes : buffer->capacity_bytes;
    size_t n_behind = buffer->n_bytes + SINK_SLACK_BYTES + CANARY_BYTES;
    size_t offset = placement == GUARD_AT_END ? buffer->n_pages_bytes - n_behind : 0;
    buffer->data = buffer->pages + (offset - offset % ALIGN_BYTES);

    uint8_t *data = buffer->data;
    for (size_t n = 1; n <= canary_bytes_before(buffer); n++)
        data[-(ptrdiff_t)n] = canary_at(data - n);
    uint8_t *behind = behind_slack(buffer);
    for (size_t i = 0; i < canary_bytes_behind(buffer); i++)
        behind[i] = canary_at(behind + i);
}

void guard_fill(struct guard_buffer *buffer, uint8_t garbage)
{
    memset(buffer->data, garbage, buffer->n_bytes + SINK_SLACK_BYTES);
}

ptrdiff_t guard_check(const struct guard_buffer *buffer)
{
    const uint8_t *behind = behind_slack(buffer);
    for (size_t i = 0; i < canary_bytes_behind(buffer); i++)
        if (behind[i] != canary_at(behind + i))
            return (ptrdiff_t)i + 1;
    const uint8_t *data = buffer->data;
    for (size_t n = 1; n <= canary_bytes_before(buffer); n++)
        if (data[-(ptrdiff_t)n] != canary_at(data - n))
            return -(ptrdiff_t)n;
    return 0;
}

void guard_close(struct guard_buffer *buffer)
{
    unmap_between_guards(buffer->pages, buffer->n_pages_bytes);
    *buffer = (struct guard_buffer){0};
}

int guard_copy_open(struct guard_copy *copy_out, const void *bytes, size_t n_bytes,
                    struct dv_error *error_out)
{
    *copy_out = (struct guard_copy){0};
    uint8_t *pages = map_between_guards(n_bytes, &copy_out->n_pages_bytes, error_out);
    if (!pages)
        return DV_ERROR_MEMORY;
    uint8_t *data = pages + copy_out->n_pages_bytes - n_bytes;
    if (n_bytes > 0) {
        memcpy(data, bytes, n_bytes);
        mprotect(pages, copy_out->n_pages_bytes, PROT_READ);
    }
    copy_out->pages = pages;
    copy_out->data = data;
    copy_out->n_bytes = n_bytes;
    return 0;
}

void guard_copy_close(struct guard_copy *copy)
{
    unmap_between_guards(copy->pages, copy->n_pages_bytes);
    *copy = (struct guard_copy){0};
}

static const int caught_signals[GUARD_N_SIGNALS] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

struct guarded_call {
    sigjmp_buf back;
    struct guard_fault *fault; /* the caller's: a local of guard_call would be indeterminate after the jump */
};

/* A signal handler gets no argument of ours: the one pointer that must be reachable from anywhere. */
static _Thread_local struct guarded_call *volatile current_call;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    struct guarded_call *call = current_call;
    if (!call) { /* not of a guarded call: the instruction runs again and kills as it would have */
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        return;
    }
    *call->fault = (struct guard_fault){.signal = signal, .address = info->si_addr};
    siglongjmp(call->back, 1);
}

void guard_catch(struct guard_handlers *previous_out)
{
    /* Nothing is blocked in the handler, so that a call costs no system call to save and restore the mask. */
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < GUARD_N_SIGNALS; i++)
        sigaction(caught_signals[i], &action, &previous_out->actions[i]);
}

void guard_release(const struct guard_handlers *previous)
{
    for (int i = 0; i < GUARD_N_SIGNALS; i++)
        sigaction(caught_signals[i], &previous->actions[i], NULL);
}

int guard_call(void (*function)(void *argument), void *argument, struct guard_fault *fault_out)
{
    *fault_out = (struct guard_fault){0};
    struct guarded_call call = {.fault = fault_out};
    current_call = &call;
    if (sigsetjmp(call.back, 0) == 0)
        function(argument);
    current_call = NULL;
    return fault_out->signal;
}
