// SPDX-License-Identifier: Apache-2.0
// The only C++ of the project: each function forwards one call to Google Benchmark, and turns what the
// library would abort or exit for into an error of that run. What differs between its versions is found by
// asking the compiler whether a member exists (the has_... templates below), never by a version number.
#include "gbench.h"

#include <benchmark/benchmark.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <regex>
#include <string>
#include <type_traits>
#include <vector>

#ifndef GBENCH_LIBRARY_VERSION
#define GBENCH_LIBRARY_VERSION "unknown"
#endif

namespace {

using Run = benchmark::BenchmarkReporter::Run;

// internal::Benchmark up to 1.9.4, benchmark::Benchmark since.
using Benchmark = std::remove_pointer_t<decltype(benchmark::RegisterBenchmark(
    "", std::declval<void (*)(benchmark::State &)>()))>;

// 1.8 turned Run::error_occurred into Run::skipped; with it came --benchmark_min_time=Ns.
template <class R, class = void> struct has_skipped : std::false_type {
};
template <class R> struct has_skipped<R, std::void_t<decltype(std::declval<R>().skipped)>> : std::true_type {
};

template <class R> bool run_failed(const R &run)
{
    if constexpr (has_skipped<R>::value)
        return static_cast<int>(run.skipped) != 0;
    else
        return run.error_occurred;
}

template <class R> const char *run_message(const R &run)
{
    if constexpr (has_skipped<R>::value)
        return run.skip_message.c_str();
    else
        return run.error_message.c_str();
}

constexpr benchmark::TimeUnit units[] = {benchmark::kNanosecond, benchmark::kMicrosecond,
                                         benchmark::kMillisecond, benchmark::kSecond};

gbench_unit unit_from(benchmark::TimeUnit unit)
{
    for (size_t i = 0; i < std::size(units); i++)
        if (units[i] == unit)
            return static_cast<gbench_unit>(i);
    return GBENCH_NS;
}

struct FlagPair {
    unsigned ours;
    benchmark::Counter::Flags theirs;
};

constexpr FlagPair flag_pairs[] = {
    {GBENCH_COUNTER_RATE, benchmark::Counter::kIsRate},
    {GBENCH_COUNTER_AVG_THREADS, benchmark::Counter::kAvgThreads},
    {GBENCH_COUNTER_ITERATION_INVARIANT, benchmark::Counter::kIsIterationInvariant},
    {GBENCH_COUNTER_AVG_ITERATIONS, benchmark::Counter::kAvgIterations},
    {GBENCH_COUNTER_INVERT, benchmark::Counter::kInvert},
};

benchmark::Counter::Flags flags_to(unsigned ours)
{
    benchmark::Counter::Flags theirs = benchmark::Counter::kDefaults;
    for (const FlagPair &pair : flag_pairs)
        if (ours & pair.ours)
            theirs = theirs | pair.theirs;
    return theirs;
}

unsigned flags_from(benchmark::Counter::Flags theirs)
{
    unsigned ours = GBENCH_COUNTER_PLAIN;
    for (const FlagPair &pair : flag_pairs)
        if (static_cast<unsigned>(theirs) & static_cast<unsigned>(pair.theirs))
            ours |= pair.ours;
    return ours;
}

// The name without what says how it was run.
std::string plain_name(const Run &run)
{
    benchmark::BenchmarkName name = run.run_name;
    name.min_time.clear();
    name.min_warmup_time.clear();
    name.iterations.clear();
    name.repetitions.clear();
    name.time_type.clear();
    return name.str();
}

// As the library: std::regex, extended grammar, searched for anywhere, '-' negates, "" and "all" pass
// everything.
bool filter_passes(std::string filter, const char *name)
{
    if (filter.empty() || filter == "all")
        return true;
    const bool is_negative = filter[0] == '-';
    if (is_negative)
        filter.erase(0, 1);
    return std::regex_search(name, std::regex(filter, std::regex::extended)) != is_negative;
}

// Runs `f` and tells whether it threw: nothing may be thrown into C. What can be thrown is want of memory or
// of threads, and, by filter_passes, what std::regex thinks of a filter.
template <class F> bool succeeds(F f) noexcept
{
    try {
        f();
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

bool filter_is_valid(const std::string &filter)
{
    return succeeds([&] { filter_passes(filter, ""); });
}

} // namespace

// Both live exactly as long as the library's own object: the registered lambda owns the one, a frame the
// other.
struct gbench_benchmark {
    Benchmark *benchmark;
    gbench_fn *fn;
    void *user;
    size_t n_args;
    bool has_args;
    bool has_iterations;
    bool has_min_time;
    bool has_time_kind;
};

struct gbench_state {
    benchmark::State *state;
    size_t n_args;
    bool is_started;
    bool is_finished;
    bool is_paused;
};

struct gbench_json {
    std::ofstream stream;
    benchmark::JSONReporter reporter;
    std::map<std::string, std::pair<int64_t, int64_t>> seen; // name -> its index, its runs so far
    bool can_seek;                                           // a pipe cannot, and is completed by close alone

    explicit gbench_json(const char *path)
        : stream(path, std::ios::out | std::ios::trunc), can_seek(stream.is_open() && stream.tellp() >= 0)
    {
        if (!stream.is_open())
            return;
        reporter.SetOutputStream(&stream);
        reporter.ReportContext(benchmark::BenchmarkReporter::Context());
        complete();
    }

    // Writes the closing brackets, which the next run overwrites.
    void complete()
    {
        if (!can_seek)
            return;
        const std::ofstream::pos_type end = stream.tellp();
        reporter.Finalize();
        stream.flush();
        stream.seekp(end);
    }

    void close()
    {
        if (!can_seek)
            reporter.Finalize();
        stream.close();
    }

    void add(std::vector<Run> runs)
    {
        for (Run &run : runs) {
            const std::string name = plain_name(run);
            auto &entry =
                seen.emplace(name, std::make_pair(static_cast<int64_t>(seen.size()), 0)).first->second;
            run.run_name = benchmark::BenchmarkName();
            run.run_name.function_name = name;
            run.family_index = entry.first;
            run.per_family_instance_index = 0;
            if (run.run_type == Run::RT_Iteration)
                run.repetition_index = entry.second++;
        }
        reporter.ReportRuns(runs);
        complete();
    }
};

namespace {

// One Run and the memory that its C form points into.
struct Result {
    std::string name, decorated_name;
    std::vector<gbench_counter> counters;
    gbench_result c;

    explicit Result(const Run &run) : name(plain_name(run)), decorated_name(run.benchmark_name()), c()
    {
        for (const auto &entry : run.counters)
            counters.push_back(
                {entry.first.c_str(), entry.second.value, flags_from(entry.second.flags),
                 entry.second.oneK == benchmark::Counter::kIs1024 ? GBENCH_1024 : GBENCH_1000});
        const bool is_aggregate = run.run_type == Run::RT_Aggregate;
        c.aggregate_name = is_aggregate ? run.aggregate_name.c_str() : nullptr;
        c.aggregate_is_ratio = is_aggregate && run.aggregate_unit == benchmark::kPercentage;
        c.label = run.report_label.c_str();
        c.has_error = run_failed(run);
        c.error = run_message(run);
        c.n_iterations = run.iterations;
        c.n_threads = run.threads;
        c.n_repetitions = run.repetitions;
        c.repetition_index = is_aggregate ? -1 : run.repetition_index;
        c.real_time = c.aggregate_is_ratio ? run.real_accumulated_time : run.GetAdjustedRealTime();
        c.cpu_time = c.aggregate_is_ratio ? run.cpu_accumulated_time : run.GetAdjustedCPUTime();
        c.unit = unit_from(run.time_unit);
    }

    gbench_result view() const
    {
        gbench_result result = c;
        result.name = name.c_str();
        result.decorated_name = decorated_name.c_str();
        result.counters = counters.data();
        result.n_counters = counters.size();
        return result;
    }
};

class Reporter : public benchmark::BenchmarkReporter {
  public:
    Reporter(const gbench_reporter *callbacks, gbench_json *json)
        : callbacks_(callbacks ? *callbacks : gbench_reporter()), json_(json), silence_(nullptr)
    {
        SetErrorStream(&silence_); // what the library would say there, return values say
    }

    bool ReportContext(const Context &context) override
    {
        if (!callbacks_.context)
            return true;
        const benchmark::CPUInfo &cpu = context.cpu_info;
        gbench_context c = {};
        c.n_cpus = cpu.num_cpus;
        c.cpu_hz = cpu.cycles_per_second;
        c.scaling =
            cpu.scaling == benchmark::CPUInfo::UNKNOWN ? -1 : cpu.scaling == benchmark::CPUInfo::ENABLED;
        c.name_width = context.name_field_width;
        return callbacks_.context(&c, callbacks_.user);
    }

    void ReportRuns(const std::vector<Run> &runs) override
    {
        if (json_)
            json_->add(runs);
        if (!callbacks_.runs)
            return;
        const std::vector<Result> results(runs.begin(), runs.end());
        std::vector<gbench_result> views;
        for (const Result &result : results)
            views.push_back(result.view());
        callbacks_.runs(views.data(), views.size(), callbacks_.user);
    }

    void Finalize() override
    {
        if (callbacks_.finalize)
            callbacks_.finalize(callbacks_.user);
    }

  private:
    gbench_reporter callbacks_;
    gbench_json *json_;
    std::ostream silence_;
};

// --- Flags ---

bool starts_with(const char *text, const char *prefix)
{
    return std::strncmp(text, prefix, std::strlen(prefix)) == 0;
}

bool is_for_library(const char *arg)
{
    return starts_with(arg, "--v=") ||
           (starts_with(arg, "--benchmark_") && !starts_with(arg, "--benchmark_out"));
}

// Values for which Initialize would exit, as "flag=one|two".
constexpr const char *closed_choices[] = {
    "--benchmark_format=console|json|csv",
    "--benchmark_time_unit=ns|us|ms|s",
};

bool choice_is_known(const std::string &arg)
{
    const size_t equals = arg.find('=');
    for (const std::string choices : closed_choices) {
        if (equals == std::string::npos || choices.compare(0, equals + 1, arg, 0, equals + 1) != 0)
            continue;
        const std::string list = '|' + choices.substr(equals + 1) + '|';
        return list.find('|' + arg.substr(equals + 1) + '|') != std::string::npos;
    }
    return arg != "--benchmark_color=";
}

// `0.5` and `0.5s` in the form that this version takes; "" where it is neither, or `10x` and this version has
// no such thing.
std::string min_time_flag(const std::string &arg)
{
    const size_t equals = arg.find('=') + 1;
    char *end;
    const double number = std::strtod(arg.c_str() + equals, &end);
    const bool is_count = std::strcmp(end, "x") == 0;
    const bool is_time = *end == 0 || std::strcmp(end, "s") == 0;
    if (!(is_time || is_count) || !std::isfinite(number) || number <= 0 ||
        (is_count && number != std::floor(number)))
        return "";
    const std::string digits = arg.substr(0, static_cast<size_t>(end - arg.c_str()));
    if (has_skipped<Run>::value)
        return digits + (is_count ? "x" : "s");
    return is_count ? "" : digits;
}

int flag_fail(char *message_out, size_t message_bytes, const char *arg, const char *why)
{
    if (message_out)
        std::snprintf(message_out, message_bytes, "%s: %s", arg, why);
    return -1;
}

// What Google Benchmark gets to see of one flag; fails for those that would make it exit.
int translate_flag(const char *arg, std::vector<std::string> &flags, char *message_out, size_t message_bytes)
{
    std::string flag = arg;
    if (!choice_is_known(arg))
        return flag_fail(message_out, message_bytes, arg, "no such value");
    if (starts_with(arg, "--benchmark_min_time=") && (flag = min_time_flag(arg)).empty())
        return flag_fail(message_out, message_bytes, arg,
                         "not a time in seconds that this libbenchmark takes");
    if (starts_with(arg, "--benchmark_filter=") && !filter_is_valid(std::strchr(arg, '=') + 1))
        return flag_fail(message_out, message_bytes, arg, "not a POSIX extended regular expression");
    flags.push_back(flag);
    return 0;
}

int initialize(int *argc, char **argv, char *message_out, size_t message_bytes)
{
    // First what hides environment variables (BENCHMARK_OUT and so on) for which the library would exit or
    // open files.
    std::vector<std::string> flags = {
        "--benchmark_format=console", "--benchmark_out=",         "--benchmark_out_format=json",
        "--benchmark_color=auto",     "--benchmark_time_unit=ns", min_time_flag("--benchmark_min_time=0.5")};
    int n_kept = 0;
    bool is_open = true;
    std::vector<char *> kept;
    for (int i = 0; i < *argc; i++) {
        is_open = is_open && std::strcmp(argv[i], "--") != 0;
        if (i == 0 || !is_open || !is_for_library(argv[i]))
            kept.push_back(argv[i]);
        else if (translate_flag(argv[i], flags, message_out, message_bytes) < 0)
            return -1;
    }
    std::vector<char *> theirs = {*argc > 0 ? argv[0] : const_cast<char *>("unknown")};
    for (std::string &flag : flags)
        theirs.push_back(&flag[0]);
    int n_theirs = static_cast<int>(theirs.size());
    theirs.push_back(nullptr);
    benchmark::Initialize(&n_theirs, theirs.data());
    if (n_theirs > 1)
        return flag_fail(message_out, message_bytes, theirs[1],
                         "libbenchmark " GBENCH_LIBRARY_VERSION " does not take this");
    if (!filter_is_valid(benchmark::GetBenchmarkFilter()))
        return flag_fail(message_out, message_bytes, "BENCHMARK_FILTER",
                         "not a POSIX extended regular expression");
    for (char *arg : kept)
        argv[n_kept++] = arg;
    if (n_kept < *argc)
        argv[n_kept] = nullptr;
    *argc = n_kept;
    return 0;
}

// Runs the caller's function and reports what the library would abort for.
void trampoline(benchmark::State &state, const gbench_benchmark &benchmark)
{
    gbench_state c = {&state, benchmark.n_args, false, false, false};
    benchmark.fn(&c, benchmark.user);
    if (!c.is_finished && !state.error_occurred())
        state.SkipWithError("the benchmark function returned before its loop had ended");
}

template <class F> void set_or_skip(gbench_state *state, F f)
{
    if (!succeeds(f))
        gbench_skip_with_error(state, "out of memory");
}

// Whether the loop may go on to the library's KeepRunning.
bool may_keep_running(gbench_state *state, int64_t n)
{
    if (state->is_finished)
        return false;
    if (n < 1)
        gbench_skip_with_error(state, "gbench_keep_running_batch: fewer than 1 iteration");
    if (state->is_paused)
        gbench_skip_with_error(state, "gbench_keep_running: the timer is paused");
    return true;
}

} // namespace

extern "C" {

int gbench_initialize(int *argc, char **argv, char *message_out, size_t message_bytes)
{
    int code = -1;
    if (!succeeds([&] { code = initialize(argc, argv, message_out, message_bytes); }))
        return flag_fail(message_out, message_bytes, "flags", "out of memory");
    return code;
}

const char *gbench_library_version(void)
{
    return GBENCH_LIBRARY_VERSION;
}

bool gbench_filter_matches(const char *name)
{
    bool passes = false;
    return succeeds([&] { passes = filter_passes(benchmark::GetBenchmarkFilter(), name); }) && passes;
}

int gbench_set_filter(const char *filter)
{
    return filter_is_valid(filter) && succeeds([&] { benchmark::SetBenchmarkFilter(filter); }) ? 0 : -1;
}

int gbench_add_context(const char *key, const char *value)
{
    const bool is_done = succeeds([&] {
        const auto *context = benchmark::internal::GetGlobalContext();
        if (!context || context->find(key) == context->end())
            benchmark::AddCustomContext(key, value);
    });
    return is_done ? 0 : -1;
}

struct gbench_benchmark *gbench_register(const char *name, gbench_fn *fn, void *user)
{
    gbench_benchmark *handle = nullptr;
    succeeds([&] {
        auto owned = std::make_shared<gbench_benchmark>();
        owned->fn = fn;
        owned->user = user;
        owned->benchmark = benchmark::RegisterBenchmark(
            name, [owned](benchmark::State &state) { trampoline(state, *owned); });
        owned->benchmark->Unit(benchmark::kNanosecond);
        handle = owned.get();
    });
    return handle;
}

int gbench_add_args(struct gbench_benchmark *benchmark, const int64_t *args, size_t n_args)
{
    if (!benchmark || (benchmark->has_args && benchmark->n_args != n_args) ||
        !succeeds([&] { benchmark->benchmark->Args(std::vector<int64_t>(args, args + n_args)); }))
        return -1;
    benchmark->n_args = n_args;
    benchmark->has_args = true;
    return 0;
}

void gbench_set_iterations(struct gbench_benchmark *benchmark, int64_t n_iterations)
{
    if (!benchmark || n_iterations < 1 || benchmark->has_min_time)
        return;
    benchmark->benchmark->Iterations(n_iterations);
    benchmark->has_iterations = true;
}

void gbench_set_min_time(struct gbench_benchmark *benchmark, double seconds)
{
    if (!benchmark || !(seconds > 0) || !std::isfinite(seconds) || benchmark->has_iterations)
        return;
    benchmark->benchmark->MinTime(seconds);
    benchmark->has_min_time = true;
}

void gbench_set_repetitions(struct gbench_benchmark *benchmark, int n_repetitions)
{
    if (benchmark && n_repetitions > 0)
        benchmark->benchmark->Repetitions(n_repetitions);
}

void gbench_set_threads(struct gbench_benchmark *benchmark, int n_threads)
{
    if (benchmark && n_threads > 0)
        succeeds([&] { benchmark->benchmark->Threads(n_threads); });
}

void gbench_set_unit(struct gbench_benchmark *benchmark, enum gbench_unit unit)
{
    if (benchmark && static_cast<size_t>(unit) < std::size(units))
        benchmark->benchmark->Unit(units[unit]);
}

void gbench_use_real_time(struct gbench_benchmark *benchmark)
{
    if (!benchmark || benchmark->has_time_kind)
        return;
    benchmark->benchmark->UseRealTime();
    benchmark->has_time_kind = true;
}

void gbench_use_manual_time(struct gbench_benchmark *benchmark)
{
    if (!benchmark || benchmark->has_time_kind)
        return;
    benchmark->benchmark->UseManualTime();
    benchmark->has_time_kind = true;
}

void gbench_clear(void)
{
    benchmark::ClearRegisteredBenchmarks();
}

bool gbench_keep_running_batch(struct gbench_state *state, int64_t n)
{
    if (__builtin_expect(state->is_finished || state->is_paused || n < 1, 0) && !may_keep_running(state, n))
        return false;
    state->is_started = true;
    const bool goes_on = state->state->KeepRunningBatch(n < 1 ? 1 : n);
    state->is_finished = !goes_on;
    return goes_on;
}

bool gbench_keep_running(struct gbench_state *state)
{
    return gbench_keep_running_batch(state, 1);
}

void gbench_pause_timing(struct gbench_state *state)
{
    if (!state->is_started || state->is_finished || state->is_paused) {
        gbench_skip_with_error(state, "gbench_pause_timing: the timer does not run");
        return;
    }
    if (state->state->error_occurred())
        return;
    state->state->PauseTiming();
    state->is_paused = true;
}

void gbench_resume_timing(struct gbench_state *state)
{
    if (!state->is_paused) {
        gbench_skip_with_error(state, "gbench_resume_timing: the timer is not paused");
        return;
    }
    state->is_paused = false;
    if (!state->state->error_occurred())
        state->state->ResumeTiming();
}

int64_t gbench_iterations(const struct gbench_state *state)
{
    return state->state->iterations();
}

int64_t gbench_max_iterations(const struct gbench_state *state)
{
    return state->state->max_iterations;
}

int gbench_threads(const struct gbench_state *state)
{
    return state->state->threads();
}

int gbench_thread_index(const struct gbench_state *state)
{
    return state->state->thread_index();
}

size_t gbench_n_args(const struct gbench_state *state)
{
    return state->n_args;
}

int64_t gbench_range(const struct gbench_state *state, size_t index)
{
    return index < state->n_args ? state->state->range(index) : 0;
}

void gbench_set_iteration_time(struct gbench_state *state, double seconds)
{
    state->state->SetIterationTime(seconds);
}

void gbench_skip_with_error(struct gbench_state *state, const char *message)
{
    if (!state->state->error_occurred())
        state->state->SkipWithError(message);
}

void gbench_set_counter(struct gbench_state *state, const char *name, double value, unsigned flags,
                        enum gbench_one_k one_k)
{
    const auto one = one_k == GBENCH_1024 ? benchmark::Counter::kIs1024 : benchmark::Counter::kIs1000;
    set_or_skip(state,
                [&] { state->state->counters[name] = benchmark::Counter(value, flags_to(flags), one); });
}

void gbench_set_label(struct gbench_state *state, const char *label)
{
    set_or_skip(state, [&] { state->state->SetLabel(label); });
}

void gbench_set_items_processed(struct gbench_state *state, int64_t n_items)
{
    set_or_skip(state, [&] { state->state->SetItemsProcessed(n_items); });
}

void gbench_set_bytes_processed(struct gbench_state *state, int64_t n_bytes)
{
    set_or_skip(state, [&] { state->state->SetBytesProcessed(n_bytes); });
}

int64_t gbench_run(const struct gbench_reporter *callbacks, struct gbench_json *json, const char *filter)
{
    int64_t n_matching = -1;
    succeeds([&] {
        Reporter reporter(callbacks, json);
        const std::string spec = filter ? filter : benchmark::GetBenchmarkFilter();
        n_matching = static_cast<int64_t>(benchmark::RunSpecifiedBenchmarks(&reporter, spec));
    });
    return n_matching;
}

struct gbench_json *gbench_json_open(const char *path)
{
    std::unique_ptr<gbench_json> json;
    errno = 0;
    const bool has_memory = succeeds([&] { json = std::make_unique<gbench_json>(path); });
    if (has_memory && json->stream.is_open())
        return json.release();
    errno = !has_memory ? ENOMEM : errno ? errno : EIO;
    return nullptr;
}

int gbench_json_close(struct gbench_json *json)
{
    if (!json)
        return 0;
    json->close();
    const int code = json->stream.fail() ? -1 : 0;
    delete json;
    return code;
}

} // extern "C"
