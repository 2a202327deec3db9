/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a report that have no file of their own.
 *
 * Place in the data flow: summary.csv, run.json, pictures -> struct report -> report_text. */
#ifndef DVBENCH_REPORT_SECTIONS_H
#define DVBENCH_REPORT_SECTIONS_H

#include <jansson.h>

#include "csv.h"
#include "figures.h"
#include "report_text.h"

/* What both forms are written from. */
struct report {
    const char *run_dir;
    struct figures figures;
    struct csv_table
        *scan; /* of a run of `scan`, which has no summary.csv and so no figures above; else NULL */
    struct csv_table *deletes;  /* likewise, of a run of `deletes` */
    struct csv_table *counters; /* of counters.csv; NULL where there is none */
    struct csv_table *versions; /* likewise, of a run of `versions` */
    struct csv_table *threads;  /* of threads.csv; NULL where there is none */
    json_t *run;                /* NULL where run.json cannot be read */
};

/* The cell of the first row, "" of a table without rows. */
const char *report_first_text(const struct csv_table *table, enum csv_column column);

/* Machine, noise floor, how many cells. */
void report_overview(const struct report_text *text, const struct report *report);

/* Cells whose time or count cannot be right; nothing where there are none. */
void report_doubts(const struct report_text *text, const struct csv_table *table);

/* Cells with samples that something disturbed; nothing where there are none. */
void report_disturbed(const struct report_text *text, const struct csv_table *table);

/* Of run.json; nothing where there are none. */
void report_warnings(const struct report_text *text, const struct report *report);

void report_not_measured(const struct report_text *text, const struct report *report);

/* All of run.json, folded. */
void report_settings(const struct report_text *text, const struct report *report);

/* Links to the run's CSV files. */
void report_files(const struct report_text *text, const struct report *report);

/* The figure at the top of the report, the first cost over rate that was drawn; NULL where there is none. */
const struct figure *report_opening_figure(const struct report *report);

/* One picture with its caption; nothing where it was not drawn. */
void report_figure(const struct report_text *text, const struct report *report, const struct figure *figure);

/* The first picture of each question in the open, the others of the same question folded below it. */
void report_figures(const struct report_text *text, const struct report *report);

#endif
