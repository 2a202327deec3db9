/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of recipes: what can be generated, with which parameters.
 *
 * Place in the data flow: recipes.def -> this table -> `list recipes`, help, plans (an axis is the name of a
 * parameter), and the specs that source_open_spec takes. */
#ifndef DVBENCH_RECIPE_H
#define DVBENCH_RECIPE_H

#include <stddef.h>
#include <stdint.h>

#include "dv.h"

/* The most rows of a file that a recipe takes. */
#define RECIPE_MAX_ROWS (UINT64_C(1) << 40)

/* The last position that Iceberg's and Delta's bitmaps take: key 2^31 - 2, low word 2^31. */
#define RECIPE_MAX_POSITION UINT64_C(0x7FFFFFFE80000000)

struct recipe_job; /* recipe_job.h: one spec being generated */

enum recipe_param_kind {
    RECIPE_COUNT,  /* decimal integer in [min, max] */
    RECIPE_RATE,   /* decimal fraction in [0, 1], exact, at most 18 decimals; `6.1%` is understood as 0.061 */
    RECIPE_CHOICE, /* one of the words of `choices` */
};

/* All strings are static. A name may occur twice in one recipe if `when` distinguishes the two: a default that
 * depends. */
struct recipe_param {
    const char *name;
    const char *fallback;    /* the default, as a spec would write it */
    const char *choices;     /* of a choice: "rate|runs|occupancy", else NULL */
    const char *when;        /* "axis=runs" or "axis!=runs": taken only then; NULL: always */
    const char *description; /* with its unit */
    uint64_t min, max;       /* of a count, inclusive */
    enum recipe_param_kind kind;
};

struct recipe {
    const char *id;
    const char *description;           /* one line */
    const struct recipe_param *params; /* n_params of them, in the order of a canonical spec */
    size_t n_params;
    int (*generate)(struct recipe_job *job, struct dv_error *error_out);
};

size_t recipes_count(void);

/* The recipe at `index` < recipes_count(), in the order of recipes.def. */
const struct recipe *recipe_at(size_t index);

/* NULL where there is none of that id. */
const struct recipe *recipe_find(const char *id);

/* The first parameter of that name; NULL where the recipe has none. */
const struct recipe_param *recipe_find_param(const struct recipe *recipe, const char *name);

#endif
