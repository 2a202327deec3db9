/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the library against the oracle on random vectors, in one static program without CRoaring
 * and cmocka, so that a cross compiler and a user-mode emulator are all it needs.
 *
 * Place in the data flow: test_arm_kernels.sh builds and runs it. Prints one line per kernel; exits 1 at the
 * first difference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "payload.h"

#define N_CONTAINERS 5
#define N_ROWS_MAX   70000

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Chunks with gaps between them, of random kinds, steps and lengths. */
static void random_containers(struct payload_container *containers, uint64_t *random)
{
    uint32_t chunk = 0;
    for (int i = 0; i < N_CONTAINERS; i++) {
        struct payload_container *container = &containers[i];
        *container = (struct payload_container){.kind = (enum dv_kind)(next_random(random) % DV_N_KINDS)};
        container->chunk = (uint16_t)chunk;
        chunk += 1 + next_random(random) % 2;
        uint32_t step = 1;
        uint32_t length = 65536 / 4;
        if (container->kind == DV_ARRAY) {
            step = 17 + (uint32_t)(next_random(random) % 60);
        } else if (container->kind == DV_RUN) {
            length = 1 + (uint32_t)(next_random(random) % 9000);
        } else {
            step = 1 + (uint32_t)(next_random(random) % 3);
        }
        for (uint32_t j = 0; j < PAYLOAD_RANGES; j++) {
            uint32_t from = 65536 / 4 * j + (uint32_t)(next_random(random) % 50);
            uint32_t to = from + length < 65536 / 4 * (j + 1) ? from + length : 65536 / 4 * (j + 1);
            container->ranges[j] = (struct payload_range){from, to, step};
        }
    }
}

static int differs(const struct kernel *kernel, const struct dv *dv, struct kernel_state *state,
                   enum sink_kind kind, uint64_t start, uint32_t n_rows)
{
    static _Alignas(64) uint8_t out[2][N_ROWS_MAX * 8 + SINK_SLACK_BYTES];
    struct sink got = {.out = out[0]}, wanted = {.out = out[1]};
    struct kernel_state none = {0};
    memset(out, 0xa5, sizeof out);
    uint32_t n_live = kernel->run[kind](dv, state, start, n_rows, &got);
    return n_live != kernel_find("for_each_in_range")->run[kind](dv, &none, start, n_rows, &wanted) ||
           got.n_out != wanted.n_out || memcmp(out[0], out[1], got.n_out * sink_element_bytes(kind)) != 0;
}

/* 40 batches, some behind one another and some not. */
static int check(const struct kernel *kernel, const struct dv *dv, enum sink_kind kind, uint64_t *random)
{
    struct kernel_state state = {0};
    if (kernel->open && kernel->open(dv, &state, NULL) != 0)
        return 1;
    int is_wrong = 0;
    uint64_t start = 0;
    for (int i = 0; i < 40 && !is_wrong; i++) {
        uint32_t n_rows = (uint32_t)(next_random(random) % (i % 8 == 0 ? N_ROWS_MAX : 5000));
        if (i % 4 == 3)
            start = next_random(random) % (10 * 65536);
        is_wrong = differs(kernel, dv, &state, kind, start, n_rows);
        if (is_wrong)
            printf("%s %s is wrong at %llu, %u rows\n", kernel->id, sink_id(kind), (unsigned long long)start,
                   n_rows);
        start += n_rows;
    }
    if (kernel->close)
        kernel->close(&state);
    return is_wrong;
}

int main(void)
{
    uint64_t random = 1;
    int n_kernels = 0;
    for (int i_vector = 0; i_vector < 20; i_vector++) {
        struct payload_container containers[N_CONTAINERS];
        random_containers(containers, &random);
        size_t n_bytes;
        uint8_t *bytes = payload_write(containers, N_CONTAINERS, &n_bytes);
        struct dv dv;
        struct dv_error error = {0};
        if (dv_open(&dv, bytes, n_bytes, DV_NEEDS_INTERVALS, &error) != 0) {
            printf("vector %d: %s\n", i_vector, error.message);
            return 1;
        }
        for (size_t i = 0; i < kernels_count(); i++) {
            const struct kernel *kernel = kernel_at(i);
            for (int kind = 0; kind < N_SINKS; kind++)
                if (!kernel_unavailable(kernel, (enum sink_kind)kind) &&
                    check(kernel, &dv, (enum sink_kind)kind, &random))
                    return 1;
            if (i_vector == 0 && !kernel_unavailable(kernel, SINK_row_ids) && ++n_kernels)
                printf("%s\n", kernel->id);
        }
        dv_close(&dv);
        free(bytes);
    }
    printf("%d kernels\n", n_kernels);
    return n_kernels < 3;
}
