/* SPDX-License-Identifier: Apache-2.0 */
#include "claims_counted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build_info.h"
#include "disassembly.h"
#include "pairs.h"
#include "report_numbers.h"

#define N(value) report_number((value), (char[32]){0}, 32)

static bool is_text(const struct report_place *place, size_t row, enum csv_column column, const char *text)
{
    return strcmp(csv_text(place->summary, row, column), text) == 0;
}

/* --- the code that was emitted --- */

struct code {
    char instance[96];
    enum disassembly_answer answer;
    char said[200]; /* what the bit is followed by, or why that is not known */
};

/* Reads each instance once: a report asks several times, and objdump is another process. */
static const struct code *read_code(const struct claim_cell *cell)
{
    static struct code codes[16];
    static size_t n_codes;
    char instance[96], mnemonic[16] = "";
    snprintf(instance, sizeof instance, "%s_%s", cell->kernel, cell->sink ? cell->sink : "row_ids");
    for (size_t i = 0; i < n_codes; i++)
        if (strcmp(codes[i].instance, instance) == 0)
            return &codes[i];
    struct code *code = &codes[n_codes < 15 ? n_codes++ : 15];
    struct disassembly disassembly;
    struct dv_error error = {0};
    memcpy(code->instance, instance, sizeof instance);
    if (disassembly_read(&disassembly, instance, false, &error) < 0)
        snprintf(code->said, sizeof code->said, "%.*s", (int)sizeof code->said - 1, error.message);
    else {
        code->answer = disassembly_answer(&disassembly, mnemonic);
        snprintf(code->said, sizeof code->said, code->answer ? "%s" : "no test of a bit was found in it",
                 mnemonic);
    }
    disassembly_free(&disassembly);
    return code;
}

void claim_measure_code(struct claim_answer *answer, const struct claim *claim,
                        const struct report_place *place)
{
    const char *sink = claim->a.sink ? claim->a.sink : "row_ids";
    size_t row = 0;
    while (row < csv_n_rows(place->summary) &&
           !(report_place_has(place, row) && is_text(place, row, CSV_summary_kernel, claim->a.kernel) &&
             is_text(place, row, CSV_summary_sink, sink)))
        row++;
    if (row == csv_n_rows(place->summary)) {
        snprintf(answer->why, sizeof answer->why, "Not measured: this run lacks the cells.");
        return;
    }
    const char *compiler = csv_text(place->summary, row, CSV_summary_compiler);
    if (strcmp(compiler, BUILD_COMPILER) != 0) {
        snprintf(answer->why, sizeof answer->why,
                 "Not read: the run's program is of %s, this one, whose code can be read, of %s.", compiler,
                 BUILD_COMPILER);
        return;
    }
    const struct code *code = read_code(&claim->a);
    if (code->answer == DISASSEMBLY_UNKNOWN) {
        snprintf(answer->why, sizeof answer->why, "Not read: %s.", code->said);
        return;
    }
    answer->value = code->answer == DISASSEMBLY_BRANCH;
    answer->verdict = answer->value == claim->value ? CLAIM_REPRODUCED : CLAIM_DIFFERS;
    snprintf(answer->why, sizeof answer->why,
             "In %s, as %s compiled it, the test of a bitset's bit is followed by %s: %s.", code->instance,
             BUILD_COMPILER, code->said,
             code->answer == DISASSEMBLY_BRANCH ? "the answer is branched on"
                                                : "the answer is computed with, not branched on");
}

/* --- branch misses --- */

static enum claim_verdict judge_share(const struct claim *claim, const struct attribution *found)
{
    const double least = claim->value / claim->factor, most = claim->value * claim->factor;
    if (isnan(found->share_low_pct) || isnan(found->share_high_pct))
        return CLAIM_CANNOT_TELL;
    if (found->share_low_pct >= least && found->share_high_pct <= most)
        return CLAIM_REPRODUCED;
    return found->share_low_pct > most || found->share_high_pct < least ? CLAIM_DIFFERS : CLAIM_CANNOT_TELL;
}

void claim_measure_misses(struct claim_answer *answer, const struct claim *claim,
                          const struct report_place *place, size_t a, size_t b)
{
    const struct attribution_penalty penalty =
        pairs_penalty(place->counters, csv_text(place->summary, a, CSV_summary_run));
    const struct attribution_side sides[2] = {pairs_side(place->summary, a), pairs_side(place->summary, b)};
    struct attribution found;
    attribution_compute(&found, &sides[0], &sides[1], &penalty);
    if (found.status != ATTRIBUTION_OK) {
        snprintf(answer->why, sizeof answer->why, "Not measured: %s.", attribution_status_text(found.status));
        return;
    }
    answer->value = found.share_pct;
    answer->low = found.share_low_pct;
    answer->high = found.share_high_pct;
    answer->verdict = judge_share(claim, &found);
    snprintf(answer->why, sizeof answer->why,
             "%s misses per row against %s, at %s cycles each, of %s more cycles per row.",
             N(sides[0].branch_misses), N(sides[1].branch_misses), N(penalty.core_cycles),
             N(found.delta_core_cycles));
}
