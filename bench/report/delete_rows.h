/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of deletes.csv by pattern, way and batch, over the rounds: what pays, what is noise, figures'
 * points.
 *
 * Place in the data flow: deletes.csv -> medians, intervals -> delete_report, delete_claims,
 * delete_figures. */
#ifndef DVBENCH_DELETE_ROWS_H
#define DVBENCH_DELETE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "csv.h"
#include "delete_options.h"
#include "stats.h"

/* Which rows are meant; only those whose verdict is ok count. */
struct delete_group {
    const struct csv_table *deletes;
    const char *pattern;
    double n_rows; /* of the table; 0: of any */
};

/* In place of a batch. */
enum { DELETE_LAST_READ = -1, /* the last one whose reads were timed */ DELETE_EACH = -2 /* all from 1 */ };

/* Over the rounds, of one batch or of each; of no number where a cell is empty. */
struct stats_summary delete_summary(const struct delete_group *group, enum delete_way way, double batch,
                                    enum csv_column column);
double delete_value(const struct delete_group *group, enum delete_way way, double batch,
                    enum csv_column column); /* the median; NaN of no number */

/* Over the rounds, of the sums of all batches; a round that lacks a batch or its number is left out. */
struct stats_summary delete_sum(const struct delete_group *group, enum delete_way way,
                                enum csv_column column);

/* `above` / `below` of the same round and batch, over all batches from 1 and rounds. */
struct stats_summary delete_ratio(const struct delete_group *group, enum delete_way above,
                                  enum delete_way below, enum csv_column column);

/* By how many per cent ways differed where they do the same work: of reads, in all four of them together
 * before the first delete; of delete_ms, the ways without rewriting in finding the same rows. The largest
 * median of paired ratios; NaN of none. */
double delete_noise_pct(const struct delete_group *group, enum csv_column column);

/* Scans per batch of deletes after which `rewriting` has paid for itself against `leaving`, of each batch and
 * round: (extra time to delete) / (time saved per scan), 0 where at once, DELETE_NEVER where a scan is not
 * faster. `read` is the column of the scan; `batch` one batch, or DELETE_EACH. */
#define DELETE_NEVER 1e200 /* and all above */
struct stats_summary delete_crossover(const struct delete_group *group, enum delete_way rewriting,
                                      enum delete_way leaving, enum csv_column read, double batch);

/* The number of batches from which on compacting V2's files costs no more than one scan of a column saves
 * by it; NaN where it does not, or was not measured. */
double delete_compacting_pays_from(const struct delete_group *group);

/* Whether no row before has that text in the column. */
bool delete_is_first(const struct csv_table *deletes, size_t row, enum csv_column column);

enum delete_study delete_study_of(const struct csv_table *deletes);

enum delete_figure_kind { DELETE_OVER_BATCHES, DELETE_OVER_SCANS, DELETE_OVER_SIZES };

/* One kind of picture; there is one per pattern. */
struct delete_figure {
    const char *id;          /* plots/ID.PATTERN.svg */
    enum delete_study study; /* that has it */
    const char *question;    /* its title */
    const char *x, *y;       /* what the axes are */
    const char *logarithmic; /* which axes, "xy" or "" */
    enum delete_figure_kind kind;
    enum csv_column column; /* over scans: the column of the scan */
    double unit;            /* what a number of the column is divided by */
};

extern const struct delete_figure delete_figures[];
extern const size_t delete_n_figures;

/* How many points a way may have; the point number `i` of them, false where it has none. */
size_t delete_figure_n_points(const struct delete_figure *figure, const struct csv_table *deletes);
bool delete_figure_point(const struct delete_figure *figure, const struct csv_table *deletes,
                         const char *pattern, enum delete_way way, size_t i, double *x_out, double *y_out);

#endif
