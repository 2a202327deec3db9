/* SPDX-License-Identifier: Apache-2.0 */
#include "report_places.h"

#include <stdio.h>
#include <string.h>

static void add_run(struct report_place *place, const char *run)
{
    const size_t n = strlen(place->runs), n_run = strlen(run);
    for (const char *at = place->runs; *at; at += strspn(at, ", ")) {
        const size_t n_here = strcspn(at, ",");
        if (n_here == n_run && memcmp(at, run, n_run) == 0)
            return;
        at += n_here;
    }
    if (n + n_run + sizeof ", , ..." <= sizeof place->runs)
        snprintf(place->runs + n, sizeof place->runs - n, "%s%s", n ? ", " : "", run);
    else if (n < 3 || strcmp(place->runs + n - 3, "...") != 0)
        snprintf(place->runs + n, sizeof place->runs - n, "%s...", n ? ", " : "");
}

size_t report_places(struct report_place places_out[REPORT_MOST_PLACES], const struct csv_table *summary,
                     const struct csv_table *counters)
{
    size_t n = 0;
    for (size_t row = 0; row < csv_n_rows(summary); row++) {
        const char *machine = csv_text(summary, row, CSV_summary_machine);
        size_t i = 0;
        while (i < n && strcmp(places_out[i].machine, machine) != 0)
            i++;
        if (i == REPORT_MOST_PLACES)
            continue;
        if (i == n)
            places_out[n++] = (struct report_place){summary, counters, machine, NULL, row, ""};
        add_run(&places_out[i], csv_text(summary, row, CSV_summary_run));
    }
    return n;
}

bool report_place_has(const struct report_place *place, size_t row)
{
    return strcmp(csv_text(place->summary, row, CSV_summary_machine), place->machine) == 0 &&
           (!place->run || strcmp(csv_text(place->summary, row, CSV_summary_run), place->run) == 0);
}

bool report_has_machines(const struct csv_table *summary)
{
    for (size_t row = 1; row < csv_n_rows(summary); row++)
        if (strcmp(csv_text(summary, row, CSV_summary_machine), csv_text(summary, 0, CSV_summary_machine)) !=
            0)
            return true;
    return false;
}
