/* SPDX-License-Identifier: Apache-2.0 */
/* `loop CELL`: one cell's batches again and again, for a profiler that shall see nothing else. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_name.h"
#include "command.h"
#include "measure.h"
#include "mode.h"
#include "vector_options.h"
#include "verify.h"

enum { OPTION_SECONDS = 256, OPTION_MAX_BATCHES, OPTION_PERF_CTL, OPTION_READY_FD };

/* Batches of one pass in replay, as in a sweep: so many that the loop around them costs nothing. */
enum { LOOP_REPLAY_BATCHES = 64, LOOP_SECONDS_MOST = 86400, PERF_ANSWER_MS = 10000 };

/* An error code of this command: main's exit 1, as for a check that failed. */
enum { LOOP_WRONG = -1 };

struct loop_options {
    struct vector_options vectors;
    uint64_t seconds;
    uint64_t max_batches;
    const char *perf_ctl; /* borrowed: CONTROL[,ACK] or NULL */
    int ready_fd;         /* -1: none */
    char *cell;           /* owned; `name` points into it */
    struct cell_name name;
    const struct kernel *kernel;
    enum sink_kind sink;
    uint32_t batch_rows;
    bool is_replay;
};

static const char help[] =
    "usage: dvbench loop KERNEL/SINK@DV[,batch=N][,mode=stream|replay] [options]\n"
    "Opens the vector, compares every batch with the oracle, then runs only this cell's batches: for perf, "
    "VTune or\n"
    "uProf. Prints ns per row at the end. DV is a recipe or a file, as for sweep.\n"
    "  --seconds N             how long to run (default 5)\n"
    "  --max-batches N         batches of a pass, spread over the file (default 1600)\n"
    "  --perf-ctl CTL[,ACK]    perf's control fifos: `enable` is written before the loop, `disable` after "
    "it\n"
    "  --ready-fd N            writes `ready PID` to this descriptor before the loop, `done` after it\n"
    "\n"
    "Only the loop is sampled, not opening and checking:\n"
    "  mkfifo ctl ack\n"
    "  perf record --delay=-1 --control fifo:ctl,ack -- dvbench loop per_row/row_ids@uniform:rate=5% "
    "--perf-ctl ctl,ack\n"
    "\n";

static int take_option(void *context, int value, const char *argument, struct dv_error *error_out)
{
    struct loop_options *options = context;
    uint64_t number = 0;
    int status;
    switch (value) {
    case OPTION_SECONDS:
        return option_number("seconds", argument, 1, LOOP_SECONDS_MOST, &options->seconds, error_out);
    case OPTION_MAX_BATCHES:
        return option_number("max-batches", argument, 1, OPTION_BATCHES_LIMIT, &options->max_batches,
                             error_out);
    case OPTION_PERF_CTL:
        options->perf_ctl = strncmp(argument, "fifo:", 5) == 0 ? argument + 5 : argument;
        return 0;
    case OPTION_READY_FD:
        status = option_number("ready-fd", argument, 0, INT32_MAX, &number, error_out);
        options->ready_fd = (int)number;
        if (status == 0 && fcntl(options->ready_fd, F_GETFD) < 0)
            status = dv_fail(error_out, DV_ERROR_USAGE, "--ready-fd %d: no such open descriptor",
                             options->ready_fd);
        return status;
    default:
        return vector_options_take(&options->vectors, value, argument, error_out);
    }
}

static int parse_mode(struct loop_options *options, struct dv_error *error_out)
{
    const int mode = options->name.mode ? mode_find(options->name.mode) : MODE_stream;
    options->is_replay = mode == MODE_replay;
    if (mode == MODE_cold)
        return dv_fail(
            error_out, DV_ERROR_UNAVAILABLE,
            "mode=cold: a profile of it would show the copies of the vector as well; use mode=stream");
    return mode >= 0
               ? 0
               : dv_fail(error_out, DV_ERROR_USAGE, "mode=%s: expected stream or replay", options->name.mode);
}

