/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison of two runs in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cell_name.h"
#include "compare.h"

static const struct {
    const char *text;
    const char *why_the_gate_stops; /* NULL: it does not */
} verdicts[] = {
    [COMPARE_CANNOT_TELL] = {"cannot tell", NULL},
    [COMPARE_SLOWER] = {"slower", "slower in B"},
    [COMPARE_FASTER] = {"faster", NULL},
    [COMPARE_NOT_JUDGED] = {"not judgeable", "not judgeable: fewer than 6 common samples, or no noise floor; "
                                             "measure again with --rounds 9"},
    [COMPARE_WRONG] = {"wrong in B", "wrong in B"},
    [COMPARE_OTHER_DV] = {"other bytes in B", "not judged: the vector of that name has other bytes in B"},
    [COMPARE_OTHER_WORK] = {"other rows or batches in B",
                            "not judged: B visits other rows or batches of the same vector"},
    [COMPARE_MISSING] = {"not measured in B", "not measured in B"},
};

static void print_one(const struct comparisons *all, const struct comparison *one)
{
    char *name = one->row_a == COMPARE_NO_ROW ? cell_name_of_row(all->summary_b, one->row_b)
                                              : cell_name_of_row(all->summary_a, one->row_a);
    char numbers[128] = "";
    if (one->ratio.interval.exists && isnan(one->noise_pct))
        snprintf(numbers, sizeof numbers, "%.3f, noise floor not known", one->ratio.median);
    else if (one->ratio.interval.exists)
        snprintf(numbers, sizeof numbers, "%.3f (%.3f to %.3f), noise %.1f %%", one->ratio.median,
                 one->ratio.interval.low, one->ratio.interval.high, one->noise_pct);
    else if (one->verdict == COMPARE_NOT_JUDGED)
        snprintf(numbers, sizeof numbers, "%zu common samples, too few for an interval",
                 one->ratio.n_samples);
    printf("%-17s  %s  %s\n", verdicts[one->verdict].text, name ? name : "", numbers);
    free(name);
}

size_t compare_n_judged(const struct comparisons *comparisons)
{
    return comparisons->n_verdict[COMPARE_CANNOT_TELL] + comparisons->n_verdict[COMPARE_SLOWER] +
           comparisons->n_verdict[COMPARE_FASTER];
}

void compare_print(const struct comparisons *comparisons, bool with_all)
{
    for (size_t i = 0; i < comparisons->n_items; i++)
        if (with_all || comparisons->items[i].verdict != COMPARE_CANNOT_TELL)
            print_one(comparisons, &comparisons->items[i]);
    printf("time in B over time in A: ");
    for (int verdict = 0; verdict < COMPARE_N_VERDICTS; verdict++)
        if (comparisons->n_verdict[verdict] > 0 || verdict <= COMPARE_FASTER)
            printf("%zu %s, ", comparisons->n_verdict[verdict], verdicts[verdict].text);
    printf("%zu in B only\n", comparisons->n_only_b);
}

size_t compare_print_reasons(const struct comparisons *comparisons)
{
    size_t n_reasons = 0;
    for (int verdict = 0; verdict < COMPARE_N_VERDICTS; verdict++) {
        if (!verdicts[verdict].why_the_gate_stops || comparisons->n_verdict[verdict] == 0)
            continue;
        const size_t n = comparisons->n_verdict[verdict];
        printf("gate: %zu cell%s %s\n", n, n == 1 ? "" : "s", verdicts[verdict].why_the_gate_stops);
        n_reasons++;
    }
    if (compare_n_judged(comparisons) == 0) {
        puts("gate: no cell was judged");
        n_reasons++;
    }
    return n_reasons;
}
