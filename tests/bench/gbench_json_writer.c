/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a JSON file as the sweep does, many short runs into one open file, for test_gbench_json.py to judge.
 *
 * usage: gbench_json_writer FILE SECONDS [kill]: rounds of three benchmarks whose time is stated, not
 * measured; with `kill`, the process dies in the middle without closing anything. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gbench.h"

enum { N_ROUNDS = 9, N_ITERATIONS = 4, KILLED_ROUND = 5 };

static void state_time(struct gbench_state *state, void *user)
{
    const double *seconds = user;
    while (gbench_keep_running(state))
        gbench_set_iteration_time(state, *seconds);
    gbench_set_label(state, "a \"quoted\" label");
    gbench_set_counter(state, "rows", 5000, GBENCH_COUNTER_RATE, GBENCH_1000);
}

static int64_t run_one(const char *name, double seconds, struct gbench_json *json)
{
    struct gbench_benchmark *benchmark = gbench_register(name, state_time, &seconds);
    gbench_set_iterations(benchmark, N_ITERATIONS);
    gbench_set_repetitions(benchmark, 1);
    gbench_use_manual_time(benchmark);
    const int64_t n = gbench_run(NULL, json, ".");
    gbench_clear();
    return n;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"per_row/row_ids", "for_each_in_range/row_ids", "per_row/touch"};
    if (argc < 3)
        return 2;
    const double seconds = atof(argv[2]);
    const bool dies = argc > 3 && strcmp(argv[3], "kill") == 0;
    int n_args = 1;
    if (gbench_initialize(&n_args, argv, NULL, 0) < 0 || gbench_add_context("croaring", "4.6.1") < 0 ||
        gbench_add_context("croaring", "a second value is ignored") < 0)
        return 1;
    struct gbench_json *json = gbench_json_open(argv[1]);
    if (!json)
        return 1;
    for (int round = 0; round < N_ROUNDS; round++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (run_one(names[i], seconds * (double)(i + 1) * (1 + round / 1000.0), json) != 1)
                return 1;
        if (dies && round == KILLED_ROUND)
            raise(SIGKILL);
    }
    return gbench_json_close(json) < 0;
}
