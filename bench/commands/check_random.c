/* SPDX-License-Identifier: Apache-2.0 */
/* Random vectors: not uniform ones, but mixtures of the shapes in which containers differ. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "payload_writer.h"
#include "random.h"

enum { MAX_CHUNKS = 5, N_BATCHES = 10 };

/* Marks n random rows. */
static void mark_some(uint8_t *rows, uint64_t *random, uint32_t n)
{
    while (n > 0) {
        uint8_t *row = &rows[random_below(random, DV_CHUNK_ROWS)];
        n -= !*row;
        *row = 1;
    }
}

/* Alternating runs of deleted and live rows, of random lengths below the limits. */
static void mark_runs(uint8_t *rows, uint64_t *random, uint32_t max_deleted, uint32_t max_live)
{
    uint64_t row = random_below(random, max_live);
    while (row < DV_CHUNK_ROWS) {
        for (uint64_t left = 1 + random_below(random, max_deleted); left > 0 && row < DV_CHUNK_ROWS; left--)
            rows[row++] = 1;
        row += 1 + random_below(random, max_live);
    }
}

static void mark_range(uint8_t *rows, uint64_t from, uint64_t to)
{
    for (uint64_t row = from; row < to; row++)
        rows[row] = 1;
}

/* Whole aligned words of 64 rows, each with probability 1/4: where loops over words go wrong. */
static void mark_words(uint8_t *rows, uint64_t *random)
{
    for (uint64_t word = 0; word < DV_CHUNK_ROWS / 64; word++)
        if (random_below(random, 4) == 0)
            mark_range(rows, word * 64, word * 64 + 64);
}

static void mark_chunk(uint8_t *rows, uint64_t *random)
{
    uint64_t from;
    switch (random_below(random, 13)) {
    case 0: /* an array of a few */
        mark_some(rows, random, (uint32_t)(1 + random_below(random, 20)));
        break;
    case 1: /* any array */
        mark_some(rows, random, (uint32_t)(1 + random_below(random, 4096)));
        break;
    case 2: /* the limit between array and bitset */
        mark_some(rows, random, (uint32_t)(4095 + random_below(random, 3)));
        break;
    case 3: /* any bitset */
        mark_some(rows, random, (uint32_t)(4097 + random_below(random, 56000)));
        break;
    case 4: /* long runs */
        mark_runs(rows, random, 5000, 5000);
        break;
    case 5: /* short runs, few of them or many */
        mark_runs(rows, random, 40, random_below(random, 2) ? 20 : 3000);
        break;
    case 6: /* full */
        mark_range(rows, 0, DV_CHUNK_ROWS);
        break;
    case 7: /* all but one row */
        mark_range(rows, 0, DV_CHUNK_ROWS);
        rows[random_below(random, DV_CHUNK_ROWS)] = 0;
        break;
    case 8: /* only both ends */
        rows[0] = rows[DV_CHUNK_ROWS - 1] = 1;
        break;
    case 9: /* whole words */
        mark_words(rows, random);
        break;
    case 10: /* a block up to the end, or from the start */
        from = random_below(random, DV_CHUNK_ROWS);
        if (random_below(random, 2))
            mark_range(rows, from, DV_CHUNK_ROWS);
        else
            mark_range(rows, 0, from + 1);
        break;
    case 11: /* alternating */
        for (uint64_t row = random_below(random, 2); row < DV_CHUNK_ROWS; row += 2)
            rows[row] = 1;
        break;
    default: /* nothing */
        break;
    }
}

static int write_chunk(struct payload_writer *writer, uint64_t start, const uint8_t *rows,
                       struct dv_error *error_out)
{
    int status = 0;
    for (uint64_t row = 0; row < DV_CHUNK_ROWS && status == 0;) {
        uint64_t from = row;
        while (row < DV_CHUNK_ROWS && rows[row] == rows[from])
            row++;
        if (rows[from])
            status = payload_writer_add_range(writer, start + from, start + row, error_out);
    }
    return status;
}

