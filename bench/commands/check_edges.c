/* SPDX-License-Identifier: Apache-2.0 */
/* The edges: the smallest vectors and batches at which readers and libraries were seen to fail, and their
 * siblings. A row is only data; what is right comes from the oracle, so that no row can be wrong about
 * it. */
#include <stdio.h>

#include "check.h"
#include "payload_writer.h"

#define KEY(n)       (UINT64_C(n) << 32)
#define CHUNK(n)     (UINT64_C(n) << 16)
#define TOP_POSITION UINT64_C(0x7FFFFFFE80000000) /* the highest that Iceberg's Java writes */

enum { MAX_PATTERNS = 10, MAX_BATCHES = 10 };

struct edge {
    const char *name;
    struct check_pattern deleted[MAX_PATTERNS]; /* up to the first with end 0 */
    struct batch batches[MAX_BATCHES];          /* n_batches of them */
    size_t n_batches;
    unsigned
        options; /* of enum payload_option; 0: the edge is there twice, without and with run containers */
};

#define DELETED(...) .deleted = {__VA_ARGS__}
#define BATCHES(...)                                                                                         \
    .batches = {__VA_ARGS__}, .n_batches = sizeof((const struct batch[]){__VA_ARGS__}) / sizeof(struct batch)
#define ROW(position)                                                                                        \
    {                                                                                                        \
        (position), (position) + 1, 1                                                                        \
    }

/* In-container ranges: whole chunk, from inside, until inside, inside, one row at either end, nothing, a
 * word, more than the chunk. */
#define EACH_FORM_OF_RANGE(chunk)                                                                            \
    BATCHES({CHUNK(chunk), 65536}, {CHUNK(chunk) + 60000, 5536}, {CHUNK(chunk), 1000},                       \
            {CHUNK(chunk) + 1000, 3000}, {CHUNK(chunk), 1}, {CHUNK(chunk) + 65535, 1},                       \
            {CHUNK(chunk) + 65535, 2}, {CHUNK(chunk) + 777, 0}, {CHUNK(chunk) + 64, 64},                     \
            {CHUNK(chunk) - 1, 1002})

