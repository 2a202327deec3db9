/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random.h"

/* No element of any sink can equal both, whatever the batch, so that one of the two passes shows a dropped
 * store. */
enum { GARBAGE_A = 0xA5, GARBAGE_B = 0x5A };

/* Larger batches are not repeated: that costs time and shows nothing more. */
enum { MAX_REPEATED_ROWS = 10000 };

const char *verdict_id(enum verdict_kind kind)
{
    static const char *const ids[] = {
        [VERDICT_OK] = "ok", [VERDICT_WRONG] = "wrong", [VERDICT_UNAVAILABLE] = "unavailable"};
    return ids[kind];
}

/* Fills a verdict other than ok as printf does and returns 0. */
__attribute__((format(printf, 3, 4))) static int not_ok(struct verdict *verdict_out, enum verdict_kind kind,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    verdict_out->kind = kind;
    vsnprintf(verdict_out->reason, sizeof verdict_out->reason, format, args);
    va_end(args);
    return 0;
}

static void print_element(char *text_out, size_t n_text_bytes, enum sink_kind sink, const void *elements,
                          size_t index)
{
    switch (sink) {
    case SINK_row_ids:
        snprintf(text_out, n_text_bytes, "%" PRId32, ((const int32_t *)elements)[index]);
        break;
    case SINK_is_deleted:
        snprintf(text_out, n_text_bytes, "%u", ((const uint8_t *)elements)[index]);
        break;
    case SINK_live_mask:
        snprintf(text_out, n_text_bytes, "0x%016" PRIx64, ((const uint64_t *)elements)[index]);
        break;
    case SINK_deleted_offsets:
        snprintf(text_out, n_text_bytes, "%" PRIu32, ((const uint32_t *)elements)[index]);
        break;
    case SINK_live_runs: {
        const struct sink_run *run = (const struct sink_run *)elements + index;
        snprintf(text_out, n_text_bytes, "(%" PRIu32 ", %" PRIu32 ")", run->start, run->length);
        break;
    }
    case SINK_touch:
        snprintf(text_out, n_text_bytes, "%" PRIu64, ((const uint64_t *)elements)[index]);
    }
}

static int wrong_element(const struct expected *expected, const struct batch *batch, const void *out,
                         struct verdict *verdict_out)
{
    size_t element_bytes = sink_element_bytes(expected->sink);
    size_t index = 0;
    while (memcmp((const char *)out + index * element_bytes,
                  (const char *)expected->out + index * element_bytes, element_bytes) == 0)
        index++;
    char found[48], wanted[48];
    print_element(found, sizeof found, expected->sink, out, index);
    print_element(wanted, sizeof wanted, expected->sink, expected->out, index);
    return not_ok(verdict_out, VERDICT_WRONG,
                  "%s[%zu] = %s, oracle %s (batch at %" PRIu64 ", %" PRIu32 " rows)", sink_id(expected->sink),
                  index, found, wanted, batch->start, batch->n_rows);
}

int verify_output(const struct expected *expected, const struct batch *batch, uint32_t n_live,
                  const struct sink *sink, struct verdict *verdict_out)
{
    if (n_live != expected->n_live)
        return not_ok(verdict_out, VERDICT_WRONG,
                      "%" PRIu32 " live rows, oracle %" PRIu32 " (batch at %" PRIu64 ", %" PRIu32 " rows)",
                      n_live, expected->n_live, batch->start, batch->n_rows);
    if (sink->n_out != expected->n_out)
        return not_ok(verdict_out, VERDICT_WRONG,
                      "n_out = %" PRIu32 ", oracle %" PRIu32 " (batch at %" PRIu64 ", %" PRIu32 " rows)",
                      sink->n_out, expected->n_out, batch->start, batch->n_rows);
    if (memcmp(sink->out, expected->out, expected->n_out * sink_element_bytes(expected->sink)) != 0)
        return wrong_element(expected, batch, sink->out, verdict_out);
    *verdict_out = (struct verdict){.kind = VERDICT_OK};
    return 1;
}

