/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "attribution.h"

static enum attribution_status judge(const struct attribution *attribution, const struct attribution_side *a,
                                     const struct attribution_side *b,
                                     const struct attribution_penalty *penalty)
{
    if (a->is_simulated || b->is_simulated)
        return ATTRIBUTION_SIMULATED;
    if (isnan(attribution->delta_core_cycles))
        return ATTRIBUTION_NO_CYCLES;
    if (isnan(attribution->delta_branch_misses))
        return ATTRIBUTION_NO_MISSES;
    if (!(penalty->core_cycles > 0))
        return ATTRIBUTION_NO_PENALTY;
    return attribution->delta_core_cycles == 0 ? ATTRIBUTION_NO_DIFFERENCE : ATTRIBUTION_OK;
}

static double ratio(double numerator, double denominator)
{
    return denominator != 0 ? numerator / denominator : NAN;
}

void attribution_compute(struct attribution *attribution_out, const struct attribution_side *a,
                         const struct attribution_side *b, const struct attribution_penalty *penalty)
{
    struct attribution result = {
        .delta_ns = a->ns - b->ns,
        .delta_core_cycles = a->core_cycles - b->core_cycles,
        .delta_instructions = a->instructions - b->instructions,
        .delta_branches = a->branches - b->branches,
        .delta_branch_misses = a->branch_misses - b->branch_misses,
        .share_pct = NAN,
        .share_low_pct = NAN,
        .share_high_pct = NAN,
        .misses_for_all = NAN,
    };
    result.marginal_ipc = ratio(result.delta_instructions, result.delta_core_cycles);
    result.status = judge(&result, a, b, penalty);
    if (result.status == ATTRIBUTION_OK) {
        double per_penalty = 100 * result.delta_branch_misses / result.delta_core_cycles;
        double at_low = per_penalty * penalty->low;
        double at_high = per_penalty * penalty->high;
        result.share_pct = per_penalty * penalty->core_cycles;
        result.share_low_pct = per_penalty < 0 ? at_high : at_low;
        result.share_high_pct = per_penalty < 0 ? at_low : at_high;
        result.misses_for_all = result.delta_core_cycles / penalty->core_cycles;
    }
    *attribution_out = result;
}

const char *attribution_status_text(enum attribution_status status)
{
    switch (status) {
    case ATTRIBUTION_SIMULATED:
        return "the misses are simulated, for another predictor than this CPU's: a PMU would count cycles "
               "and "
               "this CPU's misses, and give the share";
    case ATTRIBUTION_NO_CYCLES:
        return "core cycles were not counted: that needs a PMU";
    case ATTRIBUTION_NO_MISSES:
        return "branch misses were not counted: see counter_status";
    case ATTRIBUTION_NO_PENALTY:
        return "the cost of a branch miss was not measured in this run: give one with --penalty CYCLES";
    case ATTRIBUTION_NO_DIFFERENCE:
        return "both take the same cycles";
    default:
        return "";
    }
}
