/* SPDX-License-Identifier: Apache-2.0 */
/* The machines of a run: one, or those of the runs that were merged into it.
 *
 * Place in the data flow: summary.csv -> machines and their runs -> titles, columns and panels of the report. */
#ifndef DVBENCH_REPORT_PLACES_H
#define DVBENCH_REPORT_PLACES_H

#include "csv.h"

struct report_place {
    const struct csv_table *summary;  /* borrowed, as the texts are */
    const struct csv_table *counters; /* of counters.csv; NULL: none */
    const char *machine;
    const char *run;  /* only rows of this run count; NULL: of any */
    size_t first_row; /* of this machine */
    char runs[200];   /* "2026-12-02-article, 2026-12-03-full"; ends in ", ..." where that is too long */
};

enum { REPORT_MOST_PLACES = 8 };

/* The machines in the order of the table, the first 8 of them; `counters` may be NULL. Returns how many. */
size_t report_places(struct report_place places_out[REPORT_MOST_PLACES], const struct csv_table *summary,
                     const struct csv_table *counters);

/* Whether the row is of that machine, and of the run where one is asked for. */
bool report_place_has(const struct report_place *place, size_t row);

/* Whether the table has rows of more than one machine. */
bool report_has_machines(const struct csv_table *summary);

#endif