/* One verification: what all its passes share. */
struct verification {
    const struct kernel *kernel;
    const struct dv *dv;
    enum sink_kind sink;
    struct kernel_state state;
    bool is_open; /* state is to be closed */
    size_t state_bytes;
    struct verify_room *room;
    struct verdict *verdict;
};

/* One pass: which batches, in which order, into what. */
struct pass {
    const struct batch *batches;
    size_t n_batches;
    unsigned n_repeats; /* runs of each batch in a row */
    enum guard_placement placement;
    uint8_t garbage;
};

/* One kernel call, as guard_call takes it. Volatile: read after a fault ended it. */
struct one_call {
    struct verification *verification;
    const struct batch *batch;
    struct sink sink;
    volatile uint32_t n_live;
};

static void call_kernel(void *argument)
{
    struct one_call *call = argument;
    struct verification *v = call->verification;
    call->n_live =
        v->kernel->run[v->sink](v->dv, &v->state, call->batch->start, call->batch->n_rows, &call->sink);
}

static int wrong_by_fault(const struct verification *v, const struct batch *batch,
                          const struct guard_fault *fault)
{
    const uint8_t *address = fault->address, *out = v->room->buffer.data;
    const uint8_t *bytes = v->dv->bytes;
    char place[80];
    if (fault->signal != SIGSEGV && fault->signal != SIGBUS)
        snprintf(place, sizeof place, "an instruction");
    else if (address >= out - 4096 && address < out + v->room->buffer.n_bytes + 2 * 4096)
        snprintf(place, sizeof place, "byte %td of the sink's %zu", address - out, v->room->buffer.n_bytes);
    else if (address >= bytes - 4096 && address < bytes + v->dv->n_bytes + 4096)
        snprintf(place, sizeof place, "byte %td of the vector's %zu", address - bytes, v->dv->n_bytes);
    else
        snprintf(place, sizeof place, "an address of neither sink nor vector");
    return not_ok(v->verdict, VERDICT_WRONG, "signal %d (%s) at %s (batch at %" PRIu64 ", %" PRIu32 " rows)",
                  fault->signal, strsignal(fault->signal), place, batch->start, batch->n_rows);
}

/* Runs one batch into fresh garbage and looks at everything. Returns 1 where fine. */
static int verify_batch(struct verification *v, const struct batch *batch, const struct pass *pass)
{
    guard_place(&v->room->buffer, dv_sink_bytes(v->sink, batch->n_rows), pass->placement);
    guard_fill(&v->room->buffer, pass->garbage);
    struct one_call call = {
        .verification = v, .batch = batch, .sink = {.out = v->room->buffer.data, .n_out = UINT32_MAX}};
    struct guard_fault fault;
    if (guard_call(call_kernel, &call, &fault) != 0)
        return wrong_by_fault(v, batch, &fault);
    ptrdiff_t broken = guard_check(&v->room->buffer);
    if (broken != 0)
        return not_ok(v->verdict, VERDICT_WRONG,
                      "wrote %td bytes %s the sink's buffer (batch at %" PRIu64 ", %" PRIu32 " rows)",
                      broken > 0 ? broken : -broken, broken > 0 ? "after the slack of" : "before",
                      batch->start, batch->n_rows);
    if (call.sink.out != v->room->buffer.data)
        return not_ok(v->verdict, VERDICT_WRONG, "moved sink->out (batch at %" PRIu64 ")", batch->start);
    return verify_output(&v->room->expected, batch, call.n_live, &call.sink, v->verdict);
}

static int run_pass(struct verification *v, const struct pass *pass)
{
    for (size_t i = 0; i < pass->n_batches; i++) {
        expected_fill(&v->room->expected, v->dv, &pass->batches[i]);
        unsigned n_repeats = pass->batches[i].n_rows <= MAX_REPEATED_ROWS ? pass->n_repeats : 1;
        for (unsigned repeat = 0; repeat < n_repeats; repeat++)
            if (!verify_batch(v, &pass->batches[i], pass))
                return 0;
    }
    return 1;
}

/* Leaves each batch in with probability 1/2, but the last one always: what comes after a gap is what
 * matters. */