/* Cuts the cell's name and finds what it names. */
static int parse_cell(struct loop_options *options, const char *text, struct dv_error *error_out)
{
    options->cell = strdup(text);
    if (!options->cell)
        return dv_no_memory(error_out);
    if (!cell_name_parse(&options->name, options->cell))
        return dv_fail(error_out, DV_ERROR_USAGE, "'%s' is not a cell: KERNEL/SINK@DV[,batch=N][,mode=M]",
                       text);
    options->kernel = kernel_find(options->name.kernel);
    const int sink = sink_find(options->name.sink);
    if (!options->kernel)
        return dv_fail(error_out, DV_ERROR_USAGE, "unknown kernel \"%s\" (see dvbench list kernels)",
                       options->name.kernel);
    if (sink < 0)
        return dv_fail(error_out, DV_ERROR_USAGE, "unknown sink \"%s\" (see dvbench list sinks)",
                       options->name.sink);
    options->sink = (enum sink_kind)sink;
    uint64_t batch_rows = 5000;
    int status = options->name.batch ? option_number("batch", options->name.batch, 1, OPTION_BATCH_ROWS_LIMIT,
                                                     &batch_rows, error_out)
                                     : 0;
    options->batch_rows = (uint32_t)batch_rows;
    return status == 0 ? parse_mode(options, error_out) : status;
}

/* --- the profiler --- */

struct profiler {
    int control_fd; /* -1: none */
    int ack_fd;     /* -1: none */
    int ready_fd;   /* -1: none */
};

