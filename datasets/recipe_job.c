/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>

#include "recipe_job.h"

static const struct recipe_value *value_of(const struct recipe_job *job, const char *name)
{
    for (size_t i = 0; i < job->recipe->n_params; i++) {
        if (job->values[i].is_set && strcmp(job->recipe->params[i].name, name) == 0)
            return &job->values[i];
    }
    return NULL;
}

uint64_t recipe_count(const struct recipe_job *job, const char *name)
{
    const struct recipe_value *value = value_of(job, name);
    assert(value);
    return value->count;
}

struct recipe_rate recipe_rate(const struct recipe_job *job, const char *name)
{
    const struct recipe_value *value = value_of(job, name);
    assert(value && value->rate.denominator > 0);
    return value->rate;
}

int recipe_choice_index(const char *choices, const char *word, size_t n_chars)
{
    int index = 0;
    while (choices) {
        size_t n = strcspn(choices, "|");
        if (n == n_chars && memcmp(choices, word, n) == 0)
            return index;
        choices = choices[n] ? choices + n + 1 : NULL;
        index++;
    }
    return -1;
}

bool recipe_is(const struct recipe_job *job, const char *name, const char *choice)
{
    const struct recipe_param *param = recipe_find_param(job->recipe, name);
    int index = recipe_choice_index(param->choices, choice, strlen(choice));
    assert(index >= 0);
    return recipe_count(job, name) == (uint64_t)index;
}

uint64_t recipe_share(struct recipe_rate rate, uint64_t n)
{
    return (uint64_t)((unsigned __int128)n * rate.numerator / rate.denominator);
}

int recipe_delete(struct recipe_job *job, uint64_t start, uint64_t end, struct dv_error *error_out)
{
    if (end > job->n_rows)
        end = job->n_rows;
    if (start >= end)
        return 0;
    return payload_writer_add_range(job->writer, job->base + start, job->base + end, error_out);
}

/* Index of the first bit from `i` on that is `wanted`; n where there is none. */
static uint32_t next_bit(const uint64_t *bits, uint32_t i, uint32_t n, bool wanted)
{
    while (i < n) {
        uint64_t word = (wanted ? bits[i / 64] : ~bits[i / 64]) >> i % 64;
        if (word) {
            i += (uint32_t)__builtin_ctzll(word);
            return i < n ? i : n;
        }
        i += 64 - i % 64;
    }
    return n;
}

int recipe_delete_bits(struct recipe_job *job, uint64_t first_row, const uint64_t *bits, uint32_t n,
                       struct dv_error *error_out)
{
    int status = 0;
    for (uint32_t start = next_bit(bits, 0, n, true), end; !status && start < n;
         start = next_bit(bits, end, n, true)) {
        end = next_bit(bits, start, n, false);
        status = recipe_delete(job, first_row + start, first_row + end, error_out);
    }
    return status;
}
