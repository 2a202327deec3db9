/* SPDX-License-Identifier: Apache-2.0 */
/* The article's claims, and what a run says of each.
 *
 * Place in the data flow: report_claims.def + summary.csv -> a number with its interval, a verdict, a sentence ->
 * the report's table and claims.csv. */
#ifndef DVBENCH_CLAIMS_H
#define DVBENCH_CLAIMS_H

#include <stdint.h>

#include "csv.h"
#include "report_places.h"

/* What a claim's cell is found by; what is 0 or NULL is the usual. */
struct claim_cell {
    const char *kernel;
    double rate; /* that the spec asks for */
    const char *sink;
    const char *mode;
    uint64_t batch_rows;
    uint64_t rows;       /* of the file; 0: any */
    uint64_t length;     /* of runs; 0: not such a vector */
    uint64_t percent;    /* of the chunks that have deletes; 0: not such a vector */
    const char *pattern; /* of the microbenchmark's chunk, which states the rate; NULL: not such a vector */
};

enum claim_kind {
    CLAIM_COST,
    CLAIM_GAIN,
    CLAIM_BYTES,
    CLAIM_ARRAYS,
    CLAIM_MIXTURE,
    CLAIM_CODE,
    CLAIM_MISSES,
    CLAIM_UNMEASURED
};

struct claim {
    enum claim_kind kind;
    const char *what;
    const char *published;
    double value;
    double factor;
    struct claim_cell a, b;
    const char *method;
    const char *missing; /* what would settle it, of UNMEASURED */
};

enum claim_verdict { CLAIM_CANNOT_TELL, CLAIM_REPRODUCED, CLAIM_DIFFERS };

struct claim_answer {
    double value, low, high;
    enum claim_verdict verdict;
    size_t row; /* of cell A; REPORT_NO_ROW where there is none */
    char why[480];
};

/* "cannot tell", ...; static. */
const char *claim_verdict_text(enum claim_verdict verdict);

/* All claims, static. */
const struct claim *claims_all(size_t *n_out);

/* What is not known is NAN; `why` is never empty. Of several runs of the machine one that holds both cells answers,
 * first one of the article's own vectors: runs differ in when they were measured. Only where none holds both, as with
 * shards of a plan, the cells are taken from two. */
struct claim_answer claim_answer_of(const struct claim *claim, const struct report_place *place);

#endif