/* perf holds its ends open, so neither call waits: without perf the control fifo has no reader. */
static int profiler_open(struct profiler *profiler_out, const struct loop_options *options,
                         struct dv_error *error_out)
{
    *profiler_out = (struct profiler){-1, -1, options->ready_fd};
    if (!options->perf_ctl)
        return 0;
    const size_t n_control = strcspn(options->perf_ctl, ",");
    char *control = strndup(options->perf_ctl, n_control);
    if (!control)
        return dv_no_memory(error_out);
    int status = 0;
    profiler_out->control_fd = open(control, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (profiler_out->control_fd < 0)
        status =
            dv_fail(error_out, DV_ERROR_IO,
                    "--perf-ctl %s: no perf reads this fifo; start with perf record --delay=-1 --control "
                    "fifo:%s",
                    control, options->perf_ctl);
    free(control);
    if (status == 0 && options->perf_ctl[n_control] == ',') {
        profiler_out->ack_fd = open(options->perf_ctl + n_control + 1, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        if (profiler_out->ack_fd < 0)
            status = dv_fail(error_out, DV_ERROR_IO, "--perf-ctl: cannot open the fifo %s",
                             options->perf_ctl + n_control + 1);
    }
    return status;
}

static void profiler_close(struct profiler *profiler)
{
    if (profiler->control_fd >= 0)
        close(profiler->control_fd);
    if (profiler->ack_fd >= 0)
        close(profiler->ack_fd);
}

/* Writes a command and waits for perf's "ack", which ends with a line end and a zero byte. */
static int profiler_command(const struct profiler *profiler, const char *command, struct dv_error *error_out)
{
    char answer[16];
    const size_t n_bytes = strlen(command);
    if (profiler->control_fd < 0)
        return 0;
    if (write(profiler->control_fd, command, n_bytes) != (ssize_t)n_bytes)
        return dv_fail(error_out, DV_ERROR_IO, "--perf-ctl: perf no longer reads the control fifo");
    if (profiler->ack_fd < 0)
        return 0;
    struct pollfd wait = {.fd = profiler->ack_fd, .events = POLLIN};
    if (poll(&wait, 1, PERF_ANSWER_MS) != 1 || read(profiler->ack_fd, answer, sizeof answer) < 3 ||
        strncmp(answer, "ack", 3) != 0)
        return dv_fail(error_out, DV_ERROR_IO, "--perf-ctl: no answer to '%.*s' from perf", (int)n_bytes - 1,
                       command);
    return 0;
}

static int profiler_begin(const struct profiler *profiler, struct dv_error *error_out)
{
    if (profiler->ready_fd >= 0 && dprintf(profiler->ready_fd, "ready %ld\n", (long)getpid()) < 0)
        return dv_fail(error_out, DV_ERROR_IO, "--ready-fd %d: cannot be written", profiler->ready_fd);
    return profiler_command(profiler, "enable\n", error_out);
}

static int profiler_end(const struct profiler *profiler, struct dv_error *error_out)
{
    int status = profiler_command(profiler, "disable\n", error_out);
    if (status == 0 && profiler->ready_fd >= 0 && dprintf(profiler->ready_fd, "done\n") < 0)
        status = dv_fail(error_out, DV_ERROR_IO, "--ready-fd %d: cannot be written", profiler->ready_fd);
    return status;
}

/* --- the loop --- */

/* The fewest passes that take the seconds asked for, from a pass that warms up and a tenth of a second. */
static int size_loop(const struct measure_job *job, double seconds, int64_t *n_passes_out,
                     struct dv_error *error_out)
{
    const double wanted_ns[] = {0.1e9, seconds * 1e9};
    *n_passes_out = 1;
    for (size_t attempt = 0; attempt < sizeof wanted_ns / sizeof *wanted_ns; attempt++) {
        struct measure_sample sample;
        int status = measure_kernel(job, "warm-up", *n_passes_out, NULL, &sample, error_out);
        if (status < 0)
            return status;
        const double pass_ns = sample.ns_per_row * (double)job->batches->n_rows;
        *n_passes_out = (int64_t)fmax(1, ceil(wanted_ns[attempt] / fmax(pass_ns, 1)));
    }
    return 0;
}

static uint64_t count_live(const struct measure_job *job)
{
    uint64_t n_live = 0;
    for (size_t b = 0; b < job->batches->n_items; b++)
        n_live += job->run(job->targets[0].dv, job->targets[0].state, job->batches->items[b].start,
                           job->batches->items[b].n_rows, job->sink);
    return n_live;
}

static int run_loop(const struct loop_options *options, const struct measure_job *job,
                    struct dv_error *error_out)
{
    struct profiler profiler;
    struct measure_sample sample;
    int64_t n_passes = 1;
    int status = profiler_open(&profiler, options, error_out);
    if (status == 0)
        status = size_loop(job, (double)options->seconds, &n_passes, error_out);
    const uint64_t n_live = status == 0 ? count_live(job) : 0; /* by the kernel that was found right */
    if (status == 0)
        status = profiler_begin(&profiler, error_out);
    if (status == 0)
        status = measure_kernel(job, options->cell, n_passes, NULL, &sample, error_out);
    if (status == 0)
        status = profiler_end(&profiler, error_out);
    profiler_close(&profiler);
    if (status < 0)
        return status;
    if (sample.n_live != n_live * (uint64_t)n_passes)
        return dv_fail(error_out, LOOP_WRONG, "wrong in the loop: %" PRIu64 " live rows, not %" PRIu64,
                       sample.n_live, n_live * (uint64_t)n_passes);
    printf("%" PRId64 " passes of %zu batches, %" PRIu64 " rows each pass\n%.4g ns per row", n_passes,
           job->batches->n_items, job->batches->n_rows, sample.ns_per_row);
    printf(isnan(sample.mhz) ? "\n" : ", clock before it %.0f MHz\n", sample.mhz);
    return EXIT_FINE;
}

/* In replay the batches are one batch, the middle one, again and again. */
static int replay_one(struct batches *batches, struct dv_error *error_out)
{
    const struct batch one = batches->items[batches->n_items / 2];
    struct batch *items = calloc(LOOP_REPLAY_BATCHES, sizeof *items);
    if (!items)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < LOOP_REPLAY_BATCHES; i++)
        items[i] = one;
    free(batches->items);
    *batches = (struct batches){items, LOOP_REPLAY_BATCHES, (uint64_t)LOOP_REPLAY_BATCHES * one.n_rows, true};
    return 0;
}

static int check_cell(const struct loop_options *options, const struct dv *dv, const struct batches *batches,
                      struct dv_error *error_out)
{
    struct verdict verdict;
    int status = verify_kernel(options->kernel, dv, batches, options->sink, NULL, &verdict, error_out);
    if (status < 0)
        return status;
    if (verdict.kind == VERDICT_UNAVAILABLE)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "%s: %s", options->kernel->id, verdict.reason);
    return verdict.kind == VERDICT_OK
               ? 0
               : dv_fail(error_out, LOOP_WRONG, "%s is wrong: %s", options->kernel->id, verdict.reason);
}

