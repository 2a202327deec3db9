/* SPDX-License-Identifier: Apache-2.0 */
/* What `advise` says of a user's own vectors: sentences, each with its number and the number's source.
 *
 * Place in the data flow: struct inspect_summary of each vector + summary.csv of a sweep over them ->
 * sentences and tables -> standard output, as text or JSON. */
#ifndef DVBENCH_ADVISE_H
#define DVBENCH_ADVISE_H

#include "cost_model.h"
#include "csv.h"
#include "inspect.h"
#include "references.h"
#include "stats.h"
#include "string_list.h"

#define ADVISE_NO_ROW ((size_t)-1)

/* Of more vectors than these the most costly are described, and none is arranged: that triples the time. */
enum { ADVISE_N_DESCRIBED = 10 };

/* Where the deletes could lie: all of them adjoin; at random in as few chunks as are nine tenths full then. */
enum advise_arranged { ADVISE_SORTED, ADVISE_CLUSTERED, ADVISE_N_ARRANGED };

/* A vector, and as many deletes arranged. Strings are owned. */
struct advise_vector {
    char *spec;
    struct inspect_summary summary;
    uint64_t n_payload_bytes;
    char *arranged[ADVISE_N_ARRANGED]; /* canonical specs of as many deletes elsewhere, or NULL */
    size_t per_row;                    /* rows of the sweep's summary, or ADVISE_NO_ROW */
    size_t best;
    size_t best_library; /* the best without direct_* */
    struct strings says; /* the sentences */
};

/* What was fitted to a reference run, and how far off it is on the vectors given. */
struct advise_model {
    const char *kernel; /* the table's */
    struct cost_model model;
    const char *run; /* that it was fitted to, the table's; NULL: none has these cells */
    struct cost_model_trial trial;
};

struct advise {
    struct advise_vector *vectors; /* owned; once measured, the most costly first */
    size_t n_vectors;
    const struct csv_table *costs; /* borrowed: summary.csv of the sweep */
    struct advise_model *models;   /* owned; one per kernel */
    size_t n_models;
    const struct references *scans;   /* borrowed: scan.csv of runs */
    const struct references *deletes; /* borrowed: deletes.csv of runs */
    uint64_t n_scan_columns;
    const char *sink;
    const char *mode;
    uint32_t batch_rows;
};

/* ns per row, with what a kernel does when it opens the vector; NAN for ADVISE_NO_ROW. */
double advise_cost(const struct advise *advise, size_t row);

/* An end of its interval: `bound` is ns_per_row_low or ns_per_row_high. */
double advise_bound(const struct advise *advise, size_t row, enum csv_column bound);

/* The cost of all rows of the vector, in ns. */
double advise_file_cost(const struct advise *advise, const struct advise_vector *vector, size_t row);

/* The row of this vector and kernel. */
size_t advise_find(const struct advise *advise, const char *dv, const char *kernel);

/* Cost of `slow` over cost of `fast`: the paired ratio where `slow` is per_row of the same vector, else that of
 * two medians within the bounds that their intervals give. */
struct advise_ratio {
    double value; /* NAN where one of them was not measured */
    double low;
    double high;
    enum stats_verdict verdict; /* beyond the noise floor of the sweep */
};
struct advise_ratio advise_compare(const struct advise *advise, size_t slow, size_t fast);

/* Finds the rows, sorts the vectors by what per_row costs over the file. */
void advise_rank(struct advise *advise);

/* Fills `advise->models`: of the reference runs that have the cells, per kernel, the one whose model is least off on
 * vectors left out. Returns 0 or DV_ERROR_MEMORY. */
int advise_fit(struct advise *advise, const struct references *references, struct dv_error *error_out);

/* Of the kernel in this row; NULL where none was fitted. */
const struct advise_model *advise_model_of(const struct advise *advise, size_t row);

/* What the model says of this row; NAN where it cannot tell or is not used. */
double advise_predict(const struct advise *advise, size_t row);

/* Sums over the table, in ns; a vector that was not measured is not in them. */
struct advise_total {
    size_t n_measured;
    double per_row;
    double best_each; /* with the best kernel for each vector */
    const char *one;  /* the kernel that is best where all vectors get the same, NULL: none ran on all */
    double one_cost;
};
struct advise_total advise_sum(const struct advise *advise);

/* --- what changing the data file would save --- */

/* Of a scan that reads so many columns and no vector: ns of CPU per row. `run` is NULL where none was recorded. */
struct advise_scan {
    double ns_per_row;
    const char *run;
    const char *columns;
};
struct advise_scan advise_scan_of(const struct advise *advise);

/* What writing the data file anew takes, by the copy-on-write of a run of `deletes`: ns per row. */
struct advise_write {
    double ns_per_row;
    const char *run; /* NULL: none was recorded */
};
struct advise_write advise_write_of(const struct advise *advise);

/* With the kernel of that row, in ns per row of the file. */
struct advise_pay {
    double saves; /* each scan; NAN where not known */
    double costs; /* once; NAN where not known */
    double
        scans; /* after which it has paid: whole ones, INFINITY where it saves nothing, NAN where not known */
};

/* Rewriting without the deleted rows. */
struct advise_pay advise_rewrite(const struct advise *advise, const struct advise_vector *vector, size_t row);

/* Rewriting in another order, so that `row` becomes `arranged`; 63 % more than rewriting, by the article's sort. */
enum { ADVISE_SORT_EXTRA_PCT = 63 };
struct advise_pay advise_arrange(const struct advise *advise, size_t row, size_t arranged);

/* Adds the sentences about it. Returns 0 or DV_ERROR_MEMORY. */
int advise_say_rewrite(const struct advise *advise, struct advise_vector *vector);
int advise_say_arranged(const struct advise *advise, struct advise_vector *vector, enum advise_arranged how);

/* --- output --- */

/* Adds a sentence. Returns 0 or DV_ERROR_MEMORY. */
int advise_add(struct strings *says, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills `vector->says`. Returns 0 or DV_ERROR_MEMORY. */
int advise_say(const struct advise *advise, struct advise_vector *vector, struct dv_error *error_out);

/* One object. Returns 0, DV_ERROR_MEMORY or DV_ERROR_IO. */
int advise_print_json(const struct advise *advise, struct dv_error *error_out);
void advise_print_text(const struct advise *advise);

#endif
