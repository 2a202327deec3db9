/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "payload_writer.h"

static int copy_batches(struct batches *copy_out, const struct batch *batches, size_t n_batches,
                        struct dv_error *error_out)
{
    *copy_out = (struct batches){.items = malloc((n_batches + 1) * sizeof *batches)};
    if (!copy_out->items)
        return dv_no_memory(error_out);
    for (size_t i = 0; i < n_batches; i++) {
        copy_out->items[copy_out->n_items++] = batches[i];
        copy_out->n_rows += batches[i].n_rows;
    }
    return 0;
}

int check_case_open(struct check_case *case_out, const char *name, const uint8_t *payload,
                    size_t n_payload_bytes, const struct batch *batches, size_t n_batches,
                    struct dv_error *error_out)
{
    *case_out = (struct check_case){0};
    snprintf(case_out->name, sizeof case_out->name, "%s", name);
    int status = guard_copy_open(&case_out->bytes, payload, n_payload_bytes, error_out);
    if (status == 0)
        status = dv_open(&case_out->dv, case_out->bytes.data, n_payload_bytes, DV_NEEDS_INTERVALS, error_out);
    if (status == 0)
        status = copy_batches(&case_out->batches, batches, n_batches, error_out);
    if (status != 0)
        check_case_close(case_out);
    return status;
}

void check_case_close(struct check_case *check)
{
    batches_free(&check->batches);
    dv_close(&check->dv);
    guard_copy_close(&check->bytes);
    *check = (struct check_case){0};
}

static int write_pattern(struct payload_writer *writer, const struct check_pattern *pattern,
                         struct dv_error *error_out)
{
    if (pattern->step <= 1)
        return payload_writer_add_range(writer, pattern->start, pattern->end, error_out);
    int status = 0;
    for (uint64_t position = pattern->start; position < pattern->end && status == 0;
         position += pattern->step)
        status = payload_writer_add_range(writer, position, position + 1, error_out);
    return status;
}

int check_case_from_patterns(struct check_case *case_out, const char *name,
                             const struct check_pattern *patterns, size_t n_patterns, unsigned options,
                             const struct batch *batches, size_t n_batches, struct dv_error *error_out)
{
    struct payload_writer writer;
    uint8_t *payload = NULL;
    size_t n_payload_bytes = 0;
    payload_writer_init(&writer, options);
    int status = 0;
    for (size_t i = 0; i < n_patterns && status == 0; i++)
        status = write_pattern(&writer, &patterns[i], error_out);
    if (status == 0)
        status = payload_writer_finish(&writer, &payload, &n_payload_bytes, error_out);
    if (status == 0)
        status = check_case_open(case_out, name, payload, n_payload_bytes, batches, n_batches, error_out);
    else
        payload_writer_free(&writer);
    free(payload);
    return status;
}