/* A buffer as in a sweep, the kernel's state, and the loop. */
static int run_checked(const struct loop_options *options, const struct dv *dv, const struct batches *batches,
                       struct dv_error *error_out)
{
    const struct kernel *kernel = options->kernel;
    struct kernel_state state = {0};
    struct guard_buffer buffer = {0};
    const struct measure_target target = {dv, &state};
    int status = guard_open(&buffer, dv_sink_bytes(options->sink, options->batch_rows), error_out);
    if (status == 0 && kernel->open)
        status = kernel->open(dv, &state, error_out);
    if (status == 0) {
        struct sink sink = {.out = buffer.data};
        const struct measure_job job = {kernel->run[options->sink], &target, 1, batches, &sink};
        status = run_loop(options, &job, error_out);
        if (kernel->close)
            kernel->close(&state);
    }
    guard_close(&buffer);
    return status;
}

static int run_source(const struct loop_options *options, const struct dv_source *source,
                      struct dv_error *error_out)
{
    struct dv dv;
    struct batches batches = {0};
    int status = dv_open(&dv, source->payload, source->n_payload_bytes,
                         options->kernel->needs | DV_NEEDS_INTERVALS, error_out);
    if (status < 0)
        return status;
    status = batches_plan(&batches, &dv.view, source->base, source->n_rows, options->batch_rows,
                          (size_t)options->max_batches, error_out);
    if (status == 0 && batches.n_items == 0)
        status =
            dv_fail(error_out, DV_ERROR_USAGE, "no rows: the file states no count; pass --rows, 1 or more");
    if (status == 0 && options->is_replay)
        status = replay_one(&batches, error_out);
    if (status == 0)
        status = check_cell(options, &dv, &batches, error_out);
    dv_drop(&dv, DV_NEEDS_INTERVALS & ~options->kernel->needs); /* the oracle's, of no use from here on */
    if (status == 0)
        status = run_checked(options, &dv, &batches, error_out);
    batches_free(&batches);
    dv_close(&dv);
    return status;
}

static int run(struct loop_options *options, struct dv_error *error_out)
{
    struct dv_source *sources = NULL;
    size_t n_sources = 0;
    const char *reason = kernel_unavailable(options->kernel, options->sink);
    if (reason)
        return dv_fail(error_out, DV_ERROR_UNAVAILABLE, "%s: %s", options->kernel->id, reason);
    int status = vector_options_load(&options->vectors, options->name.dv, &sources, &n_sources, error_out);
    command_print_warnings(&options->vectors);
    if (status == 0 && n_sources != 1)
        status = dv_fail(error_out, DV_ERROR_USAGE, "%s holds %zu vectors: add #N for one of them",
                         options->name.dv, n_sources);
    if (status == 0)
        status = run_source(options, &sources[0], error_out);
    format_free_sources(sources, n_sources);
    return status;
}

int command_loop(int argc, char **argv, struct dv_error *error_out)
{
    static const struct option table[] = {{"seconds", required_argument, NULL, OPTION_SECONDS},
                                          {"max-batches", required_argument, NULL, OPTION_MAX_BATCHES},
                                          {"perf-ctl", required_argument, NULL, OPTION_PERF_CTL},
                                          {"ready-fd", required_argument, NULL, OPTION_READY_FD},
                                          VECTOR_OPTIONS,
                                          OPTIONS_END};
    struct loop_options options = {.seconds = 5, .max_batches = 1600, .ready_fd = -1};
    int first = options_read(argc, argv, table, take_option, &options, error_out);
    int status = first < 0 ? first : 0;
    if (first == 0)
        printf("%s%s", help, vector_options_help);
    else if (first > 0 && first != argc - 1)
        status = dv_fail(error_out, DV_ERROR_USAGE, "loop: one cell is expected, KERNEL/SINK@DV");
    else if (first > 0)
        status = parse_cell(&options, argv[first], error_out);
    if (first > 0 && status == 0)
        status = run(&options, error_out);
    free(options.cell);
    vector_options_free(&options.vectors);
    return status;
}
