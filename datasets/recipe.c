/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "recipe.h"
#include "recipe_job.h"

/* What the rows of recipes.def are written in: each parameter is an initialiser of struct recipe_param, and
 * what follows its last argument is further fields of it. clang-format off */
#define COUNT(id, text, lowest, highest, ...)                                                                \
    {                                                                                                        \
        .name = #id, .kind = RECIPE_COUNT, .fallback = text, .min = lowest, .max = highest,                  \
        .description = __VA_ARGS__                                                                           \
    }
#define RATE(id, text, ...)                                                                                  \
    {                                                                                                        \
        .name = #id, .kind = RECIPE_RATE, .fallback = text, .description = __VA_ARGS__                       \
    }
#define CHOICE(id, text, words, ...)                                                                         \
    {                                                                                                        \
        .name = #id, .kind = RECIPE_CHOICE, .fallback = text, .choices = words, .description = __VA_ARGS__   \
    }
#define ROWS(...)                                                                                            \
    {                                                                                                        \
        .name = "rows", .description = "rows of the file", .kind = RECIPE_COUNT, .min = 1,                   \
        .max = RECIPE_MAX_ROWS, .fallback = __VA_ARGS__                                                      \
    }
#define SEED COUNT(seed, "1", 0, UINT64_MAX, "of the random numbers; without effect where none are drawn")
#define BASE COUNT(base, "0", 0, RECIPE_MAX_POSITION, "position of the first row")
#define OPTIMIZE                                                                                             \
    COUNT(optimize, "1", 0, 1, "1: run containers where they are smaller, as writers do; 0: none")

#define RECIPE(id, text, ...) static const struct recipe_param params_of_##id[] = {__VA_ARGS__};
#include "recipes.def"
#undef RECIPE

static const struct recipe recipes[] = {
#define RECIPE(name, text, ...)                                                                              \
    {.id = #name,                                                                                            \
     .description = text,                                                                                    \
     .params = params_of_##name,                                                                             \
     .n_params = sizeof params_of_##name / sizeof params_of_##name[0],                                       \
     .generate = generate_##name},
#include "recipes.def"
#undef RECIPE
};
/* clang-format on */

size_t recipes_count(void)
{
    return sizeof recipes / sizeof recipes[0];
}

const struct recipe *recipe_at(size_t index)
{
    return &recipes[index];
}

const struct recipe *recipe_find(const char *id)
{
    for (size_t i = 0; i < recipes_count(); i++) {
        if (strcmp(recipes[i].id, id) == 0)
            return &recipes[i];
    }
    return NULL;
}

const struct recipe_param *recipe_find_param(const struct recipe *recipe, const char *name)
{
    for (size_t i = 0; i < recipe->n_params; i++) {
        if (strcmp(recipe->params[i].name, name) == 0)
            return &recipe->params[i];
    }
    return NULL;
}