static size_t leave_gaps(struct batch *items, size_t n_items, uint64_t seed)
{
    size_t n_left = 0;
    for (size_t i = 0; i < n_items; i++)
        if (i + 1 == n_items || random_below(&seed, 2) == 0)
            items[n_left++] = items[i];
    return n_left;
}

static void close_state(struct verification *v)
{
    if (v->is_open && v->kernel->close)
        v->kernel->close(&v->state);
    v->state = (struct kernel_state){0};
    v->is_open = false;
}

/* Opens the kernel's state anew. Returns 1; else 0 with the verdict, or a negative code. */
static int reopen(struct verification *v, struct dv_error *error_out)
{
    close_state(v);
    int status = v->kernel->open ? v->kernel->open(v->dv, &v->state, error_out) : 0;
    if (status == DV_ERROR_UNAVAILABLE ||
        status == DV_ERROR_MEMORY) /* what this vector asks of this machine */
        return not_ok(v->verdict, VERDICT_UNAVAILABLE, "%s", error_out->message);
    if (status != 0)
        return status;
    v->is_open = true;
    v->state_bytes = v->state.n_bytes;
    return 1;
}

/* The passes in order: into both kinds of garbage. The second continues with the state of the first. */
static int passes_in_order(struct verification *v, const struct batches *batches)
{
    struct pass pass = {batches->items, batches->n_items, 1, GUARD_AT_END, GARBAGE_A};
    int status = run_pass(v, &pass);
    pass.garbage = GARBAGE_B;
    pass.placement = GUARD_AT_START;
    return status == 1 ? run_pass(v, &pass) : status;
}

static int passes_out_of_order(struct verification *v, const struct batches *batches,
                               const struct verify_options *options, struct dv_error *error_out)
{
    struct batch *items = malloc((batches->n_items + 1) * sizeof *items);
    if (!items)
        return dv_no_memory(error_out);
    int status = 1;
    if (options->shuffled) {
        memcpy(items, batches->items, batches->n_items * sizeof *items);
        random_shuffle(items, batches->n_items, sizeof *items, options->seed);
        status = run_pass(v, &(struct pass){items, batches->n_items, 2, GUARD_AT_END, GARBAGE_A});
    }
    if (options->gaps && status == 1) {
        memcpy(items, batches->items, batches->n_items * sizeof *items);
        size_t n_left = leave_gaps(items, batches->n_items, options->seed);
        status = reopen(v, error_out);
        if (status == 1)
            status = run_pass(v, &(struct pass){items, n_left, 1, GUARD_AT_END, GARBAGE_B});
    }
    free(items);
    return status;
}

static int all_passes(struct verification *v, const struct batches *batches,
                      const struct verify_options *options, struct dv_error *error_out)
{
    struct guard_handlers previous;
    guard_catch(&previous);
    int status = passes_in_order(v, batches);
    if (status == 1 && options)
        status = passes_out_of_order(v, batches, options, error_out);
    guard_release(&previous);
    return status;
}

static uint32_t largest_batch(const struct batches *batches)
{
    uint32_t n_rows = 0;
    for (size_t i = 0; i < batches->n_items; i++)
        if (batches->items[i].n_rows > n_rows)
            n_rows = batches->items[i].n_rows;
    return n_rows;
}

void verify_room_close(struct verify_room *room)
{
    guard_close(&room->buffer);
    expected_close(&room->expected);
}

static int room_enlarge(struct verify_room *room, enum sink_kind sink, uint32_t max_rows,
                        struct dv_error *error_out)
{
    const size_t n_bytes = dv_sink_bytes(sink, max_rows);
    int status = 0;
    if (!room->buffer.pages || room->buffer.capacity_bytes < n_bytes) {
        guard_close(&room->buffer);
        status = guard_open(&room->buffer, n_bytes, error_out);
    }
    if (status == 0 &&
        (!room->expected.out || room->expected.max_rows < max_rows || room->expected.n_bytes < n_bytes)) {
        expected_close(&room->expected);
        status = expected_open(&room->expected, sink, max_rows, error_out);
    }
    room->expected.sink = sink;
    return status;
}

