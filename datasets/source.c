/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "recipe_job.h"
#include "source.h"
#include "utf8.h"

/* What would need quotes in a CSV, what ends a path in a spec, and the escape itself. */
#define ESCAPED_CHARACTERS ",\"%#"

char *source_spec_escape(const char *path)
{
    char *escaped = malloc(3 * strlen(path) + 1);
    if (!escaped)
        return NULL;
    char *at = escaped;
    while (*path) {
        size_t n_bytes = strchr(ESCAPED_CHARACTERS, *path) ? 0 : utf8_visible_bytes(path);
        if (n_bytes == 0) {
            at += sprintf(at, "%%%02X", (unsigned char)*path);
            path++;
        }
        for (; n_bytes > 0; n_bytes--)
            *at++ = *path++;
    }
    *at = '\0';
    return escaped;
}

/* Value of a hexadecimal digit, -1 for anything else. */
static int hex_digit(char character)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = character ? strchr(digits, character) : NULL;
    return found ? (int)((found - digits) % 16) : -1;
}

char *source_spec_unescape(const char *escaped)
{
    char *path = malloc(strlen(escaped) + 1);
    char *at = path;
    for (; path && *escaped; escaped++) {
        if (*escaped != '%') {
            *at++ = *escaped;
            continue;
        }
        int high = hex_digit(escaped[1]);
        int low = high < 0 ? -1 : hex_digit(escaped[2]);
        if (low < 0 || high + low == 0) {
            free(path);
            return NULL;
        }
        *at++ = (char)(high << 4 | low);
        escaped += 2;
    }
    if (path)
        *at = '\0';
    return path;
}

int source_check_spec(const char *spec, char **canonical_out, struct dv_error *error_out)
{
    struct recipe_job job;
    *canonical_out = NULL;
    int status = recipe_job_parse(&job, spec, error_out);
    if (status)
        return status;
    *canonical_out = recipe_job_print(&job);
    return *canonical_out ? 0 : dv_no_memory(error_out);
}

int source_open_spec(struct dv_source *source_out, const char *spec, struct dv_error *error_out)
{
    struct recipe_job job;
    struct payload_writer writer;
    *source_out = (struct dv_source){.format = "recipe"};
    int status = recipe_job_parse(&job, spec, error_out);
    if (status)
        return status;
    payload_writer_init(&writer, recipe_count(&job, "optimize") ? PAYLOAD_OPTIMIZE : 0);
    job.writer = &writer;
    status = job.recipe->generate(&job, error_out);
    if (!status)
        status =
            payload_writer_finish(&writer, &source_out->payload, &source_out->n_payload_bytes, error_out);
    if (status)
        goto out;

    source_out->base = job.base;
    source_out->n_rows = job.n_rows;
    source_out->seed = job.seed;
    source_out->digest = digest_bytes(source_out->payload, source_out->n_payload_bytes);
    snprintf(source_out->recipe, sizeof source_out->recipe, "%s", job.recipe->id);
    source_out->spec = recipe_job_print(&job);
    if (!source_out->spec)
        status = dv_no_memory(error_out);
out:
    payload_writer_free(&writer);
    if (status)
        source_free(source_out);
    return status;
}

void source_free(struct dv_source *source)
{
    free(source->spec);
    free(source->payload);
    *source = (struct dv_source){0};
}