/* Start of the first chunk: mostly low, sometimes just below a key, within a high key, or at the highest. */
static uint64_t random_base(uint64_t *random)
{
    uint64_t key;
    switch (random_below(random, 6)) {
    case 0: /* straddling two keys */
        key = 1 + random_below(random, 3);
        return (key << 32) - DV_CHUNK_ROWS * random_below(random, MAX_CHUNKS);
    case 1: /* in some key */
        key = random_below(random, 40);
        return key << 32 | random_below(random, 65000) * DV_CHUNK_ROWS;
    case 2: /* around the sign of 32 bits */
        return (UINT64_C(1) << 31) - DV_CHUNK_ROWS * random_below(random, MAX_CHUNKS);
    default:
        return random_below(random, 3) * DV_CHUNK_ROWS;
    }
}

static uint32_t random_n_rows(uint64_t *random)
{
    static const uint32_t usual[] = {0,   1,   2,   7,   31,   32,   63,   64,  65,
                                     127, 128, 129, 256, 1000, 1024, 4096, 5000};
    uint64_t kind = random_below(random, 30);
    if (kind == 0)
        return (uint32_t)(60000 + random_below(random, 10000));
    if (kind < 20)
        return usual[random_below(random, sizeof usual / sizeof *usual)];
    return (uint32_t)random_below(random, 3000);
}

/* Half of the batches ascend with gaps of any length or none, the others start anywhere. */
static void choose_batches(struct batch *batches, uint64_t *random, uint64_t base, uint64_t end)
{
    uint64_t from = base > 3000 ? base - random_below(random, 3000) : 0;
    uint64_t next = from + random_below(random, DV_CHUNK_ROWS);
    for (size_t i = 0; i < N_BATCHES; i++) {
        uint32_t n_rows = random_n_rows(random);
        if (i < N_BATCHES / 2) {
            batches[i] = (struct batch){next, n_rows};
            next += n_rows + (random_below(random, 2) ? random_below(random, DV_CHUNK_ROWS) : 0);
        } else if (random_below(random, 4) == 0) { /* across a chunk's start */
            uint64_t chunk = (from + random_below(random, end - from)) / DV_CHUNK_ROWS * DV_CHUNK_ROWS;
            uint64_t before = random_below(random, n_rows + 1);
            batches[i] = (struct batch){chunk > before ? chunk - before : 0, n_rows};
        } else {
            batches[i] = (struct batch){from + random_below(random, end - from + 3000), n_rows};
        }
    }
}

/* Writes the chunks from `base` on, some left out, and perhaps an empty stretch with keys that hold
 * nothing. */
static int write_chunks(struct payload_writer *writer, uint64_t *random, uint64_t base, uint64_t *end_out,
                        struct dv_error *error_out)
{
    int status = 0;
    uint64_t start = base;
    for (uint64_t left = random_below(random, MAX_CHUNKS + 1); left > 0 && status == 0; left--) {
        uint8_t *rows = calloc(DV_CHUNK_ROWS, 1);
        if (!rows)
            return dv_no_memory(error_out);
        mark_chunk(rows, random);
        status = write_chunk(writer, start, rows, error_out);
        free(rows);
        start += DV_CHUNK_ROWS;
        if (random_below(random, 20) == 0)
            start += UINT64_C(3) << 32;
    }
    *end_out = start + DV_CHUNK_ROWS;
    return status;
}

int check_case_random(struct check_case *case_out, uint64_t seed, struct dv_error *error_out)
{
    uint64_t random = seed;
    struct payload_writer writer;
    payload_writer_init(&writer, (unsigned)random_below(&random, 4)); /* any of enum payload_option */
    uint64_t base = random_base(&random), end = 0;
    int status = write_chunks(&writer, &random, base, &end, error_out);
    uint8_t *payload = NULL;
    size_t n_payload_bytes;
    if (status == 0)
        status = payload_writer_finish(&writer, &payload, &n_payload_bytes, error_out);
    else
        payload_writer_free(&writer);
    if (status != 0)
        return status;

    struct batch batches[N_BATCHES];
    choose_batches(batches, &random, base, end);
    char name[64];
    snprintf(name, sizeof name, "random:seed=%" PRIu64, seed);
    status = check_case_open(case_out, name, payload, n_payload_bytes, batches, N_BATCHES, error_out);
    free(payload);
    return status;
}