static int verify_here(const struct kernel *kernel, const struct dv *dv, const struct batches *batches,
                       enum sink_kind sink, const struct verify_options *options, struct verdict *verdict_out,
                       struct dv_error *error_out)
{
    *verdict_out = (struct verdict){.kind = VERDICT_OK};
    const char *unavailable = kernel_unavailable(kernel, sink);
    if (unavailable) {
        not_ok(verdict_out, VERDICT_UNAVAILABLE, "%s", unavailable);
        return 0;
    }
    if (dv->view.cardinality > 0 && dv->intervals.n_items == 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "the vector was opened without its intervals");

    struct verify_room own = {0};
    struct verification v = {.kernel = kernel,
                             .dv = dv,
                             .sink = sink,
                             .verdict = verdict_out,
                             .room = options && options->room ? options->room : &own};
    struct dv_error error = {0};
    int status = room_enlarge(v.room, sink, largest_batch(batches), &error);
    if (status == 0)
        status = reopen(&v, &error);
    if (status == 1)
        status = all_passes(&v, batches, options, &error);
    close_state(&v);
    verdict_out->state_bytes = v.state_bytes;
    verify_room_close(&own);
    if (status < 0 && error_out)
        *error_out = error;
    return status < 0 ? status : 0;
}

/* What a child says of its verification. */
struct answer {
    int status;
    struct verdict verdict;
    struct dv_error error;
};

/* Longer than any kernel here takes: one that never ends must not hold a sweep. */
enum { FOREIGN_MS = 120000 };

/* Waits for the answer and the end of a child. Returns false where the child ended without an answer. */
static bool take_answer(int from, pid_t child, struct answer *answer_out, int *end_out)
{
    struct pollfd wait = {.fd = from, .events = POLLIN};
    const bool is_late = poll(&wait, 1, FOREIGN_MS) == 0;
    if (is_late)
        kill(child, SIGKILL);
    const ssize_t n_read = is_late ? 0 : read(from, answer_out, sizeof *answer_out);
    while (waitpid(child, end_out, 0) < 0 && errno == EINTR)
        continue;
    return n_read == (ssize_t)sizeof *answer_out;
}

/* In a child process: a kernel that is not ours may write anywhere. */
static int verify_in_child(const struct kernel *kernel, const struct dv *dv, const struct batches *batches,
                           enum sink_kind sink, const struct verify_options *options,
                           struct verdict *verdict_out, struct dv_error *error_out)
{
    int ends[2], end = 0;
    struct answer answer = {0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "cannot make a pipe");
    const pid_t child = fork();
    if (child == 0) {
        answer.status = verify_here(kernel, dv, batches, sink, options, &answer.verdict, &answer.error);
        _exit(write(ends[1], &answer, sizeof answer) != (ssize_t)sizeof answer);
    }
    close(ends[1]);
    const bool is_answered = child > 0 && take_answer(ends[0], child, &answer, &end);
    close(ends[0]);
    if (child < 0)
        return dv_fail(error_out, DV_ERROR_IO, "cannot start a process");
    *verdict_out = answer.verdict;
    if (!is_answered && WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL)
        return not_ok(verdict_out, VERDICT_WRONG, "its check did not end, or was killed");
    if (!is_answered && WIFSIGNALED(end))
        return not_ok(verdict_out, VERDICT_WRONG, "ended its process by signal %d (%s) outside a batch",
                      WTERMSIG(end), strsignal(WTERMSIG(end)));
    if (!is_answered)
        return not_ok(verdict_out, VERDICT_WRONG, "ended its process with exit code %d", WEXITSTATUS(end));
    if (answer.status < 0 && error_out)
        *error_out = answer.error;
    return answer.status;
}

int verify_kernel(const struct kernel *kernel, const struct dv *dv, const struct batches *batches,
                  enum sink_kind sink, const struct verify_options *options, struct verdict *verdict_out,
                  struct dv_error *error_out)
{
    return (kernel->flags & KERNEL_IS_FOREIGN ? verify_in_child : verify_here)(
        kernel, dv, batches, sink, options, verdict_out, error_out);
}
