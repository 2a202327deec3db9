/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int engine_query(struct engine *engine, struct engine_answer *answer_out, struct dv_error *error_out,
                 const char *format, ...)
{
    char *sql = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int n = vasprintf(&sql, format, arguments);
    va_end(arguments);
    if (answer_out)
        *answer_out = (struct engine_answer){0};
    if (n < 0)
        return dv_no_memory(error_out);
    const int status = engine->query(engine, sql, answer_out, error_out);
    free(sql);
    return status;
}

const char *engine_value(const struct engine_answer *answer, size_t row, size_t column)
{
    if (row >= answer->n_rows || column >= answer->n_columns)
        return NULL;
    return answer->values[row * answer->n_columns + column];
}

void engine_answer_free(struct engine_answer *answer)
{
    for (size_t i = 0; i < answer->n_rows * answer->n_columns; i++)
        free(answer->values[i]);
    free(answer->values);
    *answer = (struct engine_answer){0};
}

char *engine_quote(const char *text, char quote)
{
    char *quoted = malloc(2 * strlen(text) + 3), *end = quoted;
    if (!quoted)
        return NULL;
    *end++ = quote;
    for (; *text; text++) {
        if (*text == quote)
            *end++ = quote;
        *end++ = *text;
    }
    *end++ = quote;
    *end = '\0';
    return quoted;
}

void engine_close(struct engine *engine)
{
    if (engine)
        engine->close(engine);
}