static const struct edge edges[] = {
    /* Nothing and everything. */
    {.name = "empty vector", BATCHES({0, 5000}, {5000, 1}, {KEY(1) - 5, 10}, {TOP_POSITION, 64})},
    {.name = "empty vector, empty range", BATCHES({0, 0}, {KEY(1), 0})},
    {.name = "empty range in a full chunk",
     DELETED({0, 65536, 1}),
     BATCHES({0, 0}, {5, 0}, {65536, 0}, {65535, 0})},
    {.name = "all rows deleted", DELETED({0, 20000, 1}), BATCHES({0, 5000}, {5000, 5000}, {10000, 10000})},
    {.name = "full chunk", DELETED({CHUNK(2), CHUNK(3), 1}), EACH_FORM_OF_RANGE(2)},
    {.name = "full chunks in a row",
     DELETED({0, CHUNK(5), 1}),
     BATCHES({0, 70000}, {CHUNK(4) - 3, 65540}, {CHUNK(1), 131072})},

    /* Batches across chunks and keys, keys that hold nothing. */
    {.name = "across a chunk",
     DELETED(ROW(CHUNK(1) - 1), ROW(CHUNK(1)), {CHUNK(1) + 5, CHUNK(1) + 90, 3}),
     BATCHES({CHUNK(1) - 64, 128}, {CHUNK(1) - 1, 2}, {CHUNK(1) - 1, 1}, {CHUNK(1), 1},
             {CHUNK(1) - 5000, 10000})},
    {.name = "across chunks without deletes",
     DELETED(ROW(9), ROW(CHUNK(3) + 9)),
     BATCHES({0, 262144}, {10, 196608})},
    {.name = "across a key",
     DELETED({KEY(1) - 50, KEY(1), 7}, {KEY(1), KEY(1) + 50, 5}),
     BATCHES({KEY(1) - 64, 128}, {KEY(1) - 1, 2}, {KEY(1) - 1, 1}, {KEY(1), 1}, {KEY(1) - 33, 65})},
    {.name = "run across a key",
     DELETED({KEY(1) - 1000, KEY(1) + 1000, 1}),
     BATCHES({KEY(1) - 2000, 4000}, {KEY(1) - 1, 2}, {KEY(1) - 1001, 1}, {KEY(1) + 999, 2})},
    {.name = "across a key into one without deletes",
     DELETED({KEY(1) - 9, KEY(1) - 3, 1}),
     BATCHES({KEY(1) - 64, 128})},
    {.name = "across a key from one without deletes",
     DELETED({KEY(3) + 3, KEY(3) + 9, 1}),
     BATCHES({KEY(3) - 64, 128})},
    {.name = "unallocated keys",
     DELETED(ROW(5), ROW(KEY(5) + 5)),
     BATCHES({0, 64}, {KEY(1), 64}, {KEY(2) + 5, 64}, {KEY(5) - 64, 128}, {KEY(5), 64}, {KEY(6), 64},
             {KEY(400), 64})},
    {.name = "dense keys, empty buckets",
     DELETED(ROW(KEY(3) + 70000)),
     .options = PAYLOAD_DENSE_KEYS,
     BATCHES({0, 64}, {KEY(1) + 70000, 64}, {KEY(3) + 69990, 64}, {KEY(4), 64})},
    {.name = "every key's first and last row",
     DELETED(ROW(0), ROW(KEY(1) - 1), ROW(KEY(1)), ROW(KEY(2) - 1), ROW(KEY(2))),
     BATCHES({0, 2}, {KEY(1) - 2, 4}, {KEY(2) - 2, 4}, {KEY(3) - 2, 2})},
    {.name = "same chunk and low bits under two keys",
     DELETED(ROW(KEY(1) + CHUNK(7) + 3), ROW(KEY(2) + CHUNK(7) + 4)),
     BATCHES({CHUNK(7), 64}, {KEY(1) + CHUNK(7), 64}, {KEY(2) + CHUNK(7), 64}, {KEY(2) + CHUNK(7) + 4, 1})},
    {.name = "chunk numbers 5 and 65530 are unsigned",
     DELETED(ROW(CHUNK(5)), ROW(CHUNK(65530))),
     BATCHES({CHUNK(5) - 5, 10}, {CHUNK(32768), 64}, {CHUNK(65530) - 5, 10})},

    /* The highest positions and the sign bits. */
    {.name = "top position",
     DELETED({TOP_POSITION - 70, TOP_POSITION + 1, 7}),
     BATCHES({TOP_POSITION - 5000, 5000}, {TOP_POSITION - 3, 4}, {TOP_POSITION, 1}, {TOP_POSITION + 1, 63})},
    {.name = "run ending at 2^31 - 1",
     DELETED({KEY(1) / 2 - 70000, KEY(1) / 2, 1}),
     BATCHES({KEY(1) / 2 - 70001, 5000}, {KEY(1) / 2 - 64, 128}, {KEY(1) / 2 - 1, 2}, {KEY(1) / 2, 64})},
    {.name = "run from 2^31",
     DELETED({KEY(1) / 2, KEY(1) / 2 + 70000, 1}),
     BATCHES({KEY(1) / 2 - 64, 128}, {KEY(1) / 2 - 1, 2}, {KEY(1) / 2 + 69990, 64})},
    {.name = "run ending at 2^32 - 1",
     DELETED({KEY(1) - 70000, KEY(1), 1}),
     BATCHES({KEY(1) - 70001, 5000}, {KEY(1) - 64, 64}, {KEY(1) - 1, 1}, {KEY(1) - 1, 2}, {KEY(1), 64})},
    {.name = "[0, 2^32)",
     DELETED({0, KEY(1), 1}),
     .options = PAYLOAD_OPTIMIZE,
     BATCHES({0, 5000}, {KEY(1) / 2 - 100, 200}, {KEY(1) - 65600, 65600}, {KEY(1) - 64, 128}, {KEY(1), 64})},
    {.name = "run ending at 2^32 - 65535",
     DELETED({KEY(1) - CHUNK(99), 4294901761, 1}),
     .options = PAYLOAD_OPTIMIZE,
     BATCHES({4294901700, 128}, {4294901760, 1}, {4294901761, 65535})},

    /* Every container kind in every form of range. */
    {.name = "array of one", DELETED(ROW(CHUNK(3) + 1000)), EACH_FORM_OF_RANGE(3)},
    {.name = "array at both ends", DELETED(ROW(CHUNK(3)), ROW(CHUNK(3) + 65535)), EACH_FORM_OF_RANGE(3)},
    {.name = "array of 4095", DELETED({CHUNK(3), CHUNK(3) + 4095 * 16, 16}), EACH_FORM_OF_RANGE(3)},
    {.name = "array of 4096", DELETED({CHUNK(3), CHUNK(3) + 4096 * 16, 16}), EACH_FORM_OF_RANGE(3)},
    {.name = "bitset of 4097",
     DELETED({CHUNK(3), CHUNK(3) + 4096 * 15, 15}, ROW(CHUNK(3) + 65535)),
     EACH_FORM_OF_RANGE(3)},
    {.name = "bitset, every third", DELETED({CHUNK(3) + 1, CHUNK(4), 3}), EACH_FORM_OF_RANGE(3)},
    {.name = "bitset, alternating", DELETED({CHUNK(3), CHUNK(4), 2}), EACH_FORM_OF_RANGE(3)},
    {.name = "bitset, alternating from 1", DELETED({CHUNK(3) + 1, CHUNK(4), 2}), EACH_FORM_OF_RANGE(3)},
    {.name = "bitset, all but one",
     DELETED({CHUNK(3), CHUNK(3) + 1500, 1}, {CHUNK(3) + 1501, CHUNK(4), 1}),
     EACH_FORM_OF_RANGE(3)},
    {.name = "bitset, all but the ends", DELETED({CHUNK(3) + 1, CHUNK(4) - 1, 1}), EACH_FORM_OF_RANGE(3)},
    {.name = "one run inside", DELETED({CHUNK(3) + 900, CHUNK(3) + 7000, 1}), EACH_FORM_OF_RANGE(3)},
    {.name = "run at the start", DELETED({CHUNK(3), CHUNK(3) + 1001, 1}), EACH_FORM_OF_RANGE(3)},
    {.name = "run at the end", DELETED({CHUNK(3) + 3999, CHUNK(4), 1}), EACH_FORM_OF_RANGE(3)},
    {.name = "runs of one and two",
     DELETED({CHUNK(3), CHUNK(3) + 2, 1}, ROW(CHUNK(3) + 999), {CHUNK(3) + 1001, CHUNK(3) + 1003, 1},
             ROW(CHUNK(3) + 3999), {CHUNK(4) - 2, CHUNK(4), 1}),
     EACH_FORM_OF_RANGE(3)},
    {.name = "three chunks of three kinds",
     DELETED({0, 65536, 100}, {CHUNK(1), CHUNK(2), 3}, {CHUNK(2) + 10, CHUNK(3) - 10, 1}),
     BATCHES({0, 5000}, {65000, 70000}, {CHUNK(2) - 3, 64}, {CHUNK(3) - 64, 128}, {1, 196606})},

    /* Words. */
    {.name = "two all-ones words",
     DELETED({0, 128, 1}),
     BATCHES({0, 128}, {0, 64}, {64, 64}, {63, 2}, {1, 126}, {0, 129})},
    {.name = "words' first and last bits",
     DELETED({0, 640, 64}, {703, 1400, 64}),
     BATCHES({0, 1400}, {63, 2}, {64, 64}, {127, 1}, {65, 575}, {1, 64}, {703, 64})},
    {.name = "batch sizes around a word",
     DELETED({0, 300, 3}),
     BATCHES({0, 1}, {0, 63}, {0, 64}, {0, 65}, {0, 127}, {0, 128}, {0, 129}, {0, 191}, {0, 193}, {0, 255})},
    {.name = "starts that are multiples of nothing",
     DELETED({7, 9000, 11}),
     BATCHES({1, 997}, {1013, 1009}, {2027, 2011}, {4057, 3}, {4063, 4999})},

    /* As reported, with the repository of the report. */
    {.name = "CRoaring 571: before the first",
     DELETED(ROW(65536)),
     BATCHES({27, 15}, {65535, 1}, {65536, 1})},
    {.name = "CRoaring 571: 65535", DELETED(ROW(65535)), BATCHES({65535, 1}, {65534, 1}, {65536, 1})},
    {.name = "RoaringBitmap 623: 65535 in a run",
     DELETED({1, 100000, 1}),
     BATCHES({65535, 1}, {0, 2}, {99999, 2})},
    {.name = "RoaringBitmap 285", DELETED(ROW(66236)), BATCHES({60000, 10000})},
    {.name = "roaring-go 521: in a gap between runs",
     DELETED({0, 10, 1}, {20, 30, 1}),
     BATCHES({12, 3}, {10, 10}, {9, 12}, {9, 1}, {10, 1}, {19, 1}, {20, 1}, {30, 9})},
    {.name = "RoaringBitmap 577: after all positions, keys 9 and 10",
     DELETED(ROW(39790000000), ROW(40500000000), ROW(41000000001), ROW(42949672960), ROW(43000027192),
             ROW(45011744312)),
     BATCHES({46000000000, 5000}, {46000027000, 5000}, {45011744000, 5000}, {42949672900, 128},
             {43000027192, 1})},
    {.name = "RoaringBitmap 120: a seek drops the tail",
     DELETED(ROW(59798854), ROW(91274955), ROW(97569495), ROW(101993170)),
     BATCHES({100620278, 5000}, {101990000, 5000})},
    {.name = "RoaringBitmap 690: seek into runs of one",
     DELETED({10, 16, 1}, ROW(18), {20, 25, 1}),
     BATCHES({18, 10}, {18, 1}, {17, 2}, {16, 2}, {19, 1})},
    {.name = "RoaringBitmap 464: a seek back in a bitset",
     DELETED({0, 65536, 2}),
     BATCHES({84, 64}, {30, 64}, {84, 64})},
    {.name = "CRoaring 594: back after the end",
     DELETED(ROW(0)),
     BATCHES({0, 64}, {64, 64}, {0, 64}, {KEY(2), 64}, {0, 1})},
    {.name = "CRoaring 567: seek into the second high group",
     DELETED({KEY(1) + 5, KEY(1) + 9, 1}, {KEY(7) + 2, KEY(7) + 4, 1}),
     BATCHES({KEY(7), 64}, {KEY(1), 64}, {KEY(7) + 3, 1})},
    {.name = "RoaringBitmap 113: the first n",
     DELETED({0, 200000, 1}),
     BATCHES({0, 1}, {0, 10}, {0, 100000}, {65535, 2})},
    {.name = "roaring-go 495: after a full chunk",
     DELETED({0, 65536, 1}),
     BATCHES({0, 65539}, {65535, 3}, {65536, 3})},
    {.name = "CRoaring 245: a run and isolated bits",
     DELETED({0, 1500, 1}, {1502, 1502 + 2048 * 2, 2}),
     BATCHES({0, 5600}, {1400, 200}, {1499, 4})},
    {.name = "iceberg 6026: second row group",
     DELETED(ROW(3), ROW(1003)),
     BATCHES({1000, 64}, {1000, 4}, {1003, 1})},
    {.name = "velox 10505: a batch that divides nothing",
     DELETED(ROW(6), ROW(4999), ROW(9999)),
     BATCHES({0, 4999}, {4999, 4999}, {9998, 2}, {7, 99})},
    {.name = "velox 14024: the middle group is skipped",
     DELETED({5000, 10000, 9}),
     BATCHES({0, 5000}, {10000, 5000})},
    {.name = "cudf 13569: leading groups are skipped", DELETED({0, 2, 1}), BATCHES({4, 2})},
    {.name = "iceberg-rust 1806: one delete in the last group",
     DELETED(ROW(29999)),
     BATCHES({20000, 10000}, {29999, 1})},
    {.name = "velox 8973: every batch, not only the first",
     DELETED({3, 20000, 17}),
     BATCHES({0, 10000}, {10000, 10000})},
    {.name = "StarRocks 10501: groups of 10, 20 and 30",
     DELETED(ROW(9), ROW(10), ROW(29), ROW(30), ROW(59)),
     BATCHES({0, 10}, {10, 20}, {30, 30})},
    {.name = "comet 5365: 65,536 alternating rows",
     DELETED({0, 131072, 2}),
     BATCHES({0, 131072}, {1, 5000}, {65535, 5000})},
};

enum { N_EDGES = sizeof edges / sizeof *edges };

static size_t n_variants(const struct edge *edge)
{
    return edge->options == 0 ? 2 : 1;
}

size_t check_edges_count(void)
{
    size_t n = 0;
    for (size_t i = 0; i < N_EDGES; i++)
        n += n_variants(&edges[i]);
    return n;
}

int check_case_edge(struct check_case *case_out, size_t index, struct dv_error *error_out)
{
    const struct edge *edge = edges;
    while (index >= n_variants(edge))
        index -= n_variants(edge++);
    unsigned options = index == 1 ? PAYLOAD_OPTIMIZE : edge->options;
    size_t n_patterns = 0;
    while (n_patterns < MAX_PATTERNS && edge->deleted[n_patterns].end > 0)
        n_patterns++;
    char name[sizeof case_out->name];
    snprintf(name, sizeof name, "edge: %s%s", edge->name,
             options & PAYLOAD_OPTIMIZE ? " (run containers)" : "");
    return check_case_from_patterns(case_out, name, edge->deleted, n_patterns, options, edge->batches,
                                    edge->n_batches, error_out);
}
