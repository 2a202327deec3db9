/* SPDX-License-Identifier: Apache-2.0 */
/* One spec on its way to a payload: the values of its parameters, and where a recipe puts the rows it
 * deletes.
 *
 * Place in the data flow: spec -> recipe_job_parse -> recipe->generate -> payload_writer. Only the recipes
 * and source.c include this. */
#ifndef DVBENCH_RECIPE_JOB_H
#define DVBENCH_RECIPE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "payload_writer.h"
#include "recipe.h"

enum { RECIPE_MAX_PARAMS = 16 };

/* An exact decimal fraction: numerator / denominator, the latter a power of ten up to 10^18. */
struct recipe_rate {
    uint64_t numerator;
    uint64_t denominator;
};

struct recipe_value {
    bool is_set;             /* the parameter applies: its `when` holds */
    uint64_t count;          /* of a count; of a choice the index of its word */
    struct recipe_rate rate; /* of a rate */
};

struct recipe_job {
    const struct recipe *recipe;
    struct recipe_value values[RECIPE_MAX_PARAMS]; /* as recipe->params */
    struct payload_writer *writer;                 /* borrowed */
    uint64_t base;                                 /* first position */
    uint64_t n_rows;
    uint64_t seed; /* 0 where the recipe takes none */
};

/* Reads `recipe:key=value:...` into `job_out`, defaults filled in. Returns 0, or DV_ERROR_USAGE with what is
 * known named. */
int recipe_job_parse(struct recipe_job *job_out, const char *spec, struct dv_error *error_out);

/* The canonical spec: every parameter that applies, in the registry's order, rates as the shortest decimal
 * fraction. malloc'd, owned by the caller; NULL where memory is short. */
char *recipe_job_print(const struct recipe_job *job);

/* The value of a parameter that applies; asking for any other is a bug (assert). */
uint64_t recipe_count(const struct recipe_job *job, const char *name);
struct recipe_rate recipe_rate(const struct recipe_job *job, const char *name);

/* Whether a choice has this value. */
bool recipe_is(const struct recipe_job *job, const char *name, const char *choice);

/* floor(rate * n). */
uint64_t recipe_share(struct recipe_rate rate, uint64_t n);

/* Deletes the rows [start, end) of the file, counted from its first row, not from position 0; what lies past
 * the last row is cut off. Ascending, as payload_writer_add_range, whose errors it returns. */
int recipe_delete(struct recipe_job *job, uint64_t start, uint64_t end, struct dv_error *error_out);

/* Deletes the rows first_row + i for the bits i < n that are set, lowest bit of the first word first. */
int recipe_delete_bits(struct recipe_job *job, uint64_t first_row, const uint64_t *bits, uint32_t n,
                       struct dv_error *error_out);

/* The index of `word`, of n_chars, among `choices` ("a|b|c"), -1 where it is none of them. */
int recipe_choice_index(const char *choices, const char *word, size_t n_chars);

/* The functions of recipes.def. */
#define RECIPE(id, ...) int generate_##id(struct recipe_job *job, struct dv_error *error_out);
#include "recipes.def"
#undef RECIPE

#endif
