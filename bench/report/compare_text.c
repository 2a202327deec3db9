/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison of two runs in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cell_name.h"
#include "compare.h"
#include "utf8.h"

static const struct {
    const char *id;
    const char *text;
    const char *why_the_gate_stops; /* NULL: it does not */
} verdicts[] = {
    [COMPARE_CANNOT_TELL] = {"cannot_tell", "cannot tell", NULL},
    [COMPARE_SLOWER] = {"slower", "slower", "slower in B"},
    [COMPARE_FASTER] = {"faster", "faster", NULL},
    [COMPARE_TOO_NOISY] = {"too_noisy", "too noisy", NULL},
    [COMPARE_NOT_JUDGED] = {"not_judgeable", "not judgeable",
                            "not judgeable: fewer than 6 common samples, or no noise floor; "
                            "measure again with --rounds 9"},
    [COMPARE_WRONG] = {"wrong", "wrong in B", "wrong in B"},
    [COMPARE_OTHER_DV] = {"other_bytes", "other bytes in B",
                          "not judged: the vector of that name has other bytes in B"},
    [COMPARE_OTHER_WORK] = {"other_work", "other rows or batches in B",
                            "not judged: B visits other rows or batches of the same vector"},
    [COMPARE_MISSING] = {"not_measured", "not measured in B", "not measured in B"},
};

const char *compare_verdict_id(enum compare_verdict verdict)
{
    return verdicts[verdict].id;
}

const char *compare_verdict_text(enum compare_verdict verdict)
{
    return verdicts[verdict].text;
}

const char *compare_verdict_stops(enum compare_verdict verdict)
{
    return verdicts[verdict].why_the_gate_stops;
}

char *compare_cell_name(const struct comparisons *comparisons, const struct comparison *one)
{
    char *name = one->row_a == COMPARE_NO_ROW ? cell_name_of_row(comparisons->summary_b, one->row_b)
                                              : cell_name_of_row(comparisons->summary_a, one->row_a);
    char *visible = name ? utf8_visible(name) : NULL;
    free(name);
    return visible;
}

char *compare_numbers(const struct comparison *one, char text_out[COMPARE_NUMBERS_BYTES])
{
    const struct stats_summary *ratio = &one->ratio;
    text_out[0] = '\0';
    if (one->is_by_instructions)
        snprintf(text_out, COMPARE_NUMBERS_BYTES, "%.4f by instructions%s", ratio->median,
                 one->is_slower_in_time ? ", but slower in time" : "");
    else if (ratio->interval.exists && isnan(one->noise_pct))
        snprintf(text_out, COMPARE_NUMBERS_BYTES, "%.3f, noise floor not known", ratio->median);
    else if (ratio->interval.exists)
        snprintf(text_out, COMPARE_NUMBERS_BYTES, "%.3f (%.3f to %.3f), noise %.1f %%", ratio->median,
                 ratio->interval.low, ratio->interval.high, one->noise_pct);
    else if (one->verdict == COMPARE_NOT_JUDGED)
        snprintf(text_out, COMPARE_NUMBERS_BYTES, "%zu common samples, too few for an interval",
                 ratio->n_samples);
    return text_out;
}

static void print_one(const struct comparisons *all, const struct comparison *one)
{
    char *name = compare_cell_name(all, one);
    char numbers[COMPARE_NUMBERS_BYTES];
    printf("%-17s  %s  %s\n", verdicts[one->verdict].text, name ? name : "", compare_numbers(one, numbers));
    free(name);
}

size_t compare_n_judged(const struct comparisons *comparisons)
{
    return comparisons->n_verdict[COMPARE_CANNOT_TELL] + comparisons->n_verdict[COMPARE_SLOWER] +
           comparisons->n_verdict[COMPARE_FASTER] + comparisons->n_verdict[COMPARE_TOO_NOISY];
}

void compare_print(const struct comparisons *comparisons, bool with_all)
{
    bool is_by_time = true;
    for (size_t i = 0; i < comparisons->n_items; i++) {
        const struct comparison *one = &comparisons->items[i];
        is_by_time = is_by_time && !one->is_by_instructions;
        if (with_all || one->is_slower_in_time || one->verdict != COMPARE_CANNOT_TELL)
            print_one(comparisons, one);
    }
    printf(is_by_time ? "time in B over time in A: " : "time or instructions in B over A: ");
    for (int verdict = 0; verdict < COMPARE_N_VERDICTS; verdict++)
        if (comparisons->n_verdict[verdict] > 0 || verdict <= COMPARE_FASTER)
            printf("%zu %s, ", comparisons->n_verdict[verdict], verdicts[verdict].text);
    printf("%zu in B only\n", comparisons->n_only_b);
}
