// SPDX-License-Identifier: Apache-2.0
// The only C++ of the project: each function forwards to Google Benchmark, and turns what the library would abort for
// into an error of that run. What differs between its versions is found by asking the compiler whether a member exists
// (has_skipped below), never by a version number.
#include "gbench.h"

#include <benchmark/benchmark.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <type_traits>
#include <vector>

#ifndef GBENCH_LIBRARY_VERSION
#define GBENCH_LIBRARY_VERSION "unknown"
#endif

struct gbench_state {
    benchmark::State *state;
    bool is_finished;
};

namespace {

using Run = benchmark::BenchmarkReporter::Run;

// 1.8 turned Run::error_occurred into Run::skipped.
template <class R, class = void> struct has_skipped : std::false_type {
};
template <class R> struct has_skipped<R, std::void_t<decltype(std::declval<R>().skipped)>> : std::true_type {
};

// "" where the run did not fail.
template <class R> std::string error_of(const R &run)
{
    if constexpr (has_skipped<R>::value)
        return static_cast<int>(run.skipped) != 0 ? run.skip_message : "";
    else
        return run.error_occurred ? run.error_message : "";
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

// Runs `f`; false where it threw: nothing may be thrown into C.
template <class F> bool succeeds(F f) noexcept
{
    try {
        f();
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

// The environment (BENCHMARK_OUT and so on) can make the library open files or exit: flags of our own hide it. Once.
void hide_environment()
{
    static const bool is_done = [] {
        static std::string flags[] = {"dvbench",
                                      "--benchmark_out=",
                                      "--benchmark_out_format=json",
                                      "--benchmark_format=console",
                                      "--benchmark_color=auto",
                                      "--benchmark_time_unit=ns",
                                      "--benchmark_filter=",
                                      "--benchmark_list_tests=false",
                                      has_skipped<Run>::value ? "--benchmark_min_time=0.5s"
                                                              : "--benchmark_min_time=0.5"};
        std::vector<char *> argv;
        for (std::string &flag : flags)
            argv.push_back(&flag[0]);
        int argc = static_cast<int>(argv.size());
        argv.push_back(nullptr);
        benchmark::Initialize(&argc, argv.data());
        return true;
    }();
    (void)is_done;
}

// Takes the one run, for the caller and for the JSON file.
class Reporter : public benchmark::BenchmarkReporter {
  public:
    explicit Reporter(gbench_json *json) : json_(json), silence_(nullptr)
    {
        SetErrorStream(&silence_); // what the library would say there, return values say
    }

    bool ReportContext(const Context &) override
    {
        return true;
    }

    void ReportRuns(const std::vector<Run> &runs) override;

    std::string error = "Google Benchmark did not run it";
    gbench_result result = {};

  private:
    gbench_json *json_;
    std::ostream silence_;
};

} // namespace

struct gbench_json {
    std::ofstream stream;
    benchmark::JSONReporter reporter;
    std::map<std::string, std::pair<int64_t, int64_t>> seen; // name -> its index, its runs so far
    bool can_seek;                                           // a pipe cannot, and is completed only by close

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

    // Under the name without what says how it was run (/iterations:N), as a repetition of what was before.
    void add(Run run)
    {
        const std::string name = run.run_name.function_name;
        auto &entry = seen.emplace(name, std::make_pair(static_cast<int64_t>(seen.size()), 0)).first->second;
        run.run_name = benchmark::BenchmarkName();
        run.run_name.function_name = name;
        run.family_index = entry.first;
        run.per_family_instance_index = 0;
        run.repetition_index = entry.second++;
        reporter.ReportRuns({run});
        complete();
    }
};

void Reporter::ReportRuns(const std::vector<Run> &runs)
{
    for (const Run &run : runs) {
        if (run.run_type != Run::RT_Iteration)
            continue;
        error = error_of(run);
        result = {run.GetAdjustedCPUTime(), static_cast<int64_t>(run.iterations)};
        if (json_)
            json_->add(run);
    }
}

extern "C" {

const char *gbench_library_version(void)
{
    return GBENCH_LIBRARY_VERSION;
}

int gbench_set_filter(const char *filter)
{
    return succeeds([&] {
        filter_passes(filter, "");
        benchmark::SetBenchmarkFilter(filter);
    })
               ? 0
               : -1;
}

bool gbench_filter_matches(const char *name)
{
    bool passes = false;
    return succeeds([&] { passes = filter_passes(benchmark::GetBenchmarkFilter(), name); }) && passes;
}

int gbench_add_context(const char *key, const char *value)
{
    const bool is_done = succeeds([&] {
        hide_environment();
        const auto *context = benchmark::internal::GetGlobalContext();
        if (!context || context->find(key) == context->end())
            benchmark::AddCustomContext(key, value);
    });
    return is_done ? 0 : -1;
}

int gbench_run(const char *name, gbench_fn *fn, void *user, int64_t n_iterations, struct gbench_json *json,
               struct gbench_result *result_out, char *message_out, size_t n_message)
{
    std::string error = "out of memory";
    succeeds([&] {
        hide_environment();
        Reporter reporter(json);
        benchmark::RegisterBenchmark(name,
                                     [fn, user](benchmark::State &state) {
                                         gbench_state c = {&state, false};
                                         fn(&c, user);
                                         if (!c.is_finished && !state.error_occurred())
                                             state.SkipWithError("returned before its loop had ended");
                                     })
            ->Unit(benchmark::kNanosecond)
            ->Iterations(n_iterations)
            ->Repetitions(1);
        benchmark::RunSpecifiedBenchmarks(&reporter, ".");
        *result_out = reporter.result;
        error = reporter.error;
    });
    benchmark::ClearRegisteredBenchmarks();
    if (error.empty())
        return 0;
    std::snprintf(message_out, n_message, "%s", error.c_str());
    return -1;
}

bool gbench_keep_running_batch(struct gbench_state *state, int64_t n)
{
    if (__builtin_expect(state->is_finished || n < 1, 0)) {
        if (!state->is_finished)
            gbench_skip_with_error(state, "fewer than 1 iteration in a batch");
        return false;
    }
    const bool goes_on = state->state->KeepRunningBatch(n);
    state->is_finished = !goes_on;
    return goes_on;
}

bool gbench_keep_running(struct gbench_state *state)
{
    return gbench_keep_running_batch(state, 1);
}

void gbench_skip_with_error(struct gbench_state *state, const char *message)
{
    if (!state->state->error_occurred())
        state->state->SkipWithError(message);
}

struct gbench_json *gbench_json_open(const char *path)
{
    std::unique_ptr<gbench_json> json;
    errno = 0;
    const bool has_memory = succeeds([&] {
        hide_environment();
        json = std::make_unique<gbench_json>(path);
    });
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
    const int status = json->stream.fail() ? -1 : 0;
    delete json;
    return status;
}

} // extern "C"
