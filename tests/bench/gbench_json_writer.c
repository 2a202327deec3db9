/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a JSON file as the sweep does, many short runs into one open file, for test_gbench_json.py to judge.
 *
 * usage: gbench_json_writer FILE [kill]: rounds of three benchmarks; with `kill`, the process dies in the middle
 * without closing anything. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "gbench.h"

enum { N_ROUNDS = 9, N_ITERATIONS = 4, KILLED_ROUND = 5 };

static void count(struct gbench_state *state, void *user)
{
    int *n = user;
    while (gbench_keep_running(state))
        ++*n;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"per_row/row_ids", "for_each_in_range/row_ids", "per_row/touch"};
    if (argc < 2)
        return 2;
    const bool dies = argc > 2 && strcmp(argv[2], "kill") == 0;
    if (gbench_add_context("croaring", "4.6.1") < 0 ||
        gbench_add_context("croaring", "a second value is ignored") < 0)
        return 1;
    struct gbench_json *json = gbench_json_open(argv[1]);
    if (!json)
        return 1;
    for (int round = 0; round < N_ROUNDS; round++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            struct gbench_result result;
            char message[100];
            int n = 0;
            if (gbench_run(names[i], count, &n, N_ITERATIONS, json, &result, message, sizeof message) < 0 ||
                n != N_ITERATIONS)
                return 1;
        }
        if (dies && round == KILLED_ROUND)
            raise(SIGKILL);
    }
    return gbench_json_close(json) < 0;
}
