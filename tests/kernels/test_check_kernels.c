/* SPDX-License-Identifier: Apache-2.0 */
/* Every registered kernel and sink against the oracle: the edges, or random vectors and ranges.
 *
 *    test_check_kernels edges
 *    test_check_kernels random SEED COUNT
 *    test_check_kernels tampered              an oracle that is wrong on purpose: every kernel must differ from it
 *
 * What is not available here does not count; DVBENCH_CPU_MASK lowers what is, so that the slower variants are
 * tested on a CPU that has the faster ones. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int run_case(struct check_tally *tally, int (*open)(struct check_case *, uint64_t, struct dv_error *),
                    uint64_t parameter)
{
    struct check_case check;
    struct dv_error error = {0};
    int result = open(&check, parameter, &error);
    if (result == 0) {
        result = check_run(tally, &check, parameter, &error);
        check_case_close(&check);
    }
    if (result != 0)
        printf("case %" PRIu64 ": %s\n", parameter, error.message);
    return result;
}

static int open_edge(struct check_case *check, uint64_t index, struct dv_error *error)
{
    return check_case_edge(check, (size_t)index, error);
}

/* Prints what was wrong and each kernel that could have run but never did; returns how many of both. */
static int complaints_of(const struct check_tally *tally)
{
    int n = 0;
    for (size_t i = 0; i < tally->n_kernels; i++) {
        for (int sink = 0; sink < N_SINKS; sink++) {
            const struct check_cell *cell = &tally->cells[i][sink];
            const struct kernel *kernel = kernel_at(i);
            int offered = kernel->sinks >> sink & 1 && !kernel_unavailable(kernel, (enum sink_kind)sink);
            if (cell->n_wrong > 0 || (offered && cell->n_ok == 0)) {
                printf("%s/%s: %" PRIu64 " wrong, %" PRIu64 " ok; %s\n", kernel->id,
                       sink_id((enum sink_kind)sink), cell->n_wrong, cell->n_ok,
                       cell->n_wrong ? cell->wrong : cell->unavailable);
                n++;
            }
        }
    }
    return n;
}

/* The other direction: an interval is one row short, so that each kernel's answer must be called wrong. Returns the exit code. */
static int expect_all_wrong(struct check_tally *tally)
{
    const struct check_pattern deleted = {100, 200, 1};
    const struct batch batch = {0, 5000};
    struct check_case check;
    struct dv_error error = {0};
    int n_missed = 0;
    if (check_case_from_patterns(&check, "tampered", &deleted, 1, 0, &batch, 1, &error) != 0)
        return 1;
    check.dv.intervals.items[0].end--;
    int result = check_run(tally, &check, 1, &error);
    check_case_close(&check);
    for (size_t i = 0; i < tally->n_kernels; i++) {
        for (int sink = 0; sink < N_SINKS; sink++) {
            const struct kernel *kernel = kernel_at(i);
            if (tally->cells[i][sink].n_ok > 0) {
                printf("%s/%s was not called wrong\n", kernel->id, sink_id((enum sink_kind)sink));
                n_missed++;
            }
        }
    }
    printf("%" PRIu64 " called wrong, %d missed\n", check_tally_wrong(tally), n_missed);
    return result == 0 && n_missed == 0 && check_tally_wrong(tally) > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct check_tally tally;
    if (argc < 2 || check_tally_open(&tally, NULL) != 0)
        return 2;
    int result = 0;
    if (strcmp(argv[1], "tampered") == 0) {
        int status = expect_all_wrong(&tally);
        check_tally_close(&tally);
        return status;
    }
    if (strcmp(argv[1], "edges") == 0) {
        for (uint64_t i = 0; i < check_edges_count() && result == 0; i++)
            result = run_case(&tally, open_edge, i);
    } else if (argc == 4) {
        uint64_t seed = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
        for (uint64_t i = 0; i < count && result == 0; i++)
            result = run_case(&tally, check_case_random, seed + i);
    }
    int n_complaints = complaints_of(&tally);
    printf("%" PRIu64 " cases, %" PRIu64 " verifications ok, %" PRIu64 " wrong\n", tally.n_cases,
           check_tally_ok(&tally), check_tally_wrong(&tally));
    int fine = result == 0 && n_complaints == 0 && tally.n_cases > 0 && check_tally_ok(&tally) > 0;
    check_tally_close(&tally);
    return fine ? 0 : 1;
}
